"""Cases of bulk copies and reductions, st.async, red.async, cp.async, distributed shared memory and mbarriers; and of their misuse."""
import random, struct
import numpy as np
from async_case import *
from async_tensor import params, crossed, pair_args

BOUNDED = 'mov.u32 %r20,0; WAIT: mbarrier.test_wait.parity.shared.b64 %p6,[%mb],0; @%p6 bra WAITED; nanosleep.u32 1000; add.u32 %r20,%r20,1; setp.lt.u32 %p6,%r20,300; @%p6 bra WAIT; WAITED:'
MEET = 'barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;'
TYPE = {'u32': 2, 's32': 3, 'u64': 4, 's64': 5, 'f16': 6, 'bf16': 9, 'f32': 7, 'f64': 8, 'b32': 2, 'b64': 4}
ALL = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']

# ---- global to shared, shared to global
def g2s(dst, bounded=False, n=32768):
    body = f'''@!%one bra SKIP; cvt.u64.u32 %d1,%x0; add.u64 %d1,%dst,%d1; add.u32 %a0,%sm,%x1; add.u32 %a1,%mb,%x4; mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x3;
cp.async.bulk.{dst}.global.mbarrier::complete_tx::bytes [%a0],[%d1],%x2,[%a1]; SKIP:'''
    return skeleton(body, n=n, fill=False, wait=BOUNDED if bounded else WAIT0)
def g2s_args(src, dst, size, expect=None, mb=0, n=32768): return [{'u64': 0}, {'buffer': 65536, 'data': 0}, {'buffer': n + 32, 'fill': 0xdd, 'record': True}] + params(src, dst, size, size if expect is None else expect, mb)
def s2g(read=False):
    body = f'''@!%one bra SKIP; cvt.u64.u32 %d1,%x0; add.u64 %d1,%dst,%d1; add.u32 %a0,%sm,%x1; cp.async.bulk.global.shared::cta.bulk_group [%d1],[%a0],%x2; cp.async.bulk.commit_group; {"cp.async.bulk.wait_group.read 0; st.shared.b32 [%a0],0; " if read else ""}cp.async.bulk.wait_group 0; SKIP:'''
    return skeleton(body, n=32768, dump=False)
def s2g_args(dst, src, size): return [{'buffer': 32768, 'data': 0}, {'buffer': 65536, 'fill': 0xee, 'record': True}, {'u64': 0}] + params(dst, src, size)
def s2s(cluster, bounded=False, n=16384):
    """Rank x3 sends x2 bytes at x0 of its shared memory to x1 of rank x4's; x5 is the rank of the mbarrier."""
    body = f'''setp.eq.u32 %p0,%rank,%x5; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x2; {MEET}
setp.eq.u32 %p2,%rank,%x3; and.pred %p2,%p2,%one; add.u32 %a0,%sm,%x0; add.u32 %a1,%sm,%x1; mapa.shared::cluster.u32 %a1,%a1,%x4; mapa.shared::cluster.u32 %a2,%mb,%x5;
@%p2 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%a1],[%a0],%x2,[%a2]; @!%p0 bra NOWAIT;'''
    return skeleton(body, n=n, cluster=cluster, wait=(BOUNDED if bounded else WAIT0) + ' NOWAIT:')
def s2s_case(group, name, cluster, src, dst, size, a, b, m=None, bounded=False):
    return case(group, name, s2s(cluster, bounded), [{'buffer': cluster * 16384, 'data': 0}, {'u64': 0}, {'buffer': cluster * 16384 + cluster * 32, 'fill': 0xdd, 'record': True}] + params(src, dst, size, a, b, b if m is None else m), grid=cluster, cluster=[cluster, 1, 1])
def multicast(cluster, bounded=False, n=16384):
    """Rank x4 copies x2 bytes at x0 to x1 of every CTA in mask x3."""
    body = f'''cvt.u16.u32 %h0,%x3; shr.u32 %r3,%x3,%rank; and.b32 %r3,%r3,1; setp.ne.u32 %p0,%r3,0; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x2; {MEET}
setp.eq.u32 %p2,%rank,%x4; and.pred %p2,%p2,%one; cvt.u64.u32 %d1,%x0; add.u64 %d1,%dst,%d1; add.u32 %a0,%sm,%x1;
@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%a0],[%d1],%x2,[%mb],%h0; @!%p0 bra NOWAIT;'''
    return skeleton(body, n=n, cluster=cluster, fill=False, wait=(BOUNDED if bounded else WAIT0) + ' NOWAIT:')
def multicast_case(group, name, cluster, src, dst, size, mask, by, bounded=False):
    return case(group, name, multicast(cluster, bounded), [{'u64': 0}, {'buffer': 65536, 'data': 0}, {'buffer': cluster * 16384 + cluster * 32, 'fill': 0xdd, 'record': True}] + params(src, dst, size, mask, by), grid=cluster, cluster=[cluster, 1, 1])

