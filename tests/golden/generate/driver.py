"""Asks a CUDA driver how it answers: attributes, limits, names, occupancy, wrong calls, faults of kernels.
Usage: driver.py [folder]: writes attributes.json, errors.json, procs.json, occupancy.json, calls.json, faults.json there.
What may crash runs in a process of its own; a crash is an answer ("crash")."""
import ctypes as C, json, os, struct, subprocess, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
here = os.path.dirname(os.path.abspath(__file__))
L = C.CDLL('libcuda.so.1')
z, u, i, q, P, V = C.c_size_t, C.c_uint, C.c_int, C.c_uint64, C.byref, C.c_void_p
HEAD = '.version 8.0\n.target sm_90\n.address_size 64\n'
PTX = HEAD + '''
.global .align 4 .b8 table[64];
.visible .entry empty() { ret; }
.visible .entry store(.param .u64 p) { .reg .b64 %a; .reg .b32 %t; ld.param.u64 %a,[p]; mov.u32 %t,%tid.x; st.global.u32 [%a],%t; ret; }
.visible .entry wait(.param .u64 ns) { .reg .b64 %a,%b,%n; .reg .pred %p; ld.param.u64 %n,[ns]; mov.u64 %a,%globaltimer;
again: mov.u64 %b,%globaltimer; sub.u64 %b,%b,%a; setp.lt.u64 %p,%b,%n; @%p bra again; ret; }
.visible .entry shared() { .shared .align 4 .b8 s[40000]; .reg .b32 %t; mov.u32 %t,%tid.x; st.volatile.shared.u32 [s],%t; ret; }
.visible .entry local(.param .u64 p) { .local .align 4 .b8 l[4096]; .reg .b64 %a,%b; .reg .b32 %t; ld.param.u64 %a,[p]; mov.u64 %b,l; and.b64 %a,%a,4092; add.u64 %b,%b,%a; mov.u32 %t,1; st.local.u32 [%b],%t; ld.local.u32 %t,[l+64]; ld.param.u64 %a,[p]; st.global.u32 [%a],%t; ret; }
.visible .entry bounded() .maxntid 256,1,1 { ret; }
.visible .entry required() .reqntid 64,2,1 { ret; }
.visible .entry clustered() .reqnctapercluster 2,1,1 { ret; }
.visible .entry explicit() .explicitcluster { ret; }
.visible .entry many(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[24], .param .u16 d) { ret; }
'''
def greedy(n):
    """A kernel that holds n values at a time in registers."""
    r = range(n)
    return f'.visible .entry greedy{n}(.param .u64 p) {{ .reg .b64 %a; .reg .b32 %r<{n}>; ld.param.u64 %a,[p];\n' + '\n'.join(f'ld.volatile.global.u32 %r{k},[%a+{4*k}];' for k in r) + '\n' + '\n'.join(f'st.volatile.global.u32 [%a+{4*k}],%r{n-1-k};' for k in r) + '\nret; }\n'
GREEDY = (16, 28, 40, 56, 72, 90, 110, 150, 180, 240)

# ---------------------------------------------------------------- what every part needs
def init(): assert L.cuInit(0) == 0
def context():
    init(); c = V(); assert L.cuCtxCreate_v2(P(c), 0, 0) == 0; return c
def load(text=PTX):
    m = V(); r = L.cuModuleLoadData(P(m), text.encode() + b'\0'); assert r == 0, r; return m
def fn(m, name):
    f = V(); r = L.cuModuleGetFunction(P(f), m, name.encode()); assert r == 0, (name, r); return f
def alloc(n):
    p = q(); r = L.cuMemAlloc_v2(P(p), z(n)); assert r == 0, r; return p
def launch(f, *args, grid=(1, 1, 1), block=(1, 1, 1), shared=0, stream=None):
    ps = (V * max(1, len(args)))(*[C.addressof(a) for a in args])
    return L.cuLaunchKernel(f, *[u(x) for x in (*grid, *block)], u(shared), stream, ps, None)
class Attr(C.Structure):
    _fields_ = [('id', u), ('pad', u), ('value', C.c_ubyte * 64)]
class Config(C.Structure):
    _fields_ = [('grid', u * 3), ('block', u * 3), ('shared', u), ('stream', V), ('attrs', V), ('count', u)]
def config(grid, block, shared=0, cluster=None, attrs=()):
    attrs = list(attrs)
    if cluster: attrs.append((4, struct.pack('3I', *cluster)))
    array = (Attr * max(1, len(attrs)))()
    for a, (k, v) in zip(array, attrs):
        a.id = k; C.memmove(a.value, v, len(v))
    c = Config((u * 3)(*grid), (u * 3)(*block), shared, None, C.cast(array, V), len(attrs)); c.keep = array
    return c

# ---------------------------------------------------------------- attributes.json
def device():
    init(); out = {}; v = i(); L.cuDriverGetVersion(P(v)); out['driver_version'] = v.value
    L.cuDeviceGetCount(P(v)); out['count'] = v.value
    name = C.create_string_buffer(256); L.cuDeviceGetName(name, 256, 0); out['name'] = name.value.decode()
    short = C.create_string_buffer(b'?' * 15); out['short_name'] = [L.cuDeviceGetName(short, 8, 0), short.raw.decode('latin1')]
    ids = C.create_string_buffer(16)
    out['uuid'] = [L.cuDeviceGetUuid(ids, 0), ids.raw.hex()]; out['uuid_v2'] = [L.cuDeviceGetUuid_v2(ids, 0), ids.raw.hex()]
    s = z(); out['total_mem'] = [L.cuDeviceTotalMem_v2(P(s), 0), s.value]
    bus = C.create_string_buffer(64); out['pci_bus_id'] = [L.cuDeviceGetPCIBusId(bus, 64, 0), bus.value.decode()]
    out['pci_bus_id_13'] = [L.cuDeviceGetPCIBusId(bus, 13, 0), bus.value.decode()]; out['pci_bus_id_12'] = [L.cuDeviceGetPCIBusId(bus, 12, 0), bus.value.decode()]
    d = i(-1); full = out['pci_bus_id'][1]
    out['by_pci'] = {w: [L.cuDeviceGetByPCIBusId(P(d), w.encode()), d.value] for w in (full, full.lower(), full[5:], full[:-2], full[5:-2], '0000:ff:1f.0', 'garbage', '')}
    out['attributes'] = {}
    for a in [0, -1, *range(1, 165), 1000]:
        v.value = -12345; r = L.cuDeviceGetAttribute(P(v), a, 0); out['attributes'][a] = v.value if r == 0 else f'error {r}'
    prop = (i * 13)(); out['properties'] = [L.cuDeviceGetProperties(prop, 0), list(prop)]
    a, b = i(), i(); out['capability'] = [L.cuDeviceComputeCapability(P(a), P(b), 0), a.value, b.value]
    out['affinity'] = {t: [L.cuDeviceGetExecAffinitySupport(P(a), t, 0), a.value] for t in (0, 1, 2)}
    a.value = -1; out['peer'] = [L.cuDeviceCanAccessPeer(P(a), 0, 0), a.value]
    out['p2p'] = {t: [L.cuDeviceGetP2PAttribute(P(a), t, 0, 0), a.value] for t in (0, 1, 2, 3, 4, 5)}
    out['texture_linear'] = {f'{f}x{n}': [L.cuDeviceGetTexture1DLinearMaxWidth(P(s), f, u(n), 0), s.value] for f in (1, 8, 0x20) for n in (1, 2, 4)}
    return {'attributes': out}
def luid():
    init(); out = {}; a, s, c = i(), z(), V()
    luid, mask = C.create_string_buffer(8), u(); out['luid'] = L.cuDeviceGetLuid(luid, P(mask), 0)
    return {'attributes': out}
def limits():
    init(); out = {}; a, s, c = i(), z(), V()
    c = V(); L.cuCtxCreate_v2(P(c), 0, 0)
    lo, hi = i(), i(); L.cuCtxGetStreamPriorityRange(P(lo), P(hi)); out['priorities'] = [lo.value, hi.value]
    L.cuCtxGetCacheConfig(P(a)); out['cache_config'] = a.value; L.cuCtxGetSharedMemConfig(P(a)); out['shared_config'] = a.value
    for w in (0, 1, 2, 3, 4): out.setdefault('set_cache_config', {})[w] = [L.cuCtxSetCacheConfig(w), L.cuCtxGetCacheConfig(P(a)), a.value]
    for w in (0, 1, 2, 3): out.setdefault('set_shared_config', {})[w] = [L.cuCtxSetSharedMemConfig(w), L.cuCtxGetSharedMemConfig(P(a)), a.value]
    out['limits'] = {}
    for l in range(13):
        r = L.cuCtxGetLimit(P(s), l); one = out['limits'][l] = {'get': s.value if r == 0 else f'error {r}', 'set': {}}; was = s.value
        for w in (0, 1, 15, 16, 17, 32, 64, 100, 128, 129, 1000, 1024, 1025, 4096, 65536, 100000, 1 << 20, (1 << 20) + 1, 8 << 20, 1 << 26, 1 << 30, 1 << 40):
            r = L.cuCtxSetLimit(l, z(w)); g = L.cuCtxGetLimit(P(s), l); one['set'][w] = [r, s.value if g == 0 else f'error {g}']
        if one['get'] == was: one['restored'] = L.cuCtxSetLimit(l, z(was))
    return {'attributes': out}
def contexts():
    init(); out = {}; a, s, c = i(), z(), V()
    version = u(); out['api_version'] = {}
    for name, make in (('v1', lambda: L.cuCtxCreate(P(c), 0, 0)), ('v2', lambda: L.cuCtxCreate_v2(P(c), 0, 0)), ('v3', lambda: L.cuCtxCreate_v3(P(c), None, 0, 0, 0)), ('v4', lambda: L.cuCtxCreate_v4(P(c), None, 0, 0)), ('primary', lambda: L.cuDevicePrimaryCtxRetain(P(c), 0))):
        version.value = 0; r = make(); out['api_version'][name] = [r, L.cuCtxGetApiVersion(c, P(version)), version.value]
        if name != 'primary' and r == 0: L.cuCtxDestroy_v2(c)
    L.cuCtxSetCurrent(c); out['api_version']['of_current'] = [L.cuCtxGetApiVersion(None, P(version)), version.value]
    out['flags'] = {}
    for w in (0, 1, 2, 3, 4, 5, 7, 8, 16, 32, 64, 128, 24, 255, 256, 1024):
        x = V(); r = L.cuCtxCreate_v2(P(x), u(w), 0); g = u(999)
        out['flags'][w] = [r, L.cuCtxGetFlags(P(g)) if r == 0 else None, g.value]
        if r == 0: L.cuCtxDestroy_v2(x)
    L.cuCtxSetCurrent(c); x = V(); L.cuCtxCreate_v2(P(x), 0, 0); out['set_flags'] = {}
    for w in (1, 2, 3, 4, 0, 8, 16, 32, 128, 256):
        g = u(999); out['set_flags'][w] = [L.cuCtxSetFlags(u(w)), L.cuCtxGetFlags(P(g)), g.value]
    L.cuCtxDestroy_v2(x)
    return {'attributes': out}
def memory():
    init(); out = {}; a, s, c = i(), z(), V()
    L.cuCtxCreate_v2(P(c), 0, 0)
    prop = (C.c_ubyte * 32)(*struct.pack('<IIIiQQ', 1, 0, 1, 0, 0, 0)); out['granularity'] = [[L.cuMemGetAllocationGranularity(P(s), prop, k), s.value] for k in (0, 1)]
    for t, where in ((2, 'host'), (3, 'host numa')):
        prop = (C.c_ubyte * 32)(*struct.pack('<IIIiQQ', 1, 0, t, 0, 0, 0)); out['granularity_' + where] = [[L.cuMemGetAllocationGranularity(P(s), prop, k), s.value] for k in (0, 1)]
    pool = V(); r = L.cuDeviceGetDefaultMemPool(P(pool), 0); out['pool'] = {'get': r}; value = q()
    for k in range(0, 16):
        value.value = 0xdeadbeefdeadbeef; r = L.cuMemPoolGetAttribute(pool, k, P(value)); out['pool'][k] = hex(value.value) if r == 0 else f'error {r}'
    p2 = V(); out['pool']['current_is_default'] = [L.cuDeviceGetMemPool(P(p2), 0), p2.value == pool.value]
    pp = (C.c_ubyte * 88)(*struct.pack('<IIIiQQ', 1, 0, 1, 0, 0, 0), *[0] * 56); mine = V(); out['own_pool'] = {'create': L.cuMemPoolCreate(P(mine), pp)}
    for k in range(1, 16):
        value.value = 0xdeadbeefdeadbeef; r = L.cuMemPoolGetAttribute(mine, k, P(value)); out['own_pool'][k] = hex(value.value) if r == 0 else f'error {r}'
    free, total = z(), z(); L.cuMemGetInfo_v2(P(free), P(total)); out['mem_info'] = [free.value, total.value]
    ps = [alloc(n).value for n in (1, 1, 256, 257, 512, 513, 4096, 1 << 20, 1 << 21, 1 << 22)]; out['alloc_addresses'] = [hex(p) for p in ps]
    p, pitch = q(), z(); out['pitches'] = {f'{w},{e}': [L.cuMemAllocPitch_v2(P(p), P(pitch), z(w), z(4), u(e)), pitch.value] for w in (1, 100, 512, 513, 4096, 100000) for e in (1, 4, 8, 16)}
    return {'attributes': out}
def errors():
    init()
    ver = L.cuGetErrorName; text = C.c_char_p(); res = C.c_char_p(); errors = {}
    for e in range(-1, 1001):
        r1 = ver(e, P(text)); t1 = text.value; r2 = L.cuGetErrorString(e, P(res))
        if (r1, r2) != (1, 1): errors[e] = [r1, t1.decode() if t1 else None, r2, res.value.decode() if res.value else None]
    ver(12345, P(text)); errors['unknown'] = [ver(12345, P(text)), text.value is None]
    return {'errors': errors}

