"""The golden cases of tex and tld4: every format, address mode, filter and geometry; levels, gradients, anisotropy, offsets, views."""
from texture_base import *

SEED = {name: 10 * (k + 1) for k, name in enumerate(SHAPES)}
def point():
    k = 0
    for shape in SHAPES:
        for name, f, c, flags, dtype in every_format():
            if not may_lie(shape, f): continue
            k += 1; norm = NORMALIZED if k % 3 else 0; r = resource(shape, f, c); whole = shape == "linear"; code, outs = tex(GEOMETRY.get(shape, shape), dtype, "s32" if whole else "f32")
            yield emit("point", f"point/{shape}/{name}", r, sampler(turn(k), 0, flags | norm), code, integers("1d", r, 160, 60) if whole else scatter(shape, r, bool(norm), 160, SEED[shape]), outs)
        # A lookup with float coordinates reads nothing from linear memory: one format says so.
        for f, c, flags, dtype in ((F32, 1, 0, "f32"), (1, 4, 0, "f32"), (9, 2, INTEGER, "s32"), (3, 4, INTEGER, "u32"))[:1 if shape == "linear" else 4]:
            for a in range(4):
                for norm in (0, NORMALIZED):
                    r = resource(shape, f, c); code, outs = tex(GEOMETRY.get(shape, shape), dtype)
                    yield emit("address", f"address/{shape}/{f:#x}x{c}/mode{a}/norm{norm}", r, sampler(a, 0, flags | norm), code, scatter(shape, r, bool(norm), 320, SEED[shape] + 5, 2.5), outs)
SPECIAL = np.array([0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7f7fffff, 0xff7fffff, 0x4b000000, 0xcb000000, 0x4f000000, 0xcf000000, 0x5f000000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3effffff, 0x33800000, 0xb3800000, 0x3b800000, 0x3b000000, 0xbb000000], np.uint32)
def special():
    """NaNs, infinities, tiny and huge coordinates, on every axis."""
    for shape in SHAPES:
        g = GEOMETRY.get(shape, shape); n = COUNT[g]; layered = g[0] == "a"
        for a in range(4):
            for filter in (0, 1):
                if shape == "linear" and (a or filter): continue
                r = resource(shape, F32, 1 if filter else 2); half = np.float32(0.4).view(np.uint32); columns = []
                for k in range(layered, n): x = np.full((n - layered) * len(SPECIAL), half, np.uint32); x[(k - layered) * len(SPECIAL):(k - layered + 1) * len(SPECIAL)] = SPECIAL; columns.append(x)
                if layered: columns.insert(0, np.ones(len(columns[0]), np.uint32))
                code, outs = tex(g); yield emit("special", f"special/{shape}/mode{a}/filter{filter}", r, sampler(a, filter, NORMALIZED if a != 1 or filter else 0), code, np.stack(columns, 1), outs)