def copies():
    for dst in ('shared::cta', 'shared::cluster'):
        for s, d, z in ((0, 0, 16), (16, 0, 32), (0, 16, 48), (48, 112, 112), (16, 128, 128), (0, 32, 1008), (240, 16, 1024), (16, 16, 4080), (1024, 1024, 16384), (32, 0, 32768), (32752, 32752, 16)):
            yield case('bulk', f'global to {dst} {z} bytes {s}->{d}', g2s(dst), g2s_args(s, d, z))
    for read in (0, 1):
        for d, s, z in ((0, 0, 16), (16, 0, 32), (0, 16, 48), (48, 112, 112), (240, 16, 1024), (16, 16, 4080), (1024, 0, 32768), (32752, 32752, 16)):
            yield case('bulk', f'shared to global {z} bytes {s}->{d}{" read" if read else ""}', s2g(read), s2g_args(d, s, z))
    for cl in (2, 4):
        for s, d, z, a, b in ((0, 0, 16, 0, 1), (16, 32, 48, 1, 0), (1024, 16, 4080, 0, cl - 1), (0, 0, 16384, 1, 0), (512, 8192, 2048, cl - 1, 0)):
            yield s2s_case('bulk', f'shared to shared {z} bytes {s}->{d}, {a} to {b} of {cl}', cl, s, d, z, a, b)
    for mask in range(1, 16): yield multicast_case('bulk', f'multicast mask {mask:#x}', 4, 16 * mask, 32 * mask, 16 * mask + 64, mask, (mask * 3) % 4)
    for mask, by in ((0xff, 0), (0x81, 5), (0x40, 6)): yield multicast_case('bulk', f'multicast of 8, mask {mask:#x}', 8, 0, 1024, 4096, mask, by)

# ---- reductions
def reduces():
    for ty in TYPE:
        for op in ALL:
            q = '.noftz' if op == 'add' and ty in ('f16', 'bf16') else ''; es = SIZES[TYPE[ty]]; a, b = pair_args(TYPE[ty], 8192)
            body = f'@!%one bra SKIP; cp.reduce.async.bulk.global.shared::cta.bulk_group.{op}{q}.{ty} [%dst],[%sm],%x0; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; SKIP:'
            yield case('bulk', f'reduce global {op} {ty}', skeleton(body, n=8192, dump=False), [b, dict(a, record=True), {'u64': 0}] + params(1024 * es))
            body = f'''setp.eq.u32 %p0,%rank,1; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x0; {MEET}
setp.eq.u32 %p2,%rank,0; and.pred %p2,%p2,%one; mapa.shared::cluster.u32 %a1,%sm,1; mapa.shared::cluster.u32 %a2,%mb,1;
@%p2 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{op}.{ty} [%a1],[%sm],%x0,[%a2]; @!%p0 bra NOWAIT;'''
            x, y = crossed(TYPE[ty]); both = y.ljust(8192, b'\0') + x.ljust(8192, b'\0')
            yield case('bulk', f'reduce shared {op} {ty}', skeleton(body, n=8192, cluster=2, wait=WAIT0 + ' NOWAIT:'), [{'buffer': 16384, 'input': f'{NAMES[TYPE[ty]]} sources and destinations', 'hex': both.hex()}, {'u64': 0}, {'buffer': 16384 + 64, 'fill': 0xdd, 'record': True}] + params(1024 * es), grid=2, cluster=[2, 1, 1])

