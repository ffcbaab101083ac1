"""Sweeps of textures: 2^18 generated lookups each, of which only hashes are kept.
`experiments()` gives them in the form that texture_harness.py runs; a column of the inputs is described by one of
  {"seed", "uniform": [low, high]}  low + (high - low) * (u >> 40) / 2^24 in f64, rounded to f32
  {"seed", "integer": [count, least]}  u mod count, plus least
  {"seed", "float": [least, most]}  an f32 of the sign u & 1, the exponent least + (u >> 8) mod (most - least) and the fraction u >> 41
u being word `thread` of words(seed, threads) of texture_base.py. hashes() says how results become hashes; where `stored`
is true they are made of the texels after the launch, taken as one column of words. The texels before it are the bytes of
words(texel_seed, …) where a seed is given."""
from texture_base import *

THREADS, BLOCK_THREADS = 1 << 18, 1 << 13
EXTENT = {"1d": (37, 0, 0, 0), "2d": (23, 17, 0, 0), "3d": (9, 7, 6, 0), "a1d": (29, 0, 4, LAYERED), "a2d": (14, 11, 3, LAYERED), "cube": (13, 13, 6, CUBEMAP), "acube": (6, 6, 12, CUBEMAP | LAYERED), "pitch2d": (21, 15, 0, 0)}
MIP_EXTENT = {"1d": (41, 0, 0, 0), "2d": (33, 20, 0, 0), "3d": (16, 11, 9, 0), "a1d": (32, 0, 3, LAYERED), "a2d": (24, 17, 3, LAYERED), "cube": (16, 16, 6, CUBEMAP), "acube": (8, 8, 12, CUBEMAP | LAYERED)}
def mix(z):
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9); z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb); return z ^ (z >> np.uint64(31))
def hashes(o):
    """For each 2^13 threads (or words of the texels) the sum mod 2^64 of mix(word xor mix(thread * 8 + column)) over their words."""
    n, m = o.shape; index = np.arange(n, dtype=np.uint64)[:, None] * np.uint64(8) + np.arange(m, dtype=np.uint64)[None]
    with np.errstate(over="ignore"): return np.add.reduce(mix(o.astype(np.uint64) ^ mix(index)).reshape(-1, BLOCK_THREADS * m), axis=1, dtype=np.uint64)
def column(c, n=THREADS):
    u = words(c["seed"], n)
    if "uniform" in c: low, high = c["uniform"]; return (low + (high - low) * ((u >> np.uint64(40)).astype(np.float64) / (1 << 24))).astype(np.float32).view(np.uint32)
    if "integer" in c: count, least = c["integer"]; return ((u % np.uint64(count)).astype(np.int64) + least).astype(np.uint32)
    least, most = c["float"]; return ((u & np.uint64(1)) << np.uint64(31) | (np.uint64(least) + (u >> np.uint64(8)) % np.uint64(most - least)) << np.uint64(23) | u >> np.uint64(41)).astype(np.uint32)
