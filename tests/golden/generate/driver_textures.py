"""Asks a driver what it answers to right and wrong calls about arrays, copies, textures and surfaces.

Usage: textures.py list                 the cases, without a driver
       textures.py record OUT.json      runs each case, writes the cases with their answers (a driver that dies is
                                        started again with the next case)
       textures.py replay OUT.json LIB  runs the recorded cases on another library and prints what differs

A case is a list of steps [entry point, argument …]; an argument is a number; "$a", the value of the variable a; "&a",
the address of a (8 bytes, zeroed at the start of the case); "=a", the same, and what is there afterwards is recorded;
"#text", a C string; {"s": "q1 d2 f0.5 z8"}, a structure of 8-byte words, 4-byte words, floats and zero bytes, with $a
allowed for a number; {"o": n}, n bytes of 0xaa, recorded afterwards; {"b": "name", "n": n, "k": k}, a host buffer of the
case, filled with (7 i + k) mod 256 when it is first named; {"r": "name", "n": n}, the same buffer, recorded afterwards;
{"F": x}, a float. Recorded words that equal a variable are written as its name.
"""
import ctypes as C, json, os, struct, subprocess, sys

LAYERED, SURFACE, CUBE, GATHER, DEPTH, COLOR, SPARSE, DEFERRED, VIDEO = (1 << k for k in range(9))
U8, U16, U32, S8, S16, S32, HALF, FLOAT = 1, 2, 3, 8, 9, 10, 0x10, 0x20
PTX = """.version 8.0
.target sm_90
.address_size 64
.global .texref t;
.global .surfref s;
.global .u32 v;
.visible .entry k(.param .u64 out, .param .u64 o) {
 .reg .b32 r<5>; .reg .b64 w<3>; .reg .f32 x;
 ld.param.u64 w0,[out]; mov.f32 x, 0f3fc00000;
 tex.2d.v4.u32.f32 {r0,r1,r2,r3}, [t, {x,x}];
 st.global.v4.u32 [w0],{r0,r1,r2,r3};
 ret; }
.visible .entry obj(.param .u64 out, .param .u64 o) {
 .reg .b32 r<5>; .reg .b64 w<3>; .reg .f32 x;
 ld.param.u64 w0,[out]; ld.param.u64 w1,[o]; mov.f32 x, 0f3fc00000;
 tex.2d.v4.u32.f32 {r0,r1,r2,r3}, [w1, {x,x}];
 st.global.v4.u32 [w0],{r0,r1,r2,r3};
 ret; }
.visible .entry sk(.param .u64 out, .param .u64 o) {
 .reg .b32 r<5>; .reg .b64 w<3>;
 ld.param.u64 w0,[out]; mov.u32 r1, 4;
 suld.b.2d.b32.trap r0, [s, {r1,r1}];
 st.global.u32 [w0],r0;
 ret; }
"""
CASES = []
def case(name, *steps): CASES.append({"name": name, "steps": [list(s) for s in steps]})
def desc(w, h=0, d=0, f=FLOAT, c=1, flags=0): return {"s": f"q{w} q{h} q{d} d{f} d{c} d{flags} z4"}
def array(name, *a, **k): return ["cuArray3DCreate_v2", "&" + name, desc(*a, **k)]
def mipmap(name, levels, *a, **k): return ["cuMipmappedArrayCreate", "&" + name, desc(*a, **k), levels]
FREE = ["cuArrayDestroy", "$a"]; FREEM = ["cuMipmappedArrayDestroy", "$m"]
def create(w, h, d, f, c, flags, levels=None):
    CASES.append({"create": [w, h, d, f, c, flags] + ([levels] if levels is not None else [])})
FIXED = {0x50: 4, 0x51: 4, 0x52: 4, **{0x53 + k: 3 for k in range(12)}, 0xb0: 3, 0x9f: 3, 0xa1: 3, 0xa2: 3, 0xa3: 3, 0xa4: 3, 0xa5: 2, 0xa6: 2, 0xa7: 2, 0xa8: 4, 0xa9: 4, 0xb1: 4, 0xb2: 3, 0xb3: 3, 0xb4: 3, 0xb5: 3,
         **{0xc0 + k: (1, 2, 4)[k % 3] for k in range(12)}, **{0x91 + k: c for k, c in enumerate((4, 4, 4, 4, 4, 4, 1, 1, 2, 2, 3, 3, 4, 4))}}
PLAIN = (U8, U16, U32, S8, S16, S32, HALF, FLOAT)
FORMATS = PLAIN + tuple(FIXED)
def channels(f): return FIXED.get(f, 1)

# ---- formats
for f in FORMATS + (0, 4, 7, 0xb, 0x11, 0x21, 0x40, 0x4f, 0x5f, 0x60, 0x90, 0xa0, 0xaa, 0xaf, 0xb6, 0xbf, 0xcc, 0xff, 0x100, 0x7fffffff, 0xffffffff):
    for c in (0, 1, 2, 3, 4, 5): create(16, 16, 0, f, c, 0)
    for w, h, d in ((16, 0, 0), (16, 16, 16), (16, 0, 16), (15, 13, 0), (2, 2, 0), (1, 1, 0)):
        create(w, h, d, f, channels(f), 0)
    for flags in (SURFACE, GATHER, DEPTH, COLOR, SPARSE, DEFERRED, VIDEO): create(64, 64, 0, f, channels(f), flags)
    create(16, 16, 6, f, channels(f), CUBE); create(16, 16, 6, f, channels(f), LAYERED); create(16, 0, 6, f, channels(f), LAYERED)
    create(16, 16, 0, f, channels(f), 0, 2); create(16, 16, 0, f, channels(f), SURFACE, 2)
for c in (7, 8, 16, 0xffffffff): create(16, 16, 0, FLOAT, c, 0)
# ---- flags
for flags in range(512):
    for w, h, d in ((8, 0, 0), (8, 8, 0), (8, 8, 6), (8, 0, 6), (8, 8, 12)): create(w, h, d, FLOAT, 1, flags)
for flags in (0, 1, 2, 4, 5, 6, 7, 8, 0x10, 0x40, 0x80):
    for w, h, d in ((0, 0, 0), (0, 8, 0), (0, 0, 8), (0, 8, 8), (8, 4, 6), (8, 8, 5), (8, 8, 7), (8, 8, 1), (8, 1, 0), (8, 1, 1), (1, 1, 6)): create(w, h, d, U8, 4, flags)
for bit in range(9, 32): create(8, 8, 0, FLOAT, 1, 1 << bit)
# ---- sizes
BIG = (1 << 31, 1 << 32, (1 << 32) + 8, 1 << 40, 1 << 63, (1 << 64) - 1)
def edge(limit): return (limit - 1, limit, limit + 1)
for flags in (0, SURFACE, GATHER, DEPTH, SPARSE, DEFERRED):
    for w in edge(131072) + edge(32768) + BIG: create(w, 0, 0, U8, 1, flags)
    for w in edge(131072) + edge(32768) + BIG: create(w, 1, 0, U8, 1, flags); create(w, 1, 0, FLOAT, 4, flags)
    for h in edge(65536) + edge(65000) + edge(32768) + BIG: create(16, h, 0, U8, 1, flags)
    for n in edge(16384) + edge(8192) + edge(32768) + BIG: create(n, 1, 1, U8, 1, flags); create(1, n, 1, U8, 1, flags); create(1, 1, n, U8, 1, flags)
    for n in (8192, 8193): create(n, 1, 16385, U8, 1, flags); create(1, n, 32768, U8, 1, flags); create(8192, n, 16385, U8, 1, flags)
    for n in edge(32768) + BIG: create(n, 0, 2, U8, 1, flags | LAYERED); create(n, 1, 2, U8, 1, flags | LAYERED); create(1, n, 2, U8, 1, flags | LAYERED); create(n, n, 6, U8, 1, flags | CUBE)
    for n in edge(2048) + edge(2046) + (2052,) + BIG: create(4, 0, n, U8, 1, flags | LAYERED); create(4, 4, n, U8, 1, flags | LAYERED); create(4, 4, n, U8, 1, flags | LAYERED | CUBE)
create(131072, 65536, 0, U8, 1, 0); create(131072, 65536, 0, FLOAT, 4, 0); create(16384, 16384, 16384, FLOAT, 4, 0); create(32768, 32768, 2048, FLOAT, 4, LAYERED)
# ---- mipmapped
for size in ((16, 0, 0), (16, 16, 0), (16, 4, 0), (16, 16, 4), (3, 5, 9), (1, 1, 0), (16, 0, 4)):
    for levels in (0, 1, 2, 3, 4, 5, 6, 7, 31, 32, 33, 0xffffffff): create(*size, FLOAT, 1, 0 if size != (16, 0, 4) else LAYERED, levels)
for flags in range(512):
    create(8, 8, 6, FLOAT, 1, flags, 2); create(8, 8, 0, FLOAT, 1, flags, 2)
for n in edge(32768) + edge(131072) + BIG: create(n, 0, 0, U8, 1, 0, 2); create(n, 1, 0, U8, 1, 0, 2); create(1, n, 0, U8, 1, 0, 2); create(n, 1, 0, U8, 1, 0, 1); create(n, 0, 0, U8, 1, 0, 1)
for n in edge(16384) + BIG: create(n, 1, 1, U8, 1, 0, 2); create(1, 1, n, U8, 1, 0, 2)

# ---- life
case("null arguments", ["cuArray3DCreate_v2", 0, desc(8)], ["cuArray3DCreate_v2", "=a", 0], ["cuArrayCreate_v2", 0, 0], ["cuMipmappedArrayCreate", 0, desc(8), 1], ["cuMipmappedArrayCreate", "=a", 0, 1], ["cuArrayDestroy", 0], ["cuMipmappedArrayDestroy", 0], ["cuArray3DGetDescriptor_v2", {"o": 36}, 0], ["cuArrayGetDescriptor_v2", {"o": 24}, 0], ["cuMipmappedArrayGetLevel", "=a", 0, 0], ["cuArrayGetPlane", "=a", 0, 0], ["cuArrayGetMemoryRequirements", {"o": 32}, 0, 0], ["cuArrayGetSparseProperties", {"o": 44}, 0])
case("cuArrayCreate", ["cuArrayCreate_v2", "&a", {"s": "q8 q4 d2 d2"}], ["cuArrayGetDescriptor_v2", {"o": 24}, "$a"], ["cuArray3DGetDescriptor_v2", {"o": 36}, "$a"], ["cuArray3DGetDescriptor_v2", 0, "$a"], ["cuArrayGetDescriptor_v2", 0, "$a"], FREE)
case("cuArrayCreate of one dimension", ["cuArrayCreate_v2", "&a", {"s": "q8 q0 d2 d2"}], ["cuArrayGetDescriptor_v2", {"o": 24}, "$a"], ["cuArray3DGetDescriptor_v2", {"o": 36}, "$a"], FREE)
for what, w, h, d, fl in (("3d", 8, 8, 8, 0), ("layered", 8, 8, 3, LAYERED), ("layered 1d", 8, 0, 3, LAYERED), ("cube", 8, 8, 6, CUBE), ("surface", 8, 8, 0, SURFACE), ("gather", 8, 8, 0, GATHER), ("depth", 8, 8, 0, DEPTH), ("color", 8, 8, 0, COLOR), ("sparse", 512, 512, 0, SPARSE), ("deferred", 512, 512, 0, DEFERRED)):
    case(f"descriptors of {what}", array("a", w, h, d, FLOAT, 1, fl), ["cuArrayGetDescriptor_v2", {"o": 24}, "$a"], ["cuArray3DGetDescriptor_v2", {"o": 36}, "$a"], FREE)
