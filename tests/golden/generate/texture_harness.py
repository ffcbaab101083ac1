"""Runs files of texture and surface experiments on a GPU through libcuda.
Usage: texture_harness.py run OUTDIR FILE.py…    results to OUTDIR/NAME.npz and OUTDIR/NAME.json
       texture_harness.py check FILE.py…         no GPU: makes the experiments, assembles their kernels with ptxas ($PTXAS), prints errors
A file has a list EXPERIMENTS or a generator experiments() of dictionaries:
  name; resource: kind (array, mipmapped, linear, pitch2d), format, channels, width, height, depth, levels, flags (pitch2d and
  linear also pitch, offset); view: None or format, width, height, depth, firstMip, lastMip, firstLayer, lastLayer;
  data: texels, tightly packed (mipmapped: a list, one for each level); sampler: address, filter, mip_filter, flags, anisotropy,
  bias, min, max, border (a whole number in border is bits); code: PTX statements, see entry(); inputs: (threads, k) words;
  outputs: how many of o0… are stored; dump: give all texels back afterwards;
  hash: a function of the (threads, outputs) words whose result is kept instead; inputs may be a function too, with ins, k;
  surface_level, dump_level; block: threads a CTA (256); globals: PTX at module level (the module is then its own);
  bind: {name: "tex" or "surf"}, references of globals to bind to the resource; independent: texmode_independent.
Results: NAME is a uint32 array (threads, outputs + 1), the last column being p; NAME/dump the bytes. Each launch is done
twice (surfaces on fresh texels); "unequal" in the json counts the words that differ. Errors are recorded, never fatal."""
import ctypes as C, importlib.util, json, os, pickle, signal, subprocess, sys, tempfile, time, traceback
import numpy as np

SIZE = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 0x10: 2, 0x20: 4}
for k in range(12): SIZE[0xc0 + k] = (1, 1, 1, 2, 2, 2)[k % 6]
SIZE[0x50] = 4
# Formats that fix the number of channels, and bytes of a 4x4 block.
CHANNELS = {0xc0 + k: (1, 2, 4)[k % 3] for k in range(12)} | {0x50: 4}
BLOCK = {0x91: 8, 0x92: 8, 0x93: 16, 0x94: 16, 0x95: 16, 0x96: 16, 0x97: 8, 0x98: 8, 0x99: 16, 0x9a: 16, 0x9b: 16, 0x9c: 16, 0x9d: 16, 0x9e: 16}
LAYERED, SURFACE, CUBEMAP = 1, 2, 4

def texel_bytes(r):
    f = r["format"]
    if f == 0x50: return 4
    return SIZE.get(f, 1) * r.get("channels", 1)
def level_extent(r, level):
    w, h, d, f = r["width"], r.get("height", 0), r.get("depth", 0), r.get("flags", 0)
    w = max(1, w >> level); h = max(1, h >> level) if h else 0
    if d and not f & (LAYERED | CUBEMAP): d = max(1, d >> level)
    return w, h, d
def level_rows(r, level=0):
    """(bytes of a row, rows, slices) as cuMemcpy3D counts them."""
    w, h, d = level_extent(r, level)
    if r["format"] in BLOCK: return (w + 3) // 4 * BLOCK[r["format"]], max(1, (h + 3) // 4), max(1, d)
    return w * texel_bytes(r), max(1, h), max(1, d)
def level_bytes(r, level=0):
    a, b, c = level_rows(r, level); return a * b * c
def as_bytes(d):
    return np.frombuffer(bytes(d), np.uint8) if isinstance(d, (bytes, bytearray)) else np.ascontiguousarray(d).reshape(-1).view(np.uint8)
def inputs_of(x):
    a = x.get("inputs")
    if a is None: a = np.zeros((1, 0), np.uint32)
    if callable(a): a = a()
    a = np.asarray(a)
    if a.ndim == 1: a = a.reshape(-1, 1)
    if a.dtype == np.float64: a = a.astype(np.float32)
    if a.dtype == np.int64 or a.dtype == np.uint64: a = a.astype(np.int64).astype(np.uint32)
    if a.dtype.itemsize != 4: raise ValueError(f"inputs of type {a.dtype}")
    if a.shape[1] > 8: raise ValueError("more than 8 inputs")
    return np.ascontiguousarray(a).view(np.uint32).reshape(a.shape)

