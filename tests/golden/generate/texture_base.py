"""What the golden cases of textures and surfaces are made of: numbers from splitmix64, resources, kernels, coordinates, formats."""
import numpy as np

F32, F16 = 0x20, 0x10
LAYERED, SURFACE, CUBEMAP, GATHER = 1, 2, 4, 8
INTEGER, NORMALIZED, SRGB, NO_TRILINEAR, SEAMLESS = 1, 2, 0x10, 0x20, 0x40
BLOCK = {0x91: 8, 0x92: 8, 0x93: 16, 0x94: 16, 0x95: 16, 0x96: 16, 0x97: 8, 0x98: 8, 0x99: 16, 0x9a: 16, 0x9b: 16, 0x9c: 16, 0x9d: 16, 0x9e: 16}

# ---------------------------------------------------------------- numbers
def words(seed, n):
    """n 64-bit words of splitmix64."""
    with np.errstate(over="ignore"):
        z = (np.arange(1, n + 1, dtype=np.uint64) + np.uint64(seed) * np.uint64(1 << 20)) * np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9); z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        return z ^ (z >> np.uint64(31))
def uniform(seed, shape, low=0.0, high=1.0):
    n = int(np.prod(shape)); return (low + (high - low) * (words(seed, n) >> np.uint64(40)).astype(np.float64) / (1 << 24)).astype(np.float32).reshape(shape)
def raw(seed, n): return words(seed, (n + 7) // 8).view(np.uint8)[:n].copy()
def bits(*columns): return np.stack([np.ascontiguousarray(c).astype(np.float32).view(np.uint32) if np.asarray(c).dtype.kind == "f" else np.asarray(c).astype(np.int64).astype(np.uint32) for c in columns], 1)
def grid(*axes): return [g.reshape(-1) for g in np.meshgrid(*axes, indexing="ij")]

# ---------------------------------------------------------------- resources
SHAPES = {"1d": (13, 0, 0, 0), "2d": (9, 7, 0, 0), "3d": (6, 5, 4, 0), "a1d": (11, 0, 5, LAYERED), "a2d": (7, 6, 5, LAYERED), "cube": (5, 5, 6, CUBEMAP), "acube": (4, 4, 12, CUBEMAP | LAYERED), "linear": (29, 0, 0, 0), "pitch2d": (10, 6, 0, 0)}
GEOMETRY = {"linear": "1d", "pitch2d": "2d"}
BYTES = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, F16: 2, F32: 4} | {0xc0 + k: (1, 1, 1, 2, 2, 2)[k % 6] for k in range(12)}
def resource(shape, format=F32, channels=1, flags=0, extent=None, levels=0):
    w, h, d, f = SHAPES[shape] if extent is None else extent
    if format in BLOCK and extent is None and shape not in ("1d", "a1d", "linear", "pitch2d"): w, h = (12, 12) if "cube" in shape else (14, 10)
    r = {"kind": {"linear": "linear", "pitch2d": "pitch2d"}.get(shape, "mipmapped" if levels else "array"), "format": format, "channels": channels, "width": w, "height": h, "depth": d, "flags": f | flags}
    if levels: r["levels"] = levels
    if shape == "pitch2d": r["pitch"] = (w * (4 if format == 0x50 else BYTES[format]) * channels + 31) // 32 * 32 + 32
    return r
def level_size(r, l=0):
    w, h, d = max(1, r["width"] >> l), max(1, r["height"] >> l), max(1, r["depth"])
    if r["depth"] and not r["flags"] & 5: d = max(1, r["depth"] >> l)
    if r["format"] in BLOCK: return (w + 3) // 4 * BLOCK[r["format"]] * ((h + 3) // 4) * d
    return w * h * d * (4 if r["format"] == 0x50 else BYTES[r["format"]] * r["channels"])
