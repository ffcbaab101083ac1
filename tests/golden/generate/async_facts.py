"""Facts about clusters and mbarriers that decide the machine's representation: the bits of the mbarrier object, the form
of shared addresses in a cluster, what foreign and impossible addresses do, the cluster's special registers, launches that
are refused, and how long try_wait waits. Writes facts.json."""
import ctypes as C, json, os, struct, sys, time
import numpy as np
HEAD = '.version 9.0\n.target sm_90a\n.address_size 64\n'

# ---- the mbarrier object: sequences of operations on one object, dumped after each
OPS = {
    'init': 'mbarrier.init.shared.b64 [%mb],%x;', 'inval': 'mbarrier.inval.shared.b64 [%mb];',
    'arrive': 'mbarrier.arrive.shared.b64 %s,[%mb];', 'arrive_n': 'mbarrier.arrive.shared.b64 %s,[%mb],%x;',
    'arrive_nocomplete': 'mbarrier.arrive.noComplete.shared.b64 %s,[%mb],%x;',
    'drop': 'mbarrier.arrive_drop.shared.b64 %s,[%mb];', 'drop_n': 'mbarrier.arrive_drop.shared.b64 %s,[%mb],%x;',
    'drop_nocomplete': 'mbarrier.arrive_drop.noComplete.shared.b64 %s,[%mb],%x;',
    'expect': 'mbarrier.expect_tx.relaxed.cta.shared.b64 [%mb],%x;', 'complete': 'mbarrier.complete_tx.relaxed.cta.shared.b64 [%mb],%x;',
    'arrive_expect': 'mbarrier.arrive.expect_tx.shared.b64 %s,[%mb],%x;', 'drop_expect': 'mbarrier.arrive_drop.expect_tx.shared.b64 %s,[%mb],%x;',
    'arrive_cluster': 'mbarrier.arrive.release.cluster.shared::cluster.b64 _,[%mb],%x;', 'expect_cluster': 'mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%mb],%x;',
    'complete_cluster': 'mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%mb],%x;',
    'arrive_expect_cluster': 'mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _,[%mb],%x;',
    'drop_cluster': 'mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _,[%mb],%x;',
    'cp_async': 'cp.async.mbarrier.arrive.shared.b64 [%mb];', 'cp_async_noinc': 'cp.async.mbarrier.arrive.noinc.shared.b64 [%mb];',
    'poke': 'st.volatile.shared.b64 [%mb],%xx;',
    'test': 'mbarrier.test_wait.shared.b64 %p,[%mb],%xx; selp.b64 %s,1,0,%p;', 'test_parity': 'mbarrier.test_wait.parity.shared.b64 %p,[%mb],%x; selp.b64 %s,1,0,%p;',
    'try': 'mbarrier.try_wait.shared.b64 %p,[%mb],%xx,1000; selp.b64 %s,1,0,%p;', 'try_parity': 'mbarrier.try_wait.parity.shared.b64 %p,[%mb],%x,1000; selp.b64 %s,1,0,%p;',
}
REGS = '.reg .b64 %s,%xx,%w,%in,%out,%last; .reg .b32 %mb,%x,%t,%pc,%b0,%b1,%b2,%i; .reg .pred %p,%q;'
def sequence_ptx(ops):
    body = ''
    for i, (op, _) in enumerate(ops):
        body += f'''ld.volatile.global.u64 %xx,[%in+{8*i}]; cvt.u32.u64 %x,%xx; ld.param.u64 %s,[none]; {OPS[op]}
 nanosleep.u32 2000; ld.volatile.shared.b64 %w,[%mb]; st.global.b64 [%out+{32*i}],%w; st.global.b64 [%out+{32*i+8}],%s;
 setp.ne.s64 %q,%s,-1; @%q mov.b64 %last,%s; mbarrier.pending_count.b64 %pc,%last; st.global.b32 [%out+{32*i+16}],%pc;
 mbarrier.test_wait.parity.shared.b64 %p,[%mb],0; selp.b32 %b0,1,0,%p; mbarrier.test_wait.parity.shared.b64 %p,[%mb],1; selp.b32 %b1,2,0,%p;
 mbarrier.test_wait.shared.b64 %p,[%mb],%last; selp.b32 %b2,4,0,%p; or.b32 %b0,%b0,%b1; or.b32 %b0,%b0,%b2; st.global.b32 [%out+{32*i+20}],%b0;
 ld.volatile.shared.b64 %w,[%mb]; st.global.b64 [%out+{32*i+24}],%w;
'''
    return HEAD + '''.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 none) {
.shared .align 8 .b64 mb; ''' + REGS + '''
ld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.u32 %mb,mb; ld.param.u64 %last,[none]; st.volatile.shared.b64 [%mb],0;
''' + body + 'ret; }\n'
def sequence(ops):
    import cu, async_launch as al
    i = cu.Buf(8 * len(ops)).put(np.array([x & (2**64 - 1) for _, x in ops], np.uint64)); o = cu.Buf(32 * len(ops)).fill(0xee)
    al.launch(al.fn(sequence_ptx(ops)), (1,), (1,), [i, o, np.uint64(2**64 - 1)]); cu.sync()
    d = o.get().tobytes(); i.free(); o.free(); rows = []
    for k, (op, x) in enumerate(ops):
        w, s, pc, b, w2 = struct.unpack_from('<QQIIQ', d, 32 * k)
        rows.append([op, x, f'{w:016x}', '' if s == 2**64 - 1 else f'{s:016x}', pc, b] + ([f'{w2:016x}'] if w2 != w else []))
    return rows