def made(columns): return lambda: np.stack([column(c) for c in columns], 1) if columns else np.zeros((THREADS, 0), np.uint32)
def coordinates(g, r, normalized, seed):
    """Uniform over the resource and a little beyond it."""
    g = GEOMETRY.get(g, g)
    if "cube" in g: c = [{"seed": seed + k, "uniform": [-1.0, 1.0]} for k in range(3)]
    else: c = [{"seed": seed + k, "uniform": [-0.25, 1.25] if normalized else [-0.25 * span(r, k) - 1, 1.25 * span(r, k) + 1]} for k in range({"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2}[g])]
    if g[0] == "a": c.insert(0, {"seed": seed + 9, "integer": [r["depth"] // (6 if "cube" in g else 1) + 2, -1]})
    return c
def sweep(name, r, s, code, outs, columns, **more):
    return more | {"name": name, "group": "sweep", "resource": r, "view": None, "data": raw(more["texel_seed"], level_size(r)) if "texel_seed" in more else data(r), "sampler": s, "code": code, "inputs": made(columns), "ins": len(columns), "columns": columns, "outputs": outs, "hash": hashes, "pred": False, "dump": bool(more.get("stored"))}
def experiments():
    k = 0
    everything = list(filtered_formats()) + [(f"packed-{f:#x}", f, 4, SRGB, "f32") for f in SRGB_BLOCKS]
    for name, f, c, flags, dtype in everything:
        for g in ("2d", "3d") if may_lie("1d", f) and c < 4 else ("2d",):
            k += 1; r = resource(g, f, c, extent=EXTENT[g]); code, outs = tex(g); yield sweep(f"linear/{g}/{name}", r, sampler(turn(k), 1, flags | NORMALIZED), code, c if c < 4 else 4, coordinates(g, r, True, k))
    for g in EXTENT:
        for a in range(4):
            for norm in (0, NORMALIZED):
                for filter in (0, 1):
                    if "cube" in g and not norm: continue
                    k += 1; r = resource(g, F32, 1, extent=EXTENT[g]); code, outs = tex(GEOMETRY.get(g, g)); yield sweep(f"address/{g}/mode{a}/norm{norm}/filter{filter}", r, sampler(a, filter, norm | (SEAMLESS if "cube" in g and a % 2 else 0)), code, 1, coordinates(g, r, bool(norm), k))
    # Sub-texel positions at random between two and four texels, where every rounding of the sums is met.
    for f, c in ((F32, 1), (F16, 1), (1, 1), (9, 1)):
        for g, extent in (("1d", (2, 0, 0, 0)), ("2d", (2, 2, 0, 0)), ("3d", (2, 2, 2, 0))):
            k += 1; r = resource(g, f, c, extent=extent); code, outs = tex(g); yield sweep(f"close/{g}/{f:#x}", r, sampler(1, 1, 0), code, 1, [{"seed": k * 4 + j, "uniform": [0.5, 1.5]} for j in range(COUNT[g])])
    for g, extent in MIP_EXTENT.items():
        levels = int(max(extent[0], extent[1], 0 if extent[3] else extent[2])).bit_length(); n = COUNT[g]
        for filter, mip_filter in ((0, 0), (0, 1), (1, 0), (1, 1)):
            for f, c in ((F32, 1), (1, 4)):
                k += 1; r = resource(g, f, c, extent=extent, levels=levels); code, outs = tex(g, op="tex.level", tail=f", i{n}"); yield sweep(f"level/{g}/{filter}{mip_filter}/{f:#x}", r, sampler(1, filter, NORMALIZED, mip_filter, 0, 0.0, 0.0, 20.0), code, c, coordinates(g, r, True, k * 16) + [{"seed": k * 16 + 15, "uniform": [-0.5, levels + 0.25]}])
        dims = {"1d": 1, "2d": 2, "a1d": 1, "a2d": 2, "3d": 3, "cube": 3, "acube": 3}[g]
        for filter, mip_filter in ((1, 0), (1, 1)):
            k += 1; r = resource(g, F32, 1, extent=extent, levels=levels); d = [{"seed": k * 16 + 8 + j, "float": [118, 128]} for j in range(2 * dims if dims < 3 else 3)]
            text = {1: f", {{i{n}}}, {{i{n + 1}}}", 2: f", {{i{n},i{n + 1}}}, {{i{n + 2},i{n + 3}}}", 3: f", {{i{n},i{n + 1},i{n + 2},i{n + 2}}}, {{i{n + 1},i{n + 2},i{n},i{n}}}"}[dims]
            code, outs = tex(g, op="tex.grad", tail=text); yield sweep(f"grad/{g}/{filter}{mip_filter}", r, sampler(1, filter, NORMALIZED, mip_filter, 1, 0.0, 0.0, 20.0), code, 1, coordinates(g, r, True, k * 16) + d)
    for an in (2, 3, 4, 8, 16):
        for mip_filter in (0, 1):
            k += 1; r = resource("2d", F32, 1, extent=(64, 64, 0, 0), levels=7); code, outs = tex("2d", op="tex.grad", tail=", {i2,i3}, {i4,i5}"); yield sweep(f"aniso/{an}/{mip_filter}", r, sampler(1, 1, NORMALIZED, mip_filter, an, 0.0, 0.0, 20.0), code, 1, coordinates("2d", r, True, k * 16) + [{"seed": k * 16 + 8 + j, "float": [116, 127]} for j in range(4)])
    for g in ("2d", "a2d", "cube", "acube"):
        for filter in (0, 1):
            for letter in "ra": k += 1; r = resource(g, F32, 4, extent=EXTENT[g]); code, outs = tex(g, op="tld4." + letter); yield sweep(f"gather/{g}/{letter}/filter{filter}", r, sampler(turn(k), filter, NORMALIZED), code, 4, coordinates(g, r, True, k * 16))
    for g, extent in (("1d", (131072, 0, 0, 0)), ("1d", (5003, 0, 0, 0)), ("2d", (1001, 513, 0, 0)), ("3d", (101, 65, 37, 0)), ("cube", (129, 129, 6, CUBEMAP))):
        for filter in (0, 1): k += 1; r = resource(g, 1, 1, extent=extent); code, outs = tex(g); yield sweep(f"large/{g}/{extent[0]}/filter{filter}", r, sampler(0, filter, NORMALIZED), code, 1, coordinates(g, r, True, k * 16))
    # Every block of 512x512 texels of random bits, a texel a thread.
    where = "mov.u32 r0, %ctaid.x; mov.u32 r1, %tid.x; mad.lo.u32 r0, r0, 256, r1; and.b32 r1, r0, 511; shr.u32 r2, r0, 9; "
    for f in BLOCK:
        k += 1; c = PACKED.get(f, 4); r = resource("2d", f, c, extent=(512, 512, 0, 0)); yield sweep(f"blocks/{f:#x}", r, sampler(1, 0, SRGB if f in SRGB_BLOCKS else 0), where + "tex.2d.v4.f32.s32 {o0,o1,o2,o3}, [t, {r1,r2}];", 4, [], texel_seed=5000 + f)
    # Formatted stores of floats of all sizes, of floats about 1 and of any bits, to a texel of their own.
    for f, c in [(f, c) for f in CLASSIC for c in (1, 2, 4)] + [(0xc0 + j, (1, 2, 4)[j % 3]) for j in range(12)] + [(0x50, 4)]:
        for kind, column_ in (("unit", {"uniform": [-1.125, 1.125]}), ("wide", {"float": [96, 160]}), ("raw", {"integer": [1 << 32, 0]})):
            k += 1; r = resource("2d", f, c, SURFACE, (512, 512, 0, 0)); yield sweep(f"stores/{f:#x}x{c}/{kind}", r, sampler(0), where + "sust.p.2d.v4.b32.trap [s, {r1,r2}], {i0,i1,i2,i3};", 0, [column_ | {"seed": k * 16 + j} for j in range(4)], texel_seed=1, stored=True)
    # Anisotropy with biases and clamps: where the blend of levels is steep, and what comes first.
    for an in (2, 5, 16):
        for mip_filter in (0, 1):
            for bias, low, high in ((0.4, 0.0, 20.0), (-1.3, 0.0, 20.0), (0.0078, 0.0, 20.0), (0.0, 0.3, 2.3), (0.4, 0.5, 2.5), (0.0, 2.7, 0.6)):
                k += 1; r = resource("2d", F32, 1, extent=(64, 64, 0, 0), levels=7); code, outs = tex("2d", op="tex.grad", tail=", {i2,i3}, {i4,i5}"); yield sweep(f"steep/{an}/{mip_filter}/b{bias}/{low}-{high}", r, sampler(1, 1, NORMALIZED, mip_filter, an, bias, low, high), code, 1, coordinates("2d", r, True, k * 16) + [{"seed": k * 16 + 8 + j, "float": [116, 127]} for j in range(4)])