# ---- st.async, red.async: rank 0's threads write rank 1's memory
def stores_and_reds():
    reg = {'b32': ('%r', 4), 'b64': ('%d', 8), 'u32': ('%r', 4), 'u64': ('%d', 8), 's32': ('%r', 4), 's64': ('%d', 8), 'f32': ('%f', 4), 'f64': ('%e', 8)}
    for ss in ('.shared::cluster', ''):
        for ty, (rg, es) in reg.items():
            for v in (1, 2, 4):
                rs = [f'{rg}{4+i}' for i in range(v)]; bytes_ = v * es; vec = '' if v == 1 else f'.v{v}'; val = rs[0] if v == 1 else '{' + ','.join(rs) + '}'
                loads = ' '.join(f'ld.shared.{ty} {x},[%a0+{es*i}];' for i, x in enumerate(rs)); at = ('%a1', '%a2') if ss else ('%g1', '%g2')
                body = f'''setp.eq.u32 %p0,%rank,1; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],{128*bytes_}; {MEET}
@%p0 bra WAITS; shl.b32 %r0,%thr,5; add.u32 %a0,%sm,%r0; add.u32 %a1,%a0,32; add.u32 %a1,%a1,{bytes_*3 if bytes_ < 16 else 0}; cvt.u64.u32 %g1,%a1; cvta.shared.u64 %g1,%g1; mapa.u64 %g1,%g1,1; cvt.u64.u32 %g2,%mb; cvta.shared.u64 %g2,%g2; mapa.u64 %g2,%g2,1; mapa.shared::cluster.u32 %a1,%a1,1; mapa.shared::cluster.u32 %a2,%mb,1;
{loads} st.async{ss}.mbarrier::complete_tx::bytes{vec}.{ty} [{at[0]}],{val},[{at[1]}]; bra NOWAIT; WAITS:'''
                yield case('bulk', f'st.async{ss}{vec}.{ty}', skeleton(body, n=8192, cluster=2, wait=WAIT0 + ' NOWAIT:'), [{'buffer': 16384, 'data': 0}, {'u64': 0}, {'buffer': 16384 + 64, 'fill': 0xdd, 'record': True}] + params(), grid=2, cluster=[2, 1, 1])
        for op in ALL:
            for ty in ('u32', 's32', 'u64', 'b32', 's64', 'b64'):
                rg, es = reg[ty]; at = ('%a1', '%a2') if ss else ('%g1', '%g2')
                body = f'''setp.eq.u32 %p0,%rank,1; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],{1024*es}; {MEET}
@%p0 bra WAITS; mov.u32 %r10,%thr; cvt.u64.u32 %g2,%mb; cvta.shared.u64 %g2,%g2; mapa.u64 %g2,%g2,1; mapa.shared::cluster.u32 %a2,%mb,1;
LOOP: mul.lo.u32 %r0,%r10,{es}; add.u32 %a0,%sm,%r0; cvt.u64.u32 %g1,%a0; cvta.shared.u64 %g1,%g1; mapa.u64 %g1,%g1,1; mapa.shared::cluster.u32 %a1,%a0,1;
ld.shared.{ty} {rg}4,[%a0]; red.async.relaxed.cluster{ss}.mbarrier::complete_tx::bytes.{op}.{ty} [{at[0]}],{rg}4,[{at[1]}]; add.u32 %r10,%r10,128; setp.lt.u32 %p2,%r10,1024; @%p2 bra LOOP; bra NOWAIT; WAITS:'''
                x, y = crossed(TYPE[ty]); both = y.ljust(8192, b'\0') + x.ljust(8192, b'\0')
                yield case('bulk', f'red.async{ss}.{op}.{ty}', skeleton(body, n=8192, cluster=2, wait=WAIT0 + ' NOWAIT:'), [{'buffer': 16384, 'input': f'{NAMES[TYPE[ty]]} sources and destinations', 'hex': both.hex()}, {'u64': 0}, {'buffer': 16384 + 64, 'fill': 0xdd, 'record': True}] + params(), grid=2, cluster=[2, 1, 1])

# ---- cp.async: thread t copies from 16t to 16t
def cp_async():
    forms = {}
    for op, size in (('ca', 4), ('ca', 8), ('ca', 16), ('cg', 16)):
        forms[f'{op} {size}'] = f'cp.async.{op}.shared.global [%a0],[%d1],{size};'
        forms[f'{op} {size} src-size t mod {size+1}'] = f'rem.u32 %r5,%thr,{size+1}; cp.async.{op}.shared.global [%a0],[%d1],{size},%r5;'
        forms[f'{op} {size} src-size {size//2}'] = f'cp.async.{op}.shared.global [%a0],[%d1],{size},{size//2};'
        forms[f'{op} {size} ignore-src t odd'] = f'and.b32 %r5,%thr,1; setp.eq.u32 %p3,%r5,1; cp.async.{op}.shared.global [%a0],[%d1],{size},%p3;'
    waits = {'wait_all': 'cp.async.wait_all;', 'wait_group': 'cp.async.commit_group; cp.async.wait_group 0;', 'mbarrier': 'cp.async.mbarrier.arrive.shared.b64 [%mb]; mbarrier.arrive.shared.b64 _,[%mb]; W: mbarrier.try_wait.parity.shared.b64 %p6,[%mb],0; @!%p6 bra W;', 'noinc': 'cp.async.mbarrier.arrive.noinc.shared.b64 [%mb]; W: mbarrier.try_wait.parity.shared.b64 %p6,[%mb],0; @!%p6 bra W;'}
    for k, (name, f) in enumerate(forms.items()):
        for w in (list(waits) if k in (0, 3) else [list(waits)[k % 4]]):
            body = f'shl.b32 %r0,%thr,4; add.u32 %a0,%sm,%r0; cvt.u64.u32 %d1,%r0; add.u64 %d1,%d1,%dst; add.u64 %d1,%d1,16; {f} {waits[w]}'
            yield case('bulk', f'cp.async {name}, {w}', skeleton(body, n=4096, fill=False, mb_count=128), [{'u64': 0}, {'buffer': 8192, 'data': 0}, {'buffer': 4096 + 32, 'fill': 0xdd, 'record': True}] + params())
    body = '''shl.b32 %r0,%thr,4; add.u32 %a0,%sm,%r0; cvt.u64.u32 %d1,%r0; add.u64 %d1,%d1,%dst; cp.async.cg.shared.global [%a0],[%d1],16; cp.async.commit_group; cp.async.commit_group; cp.async.ca.shared.global [%a0+2048],[%d1+2048],4; cp.async.ca.shared.global [%a0+2056],[%d1+2048],8; cp.async.commit_group; cp.async.wait_group 1;
ld.shared.b32 %r5,[%a0]; cp.async.wait_group 0; ld.shared.b32 %r6,[%a0+2048]; add.u32 %r5,%r5,%r6; st.shared.b32 [%a0+2052],%r5;'''
    yield case('bulk', 'cp.async three groups', skeleton(body, n=4096, fill=False), [{'u64': 0}, {'buffer': 8192, 'data': 0}, {'buffer': 4096 + 32, 'fill': 0xdd, 'record': True}] + params())

