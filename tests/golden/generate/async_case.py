"""One form for every recorded kernel of tests/golden/async: what a case is, how it is run, how the files are written.

A case is `{group, name, kernel, grid, block, cluster, args}`; `kernel` is PTX with one entry `k`. An argument is one of
`{"u32": v}`, `{"u64": v}`, `{"buffer": bytes, "fill": byte | "data": seed | "input": id | "bytes": hex, "record": bool}` (the
kernel gets its address), `{"map": {…}}` (a 128-byte tensor map by value, of the buffer that argument `buffer` names) and
`{"encoded": {…}}` (a buffer of 128 bytes that holds the map). Byte i of `data` with seed s is ((i+s)·2654435761 mod 2^64)>>11, low 8 bits.
"""
import base64, ctypes as C, gzip, json, sys, time, zlib
import numpy as np
HEAD = '.version 9.0\n.target sm_90a\n.address_size 64\n'
SIZES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4]
NAMES = ['u8', 'u16', 'u32', 's32', 'u64', 's64', 'f16', 'f32', 'f64', 'bf16', 'f32_ftz', 'tf32', 'tf32_ftz']

def data(n, seed=0): return (((np.arange(n, dtype=np.uint64) + np.uint64(seed)) * np.uint64(2654435761)) >> np.uint64(11)).astype(np.uint8)

def encode(m, address):
    """The result code and the 128 bytes of an encoding; `m` holds the arguments by the driver's names."""
    import cu
    raw = C.create_string_buffer(192); p = (C.addressof(raw) + 63) & ~63; n = max(1, len(m['dims']))
    arr = lambda t, v: (t * max(1, len(v)))(*v)
    dims = arr(C.c_uint64, m['dims']); strides = arr(C.c_uint64, m['strides']); es = arr(C.c_uint32, m['elem_strides'])
    i = C.c_int; u = C.c_uint32
    head = (C.c_void_p(p), i(m['type']), u(m['rank']), C.c_void_p(address), dims, strides)
    tail = (i(m['interleave']), i(m['swizzle']), i(m['l2']), i(m['oob']))
    C.memset(p, 0xcc, 128)
    if m['mode'] == 'tile': r = cu.L.cuTensorMapEncodeTiled(*head, arr(C.c_uint32, m['box']), es, *tail)
    elif m['mode'] == 'im2col': r = cu.L.cuTensorMapEncodeIm2col(*head, arr(C.c_int, m['lower']), arr(C.c_int, m['upper']), u(m['channels']), u(m['pixels']), es, *tail)
    else: r = cu.L.cuTensorMapEncodeIm2colWide(*head, i(m['lower']), i(m['upper']), u(m['channels']), u(m['pixels']), es, i(m['interleave']), i(m['wide']), i(m['swizzle']), i(m['l2']), i(m['oob']))
    return r, C.string_at(p, 128)

def run_case(case, inputs=None):
    """Runs the case twice in fresh buffers; the recorded buffers of the first run, and whether the second agreed."""
    import cu, async_launch as al
    f = al.fn(case['kernel']); runs = []; encoded = {}
    for attempt in (0, 1):
        bufs = {}; args = []
        for k, a in enumerate(case['args']):
            if 'buffer' in a and 'map' not in a:
                n = a['buffer']; b = cu.Buf(n); bufs[k] = b
                if 'fill' in a: b.fill(a['fill'])
                elif 'data' in a: b.put(data(n, a['data']))
                elif 'input' in a: b.put(np.frombuffer(bytes.fromhex(a['hex']).ljust(n, b'\0'), np.uint8))
                else: b.put(np.frombuffer(bytes.fromhex(a['bytes']), np.uint8))
        for k, a in enumerate(case['args']):
            if 'map' in a or 'encoded' in a:
                m = a.get('map') or a['encoded']
                r, raw = encode(m, m['address'] if 'address' in m else bufs[m['buffer']].p.value + m.get('offset', 0))
                if r: return {'encode': r}
                if 'encoded' in a: bufs[k] = cu.Buf(128).put(np.frombuffer(raw, np.uint8)); encoded[str(k)] = raw.hex(); args.append(bufs[k])
                else: args.append(raw)
            elif k in bufs: args.append(bufs[k])
            elif 'u32' in a: args.append(np.uint32(a['u32'] & 0xffffffff))
            else: args.append(np.uint64(a['u64'] & (2**64 - 1)))
        if case.get('shared', 0) > 49152: al.setattr_(f, 8, case['shared'])
        al.launch(f, case['grid'], case['block'], args, case.get('shared', 0), case.get('cluster')); cu.sync()
        runs.append({k: bufs[k].get(np.uint8, case['args'][k].get('buffer', 128)).tobytes() for k in bufs if case['args'][k].get('record')})
        for b in bufs.values(): b.free()
    out = {'stable': runs[0] == runs[1], 'out': {str(k): base64.b64encode(zlib.compress(v, 1)).decode() for k, v in runs[0].items()}}
    if encoded: out['encoded'] = encoded
    return out