M = 2**20 - 1
SEQ = {
    **{f'init {n}': [('init', n)] for n in (1, 2, 3, 5, 1000, M, 0, 2**20, 2**20 + 5, 2**31, 2**32 - 1)},
    'arrive 1': [('init', 1)] + [('arrive', 0)] * 5,
    'arrive 2': [('init', 2)] + [('arrive', 0)] * 5,
    'arrive 5': [('init', 5), ('arrive_n', 2), ('arrive_n', 1), ('arrive_n', 2), ('arrive_n', 5), ('arrive_n', 4), ('arrive', 0)],
    'arrive max': [('init', M), ('arrive_n', 1), ('arrive_n', M - 1), ('arrive_n', M), ('arrive_nocomplete', M - 1), ('arrive', 0)],
    'nocomplete': [('init', 5), ('arrive_nocomplete', 2), ('arrive_nocomplete', 1), ('arrive', 0), ('arrive', 0), ('arrive_nocomplete', 4), ('arrive', 0)],
    'nocomplete completes': [('init', 3), ('arrive_nocomplete', 3), ('arrive', 0), ('arrive', 0)],
    'arrive 0': [('init', 3), ('arrive_n', 0), ('arrive_n', 3), ('arrive_n', 0)],
    'drop': [('init', 5), ('drop', 0), ('arrive_n', 4), ('arrive', 0), ('drop_n', 2), ('arrive', 0), ('arrive', 0), ('drop', 0), ('arrive', 0), ('drop', 0), ('arrive', 0)],
    'drop_nocomplete': [('init', 5), ('drop_nocomplete', 2), ('arrive_n', 3), ('drop_nocomplete', 1), ('arrive_n', 2), ('arrive', 0)],
    'drop all': [('init', 1), ('drop', 0), ('arrive', 0), ('drop', 0)],
    'drop more': [('init', 3), ('drop_n', 5), ('arrive', 0)],
    'tx': [('init', 1), ('expect', 1), ('expect', 100), ('complete', 1), ('complete', 100), ('arrive', 0), ('expect', 16), ('arrive', 0), ('complete', 8), ('complete', 8)],
    'tx max': [('init', 1), ('expect', M), ('complete', M), ('expect', M), ('arrive', 0), ('complete', M - 1), ('complete', 1)],
    'tx min': [('init', 1), ('complete', M), ('expect', M), ('arrive', 0)],
    'tx before': [('init', 1), ('complete', 16), ('arrive', 0), ('expect', 16)],
    'tx before 2': [('init', 1), ('complete', 16), ('arrive_expect', 16), ('arrive', 0)],
    'tx before 3': [('init', 2), ('complete', 16), ('arrive', 0), ('arrive', 0), ('expect', 8), ('expect', 8), ('arrive', 0)],
    'tx zero': [('init', 1), ('expect', 0), ('complete', 0), ('arrive_expect', 0), ('arrive_expect', 0)],
    'arrive_expect': [('init', 2), ('arrive_expect', 64), ('complete', 64), ('arrive_expect', 32), ('complete', 32)],
    'drop_expect': [('init', 2), ('drop_expect', 64), ('complete', 64), ('arrive_expect', 32), ('complete', 32), ('arrive', 0)],
    'complete at pending 0': [('init', 1), ('arrive_expect', 10), ('complete', 5), ('expect', 3), ('complete', 8)],
    'arrive over at pending 0': [('init', 2), ('expect', 16), ('arrive_n', 2), ('arrive', 0), ('complete', 16), ('arrive', 0)],
    'arrive over 1': [('init', 2), ('arrive_n', 3), ('arrive', 0), ('arrive', 0), ('arrive', 0)],
    'arrive over 2': [('init', 2), ('arrive_n', M), ('arrive', 0), ('arrive', 0)],
    'arrive over 3': [('init', 1), ('arrive_n', 2**20), ('arrive', 0)],
    'arrive over 4': [('init', 1), ('arrive_n', 2**20 + 1), ('arrive', 0)],
    'arrive over 5': [('init', 1), ('arrive_n', 2**32 - 1), ('arrive', 0)],
    'tx over 1': [('init', 1), ('expect', M), ('expect', 1), ('expect', 1), ('complete', 1)],
    'tx over 2': [('init', 1), ('expect', 2**20)], 'tx over 3': [('init', 1), ('expect', 2**20 + 7)], 'tx over 4': [('init', 1), ('expect', 2**21)],
    'tx over 5': [('init', 1), ('expect', 2**32 - 1)], 'tx over 6': [('init', 1), ('arrive_expect', 2**20)], 'tx over 7': [('init', 1), ('expect', 2**21 + 5)],
    'tx over 8': [('init', 1), ('expect', M), ('expect', M), ('expect', M), ('complete', M)],
    'tx under 1': [('init', 1), ('complete', M), ('complete', 1), ('complete', 1), ('complete', 1)],
    'tx under 2': [('init', 1), ('complete', 2**20)], 'tx under 3': [('init', 1), ('complete', 2**21)], 'tx under 4': [('init', 1), ('complete', 2**32 - 1)],
    'tx under 5': [('init', 1), ('complete', 2**20 + 3)], 'tx under 6': [('init', 1), ('complete', M), ('complete', M), ('complete', M)],
    'inval': [('init', 5), ('arrive', 0), ('expect', 7), ('inval', 0)], 'inval phase 1': [('init', 1), ('arrive', 0), ('inval', 0), ('init', 3)],
    'after inval': [('init', 5), ('inval', 0), ('arrive', 0)], 'uninitialised arrive': [('arrive', 0), ('arrive', 0)], 'uninitialised expect': [('expect', 5), ('complete', 5)],
    'reinit': [('init', 5), ('arrive', 0), ('init', 2), ('arrive', 0), ('arrive', 0), ('init', 2)],
    'cp_async': [('init', 2), ('cp_async', 0), ('arrive', 0), ('cp_async', 0), ('arrive', 0), ('cp_async_noinc', 0), ('cp_async_noinc', 0)],
    'cp_async max': [('init', M), ('cp_async', 0), ('arrive', 0)], 'cp_async last': [('init', 1), ('cp_async_noinc', 0), ('cp_async_noinc', 0), ('cp_async', 0)],
    'cluster forms': [('init', 4), ('arrive_cluster', 1), ('expect_cluster', 32), ('complete_cluster', 32), ('arrive_expect_cluster', 16), ('drop_cluster', 1), ('arrive_cluster', 1), ('complete_cluster', 16), ('arrive_cluster', 3)],
    'many phases': [('init', 1)] + [('arrive', 0), ('arrive_expect', 4), ('complete', 4)] * 4,
    'test': [('init', 1), ('test', 0), ('test', -1 & (2**64 - 2)), ('test', 1 << 63), ('test_parity', 0), ('test_parity', 1), ('test_parity', 2), ('test_parity', 3), ('arrive', 0), ('test', 0), ('test', 1 << 63), ('test_parity', 2), ('test_parity', 3), ('try_parity', 2), ('try_parity', 3), ('try', 0), ('try', 1 << 63)],
    'pokes': [('poke', 0), ('poke', 2**64 - 1)] + [('poke', 1 << k) for k in range(64)],
}