# ---- a loop of phases: sixteen chunks through two stages
def pipelines():
    body = '''mov.u32 %r10,0; mov.u32 %r11,0;
NEXT: and.b32 %r12,%r10,1; shr.u32 %r13,%r10,1; and.b32 %r13,%r13,1; shl.b32 %r14,%r12,11; add.u32 %a0,%sm,%r14; shl.b32 %r15,%r12,3; add.u32 %a1,%mb,%r15; shl.b32 %r16,%r10,11; cvt.u64.u32 %d1,%r16; add.u64 %d1,%d1,%dst;
@!%one bra C; mbarrier.arrive.expect_tx.shared.b64 _,[%a1],2048; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a0],[%d1],1024,[%a1]; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%a0+1024],[%d1+1024],1024,[%a1];
C: mbarrier.try_wait.parity.shared.b64 %p0,[%a1],%r13; @!%p0 bra C; shl.b32 %r17,%thr,4; add.u32 %a2,%a0,%r17; ld.shared.v4.b32 {%r0,%r1,%r2,%r3},[%a2]; add.u32 %r0,%r0,%r1; xor.b32 %r2,%r2,%r3; mad.lo.u32 %r11,%r11,31,%r0; add.u32 %r11,%r11,%r2; bar.sync 0;
add.u32 %r10,%r10,1; setp.lt.u32 %p1,%r10,16; @%p1 bra NEXT; shl.b32 %r17,%thr,2; add.u32 %a2,%sm,%r17; st.shared.b32 [%a2+8192],%r11;'''
    yield case('bulk', 'sixteen chunks through two stages', skeleton(body, n=16384, fill=False), [{'u64': 0}, {'buffer': 32768, 'data': 0}, {'buffer': 16384 + 32, 'fill': 0xdd, 'record': True}] + params())