def skeleton(body, n=16384, cluster=1, map_=False, fill=True, wait='', mb_count=1, threads=128, dump=True, params=6):
    """A kernel around `body`: shared memory `sm` (n bytes) is filled from `src` + rank·n, four mbarriers `mb` are initialised,
    the cluster meets, `body` runs, `wait` runs, the cluster meets again, and every CTA writes `sm` to `out` + rank·n and the
    bits of its mbarriers (they show in memory only after inval) to `out` + CTAs·n + rank·32."""
    meet = 'barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;' if cluster > 1 else 'bar.sync 0;'
    xs = ''.join(f', .param .u32 p{i}' for i in range(params)); lx = ' '.join(f'ld.param.u32 %x{i},[p{i}];' for i in range(params))
    return HEAD + f'''.visible .entry k({".param .align 64 .b8 map[128], " if map_ else ""}.param .u64 src, .param .u64 dst, .param .u64 out{xs}) {{
.shared .align 1024 .b8 sm[{n}]; .shared .align 8 .b64 mb[4];
.reg .b64 %src,%dst,%out,%map,%d<16>,%g<8>,%s<4>; .reg .b32 %x<8>,%r<32>,%rank,%thr,%sm,%mb,%a<8>; .reg .b16 %h<8>; .reg .f32 %f<8>; .reg .f64 %e<8>; .reg .pred %one,%p<8>; .reg .b128 %q<2>;
ld.param.u64 %src,[src]; ld.param.u64 %dst,[dst]; ld.param.u64 %out,[out]; {lx}
{"mov.b64 %map,map; cvta.param.u64 %map,%map;" if map_ else ""}
mov.u32 %thr,%tid.x; mov.u32 %rank,%cluster_ctarank; mov.u32 %sm,sm; mov.u32 %mb,mb; setp.eq.u32 %one,%thr,0;
mul.wide.u32 %d0,%rank,{n}; add.u64 %src,%src,%d0; add.u64 %d15,%out,%d0;
mov.u32 %r31,%thr;
FILL: setp.ge.u32 %p7,%r31,{n//16}; @%p7 bra FILLED; shl.b32 %r30,%r31,4; add.u32 %r29,%sm,%r30; cvt.u64.u32 %d14,%r30; add.u64 %d14,%src,%d14;
{"ld.global.v4.b32 {%r25,%r26,%r27,%r28},[%d14];" if fill else "mov.b32 %r25,0xeeeeeeee; mov.b32 %r26,%r25; mov.b32 %r27,%r25; mov.b32 %r28,%r25;"} st.shared.v4.b32 [%r29],{{%r25,%r26,%r27,%r28}}; add.u32 %r31,%r31,{threads}; bra FILL;
FILLED:
@%one mbarrier.init.shared.b64 [%mb],{mb_count}; @%one mbarrier.init.shared.b64 [%mb+8],{mb_count}; @%one mbarrier.init.shared.b64 [%mb+16],{mb_count}; @%one mbarrier.init.shared.b64 [%mb+24],{mb_count};
fence.mbarrier_init.release.cluster; fence.proxy.async; bar.sync 0; {meet}
{body}
{wait}
bar.sync 0; {meet}
''' + (f'''mov.u32 %r31,%thr;
DUMP: setp.ge.u32 %p7,%r31,{n//16}; @%p7 bra DUMPED; shl.b32 %r30,%r31,4; add.u32 %r29,%sm,%r30; cvt.u64.u32 %d14,%r30; add.u64 %d14,%d15,%d14;
ld.shared.v4.b32 {{%r25,%r26,%r27,%r28}},[%r29]; st.global.v4.b32 [%d14],{{%r25,%r26,%r27,%r28}}; add.u32 %r31,%r31,{threads}; bra DUMP;
DUMPED:
@!%one bra END;
mul.wide.u32 %d0,%rank,32; add.u64 %d0,%d0,%out; add.u64 %d0,%d0,{cluster*n};
''' + ''.join(f'mbarrier.inval.shared.b64 [%mb+{8*i}]; ld.volatile.shared.b64 %d1,[%mb+{8*i}]; st.global.b64 [%d0+{8*i}],%d1;\n' for i in range(4)) if dump else '') + 'END: ret;\n}\n'

WAIT0 = 'WAIT: mbarrier.try_wait.parity.shared.b64 %p6,[%mb],0; @!%p6 bra WAIT;'

def case(group, name, kernel, args, grid=1, block=128, cluster=None, **more):
    return {'group': group, 'name': name, 'kernel': kernel, 'grid': [grid], 'block': [block], 'cluster': cluster, 'args': args, **more}

def assemble(cases, folder='/tmp/ptx'):
    """Assembles every kernel with ptxas and says which it refuses; returns those that pass."""
    import os, subprocess
    from concurrent.futures import ThreadPoolExecutor
    os.makedirs(folder, exist_ok=True); texts = {}
    for c in cases: texts.setdefault(c['kernel'], c['name'])
    def one(i, t):
        p = f'{folder}/{i}.ptx'; open(p, 'w').write(t); r = subprocess.run(['/work/tmp/bin/ptxas', '-arch=sm_90a', p, '-o', f'{folder}/{i}.cubin'], capture_output=True, text=True)
        return t, r.returncode, (r.stderr + r.stdout).strip().split('\n')[0]
    bad = {}
    with ThreadPoolExecutor(2) as ex:
        for t, rc, e in ex.map(lambda a: one(*a), enumerate(texts)):
            if rc: bad[t] = e
    return [c for c in cases if c['kernel'] not in bad], [(texts[t], e) for t, e in bad.items()]