# ---- every operation on vectors of states: reachable ones (made by init and operations) and raw bits
def vector_ptx(op, poke):
    prep = 'ld.global.u64 %xx,[%in]; st.volatile.shared.b64 [%mb],%xx;' if poke else '''ld.global.u32 %x,[%in]; mbarrier.init.shared.b64 [%mb],%x;
 ld.global.u32 %x,[%in+4]; setp.ne.u32 %p,%x,0; @%p mbarrier.expect_tx.relaxed.cta.shared.b64 [%mb],%x;
 ld.global.u32 %x,[%in+8]; setp.ne.u32 %p,%x,0; @%p mbarrier.complete_tx.relaxed.cta.shared.b64 [%mb],%x;
 ld.global.u32 %x,[%in+12]; setp.ne.u32 %p,%x,0; @%p mbarrier.arrive.shared.b64 %s,[%mb],%x;
 ld.global.u32 %x,[%in+16]; setp.ne.u32 %p,%x,0; @%p mbarrier.arrive_drop.shared.b64 %s,[%mb],%x;'''
    return HEAD + '''.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 none) {
.shared .align 8 .b64 mbs[128]; ''' + REGS + '''.reg .b64 %o;
ld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.u32 %t,%tid.x; shl.b32 %t,%t,3; mov.u32 %mb,mbs; add.u32 %mb,%mb,%t;
mov.u32 %t,%tid.x; mov.u32 %i,%ctaid.x; mad.lo.u32 %t,%i,128,%t; mul.wide.u32 %o,%t,32; add.u64 %in,%in,%o; add.u64 %out,%out,%o;
''' + prep + '''
ld.volatile.shared.b64 %w,[%mb]; st.global.b64 [%out],%w; bar.sync 0;
ld.global.u64 %xx,[%in+24]; cvt.u32.u64 %x,%xx; ld.param.u64 %s,[none]; ''' + OPS[op] + '''
bar.sync 0; nanosleep.u32 2000; ld.volatile.shared.b64 %w,[%mb]; st.global.b64 [%out+8],%w; st.global.b64 [%out+16],%s; mbarrier.pending_count.b64 %pc,%s; cvt.u64.u32 %s,%pc; st.global.b64 [%out+24],%s;
ret; }
'''
VOPS = ['arrive', 'arrive_n', 'arrive_nocomplete', 'drop', 'drop_n', 'drop_nocomplete', 'expect', 'complete', 'arrive_expect', 'drop_expect', 'cp_async', 'cp_async_noinc',
        'test', 'test_parity', 'init', 'inval', 'arrive_cluster', 'expect_cluster', 'complete_cluster', 'arrive_expect_cluster', 'drop_cluster']
def vector_inputs(op, poke, n, seed):
    r = np.random.default_rng(seed); a = np.zeros((n, 8), np.uint32)
    small = lambda: r.choice([0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 100, 1000, M - 1, M], n)
    if poke:
        a[:, 0:2] = r.integers(0, 2**32, (n, 2)); k = r.random(n)
        a[:, 0] = np.where(k < .3, a[:, 0] & r.integers(0, 2**32, n), a[:, 0]); a[:, 1] = np.where((k > .2) & (k < .5), a[:, 1] | r.integers(0, 2**32, n), a[:, 1])
    else:
        c = np.maximum(1, small()); a[:, 0] = c; a[:, 1] = small() * (r.random(n) < .6); a[:, 2] = np.where(r.random(n) < .5, np.minimum(small(), 2**20), 0)
        a[:, 3] = np.minimum(small() * (r.random(n) < .5), c); left = np.where(a[:, 3] == c, c, c - a[:, 3]); a[:, 4] = np.minimum(small() * (r.random(n) < .3), left)
    a[:, 6] = small(); a[:, 7] = r.choice([0, 1, 0x80000000, 0x7fffffff, 0xffffffff], n) if op in ('test',) else 0
    return a