# ---------------------------------------------------------------- procs.json
def procs():
    init(); path = next(l.split()[-1] for l in open('/proc/self/maps') if 'libcuda.so' in l)
    b = open(path, 'rb').read(); so, n, size = struct.unpack_from('<Q', b, 40)[0], *struct.unpack_from('<HH', b, 60)[:1], 64
    names = {}
    for k in range(struct.unpack_from('<H', b, 60)[0]):
        kind, = struct.unpack_from('<I', b, so + k * size + 4)
        if kind == 11:
            off, length = struct.unpack_from('<QQ', b, so + k * size + 24); link, = struct.unpack_from('<I', b, so + k * size + 40)
            strings, = struct.unpack_from('<Q', b, so + link * size + 24)
            for s in range(off, off + length, 24):
                n, info, other, sec, value, _ = struct.unpack_from('<IBBHQQ', b, s)
                if sec and value and info & 15 == 2: names.setdefault(value, []).append(b[strings + n:b.index(b'\0', strings + n)].decode())
    base = C.cast(L.cuInit, V).value - next(v for v, ns in names.items() if 'cuInit' in ns)
    asked = sorted(set(open(os.path.join(here, 'driver.names')).read().split()) | {n for ns in names.values() for n in ns if n.startswith('cu')} | {'cuNoSuchThing', '', 'cudaMalloc', 'cuInit_v2', 'cuMemAlloc_v2', 'cuMemcpyHtoD_ptds'})
    versions = [0, 1000, 2000, 2010, 2020, 3000, 3010, 3020, 4000, 4010, 4020, 5000, 5050, 6000, 6050, 7000, 7050, 8000, 9000, 9010, 9020, 10000, 10010, 10020, *range(11000, 11090, 10), *range(12000, 12100, 10), 13000, 13010, 13020, 13040, 99000]
    out = {'exported': sorted(n for ns in names.values() for n in ns if n.startswith('cu')), 'names': {}}
    p, status = V(), i()
    for n in asked:
        for flags in (0, 1, 2):
            row, last = [], None
            for v in versions:
                p.value = None; status.value = -1; r = L.cuGetProcAddress_v2(n.encode(), P(p), v, q(flags), P(status))
                what = [r, status.value, '/'.join(names.get(p.value - base, [hex(p.value - base)])) if p.value else None]
                if what != last: row.append([v, *what]); last = what
            out['names'].setdefault(n, {})[flags] = row
    misc = out['misc'] = {}
    misc['flags 3'] = [L.cuGetProcAddress_v2(b'cuMemAlloc', P(p), 12000, q(3), P(status)), status.value]
    misc['flags 4'] = [L.cuGetProcAddress_v2(b'cuMemAlloc', P(p), 12000, q(4), P(status)), status.value]
    misc['null status'] = L.cuGetProcAddress_v2(b'cuMemAlloc', P(p), 12000, q(0), None)
    p.value = 1; misc['v1 unknown'] = [L.cuGetProcAddress(b'cuNoSuchThing', P(p), 12000, q(0)), p.value]
    p.value = 1; misc['v1 too new'] = [L.cuGetProcAddress(b'cuMemAllocAsync', P(p), 4000, q(0)), p.value]
    p.value = 1; misc['v2 unknown'] = [L.cuGetProcAddress_v2(b'cuNoSuchThing', P(p), 12000, q(0), P(status)), p.value, status.value]
    p.value = 1; misc['v2 too new'] = [L.cuGetProcAddress_v2(b'cuMemAllocAsync', P(p), 4000, q(0), P(status)), p.value, status.value]
    return {'procs': out}

# ---------------------------------------------------------------- occupancy.json
def occupancy():
    context(); m = load(PTX); out = {'functions': {}, 'blocks': [], 'potential': [], 'available': [], 'clusters': [], 'cluster_size': [], 'carveout': []}; v = i(); w = i(); s = z()
    fs = {n: fn(m, n) for n in ('empty', 'store', 'wait', 'shared', 'local', 'bounded', 'required', 'clustered', 'explicit', 'many')}
    g = load(HEAD + ''.join(map(greedy, GREEDY))); fs |= {f'greedy{n}': fn(g, f'greedy{n}') for n in GREEDY}
    for n, f in fs.items():
        out['functions'][n] = {}
        for a in range(-1, 19):
            r = L.cuFuncGetAttribute(P(v), a, f); out['functions'][n][a] = v.value if r == 0 else f'error {r}'
        out['functions'][n]['params'] = []
        for k in range(6):
            o, x = z(), z(); r = L.cuFuncGetParamInfo(f, z(k), P(o), P(x)); out['functions'][n]['params'].append([r, o.value, x.value] if r == 0 else r)
    blocks = lambda n, b, d, fl=0: L.cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(P(v), fs[n], b, z(d), u(fl))
    for n in ('empty', 'store', 'shared', 'local', 'bounded', 'required', *[f'greedy{n}' for n in GREEDY]):
        for b in (1, 31, 32, 33, 64, 65, 96, 100, 128, 160, 192, 224, 256, 288, 320, 384, 448, 512, 576, 640, 768, 896, 1000, 1024):
            v.value = -1; out['blocks'].append([n, b, 0, blocks(n, b, 0), v.value])
    for n in ('empty', 'shared'):
        for b in (32, 128, 1024):
            for d in (1, 127, 128, 129, 1000, 1024, 1025, 6144, 6145, 7168, 7169, 8192, 9216, 9217, 10000, 16384, 20000, 32768, 40960, 49151, 49152, 49153):
                v.value = -1; out['blocks'].append([n, b, d, blocks(n, b, d), v.value])
    L.cuFuncSetAttribute(fs['store'], 8, 232448)
    for b in (32, 256, 1024):
        for d in (49152, 49153, 57344, 65536, 76800, 76801, 100000, 115712, 115713, 116736, 150000, 232447, 232448, 232449, 300000):
            v.value = -1; out['blocks'].append(['store+optin', b, d, blocks('store', b, d), v.value])
    L.cuFuncSetAttribute(fs['store'], 8, 0)
    for n, b, d, fl in (('empty', 0, 0, 0), ('empty', -1, 0, 0), ('empty', 1025, 0, 0), ('bounded', 257, 0, 0), ('empty', 2048, 0, 0), ('empty', 32, 1 << 40, 0), ('empty', 128, 0, 1), ('empty', 128, 0, 2), ('required', 128, 0, 0), ('required', 100, 0, 0)):
        v.value = -1; out['blocks'].append([n, b, d, fl, blocks(n, b, d, fl), v.value])
    B2D = C.CFUNCTYPE(z, i); per_thread = B2D(lambda t: t * 16)
    for n in fs:
        for d in (0, 1024, 20000, 49152):
            for lim in (0, 100, 256, 2048):
                v.value = w.value = -1; r = L.cuOccupancyMaxPotentialBlockSize(P(v), P(w), fs[n], None, z(d), lim); out['potential'].append([n, d, lim, r, v.value, w.value])
        v.value = w.value = -1; r = L.cuOccupancyMaxPotentialBlockSize(P(v), P(w), fs[n], per_thread, z(0), 0); out['potential'].append([n, '16 bytes a thread', 0, r, v.value, w.value])
    for n in ('empty', 'shared', 'bounded', 'greedy150'):
        for k in (1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 0):
            for b in (32, 128, 256, 1024):
                s.value = 77; out['available'].append([n, k, b, L.cuOccupancyAvailableDynamicSMemPerBlock(P(s), fs[n], k, b), s.value])
    L.cuFuncSetAttribute(fs['store'], 8, 232448)
    for k in (1, 2, 4, 8): s.value = 77; out['available'].append(['store+optin', k, 128, L.cuOccupancyAvailableDynamicSMemPerBlock(P(s), fs['store'], k, 128), s.value])
    L.cuFuncSetAttribute(fs['empty'], 14, 1)
    for n in ('empty', 'store', 'shared', 'clustered', 'explicit', 'greedy150'):
        for b in (32, 128, 256, 1024):
            for k in ((1, 1, 1), (2, 1, 1), (4, 1, 1), (2, 2, 1), (8, 1, 1), (16, 1, 1), (3, 1, 1), (12, 1, 1), None):
                for d in (0, 40000, 200000):
                    c = config((192, 4, 1), (b, 1, 1), d, k); v.value = -1; out['clusters'].append([n, b, k, d, L.cuOccupancyMaxActiveClusters(P(v), fs[n], P(c)), v.value])
            c = config((192, 1, 1), (b, 1, 1), 0); v.value = -1; out['cluster_size'].append([n, b, L.cuOccupancyMaxPotentialClusterSize(P(v), fs[n], P(c)), v.value])
    for share in (-1, 0, 1, 8, 14, 25, 29, 50, 60, 75, 90, 100, 101):
        r = L.cuFuncSetAttribute(fs['greedy16'], 9, share); row = [share, r]
        for d in (0, 8192, 40000): blocks('greedy16', 128, d); row.append(v.value)
        out['carveout'].append(row)
    return {'occupancy': out}

# ---------------------------------------------------------------- calls.json
class World:
    """What a wrong call may need; made once for a process."""
    def __init__(s):
        s.ctx = context(); s.m = load(); s.empty, s.store, s.wait, s.shared, s.bounded, s.required = (fn(s.m, n) for n in ('empty', 'store', 'wait', 'shared', 'bounded', 'required'))
        s.p = alloc(4096); s.h = C.create_string_buffer(65536); s.host = C.cast(s.h, V); s.out, s.o2 = q(), q(); s.v = i(); s.s = z()
        s.st = V(); L.cuStreamCreate(P(s.st), 1); s.ev, s.ev2 = V(), V(); L.cuEventCreate(P(s.ev), 0); L.cuEventCreate(P(s.ev2), 0)
    def busy(s, ms=30): return launch(s.wait, q(ms * 1000000), stream=s.st)
    def freed(s):
        p = alloc(1 << 22); L.cuMemFree_v2(p); return p