# ---- distributed shared memory: thread t of CTA r goes to slot r*128+t of CTA (r+1+t mod 7) mod 8
def dsmem():
    L = {}
    for ss, a in (('.shared::cluster', '%a1'), ('', '%g1')):
        for ty in ('u8', 's8', 'u16', 's16', 'u32', 'b64', 'f32', 'f64'):
            w = {'u8': '%r4', 's8': '%r4', 'u16': '%h4', 's16': '%h4', 'u32': '%r4', 'b64': '%d4', 'f32': '%f4', 'f64': '%e4'}[ty]; out = {'%r4': 'st.global.b32 [%d9],%r4;', '%h4': 'st.global.b16 [%d9],%h4;', '%d4': 'st.global.b64 [%d9],%d4;', '%f4': 'st.global.f32 [%d9],%f4;', '%e4': 'st.global.f64 [%d9],%e4;'}[w]
            L[f'ld{ss}.{ty}'] = (f'ld{ss}.{ty} {w},[{a}]; {out}', 0); L[f'st{ss}.{ty}'] = (f'ld.global.{ty} {w},[%d8]; st{ss}.{ty} [{a}],{w};', 0)
        L[f'ld{ss}.v2.b32'] = (f'ld{ss}.v2.b32 {{%r4,%r5}},[{a}]; st.global.v2.b32 [%d9],{{%r4,%r5}};', 0); L[f'st{ss}.v2.b32'] = (f'ld.global.v2.b32 {{%r4,%r5}},[%d8]; st{ss}.v2.b32 [{a}],{{%r4,%r5}};', 0)
        L[f'ld{ss}.v4.b32'] = (f'ld{ss}.v4.b32 {{%r4,%r5,%r6,%r7}},[{a}]; st.global.v4.b32 [%d9],{{%r4,%r5,%r6,%r7}};', 1); L[f'st{ss}.v4.b32'] = (f'ld.global.v4.b32 {{%r4,%r5,%r6,%r7}},[%d8]; st{ss}.v4.b32 [{a}],{{%r4,%r5,%r6,%r7}};', 1)
        L[f'ld{ss}.v2.b64'] = (f'ld{ss}.v2.b64 {{%d4,%d5}},[{a}]; st.global.v2.b64 [%d9],{{%d4,%d5}};', 1)
        L[f'ld.acquire.cluster{ss}.b32'] = (f'ld.acquire.cluster{ss}.b32 %r4,[{a}]; st.global.b32 [%d9],%r4;', 0); L[f'st.release.cluster{ss}.b32'] = (f'ld.global.b32 %r4,[%d8]; st.release.cluster{ss}.b32 [{a}],%r4;', 0)
        for op, tys in {'add': ['u32', 's32', 'u64', 'f32', 'f64', 'noftz.f16', 'noftz.f16x2', 'noftz.bf16', 'noftz.bf16x2'], 'min': ['u32', 's32', 'u64', 's64'], 'max': ['u32', 's32', 'u64', 's64'], 'and': ['b32', 'b64'], 'or': ['b32', 'b64'], 'xor': ['b32', 'b64'], 'inc': ['u32'], 'dec': ['u32'], 'exch': ['b32', 'b64'], 'cas': ['b16', 'b32', 'b64']}.items():
            for ty in tys:
                t = ty.split('.')[-1]; w = '%h' if t in ('f16', 'bf16', 'b16') else '%f' if t == 'f32' else '%e' if t == 'f64' else '%d' if t.endswith('64') else '%r'; mt = {'%h': 'b16', '%f': 'f32', '%e': 'f64', '%d': 'b64', '%r': 'b32'}[w]
                extra = f',{w}6' if op == 'cas' else ''; load = f'ld.global.{mt} {w}5,[%d8]; ' + (f'ld.global.{mt} {w}6,[%d8+8]; and.b32 %r20,%thr,1; setp.eq.u32 %p5,%r20,1; @%p5 ld{ss}.{mt} {w}5,[{a}]; ' if op == 'cas' else '')
                L[f'atom{ss}.{op}.{ty}'] = (f'{load} atom{ss}.{op}.{ty} {w}4,[{a}],{w}5{extra}; st.global.{mt} [%d9],{w}4;', 0)
                if op not in ('exch', 'cas'): L[f'red{ss}.{op}.{ty}'] = (f'{load} red{ss}.{op}.{ty} [{a}],{w}5;', 0)
    for name, (code, wide) in L.items():
        slot = 'shl.b32 %r1,%rank,6; add.u32 %r1,%r1,%thr; shl.b32 %r2,%r1,4; setp.ge.u32 %p0,%thr,64; @%p0 bra NONE;' if wide else 'shl.b32 %r1,%rank,7; add.u32 %r1,%r1,%thr; shl.b32 %r2,%r1,3;'
        body = f'''{slot} rem.u32 %r3,%thr,7; add.u32 %r3,%r3,%rank; add.u32 %r3,%r3,1; and.b32 %r3,%r3,7; add.u32 %a0,%sm,%r2; mapa.shared::cluster.u32 %a1,%a0,%r3; cvt.u64.u32 %g1,%a0; cvta.shared.u64 %g1,%g1; mapa.u64 %g1,%g1,%r3;
shl.b32 %r4,%r1,4; cvt.u64.u32 %d7,%r4; add.u64 %d8,%dst,%d7; add.u64 %d9,%out,%d7; add.u64 %d9,%d9,{8*8192+256}; {code}
NONE:'''
        yield case('dsmem', name, skeleton(body, n=8192, cluster=8), [{'buffer': 65536, 'data': 0}, {'buffer': 32768, 'data': 99991}, {'buffer': 65536 + 256 + 16384, 'fill': 0xdd, 'record': True}] + params(), grid=8, cluster=[8, 1, 1])
    # every thread of the cluster arrives on rank 0's barriers, with a count, with expect_tx, dropping; then rank 0's bits show
    arr = '''mapa.shared::cluster.u32 %a2,%mb,%x0; cvt.u64.u32 %g2,%mb; cvta.shared.u64 %g2,%g2; mapa.u64 %g2,%g2,%x0;'''
    R = {'arrive': (1024, 'mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%a2];'), 'arrive, one missing': (1025, 'mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%a2];'), 'arrive count 3': (3072, 'mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%a2],3;'), 'arrive generic': (1024, 'mbarrier.arrive.release.cluster.b64 _,[%g2];'),
         'arrive.expect_tx and complete_tx': (1024, 'mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _,[%a2],16; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%a2],16;'), 'arrive.expect_tx left': (1024, 'mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _,[%a2],16;'),
         'expect_tx': (1024, 'mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%a2],5;'), 'complete_tx': (7, 'mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%a2],5;'), 'arrive_drop': (1030, 'mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _,[%a2];'), 'arrive_drop.expect_tx': (1030, 'mbarrier.arrive_drop.expect_tx.release.cluster.shared::cluster.b64 _,[%a2],2;'),
         'arrive.relaxed': (1024, 'mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,[%a2];'), 'two phases': (512, 'mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%a2];')}
    for name, (count, code) in R.items():
        for to in (0, 5): yield case('dsmem', f'remote {name} at {to}', skeleton(f'{arr} {code}', n=1024, cluster=8, mb_count=count), [{'buffer': 8192, 'data': 0}, {'u64': 0}, {'buffer': 8192 + 256, 'fill': 0xdd, 'record': True}] + params(to), grid=8, cluster=[8, 1, 1])
    # a ring: each CTA hands its sum to the next, seven times, with the forms of barrier.cluster
    for name, (ar, wt) in {'aligned': ('barrier.cluster.arrive.aligned;', 'barrier.cluster.wait.aligned;'), 'release acquire': ('barrier.cluster.arrive.release;', 'barrier.cluster.wait.acquire;'), 'relaxed with fence': ('fence.acq_rel.cluster; barrier.cluster.arrive.relaxed;', 'barrier.cluster.wait; fence.acq_rel.cluster;')}.items():
        body = f'''mov.u32 %r10,0; shl.b32 %r0,%thr,2; add.u32 %a0,%sm,%r0; add.u32 %r1,%rank,1; and.b32 %r1,%r1,7; mapa.shared::cluster.u32 %a1,%a0,%r1; ld.shared.b32 %r2,[%a0];
RING: mad.lo.u32 %r2,%r2,3,%rank; {ar} {wt} st.shared::cluster.b32 [%a1],%r2; {ar} mul.lo.u32 %r2,%r2,5; {wt} ld.shared.b32 %r3,[%a0]; xor.b32 %r2,%r2,%r3; add.u32 %r10,%r10,1; setp.lt.u32 %p0,%r10,7; @%p0 bra RING; st.shared.b32 [%a0+512],%r2;'''
        yield case('dsmem', f'ring, barrier.cluster {name}', skeleton(body, n=1024, cluster=8), [{'buffer': 8192, 'data': 0}, {'u64': 0}, {'buffer': 8192 + 256, 'fill': 0xdd, 'record': True}] + params(), grid=8, cluster=[8, 1, 1])