case("destroyed twice", array("a", 8), FREE, FREE)
case("descriptor of a destroyed array", array("a", 8), FREE, ["cuArray3DGetDescriptor_v2", {"o": 36}, "$a"])
case("invented array", ["cuArrayDestroy", 0x1234])
case("invented array descriptor", ["cuArray3DGetDescriptor_v2", {"o": 36}, 0x12345678])
case("mipmapped destroyed twice", mipmap("m", 2, 8, 8), FREEM, FREEM)
case("an array as a mipmapped array", array("a", 8), ["cuMipmappedArrayGetLevel", "=l", "$a", 0])
case("a mipmapped array as an array", mipmap("m", 2, 8, 8), ["cuArray3DGetDescriptor_v2", {"o": 36}, "$m"])
case("destroying an array as a mipmapped array", array("a", 8), ["cuMipmappedArrayDestroy", "$a"])
case("destroying a mipmapped array as an array", mipmap("m", 2, 8, 8), ["cuArrayDestroy", "$m"], FREEM)
for w, h, d, f, fl, n in ((16, 16, 0, FLOAT, 0, 5), (13, 7, 5, U8, 0, 4), (8, 8, 6, FLOAT, CUBE, 4), (8, 8, 3, FLOAT, LAYERED, 4), (8, 0, 3, FLOAT, LAYERED, 4), (9, 0, 0, HALF, 0, 4), (16, 16, 0, FLOAT, SURFACE, 3), (16, 16, 0, 0x91, 0, 5), (64, 64, 0, FLOAT, DEFERRED, 2), (1024, 1024, 0, FLOAT, SPARSE, 11)):
    steps = [mipmap("m", n, w, h, d, f, channels(f), fl)]
    for k in range(n): steps += [["cuMipmappedArrayGetLevel", f"&l{k}", "$m", k], ["cuArray3DGetDescriptor_v2", {"o": 36}, f"$l{k}"]]
    steps += [["cuMipmappedArrayGetLevel", "&x", "$m", n], ["cuMipmappedArrayGetLevel", "&x", "$m", 0xffffffff], ["cuMipmappedArrayGetLevel", 0, "$m", 0], ["cuMipmappedArrayGetLevel", "=l0", "$m", 0], FREEM]
    case(f"levels of {w} {h} {d} format {f:#x} flags {fl:#x}", *steps)
case("destroying a level", mipmap("m", 2, 8, 8), ["cuMipmappedArrayGetLevel", "&l", "$m", 1], ["cuArrayDestroy", "$l"], ["cuMipmappedArrayGetLevel", "&k", "$m", 1], FREEM)
case("a level of a destroyed mipmapped array", mipmap("m", 2, 8, 8), ["cuMipmappedArrayGetLevel", "&l", "$m", 1], FREEM, ["cuArray3DGetDescriptor_v2", {"o": 36}, "$l"])
# ---- video
VIDEOS = tuple(range(0x51, 0x5f)) + (0xb0, 0x9f) + tuple(range(0xa1, 0xaa)) + tuple(range(0xb1, 0xb6))
for f in VIDEOS:
    for c in range(6): create(16, 16, 0, f, c, VIDEO)
    for w, h, d, fl in ((15, 16, 0, VIDEO), (16, 15, 0, VIDEO), (14, 14, 0, VIDEO), (16, 0, 0, VIDEO), (16, 16, 2, VIDEO), (16, 16, 2, VIDEO | LAYERED), (16, 16, 6, VIDEO | CUBE), (16, 16, 0, VIDEO | SURFACE), (16, 16, 0, VIDEO | GATHER), (64, 64, 0, VIDEO | SPARSE), (16, 16, 0, VIDEO | DEFERRED), (2, 2, 0, VIDEO), (1, 2, 0, VIDEO), (32768, 2, 0, VIDEO), (32770, 2, 0, VIDEO), (2, 32768, 0, VIDEO), (2, 65536, 0, VIDEO)): create(w, h, d, f, channels(f), fl)
    create(16, 16, 0, f, channels(f), VIDEO, 1); create(16, 16, 0, f, channels(f), VIDEO, 2)
# ---- queries
for w, h, d, f, c, fl in ((8, 8, 0, FLOAT, 1, 0), (64, 64, 0, FLOAT, 1, DEFERRED), (64, 64, 0, FLOAT, 4, DEFERRED), (1000, 1000, 0, U8, 1, DEFERRED), (64, 64, 64, FLOAT, 1, DEFERRED), (64, 0, 0, FLOAT, 1, DEFERRED), (64, 64, 6, FLOAT, 1, DEFERRED | CUBE), (64, 64, 3, FLOAT, 1, DEFERRED | LAYERED), (2048, 2048, 0, FLOAT, 4, DEFERRED), (64, 64, 0, 0x91, 4, DEFERRED)):
    case(f"memory of {w} {h} {d} format {f:#x}x{c} flags {fl:#x}", array("a", w, h, d, f, c, fl), ["cuArrayGetMemoryRequirements", {"o": 32}, "$a", 0], ["cuArrayGetMemoryRequirements", {"o": 32}, "$a", 1], ["cuArrayGetMemoryRequirements", 0, "$a", 0], ["cuArrayGetSparseProperties", {"o": 44}, "$a"], FREE)
for f in FORMATS:
    for h, d, fl in ((1024, 0, SPARSE), (1024, 64, SPARSE), (1024, 4, SPARSE | LAYERED), (1024, 6, SPARSE | CUBE)):
        for c in ((1, 2, 4) if f in PLAIN else (channels(f),)):
            case(f"sparse {f:#x}x{c} depth {d} flags {fl:#x}", array("a", 1024, h, d, f, c, fl), ["cuArrayGetSparseProperties", {"o": 44}, "$a"], ["cuArrayGetMemoryRequirements", {"o": 32}, "$a", 0], FREE)
for w, h, d, f, c, fl, n in ((1024, 1024, 0, FLOAT, 1, SPARSE, 11), (1024, 1024, 0, U8, 1, SPARSE, 11), (1024, 1024, 0, FLOAT, 4, SPARSE, 1), (4096, 2048, 0, FLOAT, 1, SPARSE, 12), (1024, 1024, 3, FLOAT, 1, SPARSE | LAYERED, 11), (1024, 1024, 6, FLOAT, 1, SPARSE | CUBE, 11), (256, 256, 256, FLOAT, 1, SPARSE, 9), (1000, 600, 0, FLOAT, 1, SPARSE, 5), (64, 64, 0, FLOAT, 1, SPARSE, 2), (64, 64, 0, FLOAT, 1, DEFERRED, 2), (64, 64, 0, FLOAT, 1, 0, 2)):
    case(f"mipmapped memory of {w} {h} {d} format {f:#x}x{c} flags {fl:#x} levels {n}", mipmap("m", n, w, h, d, f, c, fl), ["cuMipmappedArrayGetSparseProperties", {"o": 44}, "$m"], ["cuMipmappedArrayGetSparseProperties", 0, "$m"], ["cuMipmappedArrayGetMemoryRequirements", {"o": 32}, "$m", 0], ["cuMipmappedArrayGetMemoryRequirements", {"o": 32}, "$m", 1], FREEM)
for f in FORMATS:
    if f in PLAIN and f != U8: continue
    for w, h in ((16, 8), (15, 7)):
        for fl in (0, VIDEO, SURFACE) if f not in range(0x91, 0x9f) and f < 0xc0 else (0,):
            steps = [array("a", w, h, 0, f, channels(f), fl)]
            for k in range(4): steps += [["cuArrayGetPlane", f"&p{k}", "$a", k], ["cuArray3DGetDescriptor_v2", {"o": 36}, f"$p{k}"] if k < 3 and f not in PLAIN else ["cuArrayGetPlane", 0, "$a", k]]
            case(f"planes of {w} {h} format {f:#x} flags {fl:#x}", *[s for s in steps if s[0] != "cuArray3DGetDescriptor_v2"], FREE)
PLANES = {0xb0: 2, 0x9f: 2, 0xa1: 2, 0xa2: 2, 0xa3: 2, 0xa4: 2, 0xb2: 3, 0xb3: 3, 0xb4: 2, 0xb5: 2, **{0x53 + k: 2 for k in range(6)}, **{0x59 + k: 3 for k in range(6)}}
for f, n in PLANES.items():
    for w, h in ((16, 8), (14, 6)):
        for fl in (0, VIDEO, SURFACE):
            steps = [array("a", w, h, 0, f, 3, fl)]
            for k in range(n): steps += [["cuArrayGetPlane", f"&p{k}", "$a", k], ["cuArray3DGetDescriptor_v2", {"o": 36}, f"$p{k}"]]
            case(f"plane descriptors of {w} {h} format {f:#x} flags {fl:#x}", *steps, ["cuArrayGetPlane", "&q", "$a", n], FREE)
