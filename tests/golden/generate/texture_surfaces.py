"""The golden cases of surfaces and queries: loads, stores and reductions with every clamp mode, geometry, type and vector."""
from texture_base import *

SURFACES = {"1d": (24, 0, 0, 0), "2d": (12, 5, 0, 0), "3d": (10, 4, 3, 0), "a1d": (12, 0, 4, LAYERED), "a2d": (10, 3, 3, LAYERED)}
WIDTHS = {"b8": 1, "b16": 2, "b32": 4, "b64": 8}
VECTORS = {"": 1, ".v2": 2, ".v4": 4}
HUGE = [-(1 << 31), -65536, 1 << 20, (1 << 31) - 64]
def surface(geo, format, channels, extent=None): return resource(geo, format, channels, SURFACE, extent or SURFACES[geo])
def axes(geo, r, step, row, inside):
    """The values of each coordinate: the first in bytes or samples, the others in rows, slices and layers."""
    x = [v for v in range(0, row, step) if v + step <= row] if inside else list(range(-3 * step, row + 3 * step + 1, step)) + [h // step * step for h in HUGE]
    def other(n): return list(range(n)) if inside else list(range(-2, n + 2)) + [-(1 << 31), (1 << 31) - 1]
    return {"1d": [x], "2d": [x, other(r["height"])], "3d": [x, other(r["height"]), other(r["depth"])], "a1d": [other(r["depth"]), x], "a2d": [other(r["depth"]), x, other(r["height"])]}[geo]
def places(geo, r, step, row, inside, most=400):
    p = bits(*[np.asarray(v, np.int64) for v in grid(*axes(geo, r, step, row, inside))])
    if len(p) > most: p = p[np.unique((np.arange(most) * len(p)) // most)]
    return p
def texel(r): return 4 if r["format"] == 0x50 else BYTES[r["format"]] * r["channels"]
def loads():
    kinds = [(1, 1), (3, 1), (F32, 4), (9, 2), (3, 2), (1, 4), (F16, 4)]; k = 0
    for geo in SURFACES:
        for t, size in WIDTHS.items():
            for v, n in VECTORS.items():
                if size * n > 16: continue
                for clamp in ("trap", "clamp", "zero"):
                    f, c = kinds[k % len(kinds)]; k += 1; f, c = (F32, 4) if size * n == 16 and (f, c) == (1, 1) else (f, c); r = surface(geo, f, c); row = r["width"] * texel(r)
                    if t == "b64": code = f"suld.b.{geo}{v}.b64.{clamp} {'w0' if n == 1 else '{w0,w1}'}, [s, {COORDINATES[geo]}]; mov.b64 {{o0,o1}}, w0;" + (" mov.b64 {o2,o3}, w1;" if n == 2 else "")
                    else: code = f"suld.b.{geo}{v}.{t}.{clamp} {'o0' if n == 1 else '{' + ','.join(f'o{j}' for j in range(n)) + '}'}, [s, {COORDINATES[geo]}];"
                    yield emit("suld", f"suld/{geo}/{t}{v}/{clamp}/{f:#x}x{c}", r, sampler(0), code, places(geo, r, size * n, row, clamp == "trap"), 4)
def value(n, first, distinct):
    """Four words made of a thread's number, or the same for all threads, whose stores may then meet."""
    return "".join(f"mad.lo.u32 r{j}, {f'i{first}' if distinct else 5}, {0x9e3779b1 + 2 * j}, {0x85ebca6b * (j + 1) & 0xffffffff}; " for j in range(n))
def numbered(p): return np.concatenate([p, np.arange(1, len(p) + 1, dtype=np.uint32).reshape(-1, 1)], 1)
def stores():
    kinds = [(1, 1), (3, 1), (F32, 4), (9, 2), (3, 2), (1, 4), (F16, 4)]; k = 0
    for geo in SURFACES:
        for t, size in WIDTHS.items():
            for v, n in VECTORS.items():
                if size * n > 16: continue
                for clamp in ("trap", "clamp", "zero"):
                    f, c = kinds[k % len(kinds)]; k += 1; f, c = (F32, 4) if size * n == 16 and (f, c) == (1, 1) else (f, c); r = surface(geo, f, c); row = r["width"] * texel(r)
                    for inside in (True, False):
                        if clamp == "trap" and not inside: continue
                        pre = value(4, COUNT[geo], inside)
                        if t == "b64": code = pre + "mov.b64 w0, {r0,r1}; mov.b64 w1, {r2,r3}; " + f"sust.b.{geo}{v}.b64.{clamp} [s, {COORDINATES[geo]}], {'w0' if n == 1 else '{w0,w1}'};"
                        else: code = pre + f"sust.b.{geo}{v}.{t}.{clamp} [s, {COORDINATES[geo]}], {'r0' if n == 1 else '{' + ','.join(f'r{j}' for j in range(n)) + '}'};"
                        p = places(geo, r, size * n, row, inside)
                        if inside and clamp != "trap": p = p[::2]
                        yield emit("sust", f"sust.b/{geo}/{t}{v}/{clamp}/{f:#x}x{c}/{'in' if inside else 'out'}", r, sampler(0), code, numbered(p), 0, dump=True)
NUMBERS = np.concatenate([np.array([0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 1, 0x80000001, 0x40000000, 0x3b808081, 0x437f0000, 0x43800000, 0x47000000, 0x477fff00, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0xffffffff, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff, 0x33000000, 0x387fc000, 0x477fe000, 0x477ff000], np.uint32), (words(211, 92) >> np.uint64(32)).astype(np.uint32), uniform(223, 128, -1.2, 1.2).view(np.uint32)])
def formatted():
    """sust.p: what becomes of 256 numbers in every format; then geometries and clamps."""
    n = len(NUMBERS)
    for f, c in [(f, c) for f in CLASSIC for c in (1, 2, 4)] + [(0xc0 + k, (1, 2, 4)[k % 3]) for k in range(12)] + [(0x50, 4)]:
        for v, m in VECTORS.items():
            r = surface("2d", f, c, (32, 8, 0, 0)); k = np.arange(n); p = np.concatenate([bits(k % 32, k // 32)] + [np.roll(NUMBERS, 37 * j).reshape(-1, 1) for j in range(4)], 1)
            code = f"sust.p.2d{v}.b32.trap [s, {{i0,i1}}], {'i2' if m == 1 else '{' + ','.join(f'i{2 + j}' for j in range(m)) + '}'};"; yield emit("sust.p", f"sust.p/numbers/{f:#x}x{c}/{v or 'v1'}", r, sampler(0), code, p, 0, dump=True)
    k = 0; kinds = [(1, 4), (2, 1), (F16, 2), (F32, 1), (10, 2), (0xc2, 4), (0xc9, 1)]
    for geo in SURFACES:
        for v, m in VECTORS.items():
            for clamp in ("trap", "clamp", "zero"):
                f, c = kinds[k % len(kinds)]; k += 1; r = surface(geo, f, c)
                for inside in (True, False):
                    if clamp == "trap" and not inside: continue
                    code = value(4, COUNT[geo], inside) + f"sust.p.{geo}{v}.b32.{clamp} [s, {COORDINATES[geo]}], {'r0' if m == 1 else '{' + ','.join(f'r{j}' for j in range(m)) + '}'};"; p = places(geo, r, 1, r["width"], inside)
                    yield emit("sust.p", f"sust.p/{geo}/{v or 'v1'}/{clamp}/{f:#x}x{c}/{'in' if inside else 'out'}", r, sampler(0), code, numbered(p), 0, dump=True)
REDUCTIONS = [("add", t) for t in ("u32", "s32", "u64")] + [(o, t) for o in ("min", "max") for t in ("u32", "s32", "u64", "s64")] + [(o, "b32") for o in ("and", "or")]
def reductions():
    k = 0; kinds = [(3, 1), (1, 4), (10, 2), (F32, 4), (2, 2)]
    for geo in ("1d", "2d", "3d"):
        for o, t in REDUCTIONS:
            for clamp in ("trap", "clamp", "zero"):
                size = int(t[1:]) // 8; f, c = kinds[k % len(kinds)]; k += 1
                if size == 8: f, c = (3, 2) if k % 2 else (F32, 4)
                r = surface(geo, f, c); row = r["width"] * texel(r); p = places(geo, r, size, row, clamp == "trap"); p = np.concatenate([p, p[::3]])
                code = value(2, COUNT[geo], True) + f"mov.b64 w0, {{r0,r1}}; sured.b.{o}.{geo}.{t}.{clamp} [s, {COORDINATES[geo]}], {'w0' if size == 8 else 'r0'};"; yield emit("sured", f"sured.b/{o}/{geo}/{t}/{clamp}/{f:#x}x{c}", r, sampler(0), code, numbered(p), 0, dump=True)
        for o, t in [(o, "b32") for o in ("add", "min", "max", "and", "or")] + [("min", "b64"), ("max", "b64")]:
            for clamp in ("trap", "clamp", "zero"):
                for f, c in ((3, 1), (10, 1)) if t == "b32" else ((3, 2),):
                    r = surface(geo, f, c); p = places(geo, r, 1, r["width"], clamp == "trap"); p = np.concatenate([p, p[::3]])
                    code = value(2, COUNT[geo], True) + f"mov.b64 w0, {{r0,r1}}; sured.p.{o}.{geo}.{t}.{clamp} [s, {COORDINATES[geo]}], {'w0' if t == 'b64' else 'r0'};"; yield emit("sured", f"sured.p/{o}/{geo}/{t}/{clamp}/{f:#x}x{c}", r, sampler(0), code, numbered(p), 0, dump=True)
def faults():
    """One thread each: beyond the surface with .trap, and misaligned."""
    for geo in SURFACES:
        r = surface(geo, 3, 1); w = r["width"] * 4; n = COUNT[geo]; x = 1 if geo[0] == "a" else 0
        for axis in range(n):
            for far in (False, True):
                at = [1 if q != x else 4 for q in range(n)]; top = {"1d": [w], "2d": [w, r["height"]], "3d": [w, r["height"], r["depth"]], "a1d": [r["depth"], w], "a2d": [r["depth"], w, r["height"]]}[geo][axis]; at[axis] = top if far else (-4 if axis == x else -1); p = bits(*[np.array([q]) for q in at])
                yield emit("fault", f"fault/suld/{geo}/{axis}{'+' if far else '-'}", r, sampler(0), f"suld.b.{geo}.b32.trap o0, [s, {COORDINATES[geo]}];", p, 1)
                yield emit("fault", f"fault/sust/{geo}/{axis}{'+' if far else '-'}", r, sampler(0), f"sust.b.{geo}.b32.trap [s, {COORDINATES[geo]}], 7;", p, 0)
        for clamp in ("trap", "clamp", "zero"):
            at = [1] * n; at[x] = 2; yield emit("fault", f"fault/misaligned/{geo}/{clamp}", r, sampler(0), f"suld.b.{geo}.b32.{clamp} o0, [s, {COORDINATES[geo]}];", bits(*[np.array([q]) for q in at]), 1)
def queries():
    one = np.zeros((1, 0), np.uint32)
    for shape in SHAPES:
        for levels in (0, 3):
            if levels and shape in ("linear", "pitch2d"): continue
            r = resource(shape, F32, 1, SURFACE if shape not in ("linear", "pitch2d") else 0, levels=levels)
            yield emit("query", f"txq/{shape}/{levels}", r, sampler(2, 1, NORMALIZED, 0, 0, 0.0, 0.0, 20.0), "txq.width.b32 o0, [t]; txq.height.b32 o1, [t]; txq.depth.b32 o2, [t];", one, 3)
            yield emit("query", f"txq.level/{shape}/{levels}", r, sampler(2, 1, NORMALIZED, 0, 0, 0.0, 0.0, 20.0), "txq.level.width.b32 o0, [t], i0; txq.level.height.b32 o1, [t], i0; txq.level.depth.b32 o2, [t], i0;", bits(np.array([0, 1, 2, 3, 4, 5, 14, 15, 16, 31, 32, -1])), 3)
            yield emit("query", f"istypep/{shape}/{levels}", r, sampler(0), "istypep.texref p, t; istypep.samplerref q, t; selp.b32 o0, 1, 0, q; istypep.surfref q, t; selp.b32 o1, 1, 0, q; istypep.surfref q, s; selp.b32 o2, 1, 0, q;", one, 3, True)
            if shape not in ("linear", "pitch2d"): yield emit("query", f"suq/{shape}/{levels}", r, sampler(0), "suq.width.b32 o0, [s]; suq.height.b32 o1, [s]; suq.depth.b32 o2, [s];", one, 3)
    for f, c in [(f, c) for f in CLASSIC for c in (1, 2, 4)]:
        r = surface("2d", f, c); yield emit("query", f"suq/{f:#x}x{c}", r, sampler(0), "suq.width.b32 o0, [s]; suq.height.b32 o1, [s]; suq.depth.b32 o2, [s]; txq.width.b32 o3, [t]; txq.height.b32 o4, [t];", one, 5)

def surface_geometry():
    """Loads of one geometry on arrays of another, and on cubemaps and mipmapped arrays."""
    arrays = {n: surface(n, 3, 1) for n in SURFACES} | {"cube": resource("cube", 3, 1, SURFACE), "acube": resource("acube", 3, 1, SURFACE), "m2d": resource("2d", 3, 1, SURFACE, (16, 8, 0, 0), 3), "m3d": resource("3d", 3, 1, SURFACE, (8, 8, 4, 0), 2), "ma2d": resource("a2d", 3, 1, SURFACE, (8, 8, 3, LAYERED), 2)}
    for name, r in arrays.items():
        for geo in SURFACES:
            if name == geo: continue
            for clamp in ("clamp", "zero"):
                own = dict(r, height=max(1, r["height"]), depth=max(1, r["depth"])); p = places(geo, own, 4, r["width"] * 4, False, 250)
                yield emit("surface geometry", f"surfgeo/suld/{geo}-on-{name}/{clamp}", r, sampler(0), f"suld.b.{geo}.b32.{clamp} o0, [s, {COORDINATES[geo]}];", p, 1)
            p = places(geo, own, 4, r["width"] * 4, False, 250); yield emit("surface geometry", f"surfgeo/sust/{geo}-on-{name}", r, sampler(0), f"sust.b.{geo}.b32.zero [s, {COORDINATES[geo]}], 0x1234567;", p, 0, dump=True)
