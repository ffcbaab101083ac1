"""Runs the cases of probe.json on a GPU and writes probe.outputs in the golden format. Usage: probe.py [folder] [output file]
The kernels are assembled by the ptxas on the PATH (or $PTXAS) into sm_90a cubins, as the golden set was; without one, by the driver."""
import ctypes as C, json, os, shutil, subprocess, sys, tempfile
import numpy as np
here = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
to = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.environ.get('OUT', here), 'probe.outputs')
J = json.load(open(os.path.join(here, 'probe.json'))); I = open(os.path.join(here, 'probe.inputs'), 'rb').read()
L = C.CDLL('libcuda.so.1')
def ck(r, w):
    if r: raise SystemExit(f'{w}: {r}')
ck(L.cuInit(0), 'init'); d = C.c_int(); ck(L.cuDeviceGet(C.byref(d), 0), 'device'); c = C.c_void_p()
ck(L.cuDevicePrimaryCtxRetain(C.byref(c), d), 'retain'); ck(L.cuCtxSetCurrent(c), 'current')
W = {'b16': 2, 'b32': 4, 'b64': 8}
def text(cases):
    s = f".version {J['ptx']}\n.target {J['target']}\n.address_size 64\n"
    for k, x in enumerate(cases):
        s += f'.visible .entry k{k}(.param .u64 in, .param .u64 out)\n{{\n.reg .b32 %t<4>; .reg .b64 %in, %out, %at;\n'
        for l, n in ((x['ins'], 'a'), (x['outs'], 'd')):
            for i, t in enumerate(l): s += f'.reg .{t} %{n}{i};\n'
        s += x['scratch'] + '\nld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.u32 %t0,%ctaid.x; mov.u32 %t1,%ntid.x; mov.u32 %t2,%tid.x; mad.lo.u32 %t0,%t0,%t1,%t2;\nmul.wide.u32 %at,%t0,8; add.u64 %in,%in,%at; add.u64 %out,%out,%at;\n'
        for i, t in enumerate(x['ins']): s += f"ld.global.{t} %a{i},[%in+{i * x['n'] * 8}];\n"
        s += x['body'] + '\n'
        for i, t in enumerate(x['outs']): s += f"st.global.{t} [%out+{i * x['n'] * 8}],%d{i};\n"
        s += 'ret;\n}\n'
    return s
ptxas = os.environ.get('PTXAS') or shutil.which('ptxas') or next((p for p in ['/usr/local/cuda/bin/ptxas'] if os.path.exists(p)), None)
print('ptxas:', ptxas, flush=True)
def load(cases):
    t = text(cases); m = C.c_void_p()
    if ptxas:
        with tempfile.TemporaryDirectory() as td:
            open(td + '/k.ptx', 'w').write(t)
            subprocess.run([ptxas, '-arch', J['target'], td + '/k.ptx', '-o', td + '/k.cubin'], check=True)
            image = open(td + '/k.cubin', 'rb').read()
    else: image = t.encode() + b'\0'
    ck(L.cuModuleLoadData(C.byref(m), image), 'load'); return m
out = bytearray(sum(sum(W[t] for t in x['outs']) * x['n'] for x in J['cases']))
di, do = C.c_uint64(), C.c_uint64(); SZ = 8 * 8 * 4096
ck(L.cuMemAlloc_v2(C.byref(di), C.c_size_t(SZ)), 'alloc'); ck(L.cuMemAlloc_v2(C.byref(do), C.c_size_t(SZ)), 'alloc')
for at in range(0, len(J['cases']), 200):
    cases = J['cases'][at:at + 200]; m = load(cases)
    for k, x in enumerate(cases):
        n = x['n']; s = J['inputs'][x['inputs']]; o = s['offset']; slots = np.zeros((len(s['types']), n), np.uint64)
        for i, t in enumerate(s['types']):
            slots[i] = np.frombuffer(I, '<u%d' % W[t], n, o); o += n * W[t]
        f = C.c_void_p(); ck(L.cuModuleGetFunction(C.byref(f), m, f'k{k}'.encode()), 'function')
        ck(L.cuMemcpyHtoD_v2(di, slots.ctypes.data_as(C.c_void_p), C.c_size_t(slots.nbytes)), 'put')
        ps = (C.c_void_p * 2)(C.addressof(di), C.addressof(do))
        ck(L.cuLaunchKernel(f, n // x['block'], 1, 1, x['block'], 1, 1, 0, None, ps, None), 'launch')
        r = np.zeros((len(x['outs']), n), np.uint64); ck(L.cuMemcpyDtoH_v2(r.ctypes.data_as(C.c_void_p), do, C.c_size_t(r.nbytes)), 'get')
        p = x['offset']
        for i, t in enumerate(x['outs']):
            b = r[i].astype('<u%d' % W[t]) if W[t] == 8 else (r[i] & np.uint64((1 << 8 * W[t]) - 1)).astype('<u%d' % W[t])
            out[p:p + n * W[t]] = b.tobytes(); p += n * W[t]
    L.cuModuleUnload(m); print(at + len(cases), flush=True)
open(to, 'wb').write(out); print('wrote', to, len(out))