# ---- copies
H, D, A, UNI = 1, 2, 3, 4
def side2(t=H, p=0, x=0, y=0, pitch=0): return f"q{x} q{y} d{t} z4 q{p if t == H else 0} q{p if t in (D, UNI) else 0} q{p if t == A else 0} q{pitch}"
def copy2(src, dst, w, h, call="cuMemcpy2D_v2", *more): return [call, {"s": f"{side2(**src)} {side2(**dst)} q{w} q{h}"}, *more]
def side3(t=H, p=0, x=0, y=0, z=0, lod=0, pitch=0, height=0, ctx=0): return f"q{x} q{y} q{z} q{lod} d{t} z4 q{p if t == H else 0} q{p if t in (D, UNI) else 0} q{p if t == A else 0} q{ctx} q{pitch} q{height}"
def copy3(src, dst, w, h, d, call="cuMemcpy3D_v2", *more): return [call, {"s": f"{side3(**src)} {side3(**dst)} q{w} q{h} q{d}"}, *more]
def host(name="h", n=1 << 15, k=1): return ["buffer", {"b": name, "n": n, "k": k}, "&" + name]
def read(name="g", n=64): return ["buffer", {"r": name, "n": n}, "&" + name]
def fill(w, h=1, d=1, a="a"): return copy3(dict(t=H, p="$h", pitch=w, height=h), dict(t=A, p="$" + a), w, h, d)
def fetch(w, h=1, d=1, a="a"): return copy3(dict(t=A, p="$" + a), dict(t=H, p="$g", pitch=w, height=h), w, h, d)
BUFFERS = [host("h"), host("g", 1 << 15, 0)]
for f, c, fl, w, h, d in ((FLOAT, 1, 0, 8, 4, 0), (U8, 4, 0, 8, 4, 0), (U8, 1, 0, 8, 4, 0), (FLOAT, 4, 0, 8, 4, 0), (FLOAT, 1, 0, 8, 0, 0), (FLOAT, 1, LAYERED, 8, 4, 3), (FLOAT, 1, 0, 8, 4, 3), (FLOAT, 1, LAYERED, 8, 0, 3), (FLOAT, 1, CUBE, 8, 8, 6), (0x91, 4, 0, 16, 16, 0), (0x91, 4, 0, 15, 13, 0), (0x95, 4, 0, 16, 16, 0), (0x97, 1, 0, 16, 16, 3), (0xb0, 3, 0, 16, 8, 0), (0xc2, 4, 0, 8, 4, 0), (0x50, 4, 0, 8, 4, 0), (0xa5, 2, 0, 16, 8, 0), (FLOAT, 1, DEFERRED, 8, 4, 0), (FLOAT, 1, SPARSE, 256, 256, 0), (FLOAT, 1, DEPTH, 8, 4, 0), (FLOAT, 1, SURFACE, 8, 4, 0)):
    size = {U8: 1, FLOAT: 4, 0x91: 2, 0x95: 4, 0x97: 2, 0xb0: 1, 0xc2: 1, 0x50: 1, 0xa5: 1}[f] * c
    if f in (0x91, 0x95, 0x97): W, Hh = (w + 3) // 4 * (16 if f == 0x95 else 8), (h + 3) // 4
    else: W, Hh = min(w, 8) * size, min(max(h, 1), 4)
    Dd = max(d, 1); mk = [*BUFFERS, array("a", w, h, d, f, c, fl)]; t = f"{f:#x}x{c} {w} {h} {d} flags {fl:#x}: "
    ar = dict(t=A, p="$a"); hs = dict(t=H, p="$h", pitch=W); hd = dict(t=H, p="$g", pitch=W)
    case(t + "2D there and back", *mk, copy2(hs, ar, W, Hh), copy2(ar, hd, W, Hh), read("g", 96), FREE)
    case(t + "3D there and back", *mk, fill(W, Hh, Dd), fetch(W, Hh, Dd), read("g", 200), FREE)
    wrong = []
    for x, y, w2, h2 in ((0, 0, W + 1, 1), (1, 0, W, 1), (0, 0, W - 1, 1), (1, 0, W - 1, 1), (1, 0, 1, 1), (size, 0, W - size, 1), (W, 0, 1, 1), (W, 0, 0, 1), (W + 64, 0, 0, 0), (0, 1, W, Hh), (0, Hh, W, 1), (0, Hh + 4, W, 1), (0, 0, W, Hh + 1), (0, 0, W, Hh + 4), (0, 0, 0, 1), (0, 0, W, 0), (0, Hh + 8, W, 0), ((1 << 64) - W, 0, W, 1), (0, (1 << 64) - 1, W, 1), (0, 0, (1 << 64) - 1, 1), (0, 0, W, (1 << 64) - 1), (1 << 32, 0, W, 1), (0, 1 << 32, W, 1)):
        wrong.append(copy2(dict(t=H, p="$h", pitch=256), dict(ar, x=x, y=y), w2, h2))
        wrong.append(copy2(dict(ar, x=x, y=y), dict(t=H, p="$g", pitch=256), w2, h2))
    case(t + "2D out of bounds", *mk, *wrong, FREE)
    wrong = []
    for x, y, z, lod, w2, h2, d2 in ((0, 0, 0, 0, W, 1, 1), (0, 0, 0, 1, W, 1, 1), (0, 0, Dd - 1, 0, W, 1, 1), (0, 0, Dd, 0, W, 1, 1), (0, 0, 0, 0, W, 1, Dd), (0, 0, 0, 0, W, 1, Dd + 1), (0, 0, 1, 0, W, 1, Dd), (0, 0, (1 << 64) - 1, 0, W, 1, 1), (0, 0, 0, 0, W, 1, (1 << 64) - 1), (0, 0, 0, 0, W, 1, 0), (0, 0, 9, 0, W, 1, 0), (0, 0, 0, 1 << 32, W, 1, 1), (0, 0, 0, 0, W, 0, 1), (0, 0, 0, 0, 0, 1, 1), (0, 1, 0, 0, W, max(Hh - 1, 1), 1)):
        wrong.append(copy3(dict(t=H, p="$h", pitch=256, height=4), dict(ar, x=x, y=y, z=z, lod=lod), w2, h2, d2))
        wrong.append(copy3(dict(ar, x=x, y=y, z=z, lod=lod), dict(t=H, p="$g", pitch=256, height=4), w2, h2, d2))
    case(t + "3D out of bounds", *mk, *wrong, FREE)
    lines = [["cuMemAlloc_v2", "&d", 4096]]
    for off, n in ((0, W), (0, size), (size, size), (0, 1), (1, size), (size, 1), (W, 1), (W - size, 2 * size), (0, W + size), (0, W * Hh), (W, W), (W * (Hh - 1), W), (W * Hh, size), (0, 0), (W * Hh * Dd, 0), (1 << 40, 0), (0, (1 << 64) - 1), ((1 << 64) - size, size), (1 << 32, size)):
        lines += [["cuMemcpyHtoA_v2", "$a", off, "$h", n], ["cuMemcpyAtoH_v2", "$g", "$a", off, n], ["cuMemcpyDtoA_v2", "$a", off, "$d", n], ["cuMemcpyAtoD_v2", "$d", "$a", off, n], ["cuMemcpyAtoA_v2", "$a", 0, "$a", off, n], ["cuMemcpyAtoA_v2", "$a", off, "$a", 0, n]]
    case(t + "lines", *mk, *lines, ["cuMemcpyHtoA_v2", "$a", 0, "$h", W], ["cuMemcpyAtoH_v2", "$g", "$a", 0, W], read("g", W), FREE, ["cuMemFree_v2", "$d"])
a8 = [*BUFFERS, array("a", 8, 4), ["cuMemAlloc_v2", "&d", 4096], ["cuStreamCreate", "&q", 1]]
end = [["cuStreamDestroy_v2", "$q"], ["cuMemFree_v2", "$d"], FREE]
ar, hs, hd, dv = dict(t=A, p="$a"), dict(t=H, p="$h", pitch=32), dict(t=H, p="$g", pitch=32), dict(t=D, p="$d", pitch=32)
case("copies with null ends", *a8, copy2(dict(t=H, p=0), ar, 32, 4), copy2(ar, dict(t=H, p=0), 32, 4), copy2(dict(t=A, p=0), hd, 32, 4), copy2(hs, dict(t=A, p=0), 32, 4), copy2(dict(t=D, p=0), ar, 32, 4), copy2(dict(t=0), ar, 32, 4), copy2(dict(t=5), ar, 32, 4), copy2(ar, dict(t=5), 32, 4), copy2(ar, dict(t=UNI, p="$g"), 32, 4), copy2(dict(t=UNI, p="$d"), ar, 32, 4), ["cuMemcpy2D_v2", 0], ["cuMemcpy3D_v2", 0], ["cuMemcpyHtoA_v2", 0, 0, "$h", 4], ["cuMemcpyHtoA_v2", "$a", 0, 0, 4], ["cuMemcpyAtoH_v2", 0, "$a", 0, 4], ["cuMemcpyAtoH_v2", "$g", 0, 0, 4], ["cuMemcpyAtoA_v2", 0, 0, "$a", 0, 4], ["cuMemcpyAtoA_v2", "$a", 0, 0, 0, 4], ["cuMemcpyDtoA_v2", "$a", 0, 0, 4], ["cuMemcpyAtoD_v2", 0, "$a", 0, 4], ["cuMemcpyHtoA_v2", 0, 0, "$h", 0], ["cuMemcpyHtoA_v2", "$a", 0, 0, 0], *end)
case("pitches beside an array", *a8, copy2(dict(hs, pitch=0), ar, 32, 4), copy2(dict(hs, pitch=31), ar, 32, 4), copy2(dict(hs, pitch=31), ar, 32, 1), copy2(dict(hs, pitch=33), ar, 32, 4), copy2(dict(hs, pitch=36, x=4), ar, 32, 4), copy2(dict(hs, pitch=35, x=4), ar, 32, 4), copy2(hs, dict(ar, pitch=7), 32, 4), copy2(ar, dict(hd, pitch=31), 32, 4), copy2(dict(dv, pitch=33), ar, 32, 4), copy2(dict(dv, pitch=0), ar, 32, 4), copy2(dict(hs, pitch=0), ar, 32, 4, "cuMemcpy2DUnaligned_v2"), copy2(dict(hs, pitch=33), ar, 32, 4, "cuMemcpy2DUnaligned_v2"), copy2(dict(hs, pitch=31), ar, 32, 4, "cuMemcpy2DUnaligned_v2"), *end)
case("heights beside a 3D array", *BUFFERS, array("a", 8, 4, 3), *[copy3(dict(t=H, p="$h", pitch=p, height=h), ar, 32, 4, d) for p in (0, 31, 32, 40) for h in (0, 3, 4, 5) for d in (1, 2)], FREE)
case("array to array", *BUFFERS, array("a", 8, 4), array("b", 8, 4), array("c", 8, 4, 0, U8, 4), array("e", 8, 4, 0, HALF, 1), array("f", 8, 4, 0, S32, 1), array("i", 4, 4, 0, FLOAT, 2), array("j", 8, 4, 0, 0xc2, 4), fill(32, 4), *[copy2(ar, dict(t=A, p="$" + o), 16, 2) for o in "bcefija"], *[copy2(dict(t=A, p="$" + o), ar, 16, 2) for o in "bcefij"], copy2(ar, dict(t=A, p="$b", x=8, y=1), 16, 2), fetch(32, 4, 1, "b"), read("g", 128), fetch(32, 4, 1, "c"), read("g", 128), copy2(ar, dict(t=A, p="$a", x=4), 16, 2), copy2(ar, dict(t=A, p="$a", x=16, y=2), 16, 2), fetch(32, 4), read("g", 128), *[["cuArrayDestroy", "$" + o] for o in "abcefij"])
case("cuMemcpyAtoA of other texels", *BUFFERS, array("a", 8), array("b", 8), array("c", 8, 0, 0, U8, 4), array("e", 8, 0, 0, HALF, 1), array("i", 8, 4), *[["cuMemcpyAtoA_v2", "$a", 0, "$" + o, 0, 8] for o in "abcei"], *[["cuMemcpyAtoA_v2", "$" + o, 0, "$a", 0, 8] for o in "bcei"])
case("BC1 from and to u32x2", *BUFFERS, array("a", 16, 16, 0, 0x91, 4), array("b", 4, 4, 0, U32, 2), fill(32, 4), copy2(ar, dict(t=A, p="$b"), 32, 4), copy2(dict(t=A, p="$b"), ar, 32, 4), fetch(32, 4, 1, "b"), read("g", 128))
case("asynchronous copies", *a8, copy2(hs, ar, 32, 4, "cuMemcpy2DAsync_v2", "$q"), copy2(ar, dv, 32, 4, "cuMemcpy2DAsync_v2", "$q"), copy3(dict(dv, height=4), dict(ar), 32, 4, 1, "cuMemcpy3DAsync_v2", "$q"), ["cuMemcpyHtoAAsync_v2", "$a", 4, "$h", 8, "$q"], ["cuMemcpyAtoHAsync_v2", "$g", "$a", 0, 32, "$q"], ["cuStreamSynchronize", "$q"], read("g", 40), copy2(dict(t=A, p="$a"), hd, 32, 4, "cuMemcpy2DAsync_v2", "$q"), ["cuStreamSynchronize", "$q"], read("g", 128), copy2(hs, ar, 33, 4, "cuMemcpy2DAsync_v2", "$q"), ["cuMemcpyHtoAAsync_v2", "$a", 31, "$h", 8, "$q"], *end)
case("peer copies", *a8, ["cuCtxGetCurrent", "&x"], copy3(dict(hs, height=4, ctx="$x"), dict(ar, ctx="$x"), 32, 4, 1, "cuMemcpy3DPeer"), copy3(dict(ar, ctx="$x"), dict(hd, height=4, ctx="$x"), 32, 4, 1, "cuMemcpy3DPeerAsync", "$q"), ["cuStreamSynchronize", "$q"], read("g", 128), copy3(dict(hs, height=4), dict(ar), 32, 4, 1, "cuMemcpy3DPeer"), *end)
case("copies of a level", *BUFFERS, mipmap("m", 3, 8, 8), ["cuMipmappedArrayGetLevel", "&a", "$m", 1], fill(16, 4), fetch(16, 4), read("g", 64), copy2(dict(hs, pitch=32), ar, 32, 1), copy3(hs, dict(ar, lod=1), 8, 1, 1), copy2(hs, dict(t=A, p="$m"), 16, 1), FREEM)
case("copy to a destroyed array", *BUFFERS, array("a", 8, 4), FREE, fill(32, 4))
case("AtoH of a destroyed array", *BUFFERS, array("a", 8, 4), FREE, ["cuMemcpyAtoH_v2", "$g", "$a", 0, 4])
case("copy to an invented array", *BUFFERS, copy2(hs, dict(t=A, p=0x123456), 32, 4))
for f, w, n in ((0xb0, 16, 2), (0xb2, 16, 3), (0x9f, 32, 2), (0xa6, 64, 1), (0xa8, 64, 1), (0xb1, 128, 1), (0xa3, 32, 2), (0xa7, 64, 1), (0xb5, 32, 2)):
    mk = [*BUFFERS, array("v", 16, 8, 0, f, channels(f), VIDEO)]; whole = dict(t=A, p="$v")
    case(f"copies of video {f:#x}", *mk, *[x for w2 in (1, 8, w, w + 1, 2 * w, 3 * w, 4 * w) for h2 in (1, 4, 8, 9, 12, 16, 24) for x in (copy2(dict(t=H, p="$h", pitch=512), whole, w2, h2), copy2(whole, dict(t=H, p="$g", pitch=512), w2, h2))], ["cuMemcpyHtoA_v2", "$v", 0, "$h", w], ["cuMemcpyAtoH_v2", "$g", "$v", 0, w])
    if n > 1: case(f"copies of planes of video {f:#x}", *mk, *[["cuArrayGetPlane", f"&p{k}", "$v", k] for k in range(n)], ["cuArrayGetPlane", "=p0", "$v", 0], *[x for k in range(n) for x in (fill(16, 4, 1, f"p{k}"), fetch(16, 4, 1, f"p{k}"), read("g", 64), copy2(hs, dict(t=A, p=f"$p{k}"), 4 * w, 1), copy2(hs, dict(t=A, p=f"$p{k}"), 1, 9), copy2(hs, dict(t=A, p=f"$p{k}"), 1, 5), ["cuMemcpyAtoH_v2", "$g", f"$p{k}", 0, 4])], ["cuArrayDestroy", "$p1"], ["cuArrayDestroy", "$v"])