def linear():
    k = 0
    for shape in SHAPES:
        g = GEOMETRY.get(shape, shape)
        if shape == "linear": continue
        for name, f, c, flags, dtype in list(filtered_formats()) + [(f"packed-{f:#x}", f, 4, SRGB, "f32") for f in SRGB_BLOCKS]:
            if not may_lie(shape, f): continue
            k += 1; norm = NORMALIZED if k % 4 or "cube" in g else 0; r = resource(shape, f, c); code, outs = tex(g, dtype)
            yield emit("linear", f"linear/{shape}/{name}", r, sampler(turn(k), 1, flags | norm | (SEAMLESS if "cube" in g and k % 2 else 0)), code, dense(shape, r, bool(norm), 400 if c == 1 else 200, SEED[shape]), outs)
        for a in range(4):
            for norm in (0, NORMALIZED):
                for f, c in ((F32, 1), (1, 1), (F16, 2)):
                    r = resource(shape, f, c); code, outs = tex(g)
                    yield emit("linear", f"linear/{shape}/{f:#x}x{c}/mode{a}/norm{norm}", r, sampler(a, 1, norm), code, dense(shape, r, bool(norm), 500 if c == 1 else 250, SEED[shape] + 3), outs)
    # Sub-texel grids: every weight in one dimension, a 40x40 grid in two, 12^3 in three.
    for f, c in ((F32, 1), (F16, 1), (1, 1), (8, 1), (2, 1), (9, 1), (0xc3, 1), (0xc9, 1)):
        r = resource("1d", f, c, extent=(6, 0, 0, 0)); code, outs = tex("1d")
        yield emit("grid", f"grid/1d/{f:#x}", r, sampler(1, 1, 0), code, bits((np.arange(0, 6 * 512 + 1) / 512).astype(np.float32)), 1)
        r = resource("2d", f, c, extent=(5, 5, 0, 0)); code, outs = tex("2d"); x, y = grid(np.arange(40) / 16 + 1.03125, np.arange(40) / 16 + 1.015625)
        yield emit("grid", f"grid/2d/{f:#x}", r, sampler(1, 1, 0), code, bits(x.astype(np.float32), y.astype(np.float32)), 1)
        r = resource("3d", f, c, extent=(4, 4, 4, 0)); code, outs = tex("3d"); x, y, z = grid(*[np.arange(11) / 7 + 0.9] * 3)
        yield emit("grid", f"grid/3d/{f:#x}", r, sampler(1, 1, 0), code, bits(*[v.astype(np.float32) for v in (x, y, z)]), 1)
    # Numbers that strain the sums: wide ranges, infinities, NaNs, subnormals.
    for name, seed in (("wide", 1), ("raw", 2), ("specials", 3), ("tiny", 4), ("huge", 5)):
        for f, n in ((F32, 4), (F16, 2)):
            for shape, extent in (("1d", (16, 0, 0, 0)), ("2d", (6, 6, 0, 0)), ("3d", (4, 4, 4, 0))):
                r = resource(shape, f, 1, extent=extent); count = level_size(r) // n; u = words(seed * 77 + f, count); dt = np.uint32 if n == 4 else np.uint16; b = (u >> np.uint64(64 - 8 * n)).astype(dt); expo, man = (0x7f800000, 23) if n == 4 else (0x7c00, 10)
                e = (u % np.uint64({"wide": 40, "tiny": 6, "huge": 6}.get(name, 2))).astype(np.int64); mid = 107 if n == 4 else 1; mask = dt(~expo & ((1 << 8 * n) - 1))
                if name == "wide": b = (b & mask) | (np.minimum(mid + e, (expo >> man) - 1).astype(dt) << dt(man))
                if name == "tiny": b = (b & mask) | (np.minimum(e, 3).astype(dt) << dt(man))
                if name == "huge": b = (b & mask) | ((np.int64(expo >> man) - 1 - e // 2).astype(dt) << dt(man))
                if name == "specials": b = np.array([0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0xbf800000, 0x00000001, 0x7f7fffff, 0xff7fffff, 0x7f812345, 0xffc54321] if n == 4 else [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00, 0xbc00, 1, 0x7bff, 0xfbff, 0x7c01, 0xfe11], dt)[(u % np.uint64(12)).astype(int)]
                code, outs = tex(GEOMETRY.get(shape, shape)); yield emit("strain", f"strain/{shape}/{f:#x}/{name}", r, sampler(1, 1, 0), code, dense(shape, r, False, 700, seed), 1, texels_=b)
def results():
    for dtype in ("f32", "f16", "f16x2", "s32", "u32"):
        for name, f, c, flags, own in every_format():
            if f in BLOCK and f not in (0x91, 0x9b) or c == 1 and f not in (F32, 3, 2): continue
            for filter in (0, 1):
                if filter and own != "f32": continue
                r = resource("2d", f, c); code, outs = tex("2d", dtype)
                yield emit("result", f"result/{dtype}/{name}/filter{filter}", r, sampler(1, filter, flags), code, dense("2d", r, False, 120, 3), outs)
MIPS = {"1d": (19, 0, 0, 0), "2d": (17, 11, 0, 0), "3d": (9, 8, 7, 0), "a1d": (16, 0, 3, LAYERED), "a2d": (12, 9, 3, LAYERED), "cube": (16, 16, 6, CUBEMAP), "acube": (8, 8, 12, CUBEMAP | LAYERED)}
def mipmaps():
    for g, extent in MIPS.items():
        levels = int(max(extent[0], extent[1], 0 if extent[3] else extent[2])).bit_length(); n = COUNT[g]
        for filter in (0, 1):
            for mip_filter in (0, 1):
                for bias, low, high, f, c in ((0.0, 0.0, 20.0, F32, 1), (0.0, 0.0, 20.0, 1, 4), (0.7, 0.0, 20.0, F32, 1), (-1.3, 0.0, 2.3, F32, 1), (0.0, 1.2, 2.6, F32, 1), (0.0, 0.0, 0.0, F16, 2)) + (((0.3, 0.0, 20.0, 0x91, 4), (0.0, 0.0, 20.0, 0x9d, 4), (0.0, 0.0, 20.0, 0x9c, 3)) if g in ("2d", "cube") else ()):
                    r = resource(g, f, c, extent=extent, levels=levels); s = sampler(turn(filter + 2 * mip_filter), filter, NORMALIZED, mip_filter, 0, bias, low, high); x = scatter(g, r, True, 300 if c == 1 else 150, 7)
                    lod = uniform(31, len(x), -1.5, levels + 0.5); lod[::6] = np.round(lod[::6] * 256) / 256; lod[1::12] = np.round(lod[1::12])
                    code, outs = tex(g, op="tex.level", tail=f", i{n}"); tag = f"{g}/{filter}{mip_filter}/{f:#x}/b{bias}/{low}-{high}"
                    yield emit("level", f"level/{tag}", r, s, code, np.concatenate([x, bits(lod)], 1), outs)
                    if (bias, low) in ((0.0, 1.2), (0.7, 0.0)):
                        code, outs = tex(g); yield emit("level", f"nolevel/{tag}", r, s, code, x[:100], outs)
                        code, outs = tex(g, op="tex.base"); yield emit("level", f"base/{tag}", r, s, code, x[:100], outs)
        # Gradients
        for filter, mip_filter, an in ((0, 0, 1), (1, 0, 1), (1, 1, 0), (1, 1, 1), (1, 1, 4)):
            for bias, low, high in ((0.0, 0.0, 20.0), (0.4, 0.5, 2.5)):
                yield gradient(g, extent, levels, filter, mip_filter, an, bias, low, high)
    for an in range(1, 17):
        for g in ("2d", "a2d"): yield gradient(g, (64, 64, 0, 0) if g == "2d" else (32, 64, 2, LAYERED), 7 if g == "2d" else 6, 1, 1, an, 0.0, 0.0, 20.0, "aniso")
        yield gradient("2d", (64, 64, 0, 0), 7, 1, 0, an, 0.0, 0.0, 20.0, "anisopoint")
        yield gradient("2d", (64, 64, 0, 0), 0, 1, 0, an, 0.0, 0.0, 0.0, "anisoflat")
def gradient(g, extent, levels, filter, mip_filter, an, bias, low, high, group="grad"):
    r = resource(g, F32, 1, extent=extent, levels=levels); n = COUNT[g]; m = 240; x = scatter(g, r, True, m, 13); dims = {"1d": 1, "2d": 2, "a1d": 1, "a2d": 2, "3d": 3, "cube": 3, "acube": 3}[g]
    size = np.exp2(uniform(17, m, -9, 1)); dx, dy = [size * uniform(19 + k, m, -1, 1) for k in range(dims)], [size * uniform(29 + k, m, -1, 1) * np.exp2(uniform(41, m, -4, 0)) for k in range(dims)]
    for d in (dx, dy):
        for v in d: v[::9] = 0
    if dims == 1: text, columns = f", {{i{n}}}, {{i{n + 1}}}", dx + dy
    elif dims == 2: text, columns = f", {{i{n},i{n + 1}}}, {{i{n + 2},i{n + 3}}}", dx + dy
    else:
        # Three-dimensional gradients need nine operands: the y gradient is made from the x gradient in the kernel's registers.
        text, columns = f", {{i{n},i{n + 1},i{n + 2},i{n + 2}}}, {{i{n + 1},i{n + 2},i{n},i{n}}}", dx
    code, outs = tex(g, op="tex.grad", tail=text)
    return emit(group, f"{group}/{g}/{filter}{mip_filter}/an{an}/b{bias}/{low}-{high}", r, sampler(1 if group != "grad" else turn(filter), filter, NORMALIZED, mip_filter, an, bias, low, high), code, np.concatenate([x, bits(*[c.astype(np.float32) for c in columns])], 1), outs)
def gather():
    for g in ("2d", "a2d", "cube", "acube"):
        for c in "rgba":
            for f, ch, flags, dtype in ((F32, 4, 0, "f32"), (1, 4, 0, "f32"), (9, 2, INTEGER, "s32"), (F16, 1, 0, "f32"), (3, 1, INTEGER, "u32")):
                for a in range(4):
                    if (f != F32) and a != (ch + ord(c)) % 4: continue
                    for norm in (0, NORMALIZED):
                        r = resource(g, f, ch); code, outs = tex(g, dtype, op="tld4." + c)
                        yield emit("gather", f"gather/{g}/{c}/{f:#x}x{ch}/mode{a}/norm{norm}", r, sampler(a, norm // 2, flags | norm), code, dense(g, r, bool(norm), 150, 23), outs)
def offsets():
    for g, dims, v in (("1d", 1, "{iA}"), ("2d", 2, "{iA,iB}"), ("3d", 3, "{iA,iB,iC,iC}"), ("a1d", 1, "{iA}"), ("a2d", 2, "{iA,iB}")):
        n = COUNT[g]
        for k, letter in enumerate("ABC"): v = v.replace("i" + letter, f"i{n + k}")
        for filter in (0, 1):
            for a in range(4):
                for norm in (0, NORMALIZED):
                    r = resource(g, F32, 1); x = scatter(g, r, bool(norm), 240, 47); o = [(words(53 + k, 240) % np.uint64(24)).astype(np.int64) - 12 for k in range(dims)]
                    if n + dims <= 8:
                        code, outs = tex(g, tail=f", {v}"); yield emit("offset", f"offset/{g}/filter{filter}/mode{a}/norm{norm}", r, sampler(a, filter, norm), code, np.concatenate([x, bits(*o)], 1), outs)
        r = resource(g, F32, 1); x = integers(g, r, 240, 59)
        code, outs = tex(g, ctype="s32", tail=f", {v}"); yield emit("offset", f"offset/{g}/s32", r, sampler(1), code, np.concatenate([x, bits(*o)], 1), outs)
    for g in ("2d", "a2d"):
        for a in range(4):
            r = resource(g, F32, 4); n = COUNT[g]; x = scatter(g, r, True, 200, 47); o = [(words(53 + k, 200) % np.uint64(80)).astype(np.int64) - 40 for k in range(2)]
            code, outs = tex(g, op="tld4.g", tail=f", {{i{n},i{n + 1}}}"); yield emit("offset", f"offset/tld4/{g}/mode{a}", r, sampler(a, 0, NORMALIZED), code, np.concatenate([x, bits(*o)], 1), outs)
def integer_coordinates():
    for shape in ("1d", "2d", "3d", "a1d", "a2d", "linear", "pitch2d"):
        g = GEOMETRY.get(shape, shape)
        for f, c, flags, dtype in ((F32, 1, 0, "f32"), (1, 4, 0, "f32"), (2, 2, INTEGER, "u32"), (10, 4, INTEGER, "s32")):
            for a in range(4):
                r = resource(shape, f, c); code, outs = tex(g, dtype, "s32")
                yield emit("s32", f"s32/{shape}/{f:#x}x{c}/mode{a}", r, sampler(a, a % 2, flags), code, integers(g, r, 200, 61), outs)
        if shape in ("linear", "pitch2d"): continue
        r = resource(g, F32, 1, extent=MIPS[g], levels=4); n = COUNT[g]; x = integers(g, r, 300, 67); code, outs = tex(g, "f32", "s32", op="tex.level", tail=f", i{n}")
        yield emit("s32", f"s32/level/{g}", r, sampler(1, 0, 0, 0, 0, 0.0, 0.0, 20.0), code, np.concatenate([x, bits((words(71, 300) % np.uint64(8)).astype(np.int64) - 2)], 1), outs)
        r = resource(g, F32, 1); code, outs = tex(g, ctype="s32", op="tex.base"); yield emit("s32", f"s32/base/{g}", r, sampler(1), code, integers(g, r, 100, 61), outs)
def compare():
    for g in ("1d", "2d", "a1d", "a2d", "cube", "acube"):
        for filter in (0, 1):
            r = resource(g, F32, 1); n = COUNT[g]; x = scatter(g, r, True, 120, 73); code, outs = tex(g, tail=f", i{n}")
            yield emit("compare", f"compare/{g}/filter{filter}", r, sampler(1, filter, NORMALIZED), code, np.concatenate([x, bits(uniform(79, 120, -4, 4))], 1), outs)
    r = resource("2d", F32, 1); code, outs = tex("2d", op="tld4.r", tail=", i2"); yield emit("compare", "compare/tld4", r, sampler(1, 0, NORMALIZED), code, np.concatenate([scatter("2d", r, True, 120, 73), bits(uniform(79, 120, -4, 4))], 1), outs)
def resident():
    for g in SHAPES:
        geo = GEOMETRY.get(g, g); r = resource(g, F32, 1); code, outs = tex(geo, pred=True); yield emit("resident", f"resident/{g}", r, sampler(1, 0, NORMALIZED), code, scatter(g, r, True, 60, 83), outs, True)
    r = resource("2d", F32, 4); code, outs = tex("2d", op="tld4.b", pred=True); yield emit("resident", "resident/tld4", r, sampler(1, 0, NORMALIZED), code, scatter("2d", r, True, 60, 83), outs, True)
    r = resource("2d", F32, 1, extent=(256, 256, 0, 0), flags=0x40); code, outs = tex("2d", pred=True); yield emit("resident", "resident/sparse", r, sampler(1, 0, NORMALIZED), code, scatter("2d", r, True, 60, 83), outs, True, texels_=np.zeros(0, np.uint8))
def wrong_geometry():
    for shape in SHAPES:
        for g in COORDINATES:
            if g == GEOMETRY.get(shape, shape): continue
            for norm in (0, NORMALIZED):
                r = resource(shape, F32, 1); own = resource(g, F32, 1); code, outs = tex(g); yield emit("geometry", f"geometry/{g}-on-{shape}/norm{norm}", r, sampler(1, 0, norm), code, scatter(g, own, bool(norm), 90, 89), outs)
        for g, v in (("2dms", "{i0,i1,i2,i2}"), ("a2dms", "{i0,i1,i2,i3}")):
            r = resource(shape, F32, 1); yield emit("geometry", f"geometry/{g}-on-{shape}", r, sampler(1), f"tex.{g}.v4.f32.s32 {{o0,o1,o2,o3}}, [t, {v}];", bits(*[(words(97 + k, 40) % np.uint64(4)).astype(np.int64) for k in range(4)]), 4)
def views():
    sizes = {8: [0x01, 0x04], 16: [0x02, 0x05, 0x07, 0x0a, 0x13], 32: [0x03, 0x06, 0x08, 0x0b, 0x0d, 0x10, 0x14, 0x16], 64: [0x09, 0x0c, 0x0e, 0x11, 0x15, 0x17], 128: [0x0f, 0x12, 0x18]}
    for f in CLASSIC:
        for c in (1, 2, 4):
            for v in sizes[8 * BYTES[f] * c]:
                for flags in ((0,) if v >= 0x13 or v in (0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12) else (0, INTEGER)):
                    r = resource("2d", f, c); w = {"format": v, "width": r["width"], "height": r["height"]}; code, outs = tex("2d", "f32"); yield emit("view", f"view/{f:#x}x{c}/as{v:#x}/flags{flags}", r, sampler(1, 0, flags), code, scatter("2d", r, False, 60, 101), outs, view=w)
    for v, f, c in ((0x19, 3, 2), (0x1a, 3, 4), (0x1b, 3, 4), (0x1c, 3, 2), (0x1d, 3, 2), (0x1e, 3, 4), (0x1f, 3, 4), (0x20, 3, 4), (0x21, 3, 4), (0x22, 3, 4)):
        for flags, filter in ((0, 0), (NORMALIZED, 1), (SRGB, 0)):
            r = resource("2d", f, c, extent=(4, 3, 0, 0)); w = {"format": v, "width": 16, "height": 12}; q = resource("2d", F32, 1, extent=(16, 12, 0, 0)); code, outs = tex("2d"); yield emit("view", f"view/bc{v:#x}/flags{flags}", r, sampler(1, filter, flags), code, dense("2d", q, bool(flags & 2), 192, 103), outs, view=w)
    for a, b in ((0, 2), (1, 3), (2, 2), (1, 4), (0, 9)):
        r = resource("2d", F32, 1, extent=(32, 32, 0, 0), levels=5); code, outs = tex("2d", op="tex.level", tail=", i2"); yield emit("view", f"view/levels{a}-{b}", r, sampler(1, 1, NORMALIZED, 1, 0, 0.0, 0.0, 20.0), code, np.concatenate([scatter("2d", r, True, 160, 107), bits(uniform(109, 160, -1, 6))], 1), outs, view={"format": 0x16, "width": 32, "height": 32, "firstMip": a, "lastMip": b})
    for a, b in ((0, 4), (1, 3), (2, 2), (4, 4)):
        r = resource("a2d", F32, 1); code, outs = tex("a2d"); yield emit("view", f"view/layers{a}-{b}", r, sampler(1, 0, NORMALIZED), code, scatter("a2d", r, True, 160, 113), outs, view={"format": 0x16, "width": 7, "height": 6, "depth": 5, "firstLayer": a, "lastLayer": b})