# ---------------------------------------------------------------- kernels
def entry(name, code, ins, outs):
    loads = "".join(f"mad.wide.u32 %za,%zi,4,%zin; ld.global.b32 i{j},[%za]; add.u32 %zi,%zi,%zn;\n" for j in range(ins))
    stores = "".join(f"mad.wide.u32 %za,%zi,4,%zout; st.global.b32 [%za],o{j}; add.u32 %zi,%zi,%zn;\n" for j in range(outs))
    return f""".visible .entry {name}(.param .u64 zin, .param .u64 zout, .param .u32 zn, .param .u64 ztex, .param .u64 zsurf) {{
.reg .b32 i<8>, o<8>, r<16>, %zi, %zj, %zn; .reg .b64 t, s, w<4>, %zin, %zout, %za; .reg .b16 h<8>; .reg .pred p, q, %zp;
ld.param.u64 %zin,[zin]; ld.param.u64 %zout,[zout]; ld.param.u32 %zn,[zn]; ld.param.u64 t,[ztex]; ld.param.u64 s,[zsurf];
mov.u32 %zi,%ctaid.x; mov.u32 %zj,%ntid.x; mad.lo.u32 %zj,%zi,%zj,0; mov.u32 %zi,%tid.x; add.u32 %zj,%zj,%zi; mov.u32 %zi,%zj;
setp.ge.u32 %zp,%zj,%zn; @%zp bra zend;
{loads}{"".join(f"mov.b32 o{j},0; " for j in range(8))} setp.ne.u32 p,%zn,%zn; setp.ne.u32 q,%zn,%zn;
{{
{code}
}}
mov.b32 %zi,%zj;
{stores}mad.wide.u32 %za,%zi,4,%zout; selp.b32 %zi,1,0,p; st.global.b32 [%za],%zi;
zend: ret; }}
"""
def head(independent=False):
    return ".version 9.0\n.target sm_90a" + (", texmode_independent" if independent else "") + "\n.address_size 64\n"
def key_of(x):
    return (x["code"], x["ins"] if "ins" in x else inputs_of(x).shape[1], x.get("outputs", 4), x.get("globals", ""), bool(x.get("independent")), json.dumps(x.get("bind"), sort_keys=True))

# ---------------------------------------------------------------- the driver
V, Z, U = C.c_void_p, C.c_size_t, C.c_uint
class Array3D(C.Structure): _fields_ = [("w", Z), ("h", Z), ("d", Z), ("format", U), ("channels", U), ("flags", U)]
class Copy3D(C.Structure): _fields_ = [(n, Z) for n in ("sx", "sy", "sz", "slod")] + [("stype", U), ("shost", V), ("sdev", C.c_uint64), ("sarr", V), ("r0", V), ("spitch", Z), ("sheight", Z)] + [(n, Z) for n in ("dx", "dy", "dz", "dlod")] + [("dtype", U), ("dhost", V), ("ddev", C.c_uint64), ("darr", V), ("r1", V), ("dpitch", Z), ("dheight", Z), ("width", Z), ("height", Z), ("depth", Z)]
class Linear(C.Structure): _fields_ = [("p", C.c_uint64), ("format", U), ("channels", U), ("size", Z)]
class Pitch(C.Structure): _fields_ = [("p", C.c_uint64), ("format", U), ("channels", U), ("w", Z), ("h", Z), ("pitch", Z)]
class Res(C.Union): _fields_ = [("handle", V), ("linear", Linear), ("pitch", Pitch), ("reserved", C.c_int * 32)]
class Resource(C.Structure): _fields_ = [("type", U), ("res", Res), ("flags", U)]
class Texture(C.Structure): _fields_ = [("address", U * 3), ("filter", U), ("flags", U), ("anisotropy", U), ("mip_filter", U), ("bias", C.c_float), ("min", C.c_float), ("max", C.c_float), ("border", C.c_float * 4), ("reserved", C.c_int * 12)]
class View(C.Structure): _fields_ = [("format", U), ("w", Z), ("h", Z), ("d", Z), ("m0", U), ("m1", U), ("l0", U), ("l1", U), ("reserved", U * 16)]
assert (C.sizeof(Array3D), C.sizeof(Copy3D), C.sizeof(Resource), C.sizeof(Texture), C.sizeof(View)) == (40, 200, 144, 104, 112), [C.sizeof(x) for x in (Array3D, Copy3D, Resource, Texture, View)]