# ---- graphs
N3 = lambda s, d, w, h, dd: {"s": f"{side3(**s)} {side3(**d)} q{w} q{h} q{dd}"}
case("copy nodes", *a8, ["cuCtxGetCurrent", "&x"], ["cuGraphCreate", "&G", 0], ["cuGraphAddMemcpyNode", "&n", "$G", 0, 0, N3(dict(hs, height=4), ar, 32, 4, 1), "$x"], ["cuGraphMemcpyNodeGetParams", "$n", {"o": 200}], ["cuGraphAddMemcpyNode", "&o", "$G", 0, 0, N3(ar, dict(hd, height=4), 16, 2, 1), "$x"], ["cuGraphMemcpyNodeGetParams", "$o", {"o": 200}], ["cuGraphMemcpyNodeSetParams", "$o", N3(dict(ar, x=4, y=1), dict(hd, height=4), 16, 2, 1)], ["cuGraphMemcpyNodeGetParams", "$o", {"o": 200}], ["cuGraphAddDependencies", "$G", {"s": "q$n"}, {"s": "q$o"}, 1], ["cuGraphInstantiateWithFlags", "&E", "$G", 0], ["cuGraphLaunch", "$E", "$q"], ["cuStreamSynchronize", "$q"], read("g", 64), ["cuGraphExecMemcpyNodeSetParams", "$E", "$o", N3(dict(ar, x=8, y=2), dict(hd, height=4), 16, 2, 1), "$x"], ["cuGraphExecMemcpyNodeSetParams", "$E", "$o", N3(dict(ar, x=8, y=3), dict(hd, height=4), 16, 2, 1), "$x"], ["cuGraphExecMemcpyNodeSetParams", "$E", "$o", N3(dv, dict(hd, height=4), 16, 2, 1), "$x"], ["cuGraphLaunch", "$E", "$q"], ["cuStreamSynchronize", "$q"], read("g", 64),
     *[["cuGraphAddMemcpyNode", "&z", "$G", 0, 0, N3(dict(hs, height=4), dict(ar, x=x, y=y, z=z, lod=l), w, h, d), "$x"] for x, y, z, l, w, h, d in ((0, 0, 0, 0, 33, 4, 1), (0, 0, 0, 0, 32, 5, 1), (0, 1, 0, 0, 32, 4, 1), (2, 0, 0, 0, 4, 1, 1), (0, 0, 0, 0, 3, 1, 1), (0, 0, 1, 0, 4, 1, 1), (0, 0, 0, 0, 4, 1, 2), (0, 0, 0, 1, 4, 1, 1), (0, 0, 0, 0, 0, 1, 1), (0, 0, 0, 0, 4, 0, 1), (0, 0, 0, 0, 4, 1, 0))], ["cuGraphAddMemcpyNode", "&z", "$G", 0, 0, N3(hs, dict(t=A, p=0), 32, 4, 1), "$x"], ["cuGraphAddMemcpyNode", "&z", "$G", 0, 0, N3(dict(hs, pitch=31), ar, 32, 4, 1), "$x"], ["cuGraphExecDestroy", "$E"], ["cuGraphDestroy", "$G"], *end)
case("captured copies", *a8, ["cuStreamBeginCapture_v2", "$q", 2], copy2(hs, ar, 32, 4, "cuMemcpy2DAsync_v2", "$q"), ["cuMemcpyAtoHAsync_v2", "$g", "$a", 0, 32, "$q"], ["cuMemcpyHtoAAsync_v2", "$a", 8, "$h", 8, "$q"], copy3(ar, dict(dv, height=4), 32, 4, 1, "cuMemcpy3DAsync_v2", "$q"), copy2(hs, ar, 33, 4, "cuMemcpy2DAsync_v2", "$q"), ["cuStreamEndCapture", "$q", "&G"], ["cuGraphGetNodes", "$G", 0, "=c"], *end)
case("captured copies that fit", *a8, ["cuStreamBeginCapture_v2", "$q", 2], copy2(hs, ar, 32, 4, "cuMemcpy2DAsync_v2", "$q"), ["cuMemcpyHtoAAsync_v2", "$a", 8, "$h", 8, "$q"], ["cuMemcpyAtoHAsync_v2", "$g", "$a", 4, 16, "$q"], ["cuStreamEndCapture", "$q", "&G"], ["buffer", {"b": "N", "n": 64, "k": 0}, "&N"], ["qword", "&c", 8], ["cuGraphGetNodes", "$G", "$N", "&c"], ["load", "&n0", "$N"], ["load", "&n1", "$N", 8], ["load", "&n2", "$N", 16], *[["cuGraphMemcpyNodeGetParams", f"$n{k}", {"o": 200}] for k in range(3)], ["cuGraphInstantiateWithFlags", "&E", "$G", 0], ["cuGraphLaunch", "$E", "$q"], ["cuStreamSynchronize", "$q"], read("g", 64), *end)
case("capturing creation and destruction", *a8, ["cuStreamBeginCapture_v2", "$q", 0], array("z", 8), array("y", 8, 8), ["cuStreamEndCapture", "$q", "&G"], ["cuStreamBeginCapture_v2", "$q", 2], array("z", 8), ["cuArrayDestroy", "$z"], mipmap("m", 1, 8, 8), ["cuMipmappedArrayDestroy", "$m"], ["cuTexObjectCreate", "&t", {"s": "d0 z4 q$a z120 d0 z4"}, {"s": "z104"}, 0], ["cuTexObjectDestroy", "$t"], ["cuStreamEndCapture", "$q", "&G"], ["cuStreamBeginCapture_v2", "$q", 0], ["cuTexObjectCreate", "&t", {"s": "d0 z4 q$a z120 d0 z4"}, {"s": "z104"}, 0], ["cuTexObjectDestroy", "$t"], copy2(hs, ar, 32, 4), ["cuStreamEndCapture", "$q", "&G"])
# operand of a batch: type, union {ptr,row,height,location(type,id)} or {array, offset x y z}
def bp(p, row=0, height=0, loc=0): return f"d1 z4 q{p} q{row} q{height} d{loc} d0"
def ba(a, x=0, y=0, z=0): return f"d2 z4 q{a} q{x} q{y} q{z}"
def batch(*ops): return ["cuMemcpy3DBatchAsync_v2", len(ops), {"s": " ".join(f"{s} {d} q{w} q{h} q{dd} d1 d0" for s, d, w, h, dd in ops)}, 0, "$q"]
case("batches", *a8, ["cuMemHostAlloc", "&p", 4096, 0], fill(32, 4), batch((ba("$a"), bp("$d"), 8, 4, 1)), batch((bp("$d"), ba("$a", 4, 2), 4, 2, 1)), batch((ba("$a", 1, 1), bp("$p", 0, 0, 2), 3, 2, 1)), batch((ba("$a"), ba("$a", 4, 2), 2, 2, 1)), ["cuStreamSynchronize", "$q"], fetch(32, 4), read("g", 128), *[batch((ba("$a", *o), bp("$d"), *e)) for o, e in (((0, 0, 0), (9, 4, 1)), ((0, 0, 0), (8, 5, 1)), ((1, 0, 0), (8, 4, 1)), ((0, 1, 0), (8, 4, 1)), ((0, 0, 1), (8, 4, 1)), ((0, 0, 0), (8, 4, 2)), ((0, 0, 0), (0, 4, 1)), ((0, 0, 0), (8, 0, 1)), ((0, 0, 0), (8, 4, 0)))], batch((ba("$a"), bp("$d", 4, 0), 8, 4, 1)), batch((ba("$a"), bp("$d", 16, 4), 8, 4, 1)), batch((ba("$a"), bp("$d", 8, 3), 8, 4, 1)), batch(("d3 z4 q0 q0 q0 q0", bp("$d"), 8, 4, 1)), batch((ba("$a"), bp(0), 8, 4, 1)), *end)