CASES = []
def case(name, words, call, risky=False): CASES.append((name, words, call, risky))
def steps(words, call, risky=True): CASES.append(('sequence', words, call, risky))
garbage = V(0x123456789000)
def fill():
    O = lambda e: P(e.out)
    # Memory
    case('cuMemAlloc_v2', 'null out pointer', lambda e: L.cuMemAlloc_v2(None, z(16)))
    case('cuMemAlloc_v2', 'zero bytes', lambda e: L.cuMemAlloc_v2(O(e), z(0)))
    case('cuMemAlloc_v2', '1 TiB', lambda e: L.cuMemAlloc_v2(O(e), z(1 << 40)))
    case('cuMemAlloc_v2', '2^64-1 bytes', lambda e: L.cuMemAlloc_v2(O(e), z(-1)))
    case('cuMemFree_v2', 'address 0', lambda e: L.cuMemFree_v2(q(0)))
    case('cuMemFree_v2', 'address inside an allocation', lambda e: L.cuMemFree_v2(q(e.p.value + 8)))
    case('cuMemFree_v2', 'address never allocated', lambda e: L.cuMemFree_v2(q(0x123456789000)))
    case('cuMemFree_v2', 'host (pageable) address', lambda e: L.cuMemFree_v2(q(e.host.value)))
    case('cuMemFree_v2', 'twice', lambda e: L.cuMemFree_v2(e.freed()))
    case('cuMemAllocPitch_v2', 'width 0', lambda e: L.cuMemAllocPitch_v2(O(e), P(e.s), z(0), z(4), u(4)))
    case('cuMemAllocPitch_v2', 'height 0', lambda e: L.cuMemAllocPitch_v2(O(e), P(e.s), z(16), z(0), u(4)))
    case('cuMemAllocPitch_v2', 'element size 3', lambda e: L.cuMemAllocPitch_v2(O(e), P(e.s), z(16), z(4), u(3)))
    case('cuMemAllocPitch_v2', 'element size 32', lambda e: L.cuMemAllocPitch_v2(O(e), P(e.s), z(16), z(4), u(32)))
    case('cuMemAllocPitch_v2', 'null pitch', lambda e: L.cuMemAllocPitch_v2(O(e), None, z(16), z(4), u(4)))
    case('cuMemAllocHost_v2', 'zero bytes', lambda e: L.cuMemAllocHost_v2(O(e), z(0)))
    case('cuMemHostAlloc', 'zero bytes', lambda e: L.cuMemHostAlloc(O(e), z(0), u(0)))
    case('cuMemHostAlloc', 'flags 0x100', lambda e: L.cuMemHostAlloc(O(e), z(16), u(0x100)))
    case('cuMemHostAlloc', 'null out pointer', lambda e: L.cuMemHostAlloc(None, z(16), u(0)))
    case('cuMemFreeHost', 'null', lambda e: L.cuMemFreeHost(None))
    case('cuMemFreeHost', 'pageable address', lambda e: L.cuMemFreeHost(e.host))
    case('cuMemFreeHost', 'device address', lambda e: L.cuMemFreeHost(V(e.p.value)))
    case('cuMemAllocManaged', 'zero bytes', lambda e: L.cuMemAllocManaged(O(e), z(0), u(1)))
    case('cuMemAllocManaged', 'flags 0', lambda e: L.cuMemAllocManaged(O(e), z(16), u(0)))
    case('cuMemAllocManaged', 'flags 3', lambda e: L.cuMemAllocManaged(O(e), z(16), u(3)))
    case('cuMemAllocManaged', 'flags 2 (host)', lambda e: L.cuMemAllocManaged(O(e), z(16), u(2)))
    case('cuMemAllocAsync', 'zero bytes', lambda e: (setattr(e.out, 'value', 7), [L.cuMemAllocAsync(O(e), z(0), None), e.out.value])[1])
    case('cuMemAllocAsync', 'stale stream', lambda e: L.cuMemAllocAsync(O(e), z(16), garbage), True)
    case('cuMemFreeAsync', 'address 0', lambda e: L.cuMemFreeAsync(q(0), None))
    case('cuMemFreeAsync', 'address of cuMemAlloc', lambda e: (lambda p: [L.cuMemFreeAsync(p, None), L.cuCtxSynchronize(), L.cuMemFree_v2(p)])(alloc(64)))
    case('cuMemFreeAsync', 'garbage address', lambda e: L.cuMemFreeAsync(q(0x123456789000), None))
    case('cuMemFree_v2', 'address of cuMemAllocAsync', lambda e: [L.cuMemAllocAsync(O(e), z(64), None), L.cuMemFree_v2(e.out)])
    case('cuMemFreeAsync', 'twice', lambda e: [L.cuMemAllocAsync(O(e), z(64), None), L.cuMemFreeAsync(e.out, None), L.cuMemFreeAsync(e.out, None)])
    case('cuMemGetInfo_v2', 'null', lambda e: L.cuMemGetInfo_v2(None, None))
    case('cuMemGetInfo_v2', 'null total', lambda e: L.cuMemGetInfo_v2(P(e.s), None))
    case('cuMemGetAddressRange_v2', 'freed address', lambda e: L.cuMemGetAddressRange_v2(O(e), P(e.s), e.freed()))
    case('cuMemGetAddressRange_v2', 'host (pageable) address', lambda e: L.cuMemGetAddressRange_v2(O(e), P(e.s), q(e.host.value)))
    case('cuMemGetAddressRange_v2', 'both out pointers null', lambda e: L.cuMemGetAddressRange_v2(None, None, e.p))
    case('cuMemHostGetDevicePointer_v2', 'pageable address', lambda e: L.cuMemHostGetDevicePointer_v2(O(e), e.host, u(0)))
    case('cuMemHostGetDevicePointer_v2', 'flags 1', lambda e: L.cuMemHostGetDevicePointer_v2(O(e), e.host, u(1)))
    case('cuMemHostGetFlags', 'pageable address', lambda e: L.cuMemHostGetFlags(P(e.v), e.host))
    big = lambda: C.create_string_buffer(1 << 20)
    def register(e):
        b = big(); return [L.cuMemHostRegister_v2(b, z(1 << 20), u(0)), L.cuMemHostRegister_v2(b, z(1 << 20), u(0)), L.cuMemHostRegister_v2(V(C.addressof(b) + 8192), z(4096), u(0)), L.cuMemHostUnregister(V(C.addressof(b) + 8192)), L.cuMemHostUnregister(b), L.cuMemHostUnregister(b)]
    case('cuMemHostRegister_v2', 'once, twice, a part; unregister the part, the whole, twice', register)
    case('cuMemHostRegister_v2', 'null', lambda e: L.cuMemHostRegister_v2(None, z(4096), u(0)))
    case('cuMemHostRegister_v2', 'zero bytes', lambda e: L.cuMemHostRegister_v2(e.host, z(0), u(0)))
    case('cuMemHostRegister_v2', 'flags 0x100', lambda e: L.cuMemHostRegister_v2(e.host, z(4096), u(0x100)))
    case('cuMemHostRegister_v2', 'unmapped address', lambda e: L.cuMemHostRegister_v2(V(0x10000), z(4096), u(0)))
    case('cuMemHostUnregister', 'never registered', lambda e: L.cuMemHostUnregister(e.host))
    case('cuMemHostUnregister', 'null', lambda e: L.cuMemHostUnregister(None))
    for n, sz in (('cuMemsetD8_v2', 1), ('cuMemsetD16_v2', 2), ('cuMemsetD32_v2', 4)):
        f = getattr(L, n)
        case(n, 'zero elements', lambda e, f=f: f(e.p, u(0), z(0)))
        case(n, 'zero elements at address 0', lambda e, f=f: f(q(0), u(0), z(0)))
        case(n, 'address 0', lambda e, f=f: f(q(0), u(0), z(1)))
        if sz > 1: case(n, 'unaligned address', lambda e, f=f: f(q(e.p.value + 1), u(0), z(1)))
        case(n, 'beyond the allocation', lambda e, f=f: f(q(e.p.value + 4096 - 4), u(0), z(1 << 26)))
        case(n, 'freed address', lambda e, f=f: f(e.freed(), u(0), z(1)))
        case(n, 'pageable host address', lambda e, f=f: f(q(e.host.value), u(0), z(1)))
    case('cuMemsetD2D8_v2', 'pitch less than width', lambda e: L.cuMemsetD2D8_v2(e.p, z(8), u(1), z(16), z(2)))
    case('cuMemsetD2D8_v2', 'height 0', lambda e: L.cuMemsetD2D8_v2(e.p, z(32), u(1), z(16), z(0)))
    case('cuMemsetD2D32_v2', 'pitch 6, width 1', lambda e: L.cuMemsetD2D32_v2(e.p, z(6), u(1), z(1), z(2)))
    case('cuMemcpyHtoD_v2', 'zero bytes', lambda e: L.cuMemcpyHtoD_v2(e.p, e.host, z(0)))
    case('cuMemcpyHtoD_v2', 'zero bytes, both null', lambda e: L.cuMemcpyHtoD_v2(q(0), None, z(0)))
    case('cuMemcpyHtoD_v2', 'device address 0', lambda e: L.cuMemcpyHtoD_v2(q(0), e.host, z(4)))
    case('cuMemcpyHtoD_v2', 'null host pointer', lambda e: L.cuMemcpyHtoD_v2(e.p, None, z(4)), True)
    case('cuMemcpyHtoD_v2', 'beyond the allocation (2 MiB more)', lambda e: L.cuMemcpyHtoD_v2(q(e.p.value), big(), z(4096 + (1 << 19))))
    case('cuMemcpyHtoD_v2', 'freed address', lambda e: L.cuMemcpyHtoD_v2(e.freed(), e.host, z(4)))
    case('cuMemcpyDtoH_v2', 'freed address', lambda e: L.cuMemcpyDtoH_v2(e.host, e.freed(), z(4)))
    case('cuMemcpyDtoH_v2', 'device address 0', lambda e: L.cuMemcpyDtoH_v2(e.host, q(0), z(4)))
    case('cuMemcpyDtoH_v2', 'null host pointer', lambda e: L.cuMemcpyDtoH_v2(None, e.p, z(4)), True)
    case('cuMemcpyDtoD_v2', 'freed source', lambda e: L.cuMemcpyDtoD_v2(e.p, e.freed(), z(4)))
    case('cuMemcpyDtoD_v2', 'overlapping', lambda e: L.cuMemcpyDtoD_v2(q(e.p.value + 4), e.p, z(64)))
    case('cuMemcpyDtoD_v2', 'pageable host as the source', lambda e: L.cuMemcpyDtoD_v2(e.p, q(e.host.value), z(4)))
    case('cuMemcpy', 'host to host', lambda e: L.cuMemcpy(q(e.host.value), q(e.host.value + 100), z(4)))
    case('cuMemcpy', 'device from pageable host', lambda e: L.cuMemcpy(e.p, q(e.host.value), z(4)))
    case('cuMemcpy', 'zero bytes, both null', lambda e: L.cuMemcpy(q(0), q(0), z(0)))
    case('cuMemcpyHtoD_v2', 'device pointer as the host pointer', lambda e: L.cuMemcpyHtoD_v2(e.p, V(e.p.value + 512), z(4)), True)
    case('cuMemcpyHtoDAsync_v2', 'garbage stream', lambda e: L.cuMemcpyHtoDAsync_v2(e.p, e.host, z(4), garbage), True)
    case('cuMemcpy2D_v2', 'null', lambda e: L.cuMemcpy2D_v2(None), True)
    def copy2d(e, width=16, height=2, spitch=32, dpitch=32, stype=1, dtype=2, sx=0, src=None):
        s = struct.pack('<QQIIQQQQ', sx, 0, stype, 0, src if src is not None else e.host.value if stype == 1 else 0, e.p.value if stype in (2, 4) else 0, 0, spitch) + struct.pack('<QQIIQQQQ', 0, 0, dtype, 0, 0, e.p.value, 0, dpitch) + struct.pack('<QQ', width, height)
        return L.cuMemcpy2D_v2(C.create_string_buffer(s))
    case('cuMemcpy2D_v2', 'plain host to device', lambda e: copy2d(e))
    case('cuMemcpy2D_v2', 'width above the source pitch', lambda e: copy2d(e, width=33, dpitch=64))
    case('cuMemcpy2D_v2', 'width above the destination pitch', lambda e: copy2d(e, width=33, spitch=64))
    case('cuMemcpy2D_v2', 'pitch 0', lambda e: copy2d(e, spitch=0, dpitch=0))
    case('cuMemcpy2D_v2', 'pitch 0, height 1', lambda e: copy2d(e, spitch=0, dpitch=0, height=1))
    case('cuMemcpy2D_v2', 'height 0', lambda e: copy2d(e, height=0))
    case('cuMemcpy2D_v2', 'width 0', lambda e: copy2d(e, width=0))
    case('cuMemcpy2D_v2', 'memory type 0', lambda e: copy2d(e, stype=0))
    case('cuMemcpy2D_v2', 'memory type 9', lambda e: copy2d(e, stype=9))
    case('cuMemcpy2D_v2', 'unified source and destination', lambda e: copy2d(e, stype=4, dtype=4))
    case('cuMemcpy2D_v2', 'x offset plus width above the pitch', lambda e: copy2d(e, sx=24))
    case('cuMemcpy2D_v2', 'device destination too small', lambda e: copy2d(e, width=4000, height=16, spitch=4096, dpitch=1 << 22))
    # Pointer attributes of every kind of memory
    def kinds(e):
        hp = V(); L.cuMemHostAlloc(P(hp), z(4096), u(0)); reg = big(); L.cuMemHostRegister_v2(reg, z(1 << 20), u(0)); man = q(); L.cuMemAllocManaged(P(man), z(4096), u(1)); asy = q(); L.cuMemAllocAsync(P(asy), z(4096), None); L.cuCtxSynchronize()
        known = {'pageable host': e.host.value, 'device': e.p.value, 'inside device': e.p.value + 100, 'pinned host': hp.value or 0, 'registered host': C.addressof(reg) + 5000, 'managed': man.value, 'pool': asy.value, 'freed': e.freed().value, 'zero': 0, 'garbage': 0x123456789000}
        out = {}
        for w, p in known.items():
            for a in (*range(0, 24), 100):
                b = (C.c_uint64 * 4)(*[0xdddddddddddddddd] * 4); r = L.cuPointerGetAttribute(b, a, q(p)); x = b[0]
                shown = None if r else 'itself' if x == p else 'the context' if x == e.ctx.value else hex(x)
                out.setdefault(w, {})[a] = [r, shown] if r == 0 else r
        many = (i * 3)(2, 3, 8); o = (C.c_uint64 * 3)(9, 9, 9); data = (V * 3)(*[C.addressof(o) + 8 * k for k in range(3)])
        for w, p in known.items(): out[w]['cuPointerGetAttributes 2,3,8'] = [L.cuPointerGetAttributes(u(3), many, data, q(p)), [hex(x) for x in o]]
        return out
    case('cuPointerGetAttribute', 'every attribute of every kind of memory', kinds)
    case('cuPointerGetAttribute', 'null out pointer', lambda e: L.cuPointerGetAttribute(None, 2, e.p))
    case('cuPointerSetAttribute', 'SYNC_MEMOPS of device memory', lambda e: L.cuPointerSetAttribute(P(e.v), 6, e.p))
    case('cuPointerSetAttribute', 'MEMORY_TYPE', lambda e: L.cuPointerSetAttribute(P(e.v), 2, e.p))
    # Modules
    mod = lambda e, b: L.cuModuleLoadData(O(e), b)
    case('cuModuleLoadData', 'null image', lambda e: mod(e, None))
    case('cuModuleLoadData', 'null out pointer', lambda e: L.cuModuleLoadData(None, PTX.encode() + b'\0'))
    case('cuModuleLoadData', 'empty text', lambda e: mod(e, b'\0' * 64))
    case('cuModuleLoadData', 'only spaces', lambda e: mod(e, b'    \n\0'))
    case('cuModuleLoadData', 'garbage text', lambda e: mod(e, b'hello world, this is no PTX\0'))
    case('cuModuleLoadData', 'garbage bytes', lambda e: mod(e, bytes(range(200, 256)) + b'\0' * 64))
    case('cuModuleLoadData', 'a cut ELF header', lambda e: mod(e, b'\x7fELF\x02\x01\x01' + b'\0' * 200))
    case('cuModuleLoadData', 'a fatbin magic with garbage', lambda e: mod(e, b'\x50\xed\x55\xba\x01\x00\x10\x00' + b'\0' * 200))
    case('cuModuleLoadData', 'PTX with a syntax error', lambda e: mod(e, (HEAD + '.visible .entry k() { add.u32 ; }').encode() + b'\0'))
    case('cuModuleLoadData', 'PTX without .version', lambda e: mod(e, b'.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX without .target', lambda e: mod(e, b'.version 8.0\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .version 99.0', lambda e: mod(e, b'.version 99.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .version 9.3', lambda e: mod(e, b'.version 9.3\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .target sm_100', lambda e: mod(e, b'.version 9.0\n.target sm_100\n.address_size 64\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .target sm_80', lambda e: mod(e, b'.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .target sm_10', lambda e: mod(e, b'.version 1.4\n.target sm_10\n.entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX .target sm_100a', lambda e: mod(e, b'.version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'PTX with an unresolved extern function', lambda e: mod(e, (HEAD + '.extern .func nowhere;\n.visible .entry k() { call nowhere; ret; }').encode() + b'\0'))
    case('cuModuleLoadData', 'PTX with an unresolved extern variable', lambda e: mod(e, (HEAD + '.extern .global .u32 nowhere;\n.visible .entry k() { .reg .b32 %r; ld.global.u32 %r,[nowhere]; st.global.u32 [nowhere],%r; ret; }').encode() + b'\0'))
    case('cuModuleLoadData', 'PTX with an unknown instruction', lambda e: mod(e, (HEAD + '.visible .entry k() { frobnicate.u32 %r1; ret; }').encode() + b'\0'))
    case('cuModuleLoadData', 'PTX with too much shared memory', lambda e: mod(e, (HEAD + '.visible .entry k() { .shared .b8 s[300000]; .reg .b32 %r; ld.shared.u32 %r,[s]; st.shared.u32 [s+4],%r; ret; }').encode() + b'\0'))
    case('cuModuleLoadData', 'PTX of 32-bit addresses', lambda e: mod(e, b'.version 8.0\n.target sm_90\n.address_size 32\n.visible .entry k() { ret; }\0'))
    case('cuModuleLoadData', 'a module without kernels', lambda e: mod(e, (HEAD + '.global .u32 x;').encode() + b'\0'))
    case('cuModuleLoadData', 'only the header', lambda e: mod(e, HEAD.encode() + b'\0'))
    def jitlog(e):
        err, info = C.create_string_buffer(4096), C.create_string_buffer(4096); opts = (u * 5)(5, 6, 3, 4, 12); vals = (V * 5)(C.addressof(err), 4096, C.addressof(info), 4096, 1)
        r = L.cuModuleLoadDataEx(O(e), (HEAD + '.visible .entry k() { add.u32 ; }').encode() + b'\0', u(5), opts, vals); return [r, err.value.decode('latin1'), info.value.decode('latin1'), [x or 0 for x in (vals[1], vals[3])]]
    case('cuModuleLoadDataEx', 'a syntax error with logs', jitlog)
    def jitgood(e):
        err, info = C.create_string_buffer(4096), C.create_string_buffer(4096); opts = (u * 6)(5, 6, 3, 4, 12, 2); vals = (V * 6)(C.addressof(err), 4096, C.addressof(info), 4096, 1, 0)
        r = L.cuModuleLoadDataEx(O(e), PTX.encode() + b'\0', u(6), opts, vals); return [r, err.value.decode('latin1'), info.value.decode('latin1'), [x or 0 for x in (vals[1], vals[3])]]
    case('cuModuleLoadDataEx', 'a good module with logs', jitgood)
    case('cuModuleLoadDataEx', 'an unknown option 999', lambda e: L.cuModuleLoadDataEx(O(e), PTX.encode() + b'\0', u(1), (u * 1)(999), (V * 1)(1)))
    case('cuModuleLoadDataEx', 'options null, count 1', lambda e: L.cuModuleLoadDataEx(O(e), PTX.encode() + b'\0', u(1), None, None), True)
    case('cuModuleLoad', 'missing file', lambda e: L.cuModuleLoad(O(e), b'/nonexistent/x.ptx'))
    case('cuModuleLoad', 'null name', lambda e: L.cuModuleLoad(O(e), None))
    case('cuModuleLoad', 'a folder', lambda e: L.cuModuleLoad(O(e), b'/tmp'))
    case('cuModuleLoadFatBinary', 'PTX text', lambda e: L.cuModuleLoadFatBinary(O(e), PTX.encode() + b'\0'))
    case('cuModuleGetFunction', 'missing name', lambda e: L.cuModuleGetFunction(O(e), e.m, b'nothing'))
    case('cuModuleGetFunction', 'name of a variable', lambda e: L.cuModuleGetFunction(O(e), e.m, b'table'))
    case('cuModuleGetFunction', 'empty name', lambda e: L.cuModuleGetFunction(O(e), e.m, b''))
    case('cuModuleGetFunction', 'null name', lambda e: L.cuModuleGetFunction(O(e), e.m, None))
    case('cuModuleGetFunction', 'null out pointer', lambda e: L.cuModuleGetFunction(None, e.m, b'empty'))
    case('cuModuleGetFunction', 'null module', lambda e: L.cuModuleGetFunction(O(e), None, b'empty'))
    case('cuModuleGetFunction', 'garbage module', lambda e: L.cuModuleGetFunction(O(e), garbage, b'empty'), True)
    case('cuModuleGetGlobal_v2', 'missing name', lambda e: L.cuModuleGetGlobal_v2(O(e), P(e.s), e.m, b'nothing'))
    case('cuModuleGetGlobal_v2', 'name of a kernel', lambda e: L.cuModuleGetGlobal_v2(O(e), P(e.s), e.m, b'empty'))
    case('cuModuleGetGlobal_v2', 'only the size', lambda e: L.cuModuleGetGlobal_v2(None, P(e.s), e.m, b'table'))
    case('cuModuleGetGlobal_v2', 'neither address nor size', lambda e: L.cuModuleGetGlobal_v2(None, None, e.m, b'table'))
    case('cuModuleGetGlobal_v2', 'null name', lambda e: L.cuModuleGetGlobal_v2(O(e), P(e.s), e.m, None))
    case('cuModuleGetTexRef', 'missing name', lambda e: L.cuModuleGetTexRef(O(e), e.m, b'nothing'))
    case('cuModuleUnload', 'null', lambda e: L.cuModuleUnload(None))
    case('cuModuleUnload', 'garbage', lambda e: L.cuModuleUnload(garbage), True)
    def unload2(e): m = load(); return [L.cuModuleUnload(m), L.cuModuleUnload(m)]
    case('cuModuleUnload', 'twice', unload2, True)
    def used(e): m = load(); f = fn(m, 'empty'); L.cuModuleUnload(m); return launch(f)
    case('cuLaunchKernel', 'function of an unloaded module', used, True)
    case('cuMemFree_v2', 'address of a module variable', lambda e: [L.cuModuleGetGlobal_v2(O(e), P(e.s), e.m, b'table'), L.cuMemFree_v2(e.out)])
    case('cuFuncGetAttribute', 'null function', lambda e: L.cuFuncGetAttribute(P(e.v), 0, None))
    case('cuFuncGetAttribute', 'garbage function', lambda e: L.cuFuncGetAttribute(P(e.v), 0, garbage), True)
    case('cuFuncGetAttribute', 'attribute 99', lambda e: L.cuFuncGetAttribute(P(e.v), 99, e.empty))
    case('cuFuncGetAttribute', 'null out pointer', lambda e: L.cuFuncGetAttribute(None, 0, e.empty))
    for a, w in ((8, 49152), (8, 49153), (8, 232448), (8, 232449), (8, -1), (8, 0), (9, 50), (9, 101), (9, -1), (9, -2), (10, 1), (11, 2), (14, 1), (14, 2), (15, 1), (15, 2), (15, 3), (17, 1), (17, 3), (0, 5), (4, 5), (99, 1)):
        case('cuFuncSetAttribute', f'attribute {a} = {w}', lambda e, a=a, w=w: [L.cuFuncSetAttribute(e.empty, a, w), L.cuFuncGetAttribute(P(e.v), a, e.empty), e.v.value], True)
    case('cuFuncSetAttribute', 'shared kernel (40000 static): attribute 8 = 192448', lambda e: [L.cuFuncSetAttribute(e.shared, 8, 192448), L.cuFuncSetAttribute(e.shared, 8, 192449), L.cuFuncGetAttribute(P(e.v), 8, e.shared), e.v.value])
    case('cuFuncSetCacheConfig', 'config 4', lambda e: L.cuFuncSetCacheConfig(e.empty, 4))
    case('cuFuncSetSharedMemConfig', 'config 2', lambda e: L.cuFuncSetSharedMemConfig(e.empty, 2))
    case('cuFuncGetModule', 'plain', lambda e: [L.cuFuncGetModule(O(e), e.empty), e.out.value == e.m.value])
    name = C.c_char_p()
    case('cuFuncGetName', 'plain', lambda e: [L.cuFuncGetName(P(name), e.empty), (name.value or b'').decode()])
    # Launches
    for words, kw in (('grid 0', dict(grid=(0, 1, 1))), ('block 0', dict(block=(0, 1, 1))), ('block 1025', dict(block=(1025, 1, 1))), ('block 2048', dict(block=(2048, 1, 1))), ('block z 65', dict(block=(1, 1, 65))), ('block 32x33', dict(block=(32, 33, 1))), ('grid y 65536', dict(grid=(1, 65536, 1))), ('grid z 65536', dict(grid=(1, 1, 65536))), ('grid x 2^31', dict(grid=(1 << 31, 1, 1))), ('shared 49153', dict(shared=49153)), ('shared 232449', dict(shared=232449)), ('shared 2^31', dict(shared=1 << 31)), ('garbage stream', dict(stream=garbage))):
        case('cuLaunchKernel', words, lambda e, kw=kw: launch(e.empty, **kw), 'garbage' in words)
    case('cuLaunchKernel', 'block above .maxntid', lambda e: launch(e.bounded, block=(257, 1, 1)))
    case('cuLaunchKernel', 'block 1x257 with .maxntid 256', lambda e: launch(e.bounded, block=(1, 256, 1)))
    case('cuLaunchKernel', 'block other than .reqntid', lambda e: launch(e.required, block=(128, 1, 1)))
    case('cuLaunchKernel', 'static 40000 plus dynamic 9152, 9153', lambda e: [launch(e.shared, shared=9152), launch(e.shared, shared=9153)], True)
    case('cuLaunchKernel', 'null function', lambda e: launch(None))
    case('cuLaunchKernel', 'garbage function', lambda e: launch(garbage), True)
    case('cuLaunchKernel', 'a module as the function', lambda e: launch(e.m), True)
    case('cuLaunchKernel', 'no parameters for a kernel that has one', lambda e: L.cuLaunchKernel(e.store, 1, 1, 1, 1, 1, 1, 0, None, None, None), True)
    def both(e): ps = (V * 1)(C.addressof(e.p)); ex = (V * 5)(1, C.addressof(e.p), 2, C.addressof(z(8)), 0); return L.cuLaunchKernel(e.store, 1, 1, 1, 1, 1, 1, 0, None, ps, ex)
    case('cuLaunchKernel', 'both kernelParams and extra', both, True)
    def extra(e, size): n = z(size); ex = (V * 5)(1, C.addressof(e.p), 2, C.addressof(n), 0); r = L.cuLaunchKernel(e.store, 1, 1, 1, 1, 1, 1, 0, None, None, ex); return [r, L.cuCtxSynchronize()]
    case('cuLaunchKernel', 'extra with 8 bytes', lambda e: extra(e, 8))
    case('cuLaunchKernel', 'extra with 4 bytes for 8', lambda e: extra(e, 4), True)
    case('cuLaunchKernel', 'extra with 16 bytes for 8', lambda e: extra(e, 16), True)
    case('cuLaunchKernel', 'extra with an unknown key 7', lambda e: L.cuLaunchKernel(e.store, 1, 1, 1, 1, 1, 1, 0, None, None, (V * 3)(7, 7, 0)), True)
    case('cuLaunchCooperativeKernel', 'too many blocks', lambda e: L.cuLaunchCooperativeKernel(e.empty, 132 * 32 + 1, 1, 1, 128, 1, 1, 0, None, None))
    case('cuLaunchCooperativeKernel', 'fits', lambda e: L.cuLaunchCooperativeKernel(e.empty, 132, 1, 1, 128, 1, 1, 0, None, None))
    ex = lambda e, c, f=None: [L.cuLaunchKernelEx(P(c), f or e.empty, None, None), L.cuCtxSynchronize()]
    for k, grid in (((2, 1, 1), (4, 1, 1)), ((2, 1, 1), (3, 1, 1)), ((8, 1, 1), (8, 1, 1)), ((9, 1, 1), (9, 1, 1)), ((16, 1, 1), (16, 1, 1)), ((0, 1, 1), (1, 1, 1)), ((3, 1, 1), (6, 1, 1))):
        case('cuLaunchKernelEx', f'cluster {k}, grid {grid}', lambda e, k=k, grid=grid: ex(e, config(grid, (32, 1, 1), 0, k)), True)
    for k in (0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 99):
        case('cuLaunchKernelEx', f'attribute {k} = 0', lambda e, k=k: ex(e, config((1, 1, 1), (32, 1, 1), 0, None, [(k, struct.pack('<QQ', 0, 0))])), True)
        case('cuLaunchKernelEx', f'attribute {k} = 1', lambda e, k=k: ex(e, config((1, 1, 1), (32, 1, 1), 0, None, [(k, struct.pack('<QQ', 1, 0))])), True)
    case('cuLaunchKernelEx', 'kernel with .reqnctapercluster 2, grid 4, no attribute', lambda e: ex(e, config((4, 1, 1), (32, 1, 1)), fn(e.m, 'clustered')), True)
    case('cuLaunchKernelEx', 'kernel with .reqnctapercluster 2, grid 3', lambda e: ex(e, config((3, 1, 1), (32, 1, 1)), fn(e.m, 'clustered')), True)
    case('cuLaunchKernelEx', 'kernel with .reqnctapercluster 2, cluster 4', lambda e: ex(e, config((4, 1, 1), (32, 1, 1), 0, (4, 1, 1)), fn(e.m, 'clustered')), True)
    case('cuLaunchKernelEx', 'kernel with .explicitcluster, no attribute', lambda e: ex(e, config((4, 1, 1), (32, 1, 1)), fn(e.m, 'explicit')), True)
    case('cuLaunchKernelEx', 'null config', lambda e: L.cuLaunchKernelEx(None, e.empty, None, None))
    case('cuLaunchHostFunc', 'null function', lambda e: L.cuLaunchHostFunc(None, None, None))
    # Streams and events
    case('cuStreamCreate', 'flags 2', lambda e: L.cuStreamCreate(O(e), u(2)))
    case('cuStreamCreate', 'null out pointer', lambda e: L.cuStreamCreate(None, u(0)))
    case('cuStreamCreateWithPriority', 'priorities -100, 100: what they become', lambda e: [[L.cuStreamCreateWithPriority(O(e), u(0), k), L.cuStreamGetPriority(e.out, P(e.v)), e.v.value] for k in (-100, -5, -1, 0, 1, 100)])
    case('cuStreamDestroy_v2', 'null', lambda e: L.cuStreamDestroy_v2(None))
    case('cuStreamDestroy_v2', 'legacy (1)', lambda e: L.cuStreamDestroy_v2(V(1)))
    case('cuStreamDestroy_v2', 'per thread (2)', lambda e: L.cuStreamDestroy_v2(V(2)))
    case('cuStreamDestroy_v2', 'garbage', lambda e: L.cuStreamDestroy_v2(garbage), True)
    def twice(make, end): o = V(); make(o); return [end(o), end(o)]
    case('cuStreamDestroy_v2', 'twice', lambda e: twice(lambda o: L.cuStreamCreate(P(o), 0), L.cuStreamDestroy_v2), True)
    case('cuStreamQuery', 'garbage', lambda e: L.cuStreamQuery(garbage), True)
    case('cuStreamQuery', 'busy', lambda e: [e.busy(), L.cuStreamQuery(e.st), L.cuStreamSynchronize(e.st), L.cuStreamQuery(e.st)])
    case('cuStreamSynchronize', 'an event as the stream', lambda e: L.cuStreamSynchronize(e.ev), True)
    case('cuStreamSynchronize', 'destroyed stream', lambda e: (lambda o: [L.cuStreamCreate(P(o), 0), L.cuStreamDestroy_v2(o), L.cuStreamSynchronize(o)])(V()), True)
    case('cuStreamGetFlags', 'null, legacy, per thread, own', lambda e: [[L.cuStreamGetFlags(s, P(e.v)), e.v.value] for s in (None, V(1), V(2), e.st)])
    case('cuStreamGetPriority', 'null, legacy, per thread, own', lambda e: [[L.cuStreamGetPriority(s, P(e.v)), e.v.value] for s in (None, V(1), V(2), e.st)])
    case('cuStreamGetId', 'null, legacy, per thread, own', lambda e: [[L.cuStreamGetId(s, O(e)), e.out.value] for s in (None, V(1), V(2), e.st)])
    case('cuStreamGetCtx', 'null, own', lambda e: [[L.cuStreamGetCtx(s, O(e)), e.out.value == e.ctx.value] for s in (None, e.st)])
    case('cuStreamWaitEvent', 'event never recorded', lambda e: L.cuStreamWaitEvent(e.st, e.ev2, u(0)))
    case('cuStreamWaitEvent', 'null event', lambda e: L.cuStreamWaitEvent(e.st, None, u(0)))
    case('cuStreamWaitEvent', 'flags 2', lambda e: L.cuStreamWaitEvent(e.st, e.ev2, u(2)))
    case('cuStreamAddCallback', 'null callback', lambda e: L.cuStreamAddCallback(e.st, None, None, u(0)))
    case('cuStreamAttachMemAsync', 'device memory', lambda e: L.cuStreamAttachMemAsync(e.st, e.p, z(0), u(4)))
    case('cuStreamWaitValue32_v2', 'host address garbage', lambda e: L.cuStreamWaitValue32_v2(e.st, q(0x123456789000), u(0), u(0)), True)
    case('cuStreamWriteValue32_v2', 'unaligned', lambda e: L.cuStreamWriteValue32_v2(e.st, q(e.p.value + 2), u(0), u(0)))
    case('cuStreamWriteValue32_v2', 'plain', lambda e: L.cuStreamWriteValue32_v2(e.st, e.p, u(7), u(0)))
    case('cuEventCreate', 'flags 0x10', lambda e: L.cuEventCreate(O(e), u(0x10)))
    case('cuEventCreate', 'interprocess without disable timing', lambda e: L.cuEventCreate(O(e), u(4)))
    case('cuEventCreate', 'null out pointer', lambda e: L.cuEventCreate(None, u(0)))
    case('cuEventDestroy_v2', 'null', lambda e: L.cuEventDestroy_v2(None))
    case('cuEventDestroy_v2', 'garbage', lambda e: L.cuEventDestroy_v2(garbage), True)
    case('cuEventDestroy_v2', 'twice', lambda e: twice(lambda o: L.cuEventCreate(P(o), 0), L.cuEventDestroy_v2), True)
    ms = C.c_float()
    case('cuEventQuery', 'never recorded', lambda e: L.cuEventQuery(e.ev))
    case('cuEventSynchronize', 'never recorded', lambda e: L.cuEventSynchronize(e.ev))
    case('cuEventElapsedTime', 'never recorded', lambda e: L.cuEventElapsedTime(P(ms), e.ev, e.ev2))
    case('cuEventElapsedTime', 'the second never recorded', lambda e: [L.cuEventRecord(e.ev, e.st), L.cuStreamSynchronize(e.st), L.cuEventElapsedTime(P(ms), e.ev, e.ev2)])
    case('cuEventElapsedTime', 'the second unfinished', lambda e: [L.cuEventRecord(e.ev, e.st), e.busy(), L.cuEventRecord(e.ev2, e.st), L.cuEventElapsedTime(P(ms), e.ev, e.ev2), L.cuEventQuery(e.ev2), L.cuStreamSynchronize(e.st), L.cuEventElapsedTime(P(ms), e.ev, e.ev2), 25 < ms.value < 60])
    case('cuEventElapsedTime', 'reversed', lambda e: [L.cuEventElapsedTime(P(ms), e.ev2, e.ev), -60 < ms.value < -25])
    case('cuEventElapsedTime', 'null event', lambda e: L.cuEventElapsedTime(P(ms), None, e.ev))
    case('cuEventElapsedTime', 'null out pointer', lambda e: L.cuEventElapsedTime(None, e.ev, e.ev2))
    case('cuEventElapsedTime', 'events without timing', lambda e: (lambda a, b: [L.cuEventCreate(P(a), 2), L.cuEventCreate(P(b), 2), L.cuEventRecord(a, None), L.cuEventRecord(b, None), L.cuCtxSynchronize(), L.cuEventElapsedTime(P(ms), a, b)])(V(), V()))
    case('cuEventRecord', 'null event', lambda e: L.cuEventRecord(None, None))
    case('cuEventRecord', 'garbage stream', lambda e: L.cuEventRecord(e.ev, garbage), True)
    case('cuEventRecordWithFlags', 'external outside of capture', lambda e: L.cuEventRecordWithFlags(e.ev, e.st, u(1)))
    case('cuEventRecordWithFlags', 'flags 4', lambda e: L.cuEventRecordWithFlags(e.ev, e.st, u(4)))
    # Capture and graphs
    def capture(mode, body):
        def run(e):
            g = V(); out = [L.cuStreamBeginCapture_v2(e.st, mode)]; r = body(e); out += r if isinstance(r, list) else [r]
            out.append(L.cuStreamIsCapturing(e.st, P(e.v))); out.append(e.v.value); out.append(L.cuStreamEndCapture(e.st, P(g))); out.append(bool(g.value))
            if g.value: L.cuGraphDestroy(g)
            out.append(L.cuStreamSynchronize(e.st)); return out
        return run
    for mode, mname in ((0, 'global'), (1, 'thread local'), (2, 'relaxed')):
        for words, body in (('nothing', lambda e: []), ('cuStreamSynchronize', lambda e: L.cuStreamSynchronize(e.st)), ('cuStreamQuery', lambda e: L.cuStreamQuery(e.st)), ('cuCtxSynchronize', lambda e: L.cuCtxSynchronize()), ('cuMemAlloc', lambda e: L.cuMemAlloc_v2(O(e), z(16))), ('cuMemFree', lambda e: L.cuMemFree_v2(q(0))), ('cuMemFree of memory', lambda e: L.cuMemFree_v2(e.extra)),
            ('cuMemcpyHtoD (synchronous)', lambda e: L.cuMemcpyHtoD_v2(e.p, e.host, z(4))), ('cuMemsetD8', lambda e: L.cuMemsetD8_v2(e.p, u(0), z(4))), ('launch on the legacy stream', lambda e: launch(e.empty)), ('launch on a blocking stream', lambda e: launch(e.empty, stream=e.blocking)), ('cuStreamSynchronize of another stream', lambda e: L.cuStreamSynchronize(e.blocking)), ('cuStreamQuery of the legacy stream', lambda e: L.cuStreamQuery(None)), ('cuEventQuery of a captured event', lambda e: [L.cuEventRecord(e.ev, e.st), L.cuEventQuery(e.ev)]), ('cuEventSynchronize of a captured event', lambda e: [L.cuEventRecord(e.ev, e.st), L.cuEventSynchronize(e.ev)]),
            ('wait for an event recorded before', lambda e: L.cuStreamWaitEvent(e.st, e.ev2, u(0))), ('fork without join', lambda e: [L.cuEventRecord(e.ev, e.st), L.cuStreamWaitEvent(e.other, e.ev, u(0)), launch(e.empty, stream=e.other)]), ('begin again', lambda e: L.cuStreamBeginCapture_v2(e.st, mode)), ('cuModuleLoadData', lambda e: L.cuModuleLoadData(O(e), PTX.encode() + b'\0')), ('cuMemAllocAsync and cuMemFreeAsync', lambda e: [L.cuMemAllocAsync(O(e), z(64), e.st), L.cuMemFreeAsync(e.out, e.st)]), ('cuStreamDestroy', lambda e: L.cuStreamDestroy_v2(e.blocking)), ('cuStreamCreate', lambda e: L.cuStreamCreate(O(e), 0)), ('cuEventCreate', lambda e: L.cuEventCreate(O(e), 0)), ('cuMemHostAlloc', lambda e: L.cuMemHostAlloc(O(e), z(64), u(0))), ('cuMemGetInfo', lambda e: L.cuMemGetInfo_v2(P(e.s), P(e.s))), ('cuStreamAddCallback', lambda e: L.cuStreamAddCallback(e.st, CB, None, u(0)))):
            def run(e, mode=mode, body=body):
                e.blocking, e.other = V(), V(); L.cuStreamCreate(P(e.blocking), 0); L.cuStreamCreate(P(e.other), 1); e.extra = alloc(64); L.cuEventRecord(e.ev2, e.st); L.cuStreamSynchronize(e.st); return capture(mode, body)(e)
            case('capture', f'{mname}: {words}', run, True)
    case('cuStreamBeginCapture_v2', 'legacy stream', lambda e: L.cuStreamBeginCapture_v2(None, 0))
    case('cuStreamBeginCapture_v2', 'mode 7', lambda e: L.cuStreamBeginCapture_v2(e.st, 7))
    case('cuStreamEndCapture', 'not capturing', lambda e: L.cuStreamEndCapture(e.st, O(e)))
    case('cuStreamEndCapture', 'null out pointer', lambda e: [L.cuStreamBeginCapture_v2(e.st, 0), L.cuStreamEndCapture(e.st, None), L.cuStreamEndCapture(e.st, O(e))], True)
    case('cuGraphCreate', 'flags 1', lambda e: L.cuGraphCreate(O(e), u(1)))
    case('cuGraphCreate', 'null out pointer', lambda e: L.cuGraphCreate(None, u(0)))
    case('cuGraphDestroy', 'null', lambda e: L.cuGraphDestroy(None))
    case('cuGraphDestroy', 'garbage', lambda e: L.cuGraphDestroy(garbage), True)
    case('cuGraphDestroy', 'twice', lambda e: twice(lambda o: L.cuGraphCreate(P(o), 0), L.cuGraphDestroy), True)
    case('cuGraphInstantiateWithFlags', 'empty graph, then launch', lambda e: (lambda g, x: [L.cuGraphCreate(P(g), 0), L.cuGraphInstantiateWithFlags(P(x), g, q(0)), L.cuGraphLaunch(x, e.st), L.cuStreamSynchronize(e.st), L.cuGraphExecDestroy(x), L.cuGraphExecDestroy(x)])(V(), V()), True)
    case('cuGraphInstantiateWithFlags', 'null graph', lambda e: L.cuGraphInstantiateWithFlags(O(e), None, q(0)))
    case('cuGraphInstantiateWithFlags', 'flags 0x100', lambda e: (lambda g: [L.cuGraphCreate(P(g), 0), L.cuGraphInstantiateWithFlags(O(e), g, q(0x100))])(V()))
    case('cuGraphLaunch', 'null', lambda e: L.cuGraphLaunch(None, e.st))
    def nodes(last):
        def run(e):
            g, a, b, x = V(), V(), V(), V(); out = [L.cuGraphCreate(P(g), 0), L.cuGraphAddEmptyNode(P(a), g, None, z(0)), L.cuGraphAddEmptyNode(P(b), g, P(a), z(1))]
            return out + last(e, g, a, b, x)
        return run
    for words, last in (('a cycle b before a, instantiate', lambda e, g, a, b, x: [L.cuGraphAddDependencies(g, P(b), P(a), z(1)), L.cuGraphInstantiateWithFlags(P(x), g, q(0))]), ('the same dependency again', lambda e, g, a, b, x: [L.cuGraphAddDependencies(g, P(a), P(b), z(1))]), ('a before itself', lambda e, g, a, b, x: [L.cuGraphAddDependencies(g, P(a), P(a), z(1))]), ('remove a missing dependency', lambda e, g, a, b, x: [L.cuGraphRemoveDependencies(g, P(b), P(a), z(1))]), ('destroy a node, get the other\'s dependencies', lambda e, g, a, b, x: [L.cuGraphDestroyNode(a), L.cuGraphNodeGetDependencies(b, None, P(e.s)), e.s.value]), ('destroy a node twice', lambda e, g, a, b, x: [L.cuGraphDestroyNode(a), L.cuGraphDestroyNode(a)]), ('instantiate, destroy the graph, launch', lambda e, g, a, b, x: [L.cuGraphInstantiateWithFlags(P(x), g, q(0)), L.cuGraphDestroy(g), L.cuGraphLaunch(x, e.st), L.cuStreamSynchronize(e.st)]), ('get type of a destroyed graph\'s node', lambda e, g, a, b, x: [L.cuGraphDestroy(g), L.cuGraphNodeGetType(a, P(e.v))]), ('null node type', lambda e, g, a, b, x: [L.cuGraphNodeGetType(None, P(e.v))]), ('a dependency of another graph', lambda e, g, a, b, x: [L.cuGraphCreate(P(x), 0), L.cuGraphAddEmptyNode(P(e.out), x, P(a), z(1))]), ('duplicate dependencies', lambda e, g, a, b, x: [L.cuGraphAddEmptyNode(P(e.out), g, (V * 2)(a.value, a.value), z(2))])):
        case('graph', 'create, node a, node b after a; ' + words, nodes(last), True)
    # Devices
    case('cuInit', 'flags 1', lambda e: L.cuInit(1))
    case('cuDeviceGet', 'ordinal 1', lambda e: L.cuDeviceGet(P(e.v), 1))
    case('cuDeviceGet', 'ordinal -1', lambda e: L.cuDeviceGet(P(e.v), -1))
    case('cuDeviceGet', 'null out pointer', lambda e: L.cuDeviceGet(None, 0))
    case('cuDeviceGetCount', 'null out pointer', lambda e: L.cuDeviceGetCount(None))
    case('cuDriverGetVersion', 'null out pointer', lambda e: L.cuDriverGetVersion(None))
    case('cuDeviceGetName', 'null out pointer', lambda e: L.cuDeviceGetName(None, 10, 0))
    case('cuDeviceGetName', 'length -1', lambda e: L.cuDeviceGetName(e.h, -1, 0))
    case('cuDeviceGetName', 'device 7', lambda e: L.cuDeviceGetName(e.h, 10, 7))
    case('cuDeviceGetAttribute', 'device 7', lambda e: L.cuDeviceGetAttribute(P(e.v), 1, 7))
    case('cuDeviceGetAttribute', 'null out pointer', lambda e: L.cuDeviceGetAttribute(None, 1, 0))
    case('cuDeviceTotalMem_v2', 'null out pointer', lambda e: L.cuDeviceTotalMem_v2(None, 0))
    case('cuDeviceTotalMem_v2', 'device 7', lambda e: L.cuDeviceTotalMem_v2(P(e.s), 7))
    case('cuDeviceGetUuid_v2', 'null out pointer', lambda e: L.cuDeviceGetUuid_v2(None, 0))
    case('cuDeviceCanAccessPeer', 'itself, device 1, null out pointer', lambda e: [L.cuDeviceCanAccessPeer(P(e.v), 0, 0), e.v.value, L.cuDeviceCanAccessPeer(P(e.v), 0, 1), L.cuDeviceCanAccessPeer(None, 0, 0)])
    case('cuGetProcAddress_v2', 'null name', lambda e: L.cuGetProcAddress_v2(None, P(e.out), 12000, q(0), P(e.v)), True)
    case('cuGetProcAddress_v2', 'null function pointer', lambda e: L.cuGetProcAddress_v2(b'cuMemAlloc', None, 12000, q(0), P(e.v)), True)
    case('cuDeviceGetName', 'length 0', lambda e: L.cuDeviceGetName(e.h, 0, 0), True)
    case('cuGetErrorName', 'null out pointer', lambda e: L.cuGetErrorName(0, None), True)
    case('cuGetExportTable', 'unknown id, null id, null out pointer', lambda e: [L.cuGetExportTable(O(e), b'\1' * 16), L.cuGetExportTable(O(e), None), L.cuGetExportTable(None, b'\1' * 16)], True)
    case('cuProfilerStart', 'start, stop', lambda e: [L.cuProfilerStart(), L.cuProfilerStop()])
    case('cuProfilerInitialize', 'plain', lambda e: L.cuProfilerInitialize(b'a', b'b', 0), True)
    case('cuFlushGPUDirectRDMAWrites', 'owner', lambda e: [L.cuFlushGPUDirectRDMAWrites(1, 100), L.cuFlushGPUDirectRDMAWrites(1, 200), L.cuFlushGPUDirectRDMAWrites(7, 100)], True)
    # Contexts
    case('cuCtxCreate_v2', 'null out pointer', lambda e: L.cuCtxCreate_v2(None, 0, 0))
    case('cuCtxCreate_v2', 'device 7', lambda e: L.cuCtxCreate_v2(O(e), 0, 7))
    case('cuCtxCreate_v3', 'affinity of 0 multiprocessors', lambda e: L.cuCtxCreate_v3(O(e), (i * 2)(0, 0), 1, 0, 0), True)
    case('cuCtxCreate_v3', 'affinity of 8 multiprocessors', lambda e: L.cuCtxCreate_v3(O(e), (i * 2)(0, 8), 1, 0, 0), True)
    case('cuCtxCreate_v3', 'affinity null, count 1', lambda e: L.cuCtxCreate_v3(O(e), None, 1, 0, 0), True)
    case('cuCtxGetExecAffinity', 'type 0', lambda e: (lambda a: [L.cuCtxGetExecAffinity(a, 0), list(a)])((i * 2)()))
    case('cuCtxGetExecAffinity', 'type 1', lambda e: L.cuCtxGetExecAffinity((i * 2)(), 1))
    case('cuCtxGetCurrent', 'null out pointer', lambda e: L.cuCtxGetCurrent(None))
    case('cuCtxGetDevice', 'null out pointer', lambda e: L.cuCtxGetDevice(None))
    case('cuCtxGetLimit', 'null out pointer', lambda e: L.cuCtxGetLimit(None, 0))
    case('cuCtxGetApiVersion', 'null out pointer', lambda e: L.cuCtxGetApiVersion(e.ctx, None))
    case('cuCtxGetApiVersion', 'garbage context', lambda e: L.cuCtxGetApiVersion(garbage, P(e.v)), True)
    case('cuCtxGetId', 'own, null, garbage', lambda e: [L.cuCtxGetId(e.ctx, O(e)), L.cuCtxGetId(None, O(e)), L.cuCtxGetId(e.ctx, None)])
    case('cuCtxGetStreamPriorityRange', 'both null', lambda e: L.cuCtxGetStreamPriorityRange(None, None))
    case('cuCtxSetCurrent', 'garbage', lambda e: L.cuCtxSetCurrent(garbage), True)
    case('cuCtxPushCurrent_v2', 'null', lambda e: L.cuCtxPushCurrent_v2(None))
    case('cuCtxPushCurrent_v2', 'garbage', lambda e: L.cuCtxPushCurrent_v2(garbage), True)
    case('cuCtxDestroy_v2', 'null', lambda e: L.cuCtxDestroy_v2(None))
    case('cuCtxDestroy_v2', 'garbage', lambda e: L.cuCtxDestroy_v2(garbage), True)
    case('cuCtxEnablePeerAccess', 'itself', lambda e: [L.cuCtxEnablePeerAccess(e.ctx, 0), L.cuCtxDisablePeerAccess(e.ctx), L.cuCtxEnablePeerAccess(None, 0), L.cuCtxDisablePeerAccess(None)])
    case('cuCtxEnablePeerAccess', 'another context of the same device; flags 1', lambda e: (lambda c, o: [L.cuCtxCreate_v2(P(c), 0, 0), L.cuCtxEnablePeerAccess(e.ctx, 0), L.cuCtxEnablePeerAccess(e.ctx, 0), L.cuCtxEnablePeerAccess(e.ctx, 1), L.cuCtxDisablePeerAccess(e.ctx), L.cuCtxDisablePeerAccess(e.ctx), L.cuCtxDestroy_v2(c)])(V(), V()))
    case('cuCtxResetPersistingL2Cache', 'plain', lambda e: L.cuCtxResetPersistingL2Cache())
    case('cuCtxSynchronize_v2', 'own', lambda e: L.cuCtxSynchronize_v2(e.ctx), True)
    case('cuCtxSynchronize_v2', 'null', lambda e: L.cuCtxSynchronize_v2(None), True)
    case('cuCtxGetDevice_v2', 'own, null', lambda e: [L.cuCtxGetDevice_v2(P(e.v), e.ctx), L.cuCtxGetDevice_v2(P(e.v), None)], True)
    case('cuCtxAttach', 'plain; flags 1', lambda e: [L.cuCtxAttach(O(e), 0), e.out.value == e.ctx.value, L.cuCtxAttach(O(e), 1), L.cuCtxDetach(e.ctx)])
    # Sequences about contexts
    def cur(): c = V(); r = L.cuCtxGetCurrent(P(c)); return 'none' if not c.value else names_of.get(c.value, 'other') if r == 0 else r
    names_of = {}
    def made(n): c = V(); r = L.cuCtxCreate_v2(P(c), 0, 0); names_of[c.value] = n; return c
    def flagged(g, a): x, y = u(9), i(9); r = L.cuDevicePrimaryCtxGetState(0, P(x), P(y)); return [r, x.value, y.value]
    def stack():
        init(); a, b = made('a'), None; out = [cur()]; b = made('b'); out.append(cur()); c = V()
        out += [L.cuCtxPopCurrent_v2(P(c)), c.value == b.value, cur(), L.cuCtxPopCurrent_v2(None), cur(), L.cuCtxPopCurrent_v2(P(c)), L.cuCtxSetCurrent(None), L.cuCtxSetCurrent(a), cur(), L.cuCtxSetCurrent(b), cur(), L.cuCtxPushCurrent_v2(a), L.cuCtxPushCurrent_v2(a), cur(), L.cuCtxDestroy_v2(b), cur(), L.cuCtxSetCurrent(None), cur()]
        return out
    steps('create a, create b, pop (b?), current, pop null, current, pop empty, set null, set a, current, set b, current, push a twice, current, destroy b below, current, set null, current', stack)
    def destroy():
        init(); a = made('a'); b = made('b'); p = alloc(64); out = [L.cuCtxDestroy_v2(b), cur(), L.cuMemFree_v2(p), L.cuCtxDestroy_v2(b)]; return out
    steps('create a, b; allocate in b; destroy b, current, free in a the memory of b, destroy b twice', destroy)
    def below():
        init(); a = made('a'); b = made('b'); L.cuCtxPushCurrent_v2(a); out = [L.cuCtxDestroy_v2(b), cur(), L.cuCtxPopCurrent_v2(None), cur(), L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxSynchronize(), L.cuCtxGetDevice(P(i())), L.cuCtxPopCurrent_v2(None), cur()]; return out
    steps('stack a b a; destroy b, current, pop, current (destroyed b), alloc, synchronize, get device, pop, current', below)
    def threaded():
        init(); a = made('a'); out = []
        def other():
            out.append(cur()); out.append(L.cuMemAlloc_v2(P(q()), z(16))); out.append(L.cuCtxSetCurrent(a)); out.append(cur()); ready.set(); gone.wait(); out.extend([cur(), L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxSynchronize(), L.cuCtxGetDevice(P(i())), L.cuCtxPopCurrent_v2(None), cur()])
        ready, gone = threading.Event(), threading.Event(); t = threading.Thread(target=other); t.start(); ready.wait(); out.append(L.cuCtxDestroy_v2(a)); gone.set(); t.join(); return out
    steps('second thread: current, alloc, set a, current; first destroys a; second: current, alloc, synchronize, get device, pop, current', threaded)
    def primary():
        init(); c, d = V(), V(); out = [flagged(0, 0), L.cuDevicePrimaryCtxRelease_v2(0), L.cuDevicePrimaryCtxReset_v2(0), L.cuDevicePrimaryCtxRetain(P(c), 0), flagged(0, 0), cur()]
        out += [L.cuCtxSetCurrent(c), L.cuDevicePrimaryCtxRetain(P(d), 0), c.value == d.value, L.cuDevicePrimaryCtxRelease_v2(0), flagged(0, 0), L.cuMemAlloc_v2(P(q()), z(16)), L.cuDevicePrimaryCtxRelease_v2(0), flagged(0, 0), L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxSynchronize(), bool(V.from_buffer(c).value), L.cuDevicePrimaryCtxRelease_v2(0), L.cuCtxGetDevice(P(i())), L.cuCtxSetCurrent(c), L.cuDevicePrimaryCtxRetain(P(d), 0), c.value == d.value, L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxSetCurrent(d), L.cuMemAlloc_v2(P(q()), z(16))]; return out
    steps('primary: state, release unretained, reset unretained, retain, state, current, set current, retain, same?, release, state, alloc, release, state, alloc, synchronize, handle, release, get device, set current, retain, same?, alloc, set current, alloc', primary)
    def flags():
        init(); c = V(); g = u(); out = [L.cuDevicePrimaryCtxSetFlags_v2(0, u(4)), flagged(0, 0), L.cuDevicePrimaryCtxSetFlags_v2(0, u(3)), L.cuDevicePrimaryCtxSetFlags_v2(0, u(0x100)), L.cuDevicePrimaryCtxRetain(P(c), 0), flagged(0, 0), L.cuDevicePrimaryCtxSetFlags_v2(0, u(1)), flagged(0, 0), L.cuCtxSetCurrent(c), L.cuCtxGetFlags(P(g)), g.value, L.cuDevicePrimaryCtxSetFlags(0, u(2)), flagged(0, 0), L.cuDevicePrimaryCtxReset_v2(0), flagged(0, 0), L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxGetDevice(P(i())), L.cuDevicePrimaryCtxRelease_v2(0), flagged(0, 0)]; return out
    steps('primary: set flags 4, state, flags 3, flags 0x100, retain, state, flags 1, state, set current, ctx flags, value, v1 flags 2, state, reset, state, alloc, get device, release, state', flags)
    def reset():
        init(); c = V(); L.cuDevicePrimaryCtxRetain(P(c), 0); L.cuCtxSetCurrent(c); p = alloc(64); m = load(); f = fn(m, 'empty'); st = V(); L.cuStreamCreate(P(st), 0); out = [L.cuDevicePrimaryCtxReset_v2(0), flagged(0, 0), L.cuMemAlloc_v2(P(q()), z(16)), L.cuCtxSynchronize(), L.cuMemFree_v2(p), L.cuDevicePrimaryCtxRetain(P(c), 0), flagged(0, 0), L.cuMemFree_v2(p), L.cuMemAlloc_v2(P(q()), z(16))]; return out
    steps('primary: retain, current, alloc, module, stream; reset, state, alloc, synchronize, free, retain, state, free, alloc', reset)
    steps('primary: cuCtxDestroy of it, cuCtxDetach of it, state', lambda: (init(), (lambda c: [L.cuDevicePrimaryCtxRetain(P(c), 0), L.cuCtxDestroy_v2(c), flagged(0, 0), L.cuCtxSetCurrent(c), L.cuCtxDetach(c), flagged(0, 0), L.cuMemAlloc_v2(P(q()), z(16))])(V()))[1])
    steps('cuCtxAttach, Detach, Detach, current', lambda: (init(), (lambda a, o: [L.cuCtxAttach(P(o), 0), L.cuCtxDetach(a), cur(), L.cuCtxDetach(a), cur()])(made('a'), V()))[1])
    steps('cuCtxDetach of a context that is not current', lambda: (init(), (lambda a, b: [L.cuCtxDetach(a), cur()])(made('a'), made('b')))[1])
    def foreign():
        init(); a = made('a'); p = alloc(64); m = load(); st, ev = V(), V(); L.cuStreamCreate(P(st), 0); L.cuEventCreate(P(ev), 0); f = fn(m, 'store'); b = made('b'); v = i(); o = V()
        out = [launch(f, p), launch(f, p, stream=st), L.cuStreamSynchronize(st), L.cuEventRecord(ev, st), L.cuEventRecord(ev, None), L.cuStreamQuery(st), L.cuEventQuery(ev), L.cuMemsetD8_v2(p, u(0), z(4)), L.cuMemFree_v2(p), L.cuModuleGetFunction(P(o), m, b'empty'), L.cuFuncGetAttribute(P(v), 0, f), L.cuModuleUnload(m), L.cuStreamDestroy_v2(st), L.cuEventDestroy_v2(ev)]; return out
    steps('context b current, objects of a: launch, launch on its stream, synchronize it, record on it, record on null, query stream, query event, memset, free, get function, attribute, unload, destroy stream, destroy event', foreign)
    def after():
        init(); a = made('a'); p = alloc(64); m = load(); st, ev = V(), V(); L.cuStreamCreate(P(st), 0); L.cuEventCreate(P(ev), 0); f = fn(m, 'store'); L.cuCtxDestroy_v2(a); b = made('b'); v = i()
        return [L.cuStreamSynchronize(st)]
    steps('context a destroyed: synchronize its stream', after)
    def after2():
        init(); a = made('a'); ev = V(); L.cuEventCreate(P(ev), 0); L.cuCtxDestroy_v2(a); b = made('b'); return [L.cuEventQuery(ev)]
    steps('context a destroyed: query its event', after2)
    def after3():
        init(); a = made('a'); m = load(); L.cuCtxDestroy_v2(a); b = made('b'); return [L.cuModuleUnload(m)]
    steps('context a destroyed: unload its module', after3)
    def none():
        init(); v, s, o, p = i(), z(), V(), q(); d = {}
        d['cuMemAlloc_v2'] = L.cuMemAlloc_v2(P(p), z(16)); d['cuMemAlloc_v2 0 bytes'] = L.cuMemAlloc_v2(P(p), z(0)); d['cuMemFree_v2(0)'] = L.cuMemFree_v2(q(0)); d['cuCtxSynchronize'] = L.cuCtxSynchronize(); d['cuStreamCreate'] = L.cuStreamCreate(P(o), 0); d['cuEventCreate'] = L.cuEventCreate(P(o), 0); d['cuModuleLoadData'] = L.cuModuleLoadData(P(o), PTX.encode() + b'\0'); d['cuCtxGetDevice'] = L.cuCtxGetDevice(P(v)); d['cuMemGetInfo_v2'] = L.cuMemGetInfo_v2(P(s), P(s)); d['cuCtxPopCurrent_v2'] = L.cuCtxPopCurrent_v2(P(o)); d['cuCtxGetCurrent'] = [L.cuCtxGetCurrent(P(o)), o.value or 0]; d['cuPointerGetAttribute'] = L.cuPointerGetAttribute(P(p), 2, q(0x1000)); d['cuGraphCreate'] = L.cuGraphCreate(P(o), 0); d['cuCtxGetLimit'] = L.cuCtxGetLimit(P(s), 0); d['cuCtxSetLimit'] = L.cuCtxSetLimit(0, z(1024)); d['cuCtxGetApiVersion(null)'] = L.cuCtxGetApiVersion(None, P(v)); d['cuCtxGetFlags'] = L.cuCtxGetFlags(P(v)); d['cuCtxGetId(null)'] = L.cuCtxGetId(None, P(p)); d['cuStreamSynchronize(null)'] = L.cuStreamSynchronize(None); d['cuStreamQuery(null)'] = L.cuStreamQuery(None); d['cuMemsetD8_v2'] = L.cuMemsetD8_v2(q(0x1000), u(0), z(1)); d['cuMemcpyHtoD_v2 0 bytes'] = L.cuMemcpyHtoD_v2(q(0), None, z(0)); d['cuMemHostAlloc'] = L.cuMemHostAlloc(P(o), z(16), u(0)); d['cuMemAllocManaged'] = L.cuMemAllocManaged(P(p), z(16), u(1)); d['cuMemAllocAsync'] = L.cuMemAllocAsync(P(p), z(16), None); d['cuLibraryLoadData'] = L.cuLibraryLoadData(P(o), PTX.encode() + b'\0', None, None, 0, None, None, 0); d['cuDeviceGetDefaultMemPool'] = L.cuDeviceGetDefaultMemPool(P(o), 0); d['cuCtxGetCacheConfig'] = L.cuCtxGetCacheConfig(P(v)); d['cuCtxGetStreamPriorityRange'] = L.cuCtxGetStreamPriorityRange(P(v), P(v)); d['cuLaunchKernel(null)'] = launch(None); d['cuLinkCreate_v2'] = L.cuLinkCreate_v2(0, None, None, P(o)); d['cuCtxSetCacheConfig'] = L.cuCtxSetCacheConfig(0); d['cuCtxResetPersistingL2Cache'] = L.cuCtxResetPersistingL2Cache(); d['cuProfilerStart'] = L.cuProfilerStart(); d['cuOccupancyMaxActiveBlocksPerMultiprocessor(null)'] = L.cuOccupancyMaxActiveBlocksPerMultiprocessor(P(v), None, 32, z(0)); d['cuCtxDetach(null)'] = L.cuCtxDetach(None); d['cuCtxAttach'] = L.cuCtxAttach(P(o), 0); d['cuMemAddressReserve'] = L.cuMemAddressReserve(P(p), z(1 << 21), z(0), q(0), q(0)); d['cuStreamBeginCapture_v2(null)'] = L.cuStreamBeginCapture_v2(None, 0); d['cuStreamIsCapturing(null)'] = L.cuStreamIsCapturing(None, P(v)); d['cuMemFreeHost(null)'] = L.cuMemFreeHost(None); d['cuModuleUnload(null)'] = L.cuModuleUnload(None); d['cuStreamDestroy_v2(null)'] = L.cuStreamDestroy_v2(None); d['cuEventDestroy_v2(null)'] = L.cuEventDestroy_v2(None); d['cuCtxSetSharedMemConfig'] = L.cuCtxSetSharedMemConfig(0); d['cuCtxSetFlags'] = L.cuCtxSetFlags(u(0)); return d
    steps('initialised, no context: every call', none)
    def early():
        v, s, o, p = i(), z(), V(), q(); t = C.c_char_p(); d = {}
        d['cuDriverGetVersion'] = [L.cuDriverGetVersion(P(v)), v.value]; d['cuGetErrorName'] = L.cuGetErrorName(1, P(t)); d['cuGetProcAddress_v2'] = L.cuGetProcAddress_v2(b'cuInit', P(o), 12000, q(0), P(v)); d['cuGetExportTable'] = L.cuGetExportTable(P(o), b'\1' * 16); d['cuDeviceGet'] = L.cuDeviceGet(P(v), 0); d['cuDeviceGetCount'] = L.cuDeviceGetCount(P(v)); d['cuDeviceGetCount(null)'] = L.cuDeviceGetCount(None); d['cuDeviceGetName'] = L.cuDeviceGetName(C.create_string_buffer(99), 99, 0); d['cuCtxGetCurrent'] = L.cuCtxGetCurrent(P(o)); d['cuCtxGetCurrent(null)'] = L.cuCtxGetCurrent(None); d['cuCtxCreate_v2'] = L.cuCtxCreate_v2(P(o), 0, 0); d['cuDevicePrimaryCtxRetain'] = L.cuDevicePrimaryCtxRetain(P(o), 0); d['cuDevicePrimaryCtxGetState'] = L.cuDevicePrimaryCtxGetState(0, P(u()), P(v)); d['cuMemAlloc_v2'] = L.cuMemAlloc_v2(P(p), z(16)); d['cuMemFree_v2(0)'] = L.cuMemFree_v2(q(0)); d['cuCtxSynchronize'] = L.cuCtxSynchronize(); d['cuModuleLoadData'] = L.cuModuleLoadData(P(o), PTX.encode() + b'\0'); d['cuStreamCreate'] = L.cuStreamCreate(P(o), 0); d['cuLaunchKernel(null)'] = launch(None); d['cuPointerGetAttribute'] = L.cuPointerGetAttribute(P(p), 2, q(0x1000)); d['cuInit(1)'] = L.cuInit(1); d['cuMemHostAlloc'] = L.cuMemHostAlloc(P(o), z(16), u(0)); d['cuProfilerStart'] = L.cuProfilerStart(); d['cuCtxSetCurrent(null)'] = L.cuCtxSetCurrent(None); d['cuCtxPopCurrent_v2'] = L.cuCtxPopCurrent_v2(P(o)); d['cuGraphCreate'] = L.cuGraphCreate(P(o), 0); d['cuLibraryLoadData'] = L.cuLibraryLoadData(P(o), PTX.encode() + b'\0', None, None, 0, None, None, 0); d['cuCtxDestroy_v2(null)'] = L.cuCtxDestroy_v2(None); d['cuStreamIsCapturing(null)'] = L.cuStreamIsCapturing(None, P(v)); d['cuEventDestroy_v2(null)'] = L.cuEventDestroy_v2(None); d['cuCtxGetFlags'] = L.cuCtxGetFlags(P(v)); return d
    steps('before cuInit: every call', early)
    def forked():
        init(); pid = os.fork()
        if pid == 0:
            c = V(); os._exit(min(255, 100 + sum(k * m for k, m in ((L.cuInit(0), 1), (L.cuDeviceGetCount(P(i())), 10))) ))
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    steps('forked after cuInit, in the child: 100 + cuInit + 10 cuDeviceGetCount', forked)
    # Libraries
    lib = lambda e, b=PTX.encode() + b'\0': L.cuLibraryLoadData(O(e), b, None, None, 0, None, None, 0)
    case('cuLibraryLoadData', 'garbage', lambda e: lib(e, b'garbage\0'))
    case('cuLibraryLoadData', 'null', lambda e: lib(e, None))
    def library(e):
        o, k, f, m = V(), V(), V(), V(); lib(e); o.value = e.out.value; n = u(); s = z(); v = i()
        return [L.cuLibraryGetKernel(P(k), o, b'empty'), L.cuLibraryGetKernel(P(f), o, b'nothing'), L.cuKernelGetFunction(P(f), k), L.cuLibraryGetModule(P(m), o), L.cuLibraryGetKernelCount(P(n), o), n.value, L.cuLibraryGetGlobal(P(e.o2), P(s), o, b'table'), s.value, L.cuLibraryGetGlobal(P(e.o2), P(s), o, b'nothing'), L.cuLibraryGetManaged(P(e.o2), P(s), o, b'table'), L.cuLibraryGetUnifiedFunction(P(f), o, b'empty'), L.cuKernelGetAttribute(P(v), 0, k, 0), v.value, L.cuKernelGetAttribute(P(v), 0, k, 3), L.cuKernelSetAttribute(8, 1000, k, 0), L.cuKernelSetAttribute(8, 300000, k, 0), L.cuKernelSetCacheConfig(k, 1, 0), launch(k), L.cuCtxSynchronize(), L.cuFuncGetAttribute(P(v), 0, k), L.cuModuleUnload(m), L.cuLibraryUnload(o), L.cuLibraryUnload(None)]
    case('library', 'get kernel, missing kernel, function, module, count, its value, global, its size, missing global, managed, unified function, attribute, its value, attribute on device 3, set 8=1000, set 8=300000, cache config, launch the CUkernel, synchronize, cuFuncGetAttribute of a CUkernel, unload the module, unload the library, unload null', library, True)
    # Linker
    def link(e, kind, data, name=b'x'):
        st, out, s = V(), V(), z(); r = [L.cuLinkCreate_v2(0, None, None, P(st)), L.cuLinkAddData_v2(st, kind, data, z(len(data)), name, 0, None, None), L.cuLinkComplete(st, P(out), P(s)), bool(out.value), C.string_at(out.value, 4).hex() if out.value else None]; return r + [L.cuLinkDestroy(st)]
    case('cuLinkAddData_v2', 'good PTX', lambda e: link(e, 1, PTX.encode() + b'\0'))
    case('cuLinkAddData_v2', 'good PTX without the zero', lambda e: link(e, 1, PTX.encode()))
    case('cuLinkAddData_v2', 'bad PTX', lambda e: link(e, 1, b'garbage\0'))
    case('cuLinkAddData_v2', 'empty PTX', lambda e: link(e, 1, b'\0'))
    case('cuLinkAddData_v2', 'PTX as a cubin', lambda e: link(e, 0, PTX.encode() + b'\0'))
    case('cuLinkAddData_v2', 'type 17', lambda e: link(e, 17, PTX.encode() + b'\0'), True)
    case('cuLinkAddFile_v2', 'missing file', lambda e: (lambda st: [L.cuLinkCreate_v2(0, None, None, P(st)), L.cuLinkAddFile_v2(st, 1, b'/nonexistent.ptx', 0, None, None)])(V()))
    case('cuLinkComplete', 'nothing added', lambda e: (lambda st: [L.cuLinkCreate_v2(0, None, None, P(st)), L.cuLinkComplete(st, O(e), P(e.s))])(V()))
    case('cuLinkAddData_v2', 'null state', lambda e: L.cuLinkAddData_v2(None, 1, b'\0', z(1), b'', 0, None, None))
    # Virtual memory
    def vmm(e):
        prop = (C.c_ubyte * 32)(*struct.pack('<IIIiQQ', 1, 0, 1, 0, 0, 0)); h, p = q(), q(); M = 1 << 21; acc = (i * 3)(1, 0, 3)
        return [L.cuMemCreate(P(h), z(M), prop, q(0)), L.cuMemCreate(P(e.o2), z(1000), prop, q(0)), L.cuMemCreate(P(e.o2), z(0), prop, q(0)), L.cuMemCreate(P(e.o2), z(M), prop, q(1)), L.cuMemAddressReserve(P(p), z(2 * M), z(0), q(0), q(0)), L.cuMemAddressReserve(P(e.o2), z(1000), z(0), q(0), q(0)), L.cuMemAddressReserve(P(e.o2), z(0), z(0), q(0), q(0)), L.cuMemSetAccess(p, z(M), acc, z(1)), L.cuMemMap(p, z(M), z(0), h, q(0)), L.cuMemMap(p, z(M), z(0), h, q(0)), L.cuMemMap(q(p.value + M), z(M), z(4096), h, q(0)), L.cuMemSetAccess(p, z(1000), acc, z(1)), L.cuMemSetAccess(p, z(M), acc, z(1)), L.cuMemsetD8_v2(p, u(1), z(M)), L.cuMemFree_v2(p), L.cuMemAddressFree(p, z(2 * M)), L.cuMemUnmap(p, z(1000)), L.cuMemUnmap(p, z(M)), L.cuMemUnmap(p, z(M)), L.cuMemRelease(h), L.cuMemRelease(h), L.cuMemAddressFree(p, z(M)), L.cuMemAddressFree(p, z(2 * M)), L.cuMemAddressFree(p, z(2 * M))]
    case('vmm', 'create 2 MiB, create 1000, create 0, create flags 1, reserve 4 MiB, reserve 1000, reserve 0, set access unmapped, map, map twice, map at offset 4096, access 1000 bytes, access, memset, cuMemFree, address free while mapped, unmap 1000, unmap, unmap twice, release, release twice, free half, free, free twice', vmm, True)
    # Pools
    def pools(e):
        pp = (C.c_ubyte * 88)(*struct.pack('<IIIiQQ', 1, 0, 1, 0, 0, 0), *[0] * 56); m, d = V(), V(); w = q(1 << 20); p, r = q(), []
        r += [L.cuMemPoolCreate(P(m), pp), L.cuMemPoolCreate(None, pp), L.cuMemPoolSetAttribute(m, 4, P(w)), L.cuMemPoolSetAttribute(m, 5, P(w)), L.cuMemPoolSetAttribute(m, 99, P(w)), L.cuMemPoolTrimTo(m, z(0)), L.cuMemAllocFromPoolAsync(P(p), z(1000), m, None), L.cuCtxSynchronize()]
        for k in (5, 6, 7, 8): L.cuMemPoolGetAttribute(m, k, P(w)); r.append(w.value)
        w.value = 0; r += [L.cuMemPoolSetAttribute(m, 8, P(w)), L.cuMemPoolSetAttribute(m, 6, P(w))]; w.value = 5; r += [L.cuMemPoolSetAttribute(m, 8, P(w)), L.cuMemPoolDestroy(m), L.cuMemFreeAsync(p, None), L.cuCtxSynchronize(), L.cuDeviceGetDefaultMemPool(P(d), 0), L.cuMemPoolDestroy(d), L.cuMemPoolTrimTo(d, z(0)), L.cuMemPoolDestroy(None)]; return r
    case('pools', 'create, null out, set threshold, set reserved, set 99, trim, allocate 1000, synchronize, attributes 5 6 7 8, set used high 0, set reserved high 0, set used high 5, destroy with memory, free, synchronize, default, destroy default, trim default, destroy null', pools, True)
    # Arrays, textures, tensor maps
    desc = lambda w, h, f, n: (C.c_ubyte * 24)(*struct.pack('<QQII', w, h, f, n))
    case('cuArrayCreate_v2', 'good; width 0; 3 channels; format 99', lambda e: [L.cuArrayCreate_v2(O(e), desc(*d)) for d in ((16, 16, 8, 1), (0, 16, 8, 1), (16, 16, 8, 3), (16, 16, 99, 1))])
    case('cuArrayDestroy', 'null', lambda e: L.cuArrayDestroy(None))
    case('cuTexObjectDestroy', '0', lambda e: L.cuTexObjectDestroy(q(0)))
CB = C.CFUNCTYPE(None, V, i, V)(lambda *a: None)
def answers(first, only_risky):
    """Runs the cases from `first` on; each answer is a line, so that a crash loses nothing."""
    fill(); e = None
    for k, (name, words, call, risky) in enumerate(CASES):
        if k < first or bool(risky) != only_risky: continue
        print(json.dumps([k, 'begin']), flush=True)
        if name == 'sequence': r = call()
        else:
            e = e or World(); r = call(e)
        print(json.dumps([k, r]), flush=True)
        if only_risky: break
def calls():
    fill(); got = {}
    def run(first, risky):
        t = subprocess.run([sys.executable, __file__, 'answers', str(first), str(int(risky))], capture_output=True, text=True, timeout=30); return t
    def note(t):
        begun = None
        for line in t.stdout.splitlines():
            try: k, r = json.loads(line)
            except ValueError: continue
            if r == 'begin': begun = k
            else: got[k] = r; begun = None
        if begun is not None: got[begun] = f'crash {t.returncode}' if t.returncode < 0 else 'python: ' + t.stderr.strip().splitlines()[-1]
        return begun
    def risky(k):
        try: note(run(k, True))
        except subprocess.TimeoutExpired: got[k] = 'hangs'
    with ThreadPoolExecutor(12) as pool:
        jobs = [pool.submit(risky, k) for k, c in enumerate(CASES) if c[3]]; first = 0
        while first < len(CASES):
            stopped = note(run(first, False))
            if stopped is None: break
            first = stopped + 1
        for j in jobs: j.result()
    return {'calls': [{'call': n, 'with': w, 'answers': got.get(k)} for k, (n, w, _, _) in enumerate(CASES)]}

# ---------------------------------------------------------------- faults.json
K = lambda body, before='': HEAD + before + '.visible .entry k(.param .u64 p) { .reg .b64 %a<9>; .reg .b32 %r<9>; .reg .pred %p; .reg .f32 %f<9>; ld.param.u64 %a0,[p];\n' + body + '\nst.global.u32 [%a0],%r0;\nret; }\n'
FAULTS = {
    'nothing': K('mov.u32 %r0,1;'),
    'read null': K('mov.u64 %a1,0; ld.volatile.global.u32 %r0,[%a1];'), 'write null': K('mov.u64 %a1,0; mov.u32 %r0,1; st.volatile.global.u32 [%a1],%r0;'),
    'read null generic': K('mov.u64 %a1,0; ld.volatile.u32 %r0,[%a1];'), 'read garbage address': K('mov.u64 %a1,0x123456789000; ld.volatile.global.u32 %r0,[%a1];'), 'read non-canonical address': K('mov.u64 %a1,0xffff123456789000; ld.volatile.global.u32 %r0,[%a1];'),
    'read far beyond an allocation': K('add.u64 %a1,%a0,0x40000000; ld.volatile.global.u32 %r0,[%a1];'), 'write far beyond an allocation': K('add.u64 %a1,%a0,0x40000000; mov.u32 %r0,1; st.volatile.global.u32 [%a1],%r0;'), 'read just beyond an allocation of 4096': K('ld.volatile.global.u32 %r0,[%a0+4096];'), 'atomic on null': K('mov.u64 %a1,0; atom.global.add.u32 %r0,[%a1],1;'),
    'misaligned read': K('ld.volatile.global.u32 %r0,[%a0+2];'), 'misaligned write': K('mov.u32 %r0,1; st.volatile.global.u32 [%a0+2],%r0;'), 'misaligned vector read': K('ld.volatile.global.v4.u32 {%r0,%r1,%r2,%r3},[%a0+8];'), 'misaligned atomic': K('atom.global.add.u32 %r0,[%a0+2],1;'), 'misaligned null read': K('mov.u64 %a1,2; ld.volatile.global.u32 %r0,[%a1];'),
    'shared out of range read': K('mov.u64 %a1,0x100000; ld.volatile.shared.u32 %r0,[%a1];', '.shared .b32 s[4];\n'), 'shared out of range write': K('mov.u64 %a1,0x100000; mov.u32 %r0,1; st.volatile.shared.u32 [%a1],%r0;', '.shared .b32 s[4];\n'), 'shared just out of range read': K('mov.u64 %a1,s; ld.volatile.shared.u32 %r0,[%a1+16];', '.shared .align 16 .b32 s[4];\n'), 'shared 64 KiB out of range read': K('mov.u64 %a1,s; ld.volatile.shared.u32 %r0,[%a1+65536];', '.shared .align 16 .b32 s[4];\n'), 'shared misaligned': K('mov.u64 %a1,s; ld.volatile.shared.u32 %r0,[%a1+2];', '.shared .align 16 .b32 s[4];\n'), 'shared atomic out of range': K('mov.u64 %a1,0x100000; atom.shared.add.u32 %r0,[%a1],1;', '.shared .b32 s[4];\n'), 'shared generic out of range': K('mov.u64 %a1,s; cvta.shared.u64 %a1,%a1; add.u64 %a1,%a1,0x100000; ld.volatile.u32 %r0,[%a1];', '.shared .b32 s[4];\n'),
    'local out of range read': K('shr.u64 %a1,%a0,63; add.u64 %a1,%a1,0x10000000; ld.local.u32 %r0,[%a1];'), 'local out of range write': K('shr.u64 %a1,%a0,63; add.u64 %a1,%a1,0x10000000; cvt.u32.u64 %r0,%a0; st.local.u32 [%a1],%r0; shr.u64 %a2,%a0,62; add.u64 %a1,%a1,%a2; ld.local.u32 %r0,[%a1];'), 'local misaligned': K('.local .align 16 .b8 l[64]; mov.u64 %a1,l; shr.u64 %a2,%a0,63; add.u64 %a1,%a1,%a2; cvt.u32.u64 %r0,%a0; st.local.u32 [%a1+2],%r0; add.u64 %a1,%a1,%a2; ld.local.u32 %r0,[%a1+2];'),
    'atomic on generic local': K('.local .align 16 .b8 l[64]; mov.u64 %a1,l; cvta.local.u64 %a1,%a1; atom.add.u32 %r0,[%a1],1;'), 'global access to a shared address': K('mov.u64 %a1,s; cvta.shared.u64 %a1,%a1; ld.volatile.global.u32 %r0,[%a1];', '.shared .b32 s[4];\n'), 'global access to a local address': K('.local .align 16 .b8 l[64]; mov.u64 %a1,l; cvta.local.u64 %a1,%a1; ld.volatile.global.u32 %r0,[%a1];'),
    'write to constant memory through a generic address': K('mov.u64 %a1,c; cvta.const.u64 %a1,%a1; mov.u32 %r0,1; st.volatile.u32 [%a1],%r0;', '.const .b32 c[4];\n'), 'constant out of range': K('mov.u64 %a1,c; add.u64 %a1,%a1,0x100000; ld.const.u32 %r0,[%a1];', '.const .b32 c[4];\n'),
    'trap': K('trap; mov.u32 %r0,1;'), 'brkpt': K('brkpt; mov.u32 %r0,1;'),
    'assert': K('''{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4; mov.u64 %a1,t; cvta.global.u64 %a1,%a1; mov.u32 %r0,7; mov.u64 %a2,1; st.param.b64 [p0],%a1; st.param.b64 [p1],%a1; st.param.b32 [p2],%r0; st.param.b64 [p3],%a1; st.param.b64 [p4],%a2; call.uni __assertfail,(p0,p1,p2,p3,p4); }''', '.extern .func __assertfail(.param .b64 a,.param .b64 b,.param .b32 c,.param .b64 d,.param .b64 e);\n.global .align 1 .b8 t[5] = {116,101,120,116,0};\n'),
    'invalid indirect call': K('mov.u64 %a1,0x1234560; proto: .callprototype _ (); call %a1,(),proto; mov.u32 %r0,1;'), 'null indirect call': K('mov.u64 %a1,0; proto: .callprototype _ (); call %a1,(),proto; mov.u32 %r0,1;'), 'misaligned indirect call': K('mov.u64 %a1,0x1234565; proto: .callprototype _ (); call %a1,(),proto; mov.u32 %r0,1;'),
    'stack overflow': K('cvt.u32.u64 %r1,%a0; or.b32 %r1,%r1,1; { .param .b32 x; .param .b32 y; st.param.b32 [x],%r1; call.uni (y),deep,(x); ld.param.b32 %r0,[y]; }', '.func (.param .b32 y) deep(.param .b32 x) { .local .align 16 .b8 l[1024]; .reg .b32 %r<4>; .reg .pred %p; .reg .b64 %a,%b; ld.param.b32 %r0,[x]; setp.eq.u32 %p,%r0,0; @%p bra e; and.b32 %r1,%r0,1020; cvt.u64.u32 %a,%r1; mov.u64 %b,l; add.u64 %a,%a,%b; st.local.u32 [%a],%r0; add.u32 %r2,%r0,2; { .param .b32 u; .param .b32 v; st.param.b32 [u],%r2; call.uni (v),deep,(u); ld.param.b32 %r1,[v]; } ld.local.u32 %r2,[%a]; add.u32 %r0,%r1,%r2; e: st.param.b32 [y],%r0; ret; }\n'),
    'dynamic alloca too large': K('mov.u64 %a1,0x100000; alloca.u64 %a2,%a1; shr.u64 %a3,%a0,62; add.u64 %a2,%a2,%a3; cvt.u32.u64 %r0,%a0; st.local.u32 [%a2],%r0; add.u64 %a2,%a2,%a3; ld.local.u32 %r0,[%a2];'),
    'named barrier 16 threads missing (exit while others wait)': K('mov.u32 %r0,%tid.x; setp.eq.u32 %p,%r0,0; @%p ret; bar.sync 1,64;'),
    'barrier with a count that is no multiple of 32': K('mov.u32 %r1,33; bar.sync 1,%r1; mov.u32 %r0,1;'), 'barrier number 16': K('mov.u32 %r1,16; bar.sync %r1; mov.u32 %r0,1;'),
    'mapa rank out of range': K('mov.u32 %r1,s; mapa.shared::cluster.u32 %r1,%r1,5; ld.volatile.shared::cluster.u32 %r0,[%r1];', '.shared .b32 s[4];\n'),
    'cp.async.bulk misaligned': K('mov.u32 %r1,s; mov.u32 %r2,b; mbarrier.init.shared.b64 [%r2],1; mbarrier.arrive.expect_tx.shared.b64 %a5,[%r2],16; add.u64 %a1,%a0,4; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1],[%a1],16,[%r2]; nanosleep.u32 100000; mov.u32 %r0,1;', '.shared .align 16 .b32 s[16];\n.shared .align 8 .b64 b;\n'),
    'cp.async.bulk from null': K('mov.u32 %r1,s; mov.u32 %r2,b; mov.u64 %a1,0; mbarrier.init.shared.b64 [%r2],1; mbarrier.arrive.expect_tx.shared.b64 %a5,[%r2],16; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1],[%a1],16,[%r2]; nanosleep.u32 100000; mov.u32 %r0,1;', '.shared .align 16 .b32 s[16];\n.shared .align 8 .b64 b;\n'),
    'cp.async from null': K('mov.u32 %r1,s; mov.u64 %a1,0; cp.async.ca.shared.global [%r1],[%a1],4; cp.async.wait_all; mov.u32 %r0,1;', '.shared .align 16 .b32 s[16];\n'),
    'mbarrier never initialised': K('mov.u32 %r2,b; mbarrier.arrive.shared.b64 %a1,[%r2]; mov.u32 %r0,1;', '.shared .align 8 .b64 b;\n'), 'mbarrier init count 0': K('mov.u32 %r2,b; shr.u64 %a1,%a0,63; cvt.u32.u64 %r3,%a1; mbarrier.init.shared.b64 [%r2],%r3; mov.u32 %r0,1;', '.shared .align 8 .b64 b;\n'),
    'division by zero': K('mov.u32 %r1,0; cvt.u32.u64 %r2,%a0; div.u32 %r0,%r2,%r1;'), 'prefetch null': K('shr.u64 %a1,%a0,63; prefetch.global.L2 [%a1]; mov.u32 %r0,1;'), 'shfl of absent lanes': K('mov.u32 %r1,-1; shfl.sync.idx.b32 %r0,%r1,5,31,-1;'),
    'read freed memory': K('ld.volatile.global.u32 %r0,[%a0];'), 'read pageable host memory': K('ld.volatile.global.u32 %r0,[%a0];'), 'read pinned host memory': K('ld.volatile.global.u32 %r0,[%a0];'), 'read registered host memory': K('ld.volatile.global.u32 %r0,[%a0];'), 'read freed pinned memory': K('ld.volatile.global.u32 %r0,[%a0];'),
}
def fault(name, primary=False):
    init(); c = V(); out = {}
    if primary: L.cuDevicePrimaryCtxRetain(P(c), 0); L.cuCtxSetCurrent(c)
    else: assert L.cuCtxCreate_v2(P(c), 0, 0) == 0
    m = V(); log = C.create_string_buffer(8192); opts = (u * 2)(5, 6); vals = (V * 2)(C.addressof(log), 8192)
    out['load'] = L.cuModuleLoadDataEx(P(m), FAULTS[name].encode() + b'\0', u(2), opts, vals)
    if out['load']: out['log'] = log.value.decode('latin1'); return out
    f = fn(m, 'k'); good = alloc(4096); p = good; st, ev = V(), V(); L.cuStreamCreate(P(st), 0); L.cuEventCreate(P(ev), 0); keep = C.create_string_buffer(1 << 20); v, s, o, t = i(), z(), V(), C.c_float()
    if 'freed memory' in name: p = alloc(1 << 24); L.cuMemFree_v2(p)
    if 'pageable' in name: p = q(C.addressof(keep) & ~255)
    if 'pinned' in name: h = V(); L.cuMemHostAlloc(P(h), z(4096), u(0)); p = q(h.value or 0)
    if name == 'read freed pinned memory': L.cuMemFreeHost(h)
    if 'registered' in name: L.cuMemHostRegister_v2(keep, z(1 << 20), u(0)); p = q((C.addressof(keep) & ~255) + 4096)
    threads = 64 if 'barrier' in name else 1
    out['launch'] = launch(f, p, block=(threads, 1, 1), stream=st); out['event_record'] = L.cuEventRecord(ev, st); time.sleep(0.2)
    out['peek'] = L.cuStreamQuery(st)
    if out['peek'] == 600: time.sleep(2); out['peek_late'] = L.cuStreamQuery(st)
    if out.get('peek_late') == 600: out['hangs'] = True; return out
    out['synchronize'] = L.cuCtxSynchronize(); after = out['after'] = {}
    after['cuCtxSynchronize'] = L.cuCtxSynchronize(); after['cuStreamSynchronize'] = L.cuStreamSynchronize(st); after['cuStreamQuery(null)'] = L.cuStreamQuery(None); after['cuEventQuery'] = L.cuEventQuery(ev); after['cuEventSynchronize'] = L.cuEventSynchronize(ev)
    if out['synchronize']:
        n = q(); text = PTX.encode() + b'\0'; buf = C.create_string_buffer(64)
        after['cuMemAlloc_v2'] = L.cuMemAlloc_v2(P(n), z(16)); after['cuMemAlloc_v2 0 bytes'] = L.cuMemAlloc_v2(P(n), z(0)); after['cuMemHostAlloc'] = L.cuMemHostAlloc(P(o), z(16), u(0)); after['cuModuleLoadData'] = L.cuModuleLoadData(P(o), text); after['cuModuleGetFunction'] = L.cuModuleGetFunction(P(o), m, b'k'); after['cuModuleGetFunction missing'] = L.cuModuleGetFunction(P(o), m, b'nothing'); after['cuFuncGetAttribute'] = L.cuFuncGetAttribute(P(v), 0, f); after['cuFuncSetAttribute'] = L.cuFuncSetAttribute(f, 8, 1000); after['cuLaunchKernel'] = launch(f, good); after['cuMemcpyDtoH_v2'] = L.cuMemcpyDtoH_v2(buf, good, z(4)); after['cuMemcpyHtoD_v2 0 bytes'] = L.cuMemcpyHtoD_v2(good, buf, z(0)); after['cuMemsetD8_v2'] = L.cuMemsetD8_v2(good, u(0), z(4)); after['cuMemGetInfo_v2'] = L.cuMemGetInfo_v2(P(s), P(s)); after['cuStreamCreate'] = L.cuStreamCreate(P(o), 0); after['cuEventCreate'] = L.cuEventCreate(P(o), 0); after['cuEventRecord'] = L.cuEventRecord(ev, st); after['cuEventElapsedTime'] = L.cuEventElapsedTime(P(t), ev, ev); after['cuStreamWaitEvent'] = L.cuStreamWaitEvent(st, ev, 0); after['cuCtxGetCurrent'] = L.cuCtxGetCurrent(P(o)); after['cuCtxSetCurrent'] = L.cuCtxSetCurrent(c); after['cuCtxPushCurrent_v2'] = L.cuCtxPushCurrent_v2(c); after['cuCtxPopCurrent_v2'] = L.cuCtxPopCurrent_v2(P(o)); after['cuCtxGetDevice'] = L.cuCtxGetDevice(P(v)); after['cuCtxGetLimit'] = L.cuCtxGetLimit(P(s), 0); after['cuCtxSetLimit'] = L.cuCtxSetLimit(0, z(2048)); after['cuCtxGetFlags'] = L.cuCtxGetFlags(P(v)); after['cuCtxGetApiVersion'] = L.cuCtxGetApiVersion(c, P(v)); after['cuCtxGetId'] = L.cuCtxGetId(c, P(n)); after['cuCtxGetStreamPriorityRange'] = L.cuCtxGetStreamPriorityRange(P(v), P(v)); after['cuPointerGetAttribute'] = L.cuPointerGetAttribute(P(n), 2, good); after['cuMemGetAddressRange_v2'] = L.cuMemGetAddressRange_v2(P(n), P(s), good); after['cuDeviceGetAttribute'] = L.cuDeviceGetAttribute(P(v), 1, 0); after['cuDeviceTotalMem_v2'] = L.cuDeviceTotalMem_v2(P(s), 0); after['cuGraphCreate'] = L.cuGraphCreate(P(o), 0); after['cuMemAllocAsync'] = L.cuMemAllocAsync(P(n), z(16), st); after['cuOccupancyMaxActiveBlocksPerMultiprocessor'] = L.cuOccupancyMaxActiveBlocksPerMultiprocessor(P(v), f, 32, z(0)); after['cuStreamGetFlags'] = L.cuStreamGetFlags(st, P(v)); after['cuStreamIsCapturing'] = L.cuStreamIsCapturing(st, P(v)); after['cuStreamBeginCapture_v2'] = L.cuStreamBeginCapture_v2(st, 0); after['cuLibraryLoadData'] = L.cuLibraryLoadData(P(o), text, None, None, 0, None, None, 0); after['cuMemFree_v2(0)'] = L.cuMemFree_v2(q(0)); after['cuMemFree_v2'] = L.cuMemFree_v2(good); after['cuEventDestroy_v2'] = L.cuEventDestroy_v2(ev); after['cuStreamDestroy_v2'] = L.cuStreamDestroy_v2(st); after['cuModuleUnload'] = L.cuModuleUnload(m); after['cuDevicePrimaryCtxGetState'] = L.cuDevicePrimaryCtxGetState(0, P(u()), P(v))
    if primary:
        out['reset'] = L.cuDevicePrimaryCtxReset_v2(0); out['alloc_after_reset'] = L.cuMemAlloc_v2(P(q()), z(16)); out['retain'] = L.cuDevicePrimaryCtxRetain(P(c), 0); out['set'] = L.cuCtxSetCurrent(c)
    else:
        out['destroy'] = L.cuCtxDestroy_v2(c); out['create'] = L.cuCtxCreate_v2(P(c), 0, 0)
    n = q(); out['alloc'] = L.cuMemAlloc_v2(P(n), z(4096))
    if out['alloc'] == 0:
        x = V(); out['new_load'] = L.cuModuleLoadData(P(x), FAULTS['nothing'].encode() + b'\0')
        if out['new_load'] == 0: out['new_launch'] = launch(fn(x, 'k'), n); out['new_synchronize'] = L.cuCtxSynchronize()
    return out
def faults():
    out = {}
    def one(job):
        name, primary = job
        try: t = subprocess.run([sys.executable, __file__, 'fault', name, str(int(primary))], capture_output=True, text=True, timeout=40)
        except subprocess.TimeoutExpired: out[name + (' (primary context)' if primary else '')] = 'hangs'; return
        lines = t.stdout.strip().splitlines()
        key = name + (' (primary context)' if primary else '')
        try: out[key] = json.loads(lines[-1])
        except (IndexError, ValueError): out[key] = f'died {t.returncode} {t.stderr.strip()[-300:]}'; return
        if t.stderr.strip(): out[key]['stderr'] = t.stderr.strip()[:500]
    jobs = [(n, False) for n in FAULTS] + [('read null', True), ('trap', True)]
    with ThreadPoolExecutor(4) as pool: list(pool.map(one, jobs))
    return {'faults': {k: out[k] for n, p in jobs for k in [n + (' (primary context)' if p else '')]}}

def lines(v, depth=0):
    """JSON with a line for each entry of the outer two levels."""
    short = json.dumps(v)
    if depth == 2 or len(short) < 160 or not isinstance(v, (dict, list)): return short + ('' if depth else '\n')
    inner = [json.dumps(str(k)) + ': ' + lines(x, depth + 1) for k, x in v.items()] if isinstance(v, dict) else [lines(x, depth + 1) for x in v]
    a, b = '{}' if isinstance(v, dict) else '[]'
    return a + '\n' + ',\n'.join(' ' * (depth + 1) + x for x in inner) + '\n' + ' ' * depth + b + ('' if depth else '\n')
if __name__ == '__main__':
    part = sys.argv[1] if len(sys.argv) > 1 else ''
    if part == 'answers': answers(int(sys.argv[2]), sys.argv[3] == '1'); sys.stdout.flush(); os._exit(0)
    elif part == 'fault': print(json.dumps(fault(sys.argv[2], sys.argv[3] == '1')), flush=True); os._exit(0)
    elif part == 'part': print(json.dumps(globals()[sys.argv[2]]()), flush=True); os._exit(0)
    else:
        to = part or os.path.join(here, '..', 'driver'); os.makedirs(to, exist_ok=True)
        lock, written = threading.Lock(), set()
        def section(name):
            began = time.time()
            try: t = subprocess.run([sys.executable, __file__, 'part', name], capture_output=True, text=True, timeout=150)
            except subprocess.TimeoutExpired: print(name, 'took too long', flush=True); return
            try: got = json.loads(t.stdout.strip().splitlines()[-1])
            except (IndexError, ValueError): print(name, 'failed', t.returncode, t.stderr[-1500:], flush=True); return
            with lock:
                for k, v in got.items():
                    path = os.path.join(to, k + '.json')
                    if isinstance(v, dict) and k in written: v = json.load(open(path)) | v
                    written.add(k); open(path, 'w').write(lines(v))
            print(name, 'took', round(time.time() - began, 1), flush=True)
        for names in (('device', 'luid', 'limits', 'contexts', 'memory', 'errors', 'procs', 'occupancy'), ('calls',), ('faults',)):
            with ThreadPoolExecutor(3) as pool: list(pool.map(section, names))