def vector(op, poke, n, seed):
    import cu, async_launch as al
    a = vector_inputs(op, poke, n, seed); i = cu.Buf(a.nbytes).put(a); o = cu.Buf(32 * n).fill(0xee)
    al.launch(al.fn(vector_ptx(op, poke)), (n // 128,), (128,), [i, o, np.uint64(2**64 - 1)]); cu.sync()
    d = o.get(np.uint64).reshape(n, 4); i.free(); o.free()
    return {'in': a.tobytes().hex(), 'out': d.tobytes().hex()}

# ---- addresses in a cluster of four
def address_ptx():
    s = HEAD + '''.extern .shared .align 16 .b8 dyn[];
.visible .entry k(.param .u64 out) {
.shared .align 128 .b8 sv[1152]; .reg .b64 %o,%g,%h,%x; .reg .b32 %a,%b,%c,%r,%y; .reg .pred %p; .local .align 8 .b8 loc[16];
ld.param.u64 %o,[out]; mov.u32 %r,%cluster_ctarank; mul.wide.u32 %x,%r,2048; add.u64 %o,%o,%x; mov.u32 %a,sv; mov.u64 %x,sv;
st.shared.b32 [%a],1; st.shared.b32 [dyn],1;
'''
    names = []
    def put(name, code, reg): names.append(name); return f'{code} st.global.b64 [%o+{8*(len(names)-1)}],{reg};\n'
    def put32(name, code, reg): return put(name, code + f' cvt.u64.u32 %h,{reg};', '%h')
    s += put32('mov.u32 sv', '', '%a') + put('mov.u64 sv', '', '%x') + put32('mov.u32 dyn', 'mov.u32 %b,dyn;', '%b')
    for q in ('', '::cta', '::cluster'):
        s += put(f'cvta.shared{q}.u64 sv', f'cvt.u64.u32 %h,%a; cvta.shared{q}.u64 %h,%h;', '%h')
    s += 'cvt.u64.u32 %h,%a; cvta.shared.u64 %g,%h;\n'
    for q in ('', '::cta', '::cluster'): s += put(f'cvta.to.shared{q}.u64', f'cvta.to.shared{q}.u64 %h,%g;', '%h')
    for k in (0, 1, 2, 3, 4, 5, 15, 16, 255, 256):
        s += put32(f'mapa.shared::cluster.u32 sv,{k}', f'mov.u32 %c,{k}; mapa.shared::cluster.u32 %b,%a,%c;', '%b')
        s += put32(f'getctarank.shared::cluster.u32 of it', f'getctarank.shared::cluster.u32 %y,%b;', '%y')
        s += put(f'mapa.u64 generic,{k}', f'mapa.u64 %x,%g,%c;', '%x') + put32('getctarank.u64 of it', 'getctarank.u64 %y,%x;', '%y')
        for q in ('shared', 'shared::cta', 'shared::cluster', 'global', 'local'): s += put32(f'isspacep.{q} of it', f'isspacep.{q} %p,%x; selp.b32 %y,1,0,%p;', '%y')
        for q in ('', '::cta', '::cluster'): s += put(f'cvta.to.shared{q}.u64 of it', f'cvta.to.shared{q}.u64 %h,%x;', '%h')
    for q in ('shared', 'shared::cta', 'shared::cluster', 'global', 'local'): s += put32(f'isspacep.{q} own', f'isspacep.{q} %p,%g; selp.b32 %y,1,0,%p;', '%y')
    for q in ('shared', 'shared::cta', 'shared::cluster', 'global', 'local'): s += put32(f'isspacep.{q} global', f'isspacep.{q} %p,%o; selp.b32 %y,1,0,%p;', '%y')
    s += put32('getctarank.u64 own', 'getctarank.u64 %y,%g;', '%y') + put32('getctarank.shared::cluster.u32 own', 'getctarank.shared::cluster.u32 %y,%a;', '%y')
    s += put32('getctarank.u64 global', 'getctarank.u64 %y,%o;', '%y') + put('mapa.u64 global,2', 'mapa.u64 %x,%o,2;', '%x')
    s += put('cvta.local', 'mov.u64 %x,loc; cvta.local.u64 %x,%x;', '%x') + put('cvta.shared.u64 of 0', 'mov.u64 %x,0; cvta.shared.u64 %x,%x;', '%x') + put('cvta.shared::cluster.u64 of 0', 'mov.u64 %x,0; cvta.shared::cluster.u64 %x,%x;', '%x')
    s += put32('mapa.shared::cluster.u32 of 0x12345678,3', 'mov.u32 %b,0x12345678; mapa.shared::cluster.u32 %b,%b,3;', '%b') + put32('getctarank of 0x12345678', 'mov.u32 %b,0x12345678; getctarank.shared::cluster.u32 %b,%b;', '%b')
    s += put32('mapa.shared::cluster.u32 of 0x1000400,3', 'mov.u32 %b,0x1000400; mapa.shared::cluster.u32 %b,%b,3;', '%b') + put32('mapa.shared::cluster.u32 of 0x400,3', 'mov.u32 %b,0x400; mapa.shared::cluster.u32 %b,%b,3;', '%b')
    for q in ('total_smem_size', 'aggr_smem_size', 'dynamic_smem_size', 'reserved_smem_offset_begin', 'reserved_smem_offset_end', 'reserved_smem_offset_cap', 'reserved_smem_offset_0', 'reserved_smem_offset_1', 'cluster_ctarank', 'cluster_nctarank'):
        s += put32('%' + q, f'mov.b32 %y,%{q};', '%y')
    assert len(names) <= 256, len(names)
    return s + 'ret; }\n', names
def addresses(cluster, dyn, grid):
    import cu, async_launch as al
    ptx, names = address_ptx(); o = cu.Buf(2048 * 8).fill(0xee); al.launch(al.fn(ptx), (grid,), (32,), [o], dyn, cluster); cu.sync()
    d = o.get(np.uint64).reshape(8, 256); o.free()
    return {'names': names, 'base': o.p.value, 'ranks': [[f'{x:x}' for x in d[r][:len(names)]] for r in range(grid)]}

# ---- accesses by CTA 1 of a cluster of four
ACCESS = {
    'ld.shared': 'ld.volatile.shared.b32 %d,[%a];', 'ld.shared::cta': 'ld.relaxed.cta.shared::cta.b32 %d,[%a];', 'ld.shared::cluster': 'ld.relaxed.cluster.shared::cluster.b32 %d,[%a];',
    'st.shared::cta': 'st.relaxed.cta.shared::cta.b32 [%a],%v;', 'st.shared::cluster': 'st.relaxed.cluster.shared::cluster.b32 [%a],%v;',
    'atom.shared::cta': 'atom.shared::cta.add.u32 %d,[%a],%v;', 'atom.shared::cluster': 'atom.shared::cluster.add.u32 %d,[%a],%v;', 'red.shared::cluster': 'red.shared::cluster.add.u32 [%a],%v;',
    'ld': 'ld.relaxed.cluster.b32 %d,[%g];', 'st': 'st.relaxed.cluster.b32 [%g],%v;', 'atom': 'atom.add.u32 %d,[%g],%v;',
    'mbarrier.arrive.shared::cta': 'mbarrier.arrive.shared::cta.b64 %s,[%a]; cvt.u32.u64 %d,%s;', 'mbarrier.arrive.shared::cta sink': 'mbarrier.arrive.shared::cta.b64 _,[%a];',
    'mbarrier.arrive.shared::cluster': 'mbarrier.arrive.shared::cluster.b64 _,[%a];', 'mbarrier.arrive generic': 'mbarrier.arrive.release.cluster.b64 _,[%g];',
    'mbarrier.expect_tx.shared::cluster': 'mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%a],7;', 'mbarrier.test_wait.shared::cta': 'mbarrier.test_wait.parity.shared::cta.b64 %p,[%a],1; selp.b32 %d,1,0,%p;',
    'mbarrier.init.shared::cta': 'mbarrier.init.shared::cta.b64 [%a],9;',
}
WHERE = {'own': '', **{f'mapa {k}': f'mapa.shared::cluster.u32 %a,%a,{k}; mapa.u64 %g,%g,{k};' for k in (0, 1, 2, 3, 4, 7, 15, 255)},
    'offset only': 'and.b32 %a,%a,0xffffff; and.b64 %g,%g,0xffffffffff000000; cvt.u64.u32 %h,%a; or.b64 %g,%g,%h;',
    'rank 9 bits': 'and.b32 %a,%a,0xffffff; or.b32 %a,%a,0x9000000; and.b64 %g,%g,0xffffffff00ffffff; or.b64 %g,%g,0x9000000;',
    **{f'own + {k:#x}': f'add.u32 %a,%a,{k}; add.u64 %g,%g,{k};' for k in (0x400, 0x480, 0x500, 0x580, 0x600, 0x800, 0xc00, 0x1000, 0x8000, 0x20000, 0x38000, 0x38c00, 0x39000, 0x3a000, 0x40000, 0x800000)},
    **{f'mapa 2 + {k:#x}': f'mapa.shared::cluster.u32 %a,%a,2; mapa.u64 %g,%g,2; add.u32 %a,%a,{k}; add.u64 %g,%g,{k};' for k in (0x400, 0x480, 0x500, 0x580, 0x600, 0x800, 0xc00, 0x1000, 0x8000, 0x38000, 0x39000, 0x40000, 0x800000)},
    'reserved 0': 'and.b32 %a,%a,0xff000000; and.b64 %g,%g,0xffffffffff000000;', 'reserved 0x80': 'and.b32 %a,%a,0xff000000; add.u32 %a,%a,0x80; and.b64 %g,%g,0xffffffffff000000; add.u64 %g,%g,0x80;',
    'reserved of 2': 'and.b32 %a,%a,0xff000000; and.b64 %g,%g,0xffffffffff000000; add.u32 %a,%a,0x10; add.u64 %g,%g,0x10; mapa.shared::cluster.u32 %a,%a,2; mapa.u64 %g,%g,2;',
    'misaligned own': 'add.u32 %a,%a,2; add.u64 %g,%g,2;', 'misaligned 2': 'mapa.shared::cluster.u32 %a,%a,2; mapa.u64 %g,%g,2; add.u32 %a,%a,2; add.u64 %g,%g,2;',
}
def access_ptx(what, where, exited=False):
    mb = 'mbarrier' in what
    dump = ''.join(f'ld.volatile.shared.b32 %d,[sv+{4*i}]; st.global.b32 [%o+{4*i}],%d;\n' for i in range(4)) + 'mbarrier.inval.shared.b64 [%m]; mbarrier.inval.shared.b64 [%m+8]; ld.volatile.shared.b64 %s,[mb]; st.global.b64 [%o+16],%s; ld.volatile.shared.b64 %s,[mb+8]; st.global.b64 [%o+24],%s;\n'
    return HEAD + '''.visible .entry k(.param .u64 out) {
.shared .align 128 .b8 sv[896]; .shared .align 128 .b8 mb[128]; .reg .b64 %o,%g,%h,%s,%q; .reg .b32 %a,%d,%v,%r,%e,%m; .reg .pred %p,%me;
ld.param.u64 %q,[out]; mov.u32 %r,%cluster_ctarank; setp.eq.u32 %me,%r,1; mul.wide.u32 %o,%r,64; add.u64 %o,%o,%q; mov.u32 %v,0x100; mov.u32 %d,0xdddddddd;
mad.lo.u32 %e,%r,0x11110000,0x11110000; mov.u32 %a,sv; st.volatile.shared.b32 [%a],%e; st.volatile.shared.b32 [%a+4],%e; st.volatile.shared.b32 [%a+8],%e; st.volatile.shared.b32 [%a+12],%e;
mov.u32 %m,mb; mbarrier.init.shared.b64 [%m],5; mbarrier.init.shared.b64 [%m+8],6; fence.mbarrier_init.release.cluster;
barrier.cluster.arrive.release; barrier.cluster.wait.acquire;
''' + ('setp.eq.u32 %p,%r,0; @%p exit; nanosleep.u32 500000; nanosleep.u32 500000;\n' if exited else '') + ('mov.u32 %a,mb;' if mb else '') + '''
@!%me bra SKIP;
cvt.u64.u32 %g,%a; cvta.shared.u64 %g,%g; ''' + WHERE[where] + '\n' + ACCESS[what] + '''
st.global.b32 [%q+512],%d; st.global.b32 [%q+516],%a; st.global.b64 [%q+520],%g;
SKIP:
''' + ('nanosleep.u32 500000;' if exited else 'barrier.cluster.arrive.release; barrier.cluster.wait.acquire;') + '\n' + dump + 'ret; }\n'
def access(what, where, exited=False):
    import cu, async_launch as al
    o = cu.Buf(576).fill(0xee); al.launch(al.fn(access_ptx(what, where, exited)), (4,), (1,), [o], 0, (4, 1, 1)); cu.sync()
    d = o.get(); o.free(); r, a, g = struct.unpack('<IIQ', d[512:528].tobytes())
    return {'result': f'{r:08x}', 'a': f'{a:08x}', 'g': f'{g:x}', 'cta': [[f'{x:08x}' for x in d[64*k:64*k+16].view(np.uint32)] + [f'{x:016x}' for x in d[64*k+16:64*k+32].view(np.uint64)] for k in range(4)]}

# ---- special registers and refused launches
SREGS = [f'{n}.{c}' for n in ('%clusterid', '%nclusterid', '%cluster_ctaid', '%cluster_nctaid', '%ctaid', '%nctaid') for c in 'xyz'] + ['%cluster_ctarank', '%cluster_nctarank', '%total_smem_size', '%aggr_smem_size', '%dynamic_smem_size']
KERNELS = {'plain': '', 'req221': '.reqnctapercluster 2,2,1', 'req4': '.reqnctapercluster 4', 'req8': '.reqnctapercluster 8', 'req16': '.reqnctapercluster 16', 'explicit': '.explicitcluster', 'explicit_req2': '.explicitcluster .reqnctapercluster 2', 'max4': '.maxclusterrank 4', 'max16': '.maxclusterrank 16', 'max1': '.maxclusterrank 1', 'blocks': '.reqntid 32 .reqnctapercluster 2 .blocksareclusters'}
def sreg_ptx():
    body = '''.reg .b64 %o,%x; .reg .b32 %a,%i,%n; .reg .pred %p; ld.param.u64 %o,[out];
mov.u32 %i,%ctaid.z; mov.u32 %n,%nctaid.y; mov.u32 %a,%ctaid.y; mad.lo.u32 %i,%i,%n,%a; mov.u32 %n,%nctaid.x; mov.u32 %a,%ctaid.x; mad.lo.u32 %i,%i,%n,%a; mul.wide.u32 %x,%i,128; add.u64 %o,%o,%x;
''' + ''.join(f'mov.u32 %a,{r}; st.global.b32 [%o+{4*k}],%a;\n' for k, r in enumerate(SREGS)) + f'mov.pred %p,%is_explicit_cluster; selp.b32 %a,1,0,%p; st.global.b32 [%o+{4*len(SREGS)}],%a; ret; }}\n'
    return HEAD + ''.join(f'.visible .entry {n}(.param .u64 out) {d} {{\n{body}' for n, d in KERNELS.items())
def sregs(kernel, grid, cluster, extra=(), nonportable=False, block=32, plain=False, shared=0):
    import cu, async_launch as al
    f = al.fn(sreg_ptx(), kernel); o = cu.Buf(128 * 1024).fill(0xee); out = {}
    if nonportable: out['setattr'] = al.setattr_(f, 14, 1)
    if plain:
        ps, keep = al.arguments([o]); g = tuple(grid) + (1,) * (3 - len(grid))
        out['result'] = cu.L.cuLaunchKernel(f, *[C.c_uint(x) for x in g + (block, 1, 1)], C.c_uint(shared), None, ps, None)
    else: out['result'] = al.launch(f, grid, (block,), [o], shared, cluster, [(i, bytes.fromhex(v)) for i, v in extra], raw=True)
    out['sync'] = cu.L.cuCtxSynchronize()
    if nonportable: al.setattr_(f, 14, 0)
    d = o.get(np.uint32).reshape(1024, 32); o.free()
    out['ctas'] = [[int(x) for x in d[k][:len(SREGS) + 1]] for k in range(1024) if d[k][0] != 0xeeeeeeee]
    if out['sync']: raise RuntimeError(json.dumps(out))
    return out
def occupancy():
    import cu, async_launch as al
    out = []
    for kernel in KERNELS:
        f = al.fn(sreg_ptx(), kernel); a = {}
        for i in range(10, 16):
            v = C.c_int(-1); r = cu.L.cuFuncGetAttribute(C.byref(v), C.c_int(i), f); a[i] = [r, v.value]
        out.append(['attributes', kernel, a])
        for nonportable in (0, 1):
            r0 = al.setattr_(f, 14, nonportable)
            for block in (32, 256, 1024):
                for shared in (0, 40000):
                    for cl in (None, (1, 1, 1), (2, 1, 1), (2, 2, 1), (8, 1, 1), (16, 1, 1), (3, 1, 1), (5, 1, 1)):
                        c = al.config((240, 4, 1), (block,), shared, cl); v = C.c_int(-1); r = cu.L.cuOccupancyMaxActiveClusters(C.byref(v), f, C.byref(c))
                        out.append(['active', kernel, nonportable, block, shared, cl, r, v.value])
                    c = al.config((240, 4, 1), (block,), shared, None); v = C.c_int(-1); r = cu.L.cuOccupancyMaxPotentialClusterSize(C.byref(v), f, C.byref(c))
                    out.append(['size', kernel, nonportable, block, shared, None, r, v.value])
            al.setattr_(f, 14, 0)
    return out

# ---- how long try_wait waits; whether a barrier of the cluster waits for a CTA that left
def try_wait():
    import cu, async_launch as al
    hints = [None, 0, 1, 100, 1000, 10000, 100000, 1000000, 10000000, 50000000]; body = ''; k = 0
    for h in hints:
        for _ in range(4):
            body += f'mov.u64 %a,%globaltimer; mov.u64 %ca,%clock64; mbarrier.try_wait.parity.shared.b64 %p,[mb],0{"" if h is None else ","+str(h)}; mov.u64 %cb,%clock64; mov.u64 %b,%globaltimer; sub.u64 %b,%b,%a; sub.u64 %cb,%cb,%ca; selp.b64 %c,1,0,%p; st.global.b64 [%o+{24*k}],%b; st.global.b64 [%o+{24*k+8}],%c; st.global.b64 [%o+{24*k+16}],%cb;\n'; k += 1
    ptx = HEAD + '.visible .entry k(.param .u64 out) { .shared .align 8 .b64 mb; .reg .b64 %o,%a,%b,%c,%ca,%cb; .reg .b32 %r; .reg .pred %p; ld.param.u64 %o,[out]; mov.u32 %r,mb; mbarrier.init.shared.b64 [%r],1;\n' + body + 'ret; }\n'
    o = cu.Buf(24 * k); al.launch(al.fn(ptx), (1,), (1,), [o]); cu.sync(); d = o.get(np.uint64).reshape(-1, 4, 3)
    return [[h, d[i].tolist()] for i, h in enumerate(hints)]
def try_wait_branch():
    """As try_wait, but a branch on the result stands between it and the clock, so that the clock waits for it."""
    import cu, async_launch as al
    hints = [None, 0, 1000, 20000, 1000000]; body = ''; k = 0
    for h in hints:
        for _ in range(4):
            body += f'mov.u64 %a,%globaltimer; mov.u64 %ca,%clock64; mbarrier.try_wait.parity.shared.b64 %p,[mb],0{"" if h is None else ","+str(h)}; @%p trap; mov.u64 %cb,%clock64; mov.u64 %b,%globaltimer; sub.u64 %b,%b,%a; sub.u64 %cb,%cb,%ca; st.global.b64 [%o+{16*k}],%b; st.global.b64 [%o+{16*k+8}],%cb;\n'; k += 1
    ptx = HEAD + '.visible .entry k(.param .u64 out) { .shared .align 8 .b64 mb; .reg .b64 %o,%a,%b,%c,%ca,%cb; .reg .b32 %r; .reg .pred %p; ld.param.u64 %o,[out]; mov.u32 %r,mb; mbarrier.init.shared.b64 [%r],1;\n' + body + 'ret; }\n'
    o = cu.Buf(16 * k); al.launch(al.fn(ptx), (1,), (1,), [o]); cu.sync(); d = o.get(np.uint64).reshape(-1, 4, 2)
    return [[h, d[i].tolist()] for i, h in enumerate(hints)]
def left():
    import cu, async_launch as al
    ptx = HEAD + '''.visible .entry k(.param .u64 out) { .reg .b64 %o,%x; .reg .b32 %r; .reg .pred %p; ld.param.u64 %o,[out]; mov.u32 %r,%cluster_ctarank; mul.wide.u32 %x,%r,4; add.u64 %o,%o,%x;
setp.eq.u32 %p,%r,0; @%p exit; barrier.cluster.arrive; barrier.cluster.wait; st.global.b32 [%o],%r; ret; }'''
    o = cu.Buf(16).fill(0xee); al.launch(al.fn(ptx), (4,), (32,), [o], 0, (4, 1, 1)); cu.sync(); return o.get(np.uint32).tolist()

def jobs():
    for n, s in SEQ.items(): yield f'seq/{n}', 'sequence', {'ops': s}
    for op in VOPS:
        for poke in (0, 1):
            for seed in range(4): yield f'vec/{op}/{poke}/{seed}', 'vector', {'op': op, 'poke': poke, 'n': 512, 'seed': seed}
    yield 'addr/4', 'addresses', {'cluster': (4, 1, 1), 'dyn': 256, 'grid': 4}
    yield 'addr/none', 'addresses', {'cluster': None, 'dyn': 0, 'grid': 1}
    yield 'addr/1', 'addresses', {'cluster': (1, 1, 1), 'dyn': 0, 'grid': 1}
    for a in ACCESS:
        for w in WHERE:
            if ('mbarrier' in a or 'red' in a) and w.split(' + ')[0] in ('own', 'mapa 2') and ' + ' in w and w.split(' + ')[1] not in ('0x400', '0x800', '0x1000', '0x38000', '0x40000', '0x800000'): continue
            yield f'access/{a}/{w}', 'access', {'what': a, 'where': w}
    for a in ACCESS: yield f'exited/{a}', 'access', {'what': a, 'where': 'mapa 0', 'exited': True}
    L = [('plain', (8, 4, 2), (2, 2, 1)), ('plain', (8, 4, 2), (4, 1, 2)), ('plain', (8, 4, 2), None), ('plain', (8, 4, 2), (1, 1, 1)), ('plain', (8, 4, 2), (8, 1, 1)), ('plain', (8, 4, 2), (1, 4, 2)), ('plain', (6, 1, 1), (3, 1, 1)), ('plain', (10, 1, 1), (5, 1, 1)), ('plain', (7, 1, 1), (7, 1, 1)),
         ('plain', (8, 4, 2), (16, 1, 1)), ('plain', (16, 1, 1), (16, 1, 1)), ('plain', (9, 1, 1), (9, 1, 1)), ('plain', (32, 1, 1), (32, 1, 1)), ('plain', (8, 4, 2), (3, 1, 1)), ('plain', (8, 4, 2), (2, 3, 1)), ('plain', (8, 4, 2), (0, 1, 1)), ('plain', (8, 4, 2), (2, 0, 1)), ('plain', (8, 4, 2), (0, 0, 0)), ('plain', (8, 4, 2), (2, 2, 4)), ('plain', (4, 1, 1), (8, 1, 1))]
    for k in ('req221', 'req4', 'req8', 'req16', 'explicit', 'explicit_req2', 'max4', 'max16', 'max1', 'blocks'):
        L += [(k, (8, 4, 2), None), (k, (8, 4, 2), (2, 2, 1)), (k, (8, 4, 2), (4, 1, 1)), (k, (8, 4, 2), (1, 1, 1)), (k, (8, 4, 2), (8, 1, 1)), (k, (8, 4, 2), (2, 1, 1)), (k, (6, 3, 1), None), (k, (16, 1, 1), (16, 1, 1))]
    for k, g, c in L: yield f'launch/{k}/{g}/{c}', 'sregs', {'kernel': k, 'grid': g, 'cluster': c}
    for k in KERNELS: yield f'plainlaunch/{k}', 'sregs', {'kernel': k, 'grid': (8, 4, 2), 'cluster': None, 'plain': True}
    for k in KERNELS: yield f'plainlaunch6/{k}', 'sregs', {'kernel': k, 'grid': (6, 3, 1), 'cluster': None, 'plain': True}
    for k in ('plain', 'max16', 'max4', 'req16', 'explicit'):
        for g, c in (((16, 1, 1), (16, 1, 1)), ((32, 4, 1), (4, 4, 1)), ((9, 1, 1), (9, 1, 1)), ((32, 1, 1), (32, 1, 1)), ((20, 1, 1), (10, 1, 1)), ((16, 1, 1), None)): yield f'nonportable/{k}/{g}/{c}', 'sregs', {'kernel': k, 'grid': g, 'cluster': c, 'nonportable': True}
    i4 = lambda *v: struct.pack(f'{len(v)}i', *v).hex()
    for name, e in {'policy 0': [(5, i4(0))], 'policy 1': [(5, i4(1))], 'policy 2': [(5, i4(2))], 'policy 3': [(5, i4(3))], 'policy -1': [(5, i4(-1))], 'priority 0': [(8, i4(0))], 'priority -5': [(8, i4(-5))], 'priority -6': [(8, i4(-6))], 'priority 1': [(8, i4(1))], 'priority -100': [(8, i4(-100))],
                    'preferred 4': [(11, i4(4, 1, 1))], 'preferred 2': [(11, i4(2, 1, 1))], 'preferred 3': [(11, i4(3, 1, 1))], 'twice': [(4, i4(4, 1, 1))], 'cooperative': [(2, i4(1))], 'stream serialization': [(6, i4(1))], 'ignore': [(0, i4(1))], 'unknown 99': [(99, i4(1))], 'unknown 15': [(15, i4(1))], 'domain': [(10, i4(1))], 'carveout': [(14, i4(50))]}.items():
        yield f'attribute/{name}', 'sregs', {'kernel': 'plain', 'grid': (8, 4, 2), 'cluster': (2, 1, 1), 'extra': e}
    for b, sh in ((1024, 0), (1024, 48 * 1024), (1025, 0), (32, 48 * 1024 + 1)):
        yield f'size/{b}/{sh}', 'sregs', {'kernel': 'plain', 'grid': (16, 1, 1), 'cluster': (8, 1, 1), 'block': b, 'shared': sh}
    yield 'occupancy', 'occupancy', {}
    yield 'try_wait', 'try_wait', {}
    yield 'left', 'left', {}

SEQ2 = {'drop to none': [('init', 1), ('drop', 0)], 'drop to none, expect': [('init', 1), ('drop', 0), ('expect', 5)], 'drop to none, arrive': [('init', 1), ('drop', 0), ('arrive', 0)], 'drop_n to none': [('init', 3), ('drop_n', 3)], 'drop over pending': [('init', 3), ('arrive_n', 2), ('drop_n', 2)], 'arrive over': [('init', 3), ('arrive_n', 2), ('arrive_n', 2)],
    'arrive at none pending': [('init', 2), ('expect', 16), ('arrive_n', 2), ('arrive', 0)], 'arrive 0 at none pending': [('init', 2), ('expect', 16), ('arrive_n', 2), ('arrive_n', 0), ('complete', 16)], 'expect over': [('init', 1), ('expect', M), ('expect', 1)], 'complete under': [('init', 1), ('complete', M), ('complete', 1)], 'expect and back': [('init', 1), ('expect', M), ('complete', M), ('complete', M), ('expect', M)],
    'drop all but one': [('init', 3), ('drop', 0), ('drop', 0), ('arrive', 0), ('arrive', 0), ('arrive', 0)], 'drop in a later phase': [('init', 2), ('arrive_n', 2), ('drop', 0), ('arrive', 0), ('arrive', 0)]}
SEQ2 = {k: v + [('inval', 0)] for k, v in SEQ2.items()}
SEQ2 |= {f'bits {k}': v[:n] + [('inval', 0)] for k, v in SEQ.items() for n in range(1, len(v) + 1) if k in ('init 0', 'init 1048576', 'init 1048581', 'init 2147483648', 'init 4294967295', 'init 1000', 'arrive 5', 'tx', 'drop_nocomplete', 'cluster forms', 'tx before 3', 'cp_async') and 'inval' not in v[n - 1]}
def remaining():
    """What the first call left open, without the hundreds of faults that agreed with one another."""
    for n, s in SEQ2.items(): yield f'seq/{n}', 'sequence', {'ops': s}
    yield 'addr/none', 'addresses', {'cluster': None, 'dyn': 16, 'grid': 1}
    yield 'addr/1', 'addresses', {'cluster': (1, 1, 1), 'dyn': 16, 'grid': 1}
    for j in jobs():
        k = j[0].split('/')
        if k[0] in ('launch', 'plainlaunch', 'plainlaunch6', 'nonportable', 'attribute', 'size', 'occupancy', 'try_wait', 'left'): yield j
        if k[0] == 'exited' and k[1] in ('ld.shared::cluster', 'st.shared::cluster', 'atom.shared::cluster', 'red.shared::cluster', 'ld', 'mbarrier.arrive.shared::cluster', 'mbarrier.expect_tx.shared::cluster'): yield j
        if k[0] == 'access' and k[1].startswith('mbarrier') and k[2] in ('own', 'mapa 2', 'mapa 4', 'offset only', 'own + 0x400', 'mapa 2 + 0x400', 'misaligned own') and k[1] != 'mbarrier.arrive.shared::cta sink': yield j

if __name__ == '__main__':
    if sys.argv[1:] == ['ptx']:
        os.makedirs('/tmp/ptx', exist_ok=True); k = 0
        def w(name, t): open(f'/tmp/ptx/{name}.ptx', 'w').write(t)
        w('addr', address_ptx()[0]); w('sreg', sreg_ptx())
        for a in ACCESS: w('acc_' + a.replace(' ', '_').replace('::', '_'), access_ptx(a, 'mapa 2 + 0x400', False)); w('acx_' + a.replace(' ', '_').replace('::', '_'), access_ptx(a, 'mapa 2', True))
        for x in WHERE: w('whe_' + x.replace(' ', '_'), access_ptx('ld', x))
        for o in VOPS: w('vec_' + o, vector_ptx(o, 0)); w('vep_' + o, vector_ptx(o, 1))
        for n, s in SEQ.items(): w('seq_' + n.replace(' ', '_'), sequence_ptx(s))
        sys.exit()
    import async_pool
    j = list(jobs()); t = time.time(); res = async_pool.run('async_facts', j, width=int(sys.argv[2]), deadline=t + 330)
    import gzip; gzip.open(sys.argv[1], 'wt').write(json.dumps(res)); print(len(j), 'jobs', len(res), 'answers', sum('ok' not in r for r in res.values()), 'not ok', time.time() - t, 's')