# ---- texture objects
def res(kind=0, a="$a", flags=0): return {"s": f"d{kind} z4 q{a} z120 d{flags} z4"}
def linear(p="$d", f=FLOAT, c=1, n=256, flags=0): return {"s": f"d2 z4 q{p} d{f} d{c} q{n} z104 d{flags} z4"}
def pitch2(p="$d", f=FLOAT, c=1, w=16, h=4, pitch=64, flags=0): return {"s": f"d3 z4 q{p} d{f} d{c} q{w} q{h} q{pitch} z88 d{flags} z4"}
def tex(am=(1, 1, 1), filt=0, flags=0, aniso=0, mf=0, bias=0.0, lo=0.0, hi=0.0, border=(0, 0, 0, 0), tail="z48"): return {"s": " ".join(f"d{m}" for m in am) + f" d{filt} d{flags} d{aniso} d{mf} f{bias} f{lo} f{hi} " + " ".join(f"f{b}" for b in border) + " " + tail}
def view(f=0, w=8, h=8, d=0, m0=0, m1=0, l0=0, l1=0, tail="z64"): return {"s": f"d{f} z4 q{w} q{h} q{d} d{m0} d{m1} d{l0} d{l1} {tail}"}
def make(r=None, t=None, v=0): return ["cuTexObjectCreate", "&t", r or res(), t or tex(), v]
DEL = ["cuTexObjectDestroy", "$t"]
def one(name, mk, r=None, t=None, v=0, more=()): case(name, *mk, ["qword", "&t", 0], make(r, t, v), *more, DEL, *([FREE] if any(s[1] == "&a" for s in mk) else [FREEM] if any(s[1] == "&m" for s in mk) else []))
A8 = [array("a", 8, 8)]; LIN = [["cuMemAlloc_v2", "&d", 1 << 20]]
ALL = [("cuTexObjectGetResourceDesc", 144), ("cuTexObjectGetTextureDesc", 104), ("cuTexObjectGetResourceViewDesc", 112)]
def ask(): return [[n, {"o": k}, "$t"] for n, k in ALL]
one("texture of an array", A8, more=ask())
one("texture with everything", A8, t=tex((0, 1, 2), 1, 2, 16, 1, 0.5, 1.0, 3.0, (1, 2, 3, 4)), v=view(0x16), more=ask())
one("texture of a mipmapped array", [mipmap("m", 3, 8, 8)], r=res(1, "$m"), t=tex((3, 3, 3), 1, 2, 4, 1, -0.5, 0.0, 2.0), more=ask())
one("texture of linear memory", LIN, r=linear(), more=ask())
one("texture of pitched memory", LIN, r=pitch2(), more=ask())
one("texture with garbage in reserved", A8, t=tex(tail="d5 z44"), more=ask())
one("texture with garbage in the view's reserved", A8, v=view(0x16, tail="d5 z60"), more=ask())
case("texture calls with null", *A8, ["cuTexObjectCreate", 0, res(), tex(), 0], ["cuTexObjectCreate", "=t", 0, tex(), 0], ["cuTexObjectCreate", "=t", res(), 0, 0], ["cuTexObjectDestroy", 0], *[[n, {"o": k}, 0] for n, k in ALL], make(), *[[n, 0, "$t"] for n, k in ALL], DEL, DEL, *ask())
case("invented texture", ["cuTexObjectDestroy", 0x123456789abc], ["cuTexObjectGetResourceDesc", {"o": 144}, 0x123456789abc], ["cuTexObjectDestroy", 99999])
case("surface as a texture", array("a", 8, 8, 0, FLOAT, 1, SURFACE), ["cuSurfObjectCreate", "&s", res()], ["cuTexObjectGetResourceDesc", {"o": 144}, "$s"], ["cuTexObjectDestroy", "$s"], ["cuSurfObjectDestroy", "$s"], make(), ["cuSurfObjectGetResourceDesc", {"o": 144}, "$t"], ["cuSurfObjectDestroy", "$t"], DEL, FREE)
for k in (0, 1, 2, 3, 4, 5, 0xffffffff): one(f"resource type {k} of an array", A8, r=res(k))
case("null resources", make(res(0, 0)), make(res(1, 0)), make(linear(0)), make(pitch2(0)))
one("resource flags 1", A8, r=res(flags=1))
one("mipmapped array as an array", [mipmap("m", 2, 8, 8)], r=res(0, "$m"))
one("array as a mipmapped array", A8, r=res(1, "$a"))
case("texture of an invented array", make(res(0, 0x123456)))
case("texture of a destroyed array", *A8, FREE, make())
case("texture of a level", mipmap("m", 3, 8, 8), ["cuMipmappedArrayGetLevel", "&a", "$m", 1], make(), *ask(), DEL, FREEM)
for f in FORMATS:
    for c in ((1, 2, 4) if f in PLAIN else (channels(f),)):
        for filt in (0, 1):
            for flags in (0, 1, 2, 3, 0x10, 0x11):
                one(f"texture {f:#x}x{c} filter {filt} flags {flags:#x}", [array("a", 16, 16, 0, f, c)], t=tex(filt=filt, flags=flags))
    one(f"mipmapped texture {f:#x}", [mipmap("m", 2, 16, 16, 0, f, channels(f))], r=res(1, "$m"), t=tex(filt=1, flags=2, mf=1))
    for c in (0, 1, 2, 3, 4, 5): one(f"linear texture {f:#x}x{c}", LIN, r=linear(f=f, c=c)); one(f"pitched texture {f:#x}x{c}", LIN, r=pitch2(f=f, c=c))
for flags in (4, 8, 0x20, 0x40, 0x80, 0x100, 0x62, 0xffffffff): one(f"texture flags {flags:#x}", A8, t=tex(flags=flags))
for m in (0, 1, 2, 3, 4, 5, 0xffffffff):
    for flags in (0, 2): one(f"address mode {m} flags {flags}", A8, t=tex((m, m, m), flags=flags))
    one(f"third address mode {m} of two dimensions", A8, t=tex((1, 1, m)))
    one(f"address mode {m} of linear memory", LIN, r=linear(), t=tex((m, m, m), flags=0)); one(f"address mode {m} normalised of linear memory", LIN, r=linear(), t=tex((m, m, m), flags=2))
    one(f"address mode {m} of pitched memory", LIN, r=pitch2(), t=tex((m, m, m), flags=2))
    one(f"address mode {m} of a cube", [array("a", 8, 8, 6, FLOAT, 1, CUBE)], t=tex((m, m, m), flags=2))
for m in (2, 3, 0xffffffff):
    one(f"filter {m}", A8, t=tex(filt=m)); one(f"mipmap filter {m}", A8, t=tex(mf=m)); one(f"mipmap filter {m} of a mipmapped array", [mipmap("m", 2, 8, 8)], r=res(1, "$m"), t=tex(mf=m, flags=2))
for a in (1, 2, 15, 16, 17, 100, 0xffffffff): one(f"anisotropy {a}", A8, t=tex(aniso=a), more=ask()[1:2]); one(f"anisotropy {a} of a mipmapped array", [mipmap("m", 2, 8, 8)], r=res(1, "$m"), t=tex(aniso=a, flags=2), more=ask()[1:2])
for b, lo, hi in (("nan", 0, 0), (1000.0, 0, 0), (-1000.0, 0, 0), ("inf", 0, 0), (0, 5, 1), (0, -1, 1), (0, "nan", "nan"), (0, 0, "inf"), (0, 0, 100)):
    one(f"levels {b} {lo} {hi}", [mipmap("m", 2, 8, 8)], r=res(1, "$m"), t=tex(bias=b, lo=lo, hi=hi, flags=2), more=ask()[1:2])
    one(f"levels {b} {lo} {hi} of an array", A8, t=tex(bias=b, lo=lo, hi=hi))
for flags in (0, 2): one(f"mipmapped array, coordinates flags {flags}", [mipmap("m", 2, 8, 8)], r=res(1, "$m"), t=tex(flags=flags)); one(f"mipmapped array, linear between levels, flags {flags}", [mipmap("m", 2, 8, 8)], r=res(1, "$m"), t=tex(flags=flags, mf=1)); one(f"cube, coordinates flags {flags}", [array("a", 8, 8, 6, FLOAT, 1, CUBE)], t=tex(flags=flags)); one(f"seamless cube, flags {flags}", [array("a", 8, 8, 6, FLOAT, 1, CUBE)], t=tex(flags=flags | 0x40)); one(f"mipmapped array of one level, flags {flags}", [mipmap("m", 1, 8, 8)], r=res(1, "$m"), t=tex(flags=flags)); one(f"anisotropic, flags {flags}", A8, t=tex(flags=flags, aniso=4, filt=1))
for fl, w, h, d in ((DEPTH, 8, 8, 0), (COLOR, 8, 8, 0), (GATHER, 8, 8, 0), (SPARSE, 256, 256, 0), (DEFERRED, 8, 8, 0), (SURFACE, 8, 8, 0), (LAYERED, 8, 8, 3), (LAYERED, 8, 0, 3), (CUBE, 8, 8, 6), (CUBE | LAYERED, 8, 8, 12), (0, 8, 8, 3), (0, 8, 0, 0), (VIDEO, 8, 8, 0)): one(f"texture of flags {fl:#x} {w} {h} {d}", [array("a", w, h, d, FLOAT, 1, fl)]); one(f"normalised linear texture of flags {fl:#x} {w} {h} {d}", [array("a", w, h, d, FLOAT, 1, fl)], t=tex(filt=1, flags=2))
for off, n in ((0, 0), (0, 1), (0, 3), (0, 4), (0, 6), (4, 256), (16, 256), (32, 256), (256, 256), (512, 256), (0, 1 << 20), (0, (1 << 20) + 4), (512, 1 << 20), (0, 1 << 28), (0, 1 << 30), (0, (1 << 30) + 4), (0, 1 << 32), (0, (1 << 64) - 4)): one(f"linear at +{off}, {n} bytes", [*LIN, ["add", "&d", "$d", off]], r=linear(n=n), more=ask()[:1])
for f, c, n in ((U8, 1, 1 << 28), (U8, 1, (1 << 28) + 1), (FLOAT, 4, 1 << 32), (FLOAT, 4, (1 << 32) + 16)): case(f"large linear {f:#x}x{c} {n}", ["cuMemAlloc_v2", "&d", 1 << 33], make(linear(f=f, c=c, n=n)), DEL, ["cuMemFree_v2", "$d"])
for kw in (dict(w=0), dict(h=0), dict(pitch=0), dict(pitch=32), dict(pitch=63), dict(pitch=65), dict(pitch=96), dict(pitch=68), dict(pitch=80), dict(pitch=128), dict(w=15), dict(w=17), dict(w=1, pitch=32), dict(w=1, pitch=4), dict(h=65000, pitch=64), dict(h=65001), dict(h=65536), dict(w=131072, pitch=131072 * 4), dict(w=131073, pitch=131104 * 4), dict(pitch=2097120), dict(pitch=2097152), dict(w=1 << 32), dict(h=1 << 32), dict(pitch=1 << 32), dict(h=(1 << 64) - 1), dict(h=16384), dict(h=16385)): one(f"pitched {kw}", LIN, r=pitch2(**kw))
for off in (4, 16, 32, 64, 128, 256, 512): one(f"pitched at +{off}", [*LIN, ["add", "&d", "$d", off]], r=pitch2())
case("linear texture of host memory", host("h"), make(linear("$h", n=64)), make(pitch2("$h", w=4, h=4, pitch=32)))
case("linear texture of pinned memory", ["cuMemHostAlloc", "&d", 4096, 0], make(linear()), DEL)
case("linear texture of managed memory", ["cuMemAllocManaged", "&d", 4096, 1], make(linear()), DEL)
case("linear texture of freed memory", ["cuMemAlloc_v2", "&d", 4096], ["cuMemFree_v2", "$d"], make(linear()))
case("linear texture of an invented address", make(linear(0x123000)))
for f in VIDEOS:
    for flags in (0, 1, 2): one(f"texture of video {f:#x} flags {flags}", [array("a", 16, 16, 0, f, channels(f), VIDEO)], t=tex(flags=flags))
    one(f"linear texture of video {f:#x}", [array("a", 16, 16, 0, f, channels(f), VIDEO)], t=tex(filt=1, flags=2))
    case(f"surface of video {f:#x}", array("a", 16, 16, 0, f, channels(f), VIDEO | SURFACE), ["cuSurfObjectCreate", "&s", res()], ["cuSurfObjectDestroy", "$s"])
    if f in PLANES:
        for k in range(PLANES[f]): case(f"texture of plane {k} of video {f:#x}", array("v", 16, 16, 0, f, 3, VIDEO | SURFACE), ["cuArrayGetPlane", "&a", "$v", k], make(t=tex(flags=1)), make(t=tex(filt=1)), ["cuSurfObjectCreate", "&s", res()])