class Failed(Exception):
    def __init__(self, stage, result, log=""): self.stage, self.result, self.log = stage, result, log
STICKY = {214, 700, 702, 709, 714, 715, 716, 717, 718, 719, 720, 721, 999, 4}

class Gpu:
    def __init__(self):
        self.L = C.CDLL("libcuda.so.1"); self.ck(self.L.cuInit(0), "cuInit")
        c = V(); self.ck(self.L.cuDevicePrimaryCtxRetain(C.byref(c), 0), "retain"); self.ck(self.L.cuCtxSetCurrent(c), "current")
        self.buffers = {}
    def ck(self, r, stage, log=""):
        if r: raise Failed(stage, r, log)
    def alloc(self, n):
        p = C.c_uint64(); self.ck(self.L.cuMemAlloc_v2(C.byref(p), Z(max(n, 16))), "cuMemAlloc"); return p
    def buffer(self, name, n):
        have = self.buffers.get(name)
        if have is None or have[1] < n:
            if have: self.L.cuMemFree_v2(have[0])
            n = max(n, 1 << 20); self.buffers[name] = have = (self.alloc(n), n)
        return have[0]
    def load(self, text):
        err = C.create_string_buffer(8192); opts = (U * 2)(5, 6); vals = (V * 2)(C.addressof(err), 8192); m = V()
        r = self.L.cuModuleLoadDataEx(C.byref(m), text.encode() + b"\0", U(2), opts, vals)
        self.ck(r, "cuModuleLoadData", err.value.decode("latin1")); return m
    def function(self, m, name):
        f = V(); self.ck(self.L.cuModuleGetFunction(C.byref(f), m, name.encode()), "cuModuleGetFunction"); return f
    def copy(self, array, r, level, host, to):
        row, h, d = level_rows(r, level); c = Copy3D()
        if to: c.stype, c.shost, c.spitch, c.sheight, c.dtype, c.darr = 1, host.ctypes.data, row, h, 3, array
        else: c.dtype, c.dhost, c.dpitch, c.dheight, c.stype, c.sarr = 1, host.ctypes.data, row, h, 3, array
        c.width, c.height, c.depth = row, h, d
        self.ck(self.L.cuMemcpy3D_v2(C.byref(c)), "cuMemcpy3D " + ("to" if to else "from") + f" level {level}")
    def fit(self, d, n):
        b = as_bytes(d)
        if len(b) < n: raise ValueError(f"{len(b)} bytes of data, {n} wanted")
        return np.ascontiguousarray(b[:n])
    def resource(self, x):
        """The resource with its texels: (CUDA_RESOURCE_DESC, array or mipmapped array, how to free)."""
        L, r = self.L, x["resource"]; kind = r["kind"]; res = Resource(); data = x.get("data")
        if kind in ("array", "mipmapped"):
            d = Array3D(r["width"], r.get("height", 0), r.get("depth", 0), r["format"], r.get("channels", 1), r.get("flags", 0)); a = V()
            if kind == "array":
                self.ck(L.cuArray3DCreate_v2(C.byref(a), C.byref(d)), "cuArray3DCreate")
                if data is not None and not r.get("flags", 0) & 0x40: self.copy(a, r, 0, self.fit(data, level_bytes(r)), True)
                res.type = 0; free = [lambda: L.cuArrayDestroy(a)]
            else:
                self.ck(L.cuMipmappedArrayCreate(C.byref(a), C.byref(d), U(r.get("levels", 1))), "cuMipmappedArrayCreate")
                for k, one in enumerate(data or []):
                    l = V(); self.ck(L.cuMipmappedArrayGetLevel(C.byref(l), a, U(k)), "cuMipmappedArrayGetLevel")
                    self.copy(l, r, k, self.fit(one, level_bytes(r, k)), True)
                res.type = 1; free = [lambda: L.cuMipmappedArrayDestroy(a)]
            res.res.handle = a.value; return res, a, free
        e = texel_bytes(r); off = r.get("offset", 0)
        if kind == "linear":
            b = as_bytes(data) if data is not None else np.zeros(e * r["width"], np.uint8); p = self.alloc(off + max(len(b), e * r["width"]))
            self.ck(L.cuMemcpyHtoD_v2(C.c_uint64(p.value + off), b.ctypes.data_as(V), Z(len(b))), "cuMemcpyHtoD")
            res.type = 2; res.res.linear = Linear(p.value + off, r["format"], r.get("channels", 1), r.get("bytes", e * r["width"]))
        else:
            row, h = e * r["width"], max(1, r.get("height", 1)); pitch = r.get("pitch", (row + 31) // 32 * 32); b = self.fit(data, row * h).reshape(h, row)
            host = np.zeros((h, pitch), np.uint8); host[:, :row] = b; p = self.alloc(off + host.nbytes)
            self.ck(L.cuMemcpyHtoD_v2(C.c_uint64(p.value + off), host.ctypes.data_as(V), Z(host.nbytes)), "cuMemcpyHtoD")
            res.type = 3; res.res.pitch = Pitch(p.value + off, r["format"], r.get("channels", 1), r["width"], h, pitch)
        return res, None, [lambda: L.cuMemFree_v2(p)]
    def sampler(self, x):
        s = x.get("sampler") or {}; t = Texture()
        a = list(s.get("address", [0, 0, 0])) + [0, 0, 0]
        for k in range(3): t.address[k] = a[k]
        t.filter, t.flags, t.anisotropy, t.mip_filter = s.get("filter", 0), s.get("flags", 0), s.get("anisotropy", 0), s.get("mip_filter", 0)
        t.bias, t.min, t.max = s.get("bias", 0.0), s.get("min", 0.0), s.get("max", 0.0)
        for k, v in enumerate(list(s.get("border", []))[:4]):
            if isinstance(v, (int, np.integer)) and v: C.memmove(C.addressof(t.border) + 4 * k, int(v & 0xffffffff).to_bytes(4, "little"), 4)
            else: t.border[k] = v
        return t
    def view(self, x):
        v = x.get("view")
        if not v: return None
        return View(v.get("format", 0), v.get("width", 0), v.get("height", 0), v.get("depth", 0), v.get("firstMip", 0), v.get("lastMip", 0), v.get("firstLayer", 0), v.get("lastLayer", 0))
    def bind(self, module, x, res, array):
        L, r = self.L, x["resource"]; t = self.sampler(x)
        for name, what in (x.get("bind") or {}).items():
            ref = V()
            if what == "surf":
                self.ck(L.cuModuleGetSurfRef(C.byref(ref), module, name.encode()), "cuModuleGetSurfRef " + name); self.ck(L.cuSurfRefSetArray(ref, array, 0), "cuSurfRefSetArray"); continue
            self.ck(L.cuModuleGetTexRef(C.byref(ref), module, name.encode()), "cuModuleGetTexRef " + name)
            for k in range(3): self.ck(L.cuTexRefSetAddressMode(ref, k, t.address[k]), "cuTexRefSetAddressMode")
            self.ck(L.cuTexRefSetFilterMode(ref, t.filter), "cuTexRefSetFilterMode"); self.ck(L.cuTexRefSetFlags(ref, t.flags), "cuTexRefSetFlags")
            if res.type == 0: self.ck(L.cuTexRefSetArray(ref, array, 1), "cuTexRefSetArray")
            elif res.type == 1: self.ck(L.cuTexRefSetMipmappedArray(ref, array, 1), "cuTexRefSetMipmappedArray")
            else:
                n = Z(); self.ck(L.cuTexRefSetFormat(ref, r["format"], r.get("channels", 1)), "cuTexRefSetFormat"); self.ck(L.cuTexRefSetAddress_v2(C.byref(n), ref, C.c_uint64(res.res.linear.p), Z(res.res.linear.size)), "cuTexRefSetAddress")
    def once(self, x, f, module):
        L = self.L; a = inputs_of(x); n, outs = a.shape[0], x.get("outputs", 4); free = []
        t, s = C.c_uint64(0), C.c_uint64(0); array = None; note = {}
        try:
            if x.get("resource"):
                res, array, free = self.resource(x); tex, view = self.sampler(x), self.view(x)
                r = L.cuTexObjectCreate(C.byref(t), C.byref(res), C.byref(tex), C.byref(view) if view else None)
                if r:
                    note["cuTexObjectCreate"] = r; t.value = 0
                    if "[t" in x["code"].replace(" ", "") and not x.get("bind"): raise Failed("cuTexObjectCreate", r)
                else: free.insert(0, lambda: L.cuTexObjectDestroy(t))
                if x["resource"].get("flags", 0) & SURFACE:
                    sr = Resource(); sr.type = 0; sr.res.handle = array.value
                    if res.type == 1:
                        l = V(); self.ck(L.cuMipmappedArrayGetLevel(C.byref(l), array, U(x.get("surface_level", 0))), "cuMipmappedArrayGetLevel"); sr.res.handle = l.value
                    r = L.cuSurfObjectCreate(C.byref(s), C.byref(sr))
                    if r: note["cuSurfObjectCreate"] = r; s.value = 0
                    else: free.insert(0, lambda: L.cuSurfObjectDestroy(s))
                if x.get("bind"): self.bind(module, x, res, array)
            i = np.ascontiguousarray(a.T); ip, op = self.buffer("in", i.nbytes), self.buffer("out", 4 * n * (outs + 1))
            if i.nbytes: self.ck(L.cuMemcpyHtoD_v2(ip, i.ctypes.data_as(V), Z(i.nbytes)), "cuMemcpyHtoD")
            L.cuMemsetD8_v2(op, C.c_ubyte(0xEE), Z(4 * n * (outs + 1))); block = x.get("block", 256)
            args = [ip, op, U(n), t, s]; ps = (V * 5)(*[C.addressof(v) for v in args])
            self.ck(L.cuLaunchKernel(f, U((n + block - 1) // block), U(1), U(1), U(block), U(1), U(1), U(0), None, ps, None), "cuLaunchKernel")
            self.ck(L.cuCtxSynchronize(), "cuCtxSynchronize")
            o = np.empty((outs + 1, n), np.uint32); self.ck(L.cuMemcpyDtoH_v2(o.ctypes.data_as(V), op, Z(o.nbytes)), "cuMemcpyDtoH")
            dump = None
            if x.get("dump") and array is not None:
                level = x.get("dump_level", 0); dump = np.empty(level_bytes(x["resource"], level), np.uint8); source = array
                if x["resource"]["kind"] == "mipmapped":
                    source = V(); self.ck(L.cuMipmappedArrayGetLevel(C.byref(source), array, U(level)), "cuMipmappedArrayGetLevel")
                self.copy(source, x["resource"], level, dump, False)
            return o.T, dump, note
        finally:
            for g in free: g()

BUILDING = 1 << 40
def worker(experiments, todo, path, progress, alone):
    """Runs the experiments `todo`, in order; stops at a fault and says what is left."""
    out, left = {}, []
    def say(k): os.pwrite(progress, int(k + 1).to_bytes(8, "little"), 0)
    def keep(left): pickle.dump((out, left), open(path + ".part", "wb"), 4); os.rename(path + ".part", path)
    try:
        gpu = Gpu()
        kernels, keys = {}, {}
        for k in todo:
            try: keys[k] = key_of(experiments[k])
            except Exception as e: out[k] = {"error": "python", "log": repr(e)}
        plain = [q for q in dict.fromkeys(keys[k] for k in todo if k in keys)]; owner = {}
        for k in todo:
            if k in keys: owner.setdefault(keys[k], k)
        def build(group):
            if not group: return
            # The assembler itself may die; the parent learns of whose kernels it was at.
            os.pwrite(progress, int(BUILDING + owner[group[0]] + (BUILDING if len(group) == 1 else 0)).to_bytes(8, "little"), 0)
            text = head(group[0][4]) + group[0][3] + "\n" + "".join(entry(f"k{n}", q[0], q[1], q[2]) for n, q in enumerate(group))
            try:
                m = gpu.load(text)
                for n, q in enumerate(group): kernels[q] = (gpu.function(m, f"k{n}"), m)
            except Failed as e:
                if len(group) == 1: kernels[group[0]] = e; return
                if e.result in STICKY: raise
                h = len(group) // 2; build(group[:h]); build(group[h:])
        simple = [q for q in plain if not q[3] and not q[4] and q[5] == "null"]
        step = 1 if alone else 24
        for b in range(0, len(simple), step): build(simple[b:b + step])
        for q in plain:
            if q not in kernels: build([q])
        for at, k in enumerate(todo):
            if k in out: continue
            say(k); x = experiments[k]; f = kernels[keys[k]]
            if isinstance(f, Failed): out[k] = {"error": f.stage, "result": f.result, "log": f.log}; continue
            try:
                o, dump, note = gpu.once(x, *f); entry_ = {"o": np.asfortranarray(o)} | ({"dump": dump} if dump is not None else {})
                o2, dump2, _ = gpu.once(x, *f); unequal = int((o != o2).sum()) + (int((dump != dump2).sum()) if dump is not None else 0)
                if unequal: entry_["unequal"] = unequal
                if note: entry_["note"] = note
                if x.get("hash"): entry_["o"] = x["hash"](o[:, :x.get("outputs", 4)] if dump is None else entry_.pop("dump").view(np.uint32).reshape(-1, 1))
                out[k] = entry_
            except Failed as e:
                out[k] = {"error": e.stage, "result": e.result, "log": e.log}
                if e.result in STICKY: left = todo[at + 1:]; keep(left); os._exit(0)
            except Exception: out[k] = {"error": "python", "log": traceback.format_exc()[-600:]}
        keep([])
    except Failed as e:
        for k in todo: out.setdefault(k, {"error": e.stage, "result": e.result, "log": e.log})
        keep([])
    except Exception:
        for k in todo: out.setdefault(k, {"error": "python", "log": traceback.format_exc()[-600:]})
        keep([])
    os._exit(0)

def run_all(experiments, workers=12, patience=25):
    """Spreads the experiments over processes that know nothing of one another's faults."""
    groups = {}
    for k, x in enumerate(experiments):
        groups.setdefault((x.get("code"), x.get("globals")), []).append(k)
    piles = [[] for _ in range(max(1, min(workers, (len(experiments) + 7) // 8)))]
    for g in sorted(groups.values(), key=len, reverse=True):
        for part in range(0, len(g), 200): min(piles, key=len).extend(g[part:part + 200])
    out, live, tmp, number = {}, {}, tempfile.mkdtemp(), 0
    waiting = [(sorted(p), False) for p in piles if p]
    while waiting or live:
        while waiting and len(live) < workers:
            todo, alone = waiting.pop(); number += 1; path = os.path.join(tmp, str(number)); fd = os.open(path + ".progress", os.O_RDWR | os.O_CREAT)
            os.pwrite(fd, bytes(8), 0); pid = os.fork()
            if pid == 0:
                signal.signal(signal.SIGINT, signal.SIG_DFL); worker(experiments, todo, path, fd, alone)
            live[pid] = [todo, path, fd, 0, time.time(), alone]
        for pid in list(live):
            todo, path, fd, at, since, alone = live[pid]; done, status = os.waitpid(pid, os.WNOHANG); now = int.from_bytes(os.pread(fd, 8, 0), "little")
            if now != at: live[pid][3], live[pid][4] = now, time.time()
            stuck = not done and time.time() - since > (patience if now > 0 else 90)
            if stuck: os.kill(pid, 9); os.waitpid(pid, 0)
            if not done and not stuck: continue
            del live[pid]; os.close(fd)
            if os.path.exists(path):
                got, left = pickle.load(open(path, "rb")); out.update(got)
                if left: waiting.append((left, alone))
            else:
                # The process died or hung: what it was at gets the blame, the rest is done again.
                why = "hang" if stuck else f"died {status}"
                if now >= BUILDING:
                    k = now % BUILDING
                    if now >= 2 * BUILDING:
                        # This kernel kills the assembler.
                        q = key_of(experiments[k]); rest = []
                        for x in todo:
                            try: same = key_of(experiments[x]) == q
                            except Exception: same = False
                            if same: out[x] = {"error": why + " while assembling"}
                            else: rest.append(x)
                        if rest: waiting.append((rest, True))
                    elif len(todo) > 8:
                        # One of a batch did it: assemble one by one, in smaller lots.
                        for part in range(4):
                            if todo[part::4]: waiting.append((todo[part::4], True))
                    else: waiting.append((todo, True))
                elif now > 0:
                    out[now - 1] = {"error": why}; rest = [k for k in todo if k != now - 1]
                    if rest: waiting.append((rest, alone))
                else:
                    for k in todo: out[k] = {"error": why + " before the first experiment"}
        time.sleep(0.01)
    return out

def load_file(path):
    spec = importlib.util.spec_from_file_location("wish_" + os.path.basename(path).replace("-", "_")[:-3], path); m = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path))); spec.loader.exec_module(m); sys.path.pop(0)
    return list(m.EXPERIMENTS) if hasattr(m, "EXPERIMENTS") else list(m.experiments())

def run_file(path, outdir, workers):
    name = os.path.basename(path)[:-3]; began = time.time()
    try: experiments = load_file(path)
    except Exception: print(name, "FILE ERROR", traceback.format_exc(), flush=True); json.dump({"file error": traceback.format_exc()}, open(f"{outdir}/{name}.json", "w")); return
    made = time.time(); got = run_all(experiments, workers); ran = time.time()
    arrays, index = {}, []
    for k, x in enumerate(experiments):
        e = got.get(k, {"error": "lost"}); row = {"name": x.get("name", str(k))}
        if "o" in e: arrays[row["name"]] = e["o"]
        if "dump" in e: arrays[row["name"] + "/dump"] = e["dump"]
        for f in ("error", "result", "log", "unequal", "note"):
            if f in e: row[f] = e[f]
        index.append(row)
    json.dump(index, open(f"{outdir}/{name}.json", "w")); np.savez_compressed(f"{outdir}/{name}.npz", **arrays)
    bad = [r for r in index if "error" in r]
    print(f"{name}: {len(experiments)} experiments, {len(bad)} errors, {sum('unequal' in r for r in index)} unequal; made {made-began:.1f} s, ran {ran-made:.1f} s, packed {time.time()-ran:.1f} s, {os.path.getsize(outdir + '/' + name + '.npz')} bytes", flush=True)
    for r in bad[:4]: print("   ", r["name"], r["error"], r.get("result"), r.get("log", "")[-200:].replace("\n", " "), flush=True)

def check(path):
    """Without a GPU: are the experiments well formed, does ptxas take their kernels?"""
    ptxas = os.environ.get("PTXAS", "ptxas"); experiments = load_file(path); names = set(); keys = {}
    for k, x in enumerate(experiments):
        try:
            q = key_of(x); keys.setdefault(q, x["name"]); n = x["name"]; assert n not in names, "name twice"; names.add(n); r = x.get("resource")
            if r and x.get("data") is not None and r["kind"] in ("array", "mipmapped"):
                for l, d in enumerate(x["data"] if r["kind"] == "mipmapped" else [x["data"]]): assert len(as_bytes(d)) >= level_bytes(r, l), f"level {l}: {len(as_bytes(d))} bytes, {level_bytes(r, l)} wanted"
        except Exception as e: print(path, x.get("name"), repr(e))
    def build(group):
        text = head(group[0][4]) + group[0][3] + "\n" + "".join(entry(f"k{n}", q[0], q[1], q[2]) for n, q in enumerate(group))
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(text); f.flush(); t = subprocess.run([ptxas, "-arch=sm_90a", "-O0", f.name, "-o", "/dev/null"], capture_output=True, text=True)
        if t.returncode:
            if len(group) == 1: print(path, keys[group[0]], group[0][0], t.stderr.strip()[-300:])
            else: build(group[:len(group) // 2]); build(group[len(group) // 2:])
    simple = [q for q in keys if not q[3] and not q[4]]
    for b in range(0, len(simple), 64): build(simple[b:b + 64])
    for q in keys:
        if q not in simple: build([q])
    size = sum((0 if callable(x.get("inputs")) else inputs_of(x).shape[0]) * (x.get("outputs", 4) + 1) * 4 for x in experiments)
    print(path, len(experiments), "experiments,", len(keys), "kernels,", size, "bytes of results")

if __name__ == "__main__":
    if sys.argv[1] == "check":
        for p in sys.argv[2:]: check(p)
    else:
        os.makedirs(sys.argv[2], exist_ok=True)
        # Files are made and packed beside one another; 16 processes in all talk to the GPU at most.
        files = sys.argv[3:]; pids = []; slots = int(os.environ.get("FILES_AT_ONCE", "3"))
        for p in files:
            while len(pids) >= slots:
                done, _ = os.wait(); pids.remove(done)
            pid = os.fork()
            if pid == 0: run_file(p, sys.argv[2], int(os.environ.get("WORKERS", "6"))); sys.stdout.flush(); os._exit(0)
            pids.append(pid)
        for pid in pids: os.waitpid(pid, 0)