# ---- random lawful sequences on mbarriers, each thread its own
M = 2**20 - 1
STEP = ['', 'mbarrier.arrive.shared.b64 %s0,[%a0];', 'mbarrier.arrive.shared.b64 %s0,[%a0],%r1;', 'mbarrier.arrive.noComplete.shared.b64 %s0,[%a0],%r1;', 'mbarrier.arrive_drop.shared.b64 %s0,[%a0];', 'mbarrier.arrive_drop.shared.b64 %s0,[%a0],%r1;', 'mbarrier.expect_tx.relaxed.cta.shared.b64 [%a0],%r1;', 'mbarrier.complete_tx.relaxed.cta.shared.b64 [%a0],%r1;',
        'mbarrier.arrive.expect_tx.shared.b64 %s0,[%a0],%r1;', 'mbarrier.arrive_drop.expect_tx.shared.b64 %s0,[%a0],%r1;', 'cp.async.mbarrier.arrive.noinc.shared.b64 [%a0];', 'mbarrier.arrive_drop.noComplete.shared.b64 %s0,[%a0],%r1;', 'cp.async.mbarrier.arrive.shared.b64 [%a0];']
def lawful(r, steps, without=(), crossing=True, most=M):
    count = r.choice([1, 1, 2, 3, 5, 8, 100, 1000, most]); pend = exp = count; tx = 0; out = [(0, count)]
    for _ in range(steps):
        c = [6, 7]
        if pend: c += [1, 1, 2, 2, 8, 10]
        if 0 < pend < M: c += [12]
        if pend > 1: c += [3]
        if pend and exp > 1: c += [4, 5, 9]
        if pend > 1 and exp > 1: c += [11]
        op = r.choice([o for o in c if o not in without] or [6]); x = 0
        if op in (2,): x = r.choice([pend, 1, r.randint(1, pend)])
        if op == 3: x = r.randint(1, pend - 1)
        if op == 5: x = r.choice([1, min(pend, exp - 1)])
        if op == 11: x = min(r.choice([1, 2]), pend - 1, exp - 1)
        if op in (6, 8, 9): x = r.choice([0, 1, 16, 100, -tx if tx < 0 else 7, M, M - tx]); x = max(0, min(x, M - tx, M))
        if op == 7: x = r.choice([0, 1, 16, 100, tx if tx > 0 else 7, tx if tx > 0 else 7, M]); x = max(0, min(x, M + tx, M))
        if op == 7 and not crossing: x = min(x, max(tx, 0))
        if op in (6, 8, 9): tx += x
        if op == 7: tx -= x
        if op in (4, 9): exp -= 1
        if op in (5, 11): exp -= x
        if op in (1, 4, 8, 9, 10): pend -= 1
        if op in (2, 3, 5, 11): pend -= x
        if pend == 0 and tx == 0: pend = exp
        out.append((op, x))
    return out