# ---- views
for af, ac in ((FLOAT, 1), (FLOAT, 2), (FLOAT, 4), (U32, 1), (U32, 2), (U32, 4), (S32, 1), (U16, 1), (U16, 2), (U16, 4), (S16, 2), (HALF, 1), (HALF, 2), (HALF, 4), (U8, 1), (U8, 2), (U8, 4), (S8, 4), (0xc2, 4), (0xc0, 1), (0xc5, 4), (0x50, 4), (0x91, 4), (0x92, 4), (0x95, 4), (0x97, 1), (0x98, 1), (0x9d, 4), (0x9e, 4), (0x9b, 3)):
    for vf in list(range(0x25)) + [0xffffffff]:
        bc = 0x19 <= vf <= 0x22 and af not in range(0x91, 0x9f)
        n = 32 if bc else 8
        one(f"{af:#x}x{ac} seen as {vf:#x}", [array("a", 8, 8, 0, af, ac)], v=view(vf, n, n), t=tex(filt=0))
for kw in (dict(w=4, h=4), dict(w=9), dict(w=0), dict(h=0), dict(h=4), dict(d=1), dict(d=2), dict(m0=1, m1=1), dict(m1=1), dict(l0=1, l1=1), dict(l1=1), dict(w=1 << 32), dict(w=(1 << 64) - 1)): one(f"view of an array {kw}", A8, v=view(0x16, **kw)); one(f"view of an array in its format {kw}", A8, v=view(0, **kw))
for kw in (dict(), dict(m1=1), dict(m1=2), dict(m1=3), dict(m0=1, m1=2), dict(m0=2, m1=1), dict(m0=2, m1=2), dict(m0=1, m1=2, w=4, h=4), dict(m0=3, m1=3), dict(m1=0xffffffff), dict(w=4, h=4, m1=2), dict(l1=1)): one(f"view of a mipmapped array {kw}", [mipmap("m", 3, 8, 8)], r=res(1, "$m"), t=tex(flags=2), v=view(0x16, **kw), more=ask()[2:]); 
for kw in (dict(d=4), dict(d=4, l1=3), dict(d=2, l0=1, l1=2), dict(d=2, l1=3), dict(d=0, l0=1, l1=2), dict(d=3, l0=1, l1=3), dict(d=4, l1=4), dict(d=1, l0=3, l1=3), dict(d=4, l0=2, l1=1), dict(d=1), dict(d=0), dict(d=2, l0=1, l1=2, m1=1)): one(f"view of layers {kw}", [array("a", 8, 8, 4, FLOAT, 1, LAYERED)], v=view(0x16, **kw), more=ask()[2:]); one(f"view of layers of levels {kw}", [mipmap("m", 2, 8, 8, 4, FLOAT, 1, LAYERED)], r=res(1, "$m"), t=tex(flags=2), v=view(0x16, **kw)); one(f"view of layers of rows {kw}", [array("a", 8, 0, 4, FLOAT, 1, LAYERED)], v=view(0x16, h=0, **kw))
for kw in (dict(l0=1, l1=2), dict(l0=1, l1=3), dict(l0=3, l1=3), dict(l0=4, l1=4), dict(l0=1, l1=0), dict(l0=1), dict(l0=1, l1=9), dict(l1=0xffffffff), dict(l0=1, l1=2, m1=1), dict(l0=1, l1=2, m0=1, m1=1)): one(f"view of some layers {kw}", [array("a", 8, 8, 4, FLOAT, 1, LAYERED)], v=view(0x16, d=4, **kw), more=ask()[2:]); one(f"view of some layers of levels {kw}", [mipmap("m", 2, 8, 8, 4, FLOAT, 1, LAYERED)], r=res(1, "$m"), t=tex(flags=2), v=view(0x16, d=4, **kw)); one(f"view of some layers of rows {kw}", [array("a", 8, 0, 4, FLOAT, 1, LAYERED)], v=view(0x16, h=0, d=4, **kw)); one(f"view of some layers in their format {kw}", [array("a", 8, 8, 4, FLOAT, 1, LAYERED)], v=view(0, d=4, **kw))
for kw in (dict(l0=6, l1=11), dict(l0=3, l1=8), dict(l0=1, l1=1), dict(l0=0, l1=5), dict(l0=0, l1=1), dict(l0=6, l1=7)): one(f"view of some cubes {kw}", [array("a", 8, 8, 12, FLOAT, 1, CUBE | LAYERED)], t=tex(flags=2), v=view(0x16, d=12, **kw))
for f, c, n in ((U8, 1, (1 << 32)), (U8, 1, (1 << 32) + 1), (U8, 2, (1 << 32)), (U8, 2, (1 << 32) + 2), (FLOAT, 1, (1 << 32) + 4), (FLOAT, 2, (1 << 32) + 8), (U8, 1, 1 << 34), (U8, 1, 1 << 60), (FLOAT, 4, 1 << 36)): case(f"longer linear {f:#x}x{c} {n}", ["cuMemAlloc_v2", "&d", 1 << 20], make(linear(f=f, c=c, n=n)), DEL, ["cuMemFree_v2", "$d"])
for f in (U8, FLOAT): case(f"linear width {f:#x}", *[["cuDeviceGetTexture1DLinearMaxWidth", "=x", f, c, 0] for c in (1, 2, 4)])
for off in (0, 1): case(f"sparse properties of small arrays {off}", *[x for w, h, d, fl in ((64, 64, 0, SPARSE), (128, 128, 0, SPARSE), (64, 256, 0, SPARSE), (256, 64, 0, SPARSE), (16, 16, 16, SPARSE), (64, 64, 3, SPARSE | LAYERED)) for x in (array("a", w + off, h + off, d, FLOAT, 1, fl), ["cuArrayGetSparseProperties", {"o": 28}, "$a"], FREE)], *[x for w, h, d, fl, n in ((64, 64, 0, SPARSE, 7), (128, 128, 0, SPARSE, 1), (128, 128, 0, SPARSE, 8), (256, 64, 0, SPARSE, 4), (16, 16, 16, SPARSE, 5), (64, 64, 3, SPARSE | LAYERED, 3), (200, 200, 0, SPARSE, 3), (300, 140, 0, SPARSE, 9), (512, 512, 0, SPARSE, 4), (2000, 1500, 0, SPARSE, 11), (300, 140, 4, SPARSE | LAYERED, 9), (100, 60, 40, SPARSE, 7), (90, 70, 50, SPARSE, 3)) for x in (mipmap("m", n, w + off, h + off, d, FLOAT, 1, fl), ["cuMipmappedArrayGetSparseProperties", {"o": 28}, "$m"], FREEM)])
for kw in (dict(d=4), dict(d=2), dict(d=0), dict(d=4, l1=1), dict(d=5), dict(d=4, l1=3)): one(f"view of a box {kw}", [array("a", 8, 8, 4)], v=view(0x16, **kw)); one(f"view of a box's levels {kw}", [mipmap("m", 2, 8, 8, 4)], r=res(1, "$m"), t=tex(flags=2), v=view(0x16, m1=1, **kw))
for kw in (dict(d=6), dict(d=6, l1=5), dict(d=0), dict(d=1, l1=0), dict(d=0, l1=5)): one(f"view of a cube {kw}", [array("a", 8, 8, 6, FLOAT, 1, CUBE)], t=tex(flags=2), v=view(0x16, **kw))
for kw in (dict(d=12), dict(d=12, l1=11), dict(d=6, l0=6, l1=11), dict(d=6, l0=0, l1=5), dict(d=6, l0=3, l1=8), dict(d=2, l1=1), dict(d=1, l0=1, l1=1)): one(f"view of cubes {kw}", [array("a", 8, 8, 12, FLOAT, 1, CUBE | LAYERED)], t=tex(flags=2), v=view(0x16, **kw))
for bw, bh, vw, vh in ((4, 4, 16, 16), (4, 4, 15, 13), (4, 4, 17, 16), (4, 4, 4, 4), (4, 4, 13, 13), (4, 4, 12, 12)): one(f"BC1 view {vw} {vh} of u32x2 {bw} {bh}", [array("a", bw, bh, 0, U32, 2)], v=view(0x19, vw, vh), t=tex(filt=1, flags=2)); one(f"BC3 view {vw} {vh} of u32x4 {bw} {bh}", [array("a", bw, bh, 0, U32, 4)], v=view(0x1b, vw, vh), t=tex(filt=1, flags=2)); one(f"BC1 view {vw} {vh} of levels", [mipmap("m", 3, bw, bh, 0, U32, 2)], r=res(1, "$m"), v=view(0x19, vw, vh, m1=2), t=tex(filt=1, flags=2))
one("view of linear memory", LIN, r=linear(), v=view(0x16, 64, 0)); one("view of pitched memory", LIN, r=pitch2(), v=view(0x16, 16, 4)); one("view of linear memory in its format", LIN, r=linear(), v=view(0, 64, 0))
# ---- surfaces
def surf(r=None): return ["cuSurfObjectCreate", "&s", r or res()]
SD = ["cuSurfObjectDestroy", "$s"]
for f in FORMATS:
    for c in ((1, 2, 4) if f in PLAIN else (channels(f),)): case(f"surface {f:#x}x{c}", array("a", 16, 16, 0, f, c, SURFACE), surf(), SD)
    case(f"surface {f:#x} without the flag", array("a", 16, 16, 0, f, channels(f), 0), surf(), SD)
