"""What an H200 answers when memory and events are given to another process: `python driver_ipc.py > ipc.txt`."""
import ctypes as C
import json
import subprocess
import sys
cu=C.CDLL('libcuda.so.1')
def init():
    cu.cuInit(0); ctx=C.c_void_p(); r=cu.cuDevicePrimaryCtxRetain(C.byref(ctx),0); cu.cuCtxSetCurrent(ctx); return ctx
class H(C.Structure): _fields_=[('b',C.c_ubyte*64)]
def u64(x): return C.c_uint64(x)
def get(p):
    h=H(); r=cu.cuIpcGetMemHandle(C.byref(h),u64(p)); return r,bytes(h.b).hex()
def openh(hx,flags=1):
    h=H((C.c_ubyte*64)(*bytes.fromhex(hx))); p=C.c_uint64(0xee)
    f=cu.cuIpcOpenMemHandle_v2; f.argtypes=[C.c_void_p,H,C.c_uint]; r=f(C.byref(p),h,flags); return r,p.value
def alloc(n):
    p=C.c_uint64(); cu.cuMemAlloc_v2(C.byref(p),C.c_size_t(n)); return p.value
def rng(p):
    b=C.c_uint64(); s=C.c_size_t(); r=cu.cuMemGetAddressRange_v2(C.byref(b),C.byref(s),u64(p)); return r,hex(b.value),s.value
def rd(p,n=4):
    o=(C.c_uint32*n)(); r=cu.cuMemcpyDtoH_v2(o,u64(p),C.c_size_t(4*n)); return r,[hex(x) for x in o]
def attr(p):
    out={}
    for a in range(1,22):
        b=C.c_uint64(0); out[a]=(cu.cuPointerGetAttribute(C.byref(b),a,u64(p)),hex(b.value))
    return out
def show(*a): print(*a,flush=True)
def evopen(hx):
    h=H((C.c_ubyte*64)(*bytes.fromhex(hx))); e=C.c_void_p(); f=cu.cuIpcOpenEventHandle; f.argtypes=[C.c_void_p,H]; r=f(C.byref(e),h); return r,e
if sys.argv[1:2]==['child']:
    init(); msg=json.loads(sys.stdin.readline())
    for name,hx in msg['mem'].items():
        r,p=openh(hx); show('child open',name,r,hex(p),'mod2M',hex(p%(2<<20)))
        if r: continue
        show('  range',rng(p),'data',rd(p)); show('  again',[(a,hex(b)) for a,b in [openh(hx)]]); show('  attrs',attr(p) if name=='base' else '')
        cu.cuMemsetD32_v2(u64(p),0x77,C.c_size_t(1))
        show('  free',cu.cuMemFree_v2(u64(p)),'close inner',cu.cuIpcCloseMemHandle(u64(p+4)),'close',cu.cuIpcCloseMemHandle(u64(p)),'after one close',rd(p,1),'close2',cu.cuIpcCloseMemHandle(u64(p)),'close3',cu.cuIpcCloseMemHandle(u64(p)))
    show('child flags0',openh(msg['mem']['base'],0)[0],'flags2',openh(msg['mem']['base'],2)[0],'flags3',openh(msg['mem']['base'],3)[0])
    show('child zeros',openh('00'*64)[0],'changed',openh(msg['mem']['base'][:-2]+'ff')[0], 'changed first',openh('ff'+msg['mem']['base'][2:])[0])
    r,p=openh(msg['mem']['base']); show('reexport',get(p)[0])
    r,p2=openh(msg['mem']['second']); show('two of one block',hex(p),hex(p2))
    q=alloc(100); show('close own',cu.cuIpcCloseMemHandle(u64(q)),'close null',cu.cuIpcCloseMemHandle(u64(0)))
    for name,hx in msg['ev'].items():
        r,e=evopen(hx); show('child event',name,r)
        if r==0: show('  query',cu.cuEventQuery(e),'sync',cu.cuEventSynchronize(e),'record',cu.cuEventRecord(e,None),'wait',cu.cuStreamWaitEvent(None,e,0),'elapsed',cu.cuEventElapsedTime(C.byref(C.c_float()),e,e),'destroy',cu.cuEventDestroy_v2(e))
    print('ready',flush=True); sys.stdin.readline()
    r,p=openh(msg['mem']['base']); show('after exporter freed: open',r)
    show('read old mapping',rd(p2,1)); sys.exit()
init()
a=alloc(1000); b=alloc(3<<20); c=alloc(500)
for p in (a,b,c): cu.cuMemsetD32_v2(u64(p),0x1234,C.c_size_t(100))
mem={}
mem['base']=get(a)[1]; show('base',get(a)[0],'same twice',get(a)==get(a)); show(get(a)[1])
mem['inner']=get(a+16)[1]; show('inner',get(a+16)[0],get(a+16)[1]==mem['base'])
mem['big']=get(b)[1]; mem['second']=get(c)[1]; show(get(c)[1])
show('null',get(0)[0],'wild',get(0x123456789000)[0])
h=C.c_void_p(); cu.cuMemHostAlloc(C.byref(h),C.c_size_t(4096),0); show('pinned',get(h.value)[0])
m=C.c_uint64(); cu.cuMemAllocManaged(C.byref(m),C.c_size_t(4096),1); show('managed',get(m.value)[0])
s=C.c_uint64(); cu.cuMemAllocAsync(C.byref(s),C.c_size_t(4096),None); cu.cuCtxSynchronize(); show('async',get(s.value)[0])
f=alloc(100); cu.cuMemFree_v2(u64(f)); show('freed',get(f)[0])
show('null handle',cu.cuIpcGetMemHandle(None,u64(a)))
show('open in same process',openh(mem['base']))
ev={}
for fl in (0,2,4,6):
    e=C.c_void_p(); r=cu.cuEventCreate(C.byref(e),fl); hh=H(); r2=cu.cuIpcGetEventHandle(C.byref(hh),e) if r==0 else None
    show('event',fl,r,r2)
    if r==0 and r2==0: ev[str(fl)]=bytes(hh.b).hex(); keep=e
if ev: show('event same process',evopen(ev['6'])[0])
p=subprocess.Popen([sys.executable,__file__,'child'],stdin=subprocess.PIPE,stdout=subprocess.PIPE,text=True)
p.stdin.write(json.dumps({'mem':mem,'ev':ev})+'\n'); p.stdin.flush()
for l in p.stdout:
    print(l,end='')
    if l.startswith('ready'): break
show('written by child',rd(a)); cu.cuMemFree_v2(u64(a)); cu.cuMemFree_v2(u64(c))
p.stdin.write('\n'); p.stdin.flush(); print(p.stdout.read())