def mbarriers():
    for k, (name, how) in enumerate({'arrive': {'without': (4, 5, 6, 7, 8, 9, 10, 11, 12)}, 'arrive and drop': {'without': (6, 7, 8, 9, 10, 12)}, 'tx that stays positive': {'without': (4, 5, 9, 10, 11, 12), 'crossing': False}, 'tx': {'without': (4, 5, 9, 10, 11, 12)}, 'cp.async.mbarrier.arrive': {'without': (4, 5, 6, 7, 8, 9, 11)}, 'cp.async.mbarrier.arrive.noinc': {'without': (4, 5, 6, 7, 8, 9, 11, 12)}, 'all but cp.async': {'without': (10, 12)}, 'all but the greatest count': {'most': 70000, 'without': (12,)}}.items()):
        yield mbarrier_case(f'random lawful sequences, {name}', random.Random(9090 + k), how)
def mbarrier_case(name, r, how):
    steps = 32; N = 256; seqs = [lawful(r, steps, **how) for _ in range(N)]
    table = np.array(seqs, np.uint32).transpose(1, 0, 2).tobytes()
    sel = '\n'.join(f'setp.eq.u32 %p0,%r0,{i}; @%p0 {s}' for i, s in enumerate(STEP) if s)
    kernel = HEAD + f'''.visible .entry k(.param .u64 in, .param .u64 out) {{ .shared .align 8 .b64 mbs[128]; .reg .b64 %in,%out,%d<8>,%s0; .reg .b32 %r<16>,%a0; .reg .pred %p<4>;
ld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.u32 %r2,%tid.x; mov.u32 %r3,%ctaid.x; shl.b32 %r4,%r2,3; mov.u32 %a0,mbs; add.u32 %a0,%a0,%r4; mad.lo.u32 %r3,%r3,128,%r2; mul.wide.u32 %d0,%r3,8; add.u64 %in,%in,%d0; mul.wide.u32 %d0,%r3,16; add.u64 %out,%out,%d0;
ld.global.b32 %r1,[%in+4]; mbarrier.init.shared.b64 [%a0],%r1; mov.u32 %r5,0; bar.sync 0;
NEXT: add.u64 %in,%in,{N*8}; ld.global.v2.b32 {{%r0,%r1}},[%in]; ld.param.u64 %s0,[in]; mov.b64 %s0,{{%r5,%r5}};
{sel}
setp.eq.u32 %p0,%r0,10; setp.eq.u32 %p2,%r0,12; or.pred %p0,%p0,%p2; @%p0 nanosleep.u32 3000; mov.b64 {{%r6,%r7}},%s0; mbarrier.pending_count.b64 %r8,%s0; mbarrier.test_wait.parity.shared.b64 %p1,[%a0],0; selp.b32 %r9,1,0,%p1; mbarrier.try_wait.parity.shared.b64 %p1,[%a0],1,0; selp.b32 %r10,2,0,%p1; mbarrier.test_wait.shared.b64 %p1,[%a0],%s0; selp.b32 %r11,4,0,%p1; or.b32 %r9,%r9,%r10; or.b32 %r9,%r9,%r11;
setp.eq.u32 %p0,%r0,6; setp.eq.u32 %p1,%r0,7; or.pred %p0,%p0,%p1; setp.eq.u32 %p1,%r0,10; or.pred %p0,%p0,%p1; or.pred %p0,%p0,%p2; @%p0 mov.u32 %r7,0; @%p0 mov.u32 %r8,0; @%p0 and.b32 %r9,%r9,3;
st.global.v4.b32 [%out],{{%r7,%r8,%r9,%r5}}; add.u64 %out,%out,{N*16}; add.u32 %r5,%r5,1; setp.lt.u32 %p0,%r5,{steps}; @%p0 bra NEXT;
bar.sync 0; mbarrier.inval.shared.b64 [%a0]; ld.volatile.shared.b64 %d1,[%a0]; st.global.b64 [%out],%d1; ret; }}
'''
    return case('mbarrier', name, kernel, [{'buffer': len(table), 'input': name, 'hex': table.hex()}, {'buffer': N * 16 * (steps + 1), 'fill': 0xdd, 'record': True}], grid=N // 128, steps=['init'] + STEP[1:])

# ---- misuse: what faults, and what does not
def misuse():
    C = lambda name, k, a, **m: case('faults', name, k, a, **m)
    K = g2s('shared::cluster', True)
    for name, a in {'size 8': (0, 0, 8), 'size 24': (0, 0, 24), 'size 1': (0, 0, 1), 'size 0': (0, 0, 0), 'size 17 expecting 16': (0, 0, 17, 16), 'source + 8': (8, 0, 32), 'source + 4': (4, 0, 32), 'destination + 8': (0, 8, 32), 'mbarrier + 4': (0, 0, 32, 32, 4), 'past the end of shared': (0, 32752, 256), 'past the end of global': (65536 + 2**24, 0, 32), 'size 2^20 and more': (0, 0, 2**20, 16), 'expects more': (0, 0, 32, 48), 'expects less': (0, 0, 32, 16)}.items():
        yield C('global to shared, ' + name, K, g2s_args(*a))
    for name, a in {'size 8': (0, 0, 8), 'size 24': (0, 0, 24), 'size 0': (0, 0, 0), 'destination + 8': (8, 0, 32), 'source + 8': (0, 8, 32), 'source past the end': (0, 32752, 256)}.items(): yield C('shared to global, ' + name, s2g(), s2g_args(*a))
    for name, a in {'to itself': (0, 1024, 64, 1, 1), 'mbarrier elsewhere': (0, 1024, 64, 1, 0, 2), 'mbarrier at home': (0, 1024, 64, 1, 0, 1), 'size 8': (0, 0, 8, 1, 0), 'destination + 8': (0, 8, 32, 1, 0), 'rank 5 of 4': (0, 0, 32, 1, 5, 0), 'past the end': (0, 16368, 256, 1, 0)}.items(): yield s2s_case('faults', 'shared to shared, ' + name, 4, *a, bounded=True)
    for name, a in {'mask 0': (0, 0, 64, 0, 1), 'mask beyond': (0, 0, 64, 0x10, 1), 'mask within and beyond': (0, 0, 64, 0x31, 1)}.items(): yield multicast_case('faults', 'bulk multicast, ' + name, 4, *a, bounded=True)
    a, b = pair_args(2, 8192)
    for name, z in (('size 8', 8), ('size 20', 20), ('size 0', 0)):
        body = '@!%one bra SKIP; cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%dst],[%sm],%x0; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; SKIP:'
        yield C('reduce global, ' + name, skeleton(body, n=8192, dump=False), [b, dict(a, record=True), {'u64': 0}] + params(z))
    for name, (off, mr, dr) in {'st.async to itself': (0, 0, 0), 'st.async, mbarrier elsewhere': (0, 1, 2), 'st.async + 2': (2, 1, 1), 'st.async to rank 5 of 4': (0, 1, 5)}.items():
        body = f'''setp.eq.u32 %p0,%rank,{mr}; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],4; {MEET}
setp.eq.u32 %p2,%rank,0; and.pred %p2,%p2,%one; mapa.shared::cluster.u32 %a1,%sm,{dr}; add.u32 %a1,%a1,{off}; mapa.shared::cluster.u32 %a2,%mb,{mr}; @%p2 st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%a1],%x0,[%a2]; @!%p0 bra NOWAIT;'''
        yield C(name, skeleton(body, n=1024, cluster=4, wait=BOUNDED + ' NOWAIT:'), [{'buffer': 4096, 'data': 0}, {'u64': 0}, {'buffer': 4096 + 128, 'fill': 0xdd, 'record': True}] + params(0x12345678), grid=4, cluster=[4, 1, 1])
    for name, (do, so, form) in {'cp.async destination + 4, 16': (4, 0, 'cg.shared.global [%a0],[%d1],16'), 'cp.async source + 2, 4': (0, 2, 'ca.shared.global [%a0],[%d1],4'), 'cp.async src-size 20 of 16': (0, 0, 'cg.shared.global [%a0],[%d1],16,%x1'), 'cp.async ignore-src of a bad address': (0, 2**40, 'cg.shared.global [%a0],[%d1],16,%p5'), 'cp.async src-size 0 of a bad address': (0, 2**40, 'cg.shared.global [%a0],[%d1],16,%x2')}.items():
        body = f'@!%one bra SKIP; setp.eq.u32 %p5,%x1,20; add.u32 %a0,%sm,{do}; add.u64 %d1,%dst,{so}; cp.async.{form}; cp.async.wait_all; SKIP:'
        yield C(name, skeleton(body, n=1024, fill=False), [{'u64': 0}, {'buffer': 4096, 'data': 0}, {'buffer': 1024 + 32, 'fill': 0xdd, 'record': True}] + params(0, 20, 0))
def everything():
    for f in (copies, reduces, stores_and_reds, cp_async, pipelines, dsmem, mbarriers, misuse): yield from f()