S8x8 = array("a", 8, 8, 0, FLOAT, 1, SURFACE)
case("surface", S8x8, surf(), ["cuSurfObjectGetResourceDesc", {"o": 144}, "$s"], ["cuSurfObjectGetResourceDesc", 0, "$s"], SD, SD, ["cuSurfObjectGetResourceDesc", {"o": 144}, "$s"], ["cuSurfObjectCreate", "&s", 0], surf(res(0, 0)), surf(res(flags=1)), surf(res(1)), surf(res(4)), ["cuSurfObjectDestroy", 0], ["cuSurfObjectDestroy", 0x123456789], FREE)
case("surface without a place", S8x8, ["cuSurfObjectCreate", 0, res()])
case("texture without a place of a view", *A8, ["cuTexObjectCreate", 0, res(), tex(), view(0x16)])
case("batch with a null array", *a8, batch((ba(0), bp("$d"), 8, 4, 1)))
case("a host pitch of 2^40", *a8, copy2(dict(hs, pitch=1 << 40), ar, 32, 4))
case("a host pitch of 2^31", *a8, copy2(dict(hs, pitch=1 << 31), ar, 32, 1))
case("a device pitch of 2^31", *a8, copy2(dict(dv, pitch=1 << 31), ar, 32, 4))
case("surface of other resources", *LIN, mipmap("m", 2, 8, 8, 0, FLOAT, 1, SURFACE), ["cuMipmappedArrayGetLevel", "&a", "$m", 1], surf(), ["cuSurfObjectGetResourceDesc", {"o": 144}, "$s"], SD, surf(res(1, "$m")), surf(linear()), surf(pitch2()), FREEM)
case("surface of a destroyed array", S8x8, FREE, surf())
for fl, w, h, d in ((LAYERED, 8, 8, 3), (LAYERED, 8, 0, 3), (CUBE, 8, 8, 6), (CUBE | LAYERED, 8, 8, 12), (0, 8, 8, 3), (0, 8, 0, 0), (SPARSE, 256, 256, 0), (DEFERRED, 8, 8, 0)): case(f"surface of flags {fl:#x} {w} {h} {d}", array("a", w, h, d, FLOAT, 1, fl | SURFACE), surf(), SD, FREE)
# ---- references
MOD = [["cuModuleLoadData", "&M", "#" + PTX]]
REFS = [*MOD, ["cuModuleGetTexRef", "&r", "$M", "#t"], ["cuModuleGetSurfRef", "&u", "$M", "#s"]]
GET = [["cuTexRefGetFlags", {"o": 4}, "$r"], ["cuTexRefGetFilterMode", {"o": 4}, "$r"], ["cuTexRefGetFormat", {"o": 4}, {"o": 4}, "$r"], *[["cuTexRefGetAddressMode", {"o": 4}, "$r", k] for k in (0, 1, 2, 3, 0xffffffff)], ["cuTexRefGetMaxAnisotropy", {"o": 4}, "$r"], ["cuTexRefGetMipmapFilterMode", {"o": 4}, "$r"], ["cuTexRefGetMipmapLevelBias", {"o": 4}, "$r"], ["cuTexRefGetMipmapLevelClamp", {"o": 4}, {"o": 4}, "$r"], ["cuTexRefGetBorderColor", {"o": 16}, "$r"], ["cuTexRefGetAddress_v2", "=x", "$r"], ["cuTexRefGetArray", "=y", "$r"], ["cuTexRefGetMipmappedArray", "=z", "$r"]]
case("references of a module", *MOD, *[["cuModuleGetTexRef", "&r", "$M", "#" + n] for n in "tspvkq"], *[["cuModuleGetSurfRef", "&r", "$M", "#" + n] for n in "tspvkq"], *[["cuModuleGetGlobal_v2", "&x", "&y", "$M", "#" + n] for n in "tspv"], ["cuModuleGetTexRef", 0, "$M", "#t"], ["cuModuleGetTexRef", "&r", 0, "#t"], ["cuModuleGetTexRef", "&r", "$M", 0], ["cuModuleGetTexRef", "&r", "$M", "#"], ["cuModuleGetSurfRef", 0, "$M", "#s"], ["cuModuleGetTexRef", "&r", "$M", "#t"], ["cuModuleGetTexRef", "=r2", "$M", "#t"])
case("a fresh reference", *REFS, *GET, ["cuSurfRefGetArray", "=x", "$u"])
case("a made reference", ["cuTexRefCreate", "&r"], *GET, ["cuTexRefCreate", 0], ["cuTexRefDestroy", "$r"], ["cuTexRefDestroy", 0])
case("a made reference destroyed twice", ["cuTexRefCreate", "&r"], ["cuTexRefDestroy", "$r"], ["cuTexRefDestroy", "$r"])
case("a module's reference destroyed", *REFS, ["cuTexRefDestroy", "$r"])
for what, mk in (("module's", REFS), ("made", [["cuTexRefCreate", "&r"]])):
    case(f"a {what} reference set", *mk, *A8, *LIN, ["cuTexRefSetArray", "$r", "$a", 1], *GET, ["cuTexRefSetArray", "$r", "$a", 0], ["cuTexRefSetArray", "$r", "$a", 2], ["cuTexRefSetArray", "$r", 0, 1], *GET[-3:], *[["cuTexRefSetFormat", "$r", f, c] for f, c in ((FLOAT, 1), (FLOAT, 2), (FLOAT, 3), (FLOAT, 4), (FLOAT, 0), (FLOAT, 5), (U8, 4), (4, 1), (0, 1), (0x91, 4), (0xc0, 1), (0xb0, 3), (HALF, 2), (FLOAT, 0xffffffff))], GET[2], *[["cuTexRefSetAddressMode", "$r", d, m] for d, m in ((0, 0), (0, 1), (1, 2), (2, 3), (3, 0), (0xffffffff, 0), (0, 4), (0, 0xffffffff))], *GET[3:8], *[["cuTexRefSetFilterMode", "$r", m] for m in (1, 0, 2, 0xffffffff, 1)], GET[1], *[["cuTexRefSetFlags", "$r", f] for f in (0, 1, 2, 3, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xffffffff, 0x13)], GET[0], *[["cuTexRefSetMaxAnisotropy", "$r", n] for n in (0, 1, 16, 17, 100, 0xffffffff, 8)], GET[8], *[["cuTexRefSetMipmapFilterMode", "$r", m] for m in (1, 0, 2, 1)], GET[9], ["cuTexRefSetMipmapLevelBias", "$r", {"F": 0.75}], GET[10], ["cuTexRefSetMipmapLevelBias", "$r", {"F": 1000.0}], GET[10], ["cuTexRefSetMipmapLevelClamp", "$r", {"F": 1.5}, {"F": 3.5}], GET[11], ["cuTexRefSetMipmapLevelClamp", "$r", {"F": 3.5}, {"F": 1.5}], GET[11], ["cuTexRefSetBorderColor", "$r", {"s": "f1 f2 f3 f4"}], GET[12], ["cuTexRefSetBorderColor", "$r", 0], FREE)
    case(f"a {what} reference of memory", *mk, *LIN, ["cuTexRefSetFormat", "$r", FLOAT, 1], ["cuTexRefSetAddress_v2", "=o", "$r", "$d", 256], ["add", "&e", "$d", 0], ["cuTexRefGetAddress_v2", "=x", "$r"], *[x for off, n in ((4, 256), (16, 256), (256, 256), (512, 256), (0, 0), (0, 3), (0, 1 << 20), (0, (1 << 20) + 4), (0, 1 << 30), (0, (1 << 30) + 4)) for x in (["add", "&e", "$d", off], ["cuTexRefSetAddress_v2", "=o", "$r", "$e", n], ["cuTexRefSetAddress_v2", 0, "$r", "$e", n], ["cuTexRefGetAddress_v2", "=x", "$r"])], ["cuTexRefSetAddress_v2", "=o", "$r", 0, 256], ["cuTexRefSetAddress_v2", "=o", "$r", 0, 0], ["cuTexRefGetAddress_v2", "=x", "$r"], *[["cuTexRefSetAddress2D_v3", "$r", {"s": f"q{w} q{h} d{f} d{c}"}, "$d", p] for w, h, f, c, p in ((16, 4, FLOAT, 1, 64), (16, 4, FLOAT, 1, 63), (16, 4, FLOAT, 1, 32), (16, 4, FLOAT, 1, 96), (16, 4, FLOAT, 1, 80), (0, 4, FLOAT, 1, 64), (16, 0, FLOAT, 1, 64), (16, 4, FLOAT, 3, 256), (16, 4, 4, 1, 64), (16, 65001, FLOAT, 1, 64))], ["cuTexRefSetAddress2D_v3", "$r", 0, "$d", 64], ["cuTexRefSetAddress2D_v3", "$r", {"s": "q16 q4 d32 d1"}, 0, 64], ["cuTexRefSetAddress2D_v2", "$r", {"s": "q16 q4 d32 d1"}, "$d", 64], *GET)
    case(f"a {what} reference of levels", *mk, mipmap("m", 3, 8, 8), ["cuTexRefSetMipmappedArray", "$r", "$m", 1], ["cuTexRefSetMipmappedArray", "$r", "$m", 0], ["cuTexRefSetMipmappedArray", "$r", 0, 1], *GET, FREEM)
case("null references", *[["cuTexRefSet" + n, 0, *a] for n, a in (("Array", (0, 1)), ("Format", (32, 1)), ("AddressMode", (0, 0)), ("FilterMode", (0,)), ("Flags", (0,)), ("MaxAnisotropy", (1,)))], ["cuTexRefGetFlags", {"o": 4}, 0], ["cuTexRefGetArray", "=x", 0], ["cuSurfRefSetArray", 0, 0, 0], ["cuSurfRefGetArray", "=x", 0])
case("null results of references", *REFS, ["cuTexRefGetFlags", 0, "$r"], ["cuTexRefGetFilterMode", 0, "$r"], ["cuTexRefGetFormat", 0, 0, "$r"], ["cuTexRefGetFormat", {"o": 4}, 0, "$r"], ["cuTexRefGetAddressMode", 0, "$r", 0], ["cuTexRefGetArray", 0, "$r"], ["cuTexRefGetMipmappedArray", 0, "$r"], ["cuTexRefGetAddress_v2", 0, "$r"], ["cuTexRefGetMaxAnisotropy", 0, "$r"], ["cuTexRefGetMipmapLevelBias", 0, "$r"], ["cuTexRefGetMipmapLevelClamp", 0, 0, "$r"], ["cuTexRefGetBorderColor", 0, "$r"], ["cuSurfRefGetArray", 0, "$u"])
case("an invented reference", ["cuTexRefSetFlags", 0x123456, 0])
case("surface references", *REFS, S8x8, array("b", 8, 8), mipmap("m", 2, 8, 8), ["cuSurfRefSetArray", "$u", "$a", 0], ["cuSurfRefGetArray", "=x", "$u"], ["cuSurfRefSetArray", "$u", "$a", 1], ["cuSurfRefSetArray", "$u", "$b", 0], ["cuSurfRefSetArray", "$u", 0, 0], ["cuSurfRefGetArray", "=x", "$u"])
case("a texture reference as a surface reference", *REFS, S8x8, ["cuSurfRefSetArray", "$r", "$a", 0])
case("a surface reference as a texture reference", *REFS, S8x8, ["cuTexRefSetArray", "$u", "$a", 1])
case("cuParamSetTexRef", *REFS, ["cuModuleGetFunction", "&f", "$M", "#k"], ["cuParamSetTexRef", "$f", 0xffffffff, "$r"], ["cuParamSetTexRef", "$f", 0, "$r"], ["cuParamSetTexRef", "$f", 0xffffffff, 0], ["cuParamSetTexRef", 0, 0xffffffff, "$r"])
IND = """.version 8.0
.target sm_90, texmode_independent
.address_size 64
.global .texref t;
.global .samplerref p = { addr_mode_0 = wrap };
.visible .entry k(.param .u64 out) {
 .reg .b32 r<5>; .reg .b64 w<3>; .reg .f32 x;
 ld.param.u64 w0,[out]; mov.f32 x, 0f3fc00000;
 tex.2d.v4.u32.f32 {r0,r1,r2,r3}, [t, p, {x,x}];
 st.global.v4.u32 [w0],{r0,r1,r2,r3};
 ret; }
"""
case("references of independent mode", ["cuModuleLoadData", "&M", "#" + IND], ["cuModuleGetTexRef", "&r", "$M", "#t"], ["cuModuleGetTexRef", "&u", "$M", "#p"], ["cuModuleGetSurfRef", "&u", "$M", "#p"], *GET)
INIT = """.version 8.0
.target sm_90
.address_size 64
.global .texref t = { addr_mode_0 = wrap, addr_mode_1 = mirror, filter_mode = linear, normalized_coords = 1 };
.visible .entry k() { ret; }
"""
case("a reference with an initialiser", ["cuModuleLoadData", "&M", "#" + INIT], ["cuModuleGetTexRef", "&r", "$M", "#t"], *GET)
RUN = [["cuMemAlloc_v2", "&d", 4096], ["cuMemsetD8_v2", "$d", 0xee, 4096], *BUFFERS]
def launch(k, o="0"): return [["cuModuleGetFunction", "&f", "$M", "#" + k], ["launch", "$f", "$d", o], ["cuCtxSynchronize"], ["cuMemcpyDtoH_v2", "$g", "$d", 16], read("g", 16)]
U = array("a", 8, 8, 0, U32, 1)
case("a kernel with a bound reference", *REFS, *RUN, U, fill(32, 8), ["cuTexRefSetArray", "$r", "$a", 1], ["cuTexRefSetFlags", "$r", 1], *launch("k"))
case("a kernel with a reference read as floats", *REFS, *RUN, array("a", 8, 8, 0, U8, 1), fill(8, 8), ["cuTexRefSetArray", "$r", "$a", 1], *launch("k"))
case("a kernel with a reference of pitched memory", *REFS, *RUN, ["cuTexRefSetFormat", "$r", U32, 1], ["cuMemcpyHtoD_v2", "$d", "$h", 256], ["cuTexRefSetFlags", "$r", 1], ["cuTexRefSetAddress2D_v3", "$r", {"s": "q8 q8 d3 d1"}, "$d", 32], *launch("k"))
case("a kernel with an object", *MOD, *RUN, U, fill(32, 8), make(t=tex(flags=1)), *launch("obj", "$t"))
case("a kernel with a bound surface reference", *REFS, *RUN, array("a", 8, 8, 0, U32, 1, SURFACE), fill(32, 8), ["cuSurfRefSetArray", "$u", "$a", 0], *launch("sk"))
case("a kernel with an unbound reference", *REFS, *RUN, *launch("k"))
case("a kernel with an unbound surface reference", *REFS, *RUN, *launch("sk"))
case("a kernel with a destroyed object", *MOD, *RUN, U, fill(32, 8), make(t=tex(flags=1)), DEL, *launch("obj", "$t"))
case("a kernel with no object", *MOD, *RUN, *launch("obj", "0"))
case("a kernel with an invented object", *MOD, *RUN, *launch("obj", "77777"))
case("a kernel with an object whose array is destroyed", *MOD, *RUN, U, fill(32, 8), make(t=tex(flags=1)), FREE, *launch("obj", "$t"))
case("a kernel with a reference whose array is destroyed", *REFS, *RUN, U, fill(32, 8), ["cuTexRefSetArray", "$r", "$a", 1], ["cuTexRefSetFlags", "$r", 1], FREE, *launch("k"))
case("destroying an array that a reference is bound to", *REFS, U, ["cuTexRefSetArray", "$r", "$a", 1], FREE, ["cuTexRefGetArray", "&x", "$r"])
# ---- sparse
def mapinfo(op=1, level=0, layer=0, x=0, y=0, z=0, w=128, h=128, d=1, handle="$P", offset=0, mask=1, kind=0, a="$a"): return {"s": f"d{kind} z4 q{a} d0 z4 d{level} d{layer} d{x} d{y} d{z} d{w} d{h} d{d} d{op} d0 q{handle} q{offset} d{mask} d0 z8"}
SP = [array("a", 256, 256, 0, FLOAT, 1, SPARSE), ["cuMemCreate", "&P", 2 << 20, {"s": "d1 d0 d1 d0 q0 z8"}, 0]]
case("cuMemMapArrayAsync", *SP, ["cuMemMapArrayAsync", mapinfo(), 1, 0], ["cuMemMapArrayAsync", mapinfo(), 0, 0], ["cuMemMapArrayAsync", 0, 1, 0], ["cuMemMapArrayAsync", mapinfo(w=64), 1, 0], ["cuMemMapArrayAsync", mapinfo(x=64), 1, 0], ["cuMemMapArrayAsync", mapinfo(x=128, offset=65536), 1, 0], ["cuMemMapArrayAsync", mapinfo(x=256), 1, 0], ["cuMemMapArrayAsync", mapinfo(level=1), 1, 0], ["cuMemMapArrayAsync", mapinfo(layer=1), 1, 0], ["cuMemMapArrayAsync", mapinfo(offset=100), 1, 0], ["cuMemMapArrayAsync", mapinfo(offset=2 << 20), 1, 0], ["cuMemMapArrayAsync", mapinfo(mask=0), 1, 0], ["cuMemMapArrayAsync", mapinfo(op=0), 1, 0], ["cuMemMapArrayAsync", mapinfo(op=2, handle=0), 1, 0], ["cuMemMapArrayAsync", mapinfo(kind=2), 1, 0], ["cuCtxSynchronize"], FREE)
case("cuMemMapArrayAsync of a plain array", array("a", 256, 256), SP[1], ["cuMemMapArrayAsync", mapinfo(), 1, 0], FREE)
# Memory of arrays
case("memory in use", ["cuMemGetInfo_v2", "&x", "&y"], array("a", 4096, 4096, 0, FLOAT, 4), ["cuMemGetInfo_v2", "&z", "&y"], ["less", "$z", "$x"], FREE, array("b", 1 << 14, 1 << 14, 1 << 10, FLOAT, 4))