def texels(r, l=0):
    """Texels that depend on nothing but the format and the number of bytes, so that cases share them."""
    n = level_size(r, l); seed = 1000 + r["format"] * 16 + l
    if r["format"] == F32: return (uniform(seed, n // 4, -4, 4) * np.float32(1) + np.float32(0)).astype(np.float32)
    if r["format"] == F16: return uniform(seed, n // 2, -4, 4).astype(np.float16)
    return raw(seed, n)
def data(r): return [texels(r, l) for l in range(r["levels"])] if r["kind"] == "mipmapped" else texels(r)
def sampler(address, filter=0, flags=0, mip_filter=0, anisotropy=0, bias=0.0, low=0.0, high=0.0, border=(0.25, -1.5, 3.0, 0.75)):
    a = list(address) if hasattr(address, "__len__") else [address] * 3
    return {"address": a, "filter": filter, "mip_filter": mip_filter, "flags": flags, "anisotropy": anisotropy, "bias": bias, "min": low, "max": high, "border": list(border)}

# ---------------------------------------------------------------- kernels
COORDINATES = {"1d": "{i0}", "2d": "{i0,i1}", "3d": "{i0,i1,i2,i2}", "a1d": "{i0,i1}", "a2d": "{i0,i1,i2,i2}", "cube": "{i0,i1,i2,i2}", "acube": "{i0,i1,i2,i3}"}
COUNT = {"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4}
def destination(dtype):
    if dtype == "f16": return "v4", "{h0,h1,h2,h3}", " cvt.u32.u16 o0,h0; cvt.u32.u16 o1,h1; cvt.u32.u16 o2,h2; cvt.u32.u16 o3,h3;", 4
    if dtype == "f16x2": return "v2", "{o0,o1}", "", 2
    return "v4", "{o0,o1,o2,o3}", "", 4
def tex(geometry, dtype="f32", ctype="f32", op="tex", tail="", pred=False):
    vec, d, after, outs = destination(dtype)
    return f"{op}.{geometry}.{vec}.{dtype}.{ctype} {d}{'|p' if pred else ''}, [t, {COORDINATES[geometry]}]{tail};{after}", outs

# ---------------------------------------------------------------- coordinates
def span(r, axis): return (r["width"], max(1, r["height"]), max(1, r["depth"]))[axis]
def scatter(shape, r, normalized, n, seed, margin=0.35):
    """n points about the resource, a third of them beyond it."""
    g = GEOMETRY.get(shape, shape)
    if g in ("cube", "acube"):
        x = uniform(seed, (n, 3), -1, 1); x[::7, 0] = np.copysign(1, x[::7, 0]); x[3::11] *= np.float32(100)
        if g == "cube": return bits(x[:, 0], x[:, 1], x[:, 2])
        return bits((words(seed + 1, n) % np.uint64(5)).astype(np.int64) - 1, x[:, 0], x[:, 1], x[:, 2])
    dims = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}[g]; columns = []
    for k in range(dims):
        w = span(r, k); x = uniform(seed + 3 * k, n, -margin * w - 1, w + margin * w + 1)
        x[::5] = np.round(x[::5]); x[1::10] = np.round(x[1::10] * 2) / 2; x[2::40] *= np.float32(7)
        columns.append((x / np.float32(w)).astype(np.float32) if normalized else x)
    if g[0] == "a": columns.insert(0, (words(seed + 20, n) % np.uint64(r["depth"] + 3)).astype(np.int64) - 1)
    return bits(*columns)
def dense(shape, r, normalized, n, seed):
    """Points on a grid of 1/512 texel and finer, inside and at the edges."""
    g = GEOMETRY.get(shape, shape)
    if g in ("cube", "acube"): return scatter(shape, r, True, n, seed)
    dims = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}[g]; columns = []
    for k in range(dims):
        w = span(r, k); u = words(seed + 7 * k, n); x = (u % np.uint64((w + 2) * 512)).astype(np.float64) / 512 - 1; x[n // 2:] += ((u >> np.uint64(40)).astype(np.float64) / (1 << 24) / 512)[n // 2:]
        columns.append((x / w).astype(np.float32) if normalized else x.astype(np.float32))
    if g[0] == "a": columns.insert(0, (words(seed + 20, n) % np.uint64(r["depth"])).astype(np.int64))
    return bits(*columns)

def integers(g, r, n, seed):
    columns = []
    for k in range({"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}[g]): w = span(r, k); x = (words(seed + k, n) % np.uint64(w + 6)).astype(np.int64) - 3; x[::31] = (words(seed + 9 + k, n)[::31] >> np.uint64(32)).astype(np.int64); columns.append(x)
    if g[0] == "a": columns.insert(0, (words(seed + 20, n) % np.uint64(r["depth"] + 3)).astype(np.int64) - 1)
    return bits(*columns)

# ---------------------------------------------------------------- the formats
def element_formats():
    """(name, format, channels, sampler flags, dtype) of every way to read a texel."""
    for f, name, dtype in ((1, "u8", "u32"), (2, "u16", "u32"), (3, "u32", "u32"), (8, "s8", "s32"), (9, "s16", "s32"), (10, "s32", "s32")):
        for c in (1, 2, 4): yield f"{name}x{c}-element", f, c, INTEGER, dtype
    for f, name in ((3, "u32"), (10, "s32")): yield f"{name}x2-noflag", f, 2, 0, "u32" if f == 3 else "s32"
def filtered_formats():
    for f, name in ((1, "u8"), (2, "u16"), (8, "s8"), (9, "s16")):
        for c in (1, 2, 4): yield f"{name}x{c}-normalised", f, c, 0, "f32"
    for f, name in ((F16, "f16"), (F32, "f32")):
        for c in (1, 2, 4): yield f"{name}x{c}", f, c, 0, "f32"
    for k in range(12): yield f"{'us'[k // 6]}norm{(8, 16)[k // 3 % 2]}x{(1, 2, 4)[k % 3]}", 0xc0 + k, (1, 2, 4)[k % 3], 0, "f32"
    yield "u8x4-srgb", 1, 4, SRGB, "f32"
    yield "unorm8x4-srgb", 0xc2, 4, SRGB, "f32"
    for f in PACKED: yield f"packed-{f:#x}", f, PACKED[f], 0, "f32"
PACKED = {0x50: 4} | {f: 4 for f in (0x91, 0x93, 0x95, 0x9d)} | {0x97: 1, 0x98: 1, 0x99: 2, 0x9a: 2, 0x9b: 3, 0x9c: 3}
SRGB_BLOCKS = (0x92, 0x94, 0x96, 0x9e)
CLASSIC = (1, 2, 3, 8, 9, 10, F16, F32)
def may_lie(shape, format):
    if format in BLOCK: return shape not in ("1d", "a1d", "linear", "pitch2d")
    return format in CLASSIC if shape in ("linear", "pitch2d") else True
def every_format():
    yield from element_formats(); yield from filtered_formats()
    for f in SRGB_BLOCKS: yield f"packed-{f:#x}", f, 4, SRGB, "f32"
def turn(k): return [(0, 1, 2), (1, 2, 3), (2, 3, 0), (3, 0, 1), (1, 1, 1), (0, 0, 0), (2, 2, 2), (3, 3, 3)][k % 8]
def emit(group, name, r, s, code, inputs, outs, pred=False, dump=False, texels_=None, view=None):
    return {"name": name, "group": group, "resource": r, "view": view, "data": data(r) if texels_ is None else texels_, "sampler": s, "code": code, "inputs": inputs, "outputs": outs, "pred": pred, "dump": dump}