# ---------------------------------------------------------------- the machine that runs cases
class Machine:
    def __init__(self, path):
        self.L = C.CDLL(path); c = C.c_void_p()
        for r in (self.L.cuInit(0), self.L.cuDevicePrimaryCtxRetain(C.byref(c), 0), self.L.cuCtxSetCurrent(c)):
            if r: raise SystemExit(f"no driver: {r}")
    def var(self, n): return self.vars.setdefault(n, C.c_uint64(0))
    def value(self, v):
        v = str(v)
        return self.var(v[1:]).value if v.startswith("$") else int(v, 0)
    def structure(self, text):
        out = b""
        for w in text.split():
            k, v = w[0], w[1:]
            if k == "z": out += bytes(int(v))
            elif k == "f": out += struct.pack("<f", float(v))
            else: out += (self.value(v) & ((1 << (64 if k == "q" else 32)) - 1)).to_bytes(8 if k == "q" else 4, "little")
        return out
    def show(self, raw):
        names = {v.value: n for n, v in sorted(self.vars.items(), reverse=True) if v.value > 0xffff}
        if len(raw) < 8: return raw.hex()
        parts = []
        for k in range(0, len(raw) & ~7, 8):
            w = int.from_bytes(raw[k:k + 8], "little"); parts.append(f"<{names[w]}>" if w in names else raw[k:k + 8].hex())
        return "".join(parts) + raw[len(raw) & ~7:].hex()
    def step(self, s):
        name, args = s[0], s[1:]
        if name == "add": self.var(args[0][1:]).value = self.value(args[1]) + args[2]; return None
        if name == "qword": self.var(args[0][1:]).value = args[1]; return None
        if name == "load": self.var(args[0][1:]).value = C.c_uint64.from_address(self.value(args[1]) + (args[2] if len(args) > 2 else 0)).value; return None
        if name == "less": return int(self.value(args[0]) < self.value(args[1]))
        if name == "buffer":
            spec = args[0]; n = spec["n"]
            if "b" in spec:
                b = (C.c_ubyte * n)(*[(7 * i + spec["k"]) % 256 for i in range(n)]); self.keep[spec["b"]] = b
                self.var(args[1][1:]).value = C.addressof(b); return None
            return bytes(self.keep[spec["r"]])[:n].hex()
        if name == "launch":
            p = [C.c_uint64(self.value(a)) for a in args[1:]]; pp = (C.c_void_p * 2)(*[C.addressof(x) for x in p])
            return self.L.cuLaunchKernel(C.c_void_p(self.value(args[0])), *[C.c_uint(1)] * 6, C.c_uint(0), None, pp, None)
        call, hold, shown = [], [], []
        for a in args:
            if isinstance(a, dict):
                if "s" in a: b = C.create_string_buffer(self.structure(a["s"]) + bytes(16)); hold.append(b); call.append(C.c_void_p(C.addressof(b)))
                elif "F" in a: call.append(C.c_float(a["F"]))
                else: b = C.create_string_buffer(b"\xaa" * a["o"], a["o"]); hold.append(b); call.append(C.c_void_p(C.addressof(b))); shown.append((b, a["o"]))
            elif isinstance(a, str) and a[0] in "&=":
                v = self.var(a[1:]); call.append(C.c_void_p(C.addressof(v)))
                if a[0] == "=": shown.append((v, 8))
            elif isinstance(a, str) and a[0] == "#": b = C.create_string_buffer(a[1:].encode()); hold.append(b); call.append(C.c_void_p(C.addressof(b)))
            else: call.append(C.c_uint64(self.value(a) & ((1 << 64) - 1)))
        r = getattr(self.L, name)(*call)
        if name == "cuGraphMemcpyNodeGetParams":  # the structure has two gaps, which hold anything
            for b, n in shown:
                for gap in (36, 124): C.memset(C.addressof(b) + gap, 0, 4)
        return [r] + [self.show(C.string_at(C.addressof(b), n)) for b, n in shown] if shown else r
    def run(self, c, out=None):
        self.vars, self.keep, answers = {}, {}, []
        if "create" in c:
            w = c["create"]; d = {"s": f"q{w[0]} q{w[1]} q{w[2]} d{w[3]} d{w[4]} d{w[5]} z4"}
            r = self.step(["cuArray3DCreate_v2", "&a", d] if len(w) == 6 else ["cuMipmappedArrayCreate", "&a", d, w[6]])
            if r: return r
            if len(w) == 7: return [0, self.step(["cuMipmappedArrayDestroy", "$a"])]
            got = self.step(["cuArray3DGetDescriptor_v2", {"o": 36}, "$a"]); same = got[1] == self.structure(d["s"])[:36].hex()
            e = self.step(["cuArrayDestroy", "$a"]); return 0 if same and got[0] == 0 and e == 0 else [0, got, e]
        for s in c["steps"]:
            if out: out.write("+"); out.flush()
            answers.append(self.step(s))
        return answers

def child(path, first, cases, sticky=(700, 702, 709, 714, 715, 716, 717, 718, 719)):
    """Runs cases from the first on; one line for each; ends at a context that is broken."""
    m = Machine(path); flat = lambda x: [y for z in x for y in flat(z)] if isinstance(x, list) else [x]
    for k in range(first, len(cases)):
        sys.stdout.write(f"\n{k} "); sys.stdout.flush()
        a = m.run(cases[k], sys.stdout)
        sys.stdout.write(" " + json.dumps(a)); sys.stdout.flush()
        if any(x in sticky for x in flat(a) if isinstance(x, int)) or m.L.cuCtxSynchronize(): break
    sys.stdout.flush(); os._exit(0)

def run_all(path, cases, source):
    answers, first = {}, 0
    while first < len(cases):
        try: p = subprocess.run([sys.executable, os.path.abspath(__file__), "child", path, str(first), source], capture_output=True, text=True, timeout=240); code = p.returncode; text = p.stdout
        except subprocess.TimeoutExpired as e: code, text = "hang", (e.stdout or b"").decode()
        last = None
        for line in text.split("\n"):
            if not line.strip() or not line.split()[0].isdigit(): continue
            k, _, rest = line.partition(" "); last = int(k); rest = rest.strip(); marks = len(rest) - len(rest.lstrip("+")); rest = rest.lstrip("+").strip()
            answers[last] = json.loads(rest) if rest else f"crash {code} in step {marks}"
        if last is None: print("nothing ran:", code, p.stderr[-500:] if code != "hang" else ""); break
        first = last + 1
    return answers

if __name__ == "__main__":
    mode = sys.argv[1]
    if mode == "list": print(len(CASES)); [print(json.dumps(c)) for c in CASES if "steps" in c] if len(sys.argv) > 2 else None
    elif mode == "child": child(sys.argv[2], int(sys.argv[3]), CASES if sys.argv[4] == "own" else json.load(open(sys.argv[4])))
    elif mode == "record":
        answers = run_all("libcuda.so.1", CASES, "own")
        with open(sys.argv[2], "w") as f:
            f.write("[\n" + ",\n".join(" " + json.dumps({**c, "answers": answers.get(k, "not run")}) for k, c in enumerate(CASES)) + "\n]\n")
        print(len(answers), "of", len(CASES), "cases;", sum(isinstance(a, str) for a in answers.values()), "crashes")
    elif mode == "replay":
        old = json.load(open(sys.argv[2])); new = run_all(sys.argv[3], old, sys.argv[2]); bad = 0
        for k, c in enumerate(old):
            if c["answers"] != new.get(k): bad += 1; print(json.dumps(c.get("name", c.get("create"))), "recorded", json.dumps(c["answers"]), "here", json.dumps(new.get(k)))
        print(bad, "differ of", len(old))
