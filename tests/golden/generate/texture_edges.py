"""Golden cases that the products of texture_lookups.py leave out: cube edges, borders, large textures, flags without a meaning."""
from texture_base import *
from texture_lookups import MIPS

def cubes():
    """Directions near the edges and corners of the faces, ties of the axes, with and without seams."""
    n = 360; d = uniform(307, (n, 3), -1, 1)
    near = np.float32(1) - np.float32(2) ** -uniform(311, n, 1, 12)
    for k in range(n):
        a = k % 3
        if k % 4 == 1: d[k, a] = np.copysign(1, d[k, a]); d[k, (a + 1) % 3] = np.copysign(near[k], d[k, (a + 1) % 3])
        if k % 4 == 2: d[k] = np.copysign(1, d[k]); d[k, a] *= near[k]; d[k, (a + 1) % 3] *= near[k - 1]
        if k % 12 == 3: d[k] = np.copysign(1, d[k])
        if k % 12 == 7: d[k, a] = 0
        if k % 60 == 11: d[k, a] = d[k, (a + 1) % 3] = 0
    for size in (1, 2, 3, 8, 16):
        for g in ("cube", "acube"):
            for filter in (0, 1):
                for flags in (0, SEAMLESS):
                    for f, c in ((F32, 1), (1, 4)):
                        r = resource(g, f, c, extent=(size, size, 6 if g == "cube" else 12, CUBEMAP | (g == "acube"))); code, outs = tex(g); x = bits(d[:, 0], d[:, 1], d[:, 2])
                        if g == "acube": x = np.concatenate([bits((words(313, n) % np.uint64(4)).astype(np.int64) - 1), x], 1)
                        yield emit("cube", f"cube/{g}/{size}/filter{filter}/flags{flags}/{f:#x}", r, sampler((size + c) % 4, filter, NORMALIZED | flags), code, x if c == 1 else x[::2], outs)
                if filter:
                    for flags in (0, SEAMLESS):
                        r = resource(g, F32, 1, extent=(size, size, 6 if g == "cube" else 12, CUBEMAP | (g == "acube"))); code, outs = tex(g, op="tld4.r"); x = bits(d[:, 0], d[:, 1], d[:, 2])
                        if g == "acube": x = np.concatenate([bits((words(313, n) % np.uint64(4)).astype(np.int64) - 1), x], 1)
                        yield emit("cube", f"cube/tld4/{g}/{size}/flags{flags}", r, sampler(1, filter, NORMALIZED | flags), code, x[::2], outs)
def borders():
    """The border's colour in every format, also where it does not fit."""
    for k, colour in enumerate(((0.25, -1.5, 3.0, 0.75), (300.7, -40000.2, 1e10, -1e-9), (5, 0xfffffff0, 0x12345678, 0x80000000), (float("nan"), float("inf"), float("-inf"), 0.5))):
        for name, f, c, flags, dtype in every_format():
            if f in BLOCK and k not in (0, 2): continue
            for filter in (0, 1):
                if filter and dtype != "f32": continue
                r = resource("2d", f, c); code, outs = tex("2d", dtype); yield emit("border", f"border/{k}/{name}/filter{filter}", r, sampler(3, filter, flags | NORMALIZED, border=colour), code, bits(np.array([-0.5, 0.3, 1.7, 0.5, 0.03, 0.99], np.float32), np.array([0.5, -0.2, 2.5, 0.5, 0.02, 0.4], np.float32)), outs)
def large():
    """Many texels: the precision of coordinates."""
    for g, extent, f in (("1d", (1000, 0, 0, 0), 2), ("1d", (4096, 0, 0, 0), 2), ("1d", (16384, 0, 0, 0), 1), ("1d", (131072, 0, 0, 0), 1), ("2d", (300, 211, 0, 0), 1), ("2d", (2048, 3, 0, 0), 1), ("2d", (3, 4099, 0, 0), 1), ("3d", (33, 40, 27, 0), 1), ("a2d", (64, 65, 7, LAYERED), 1), ("cube", (61, 61, 6, CUBEMAP), 1), ("linear", (50000, 0, 0, 0), 1), ("pitch2d", (255, 100, 0, 0), 1)):
        for filter in (0, 1):
            for norm in (0, NORMALIZED):
                if g == "linear" and (filter or norm): continue
                r = resource(g, f, 1, extent=extent); geo = GEOMETRY.get(g, g); code, outs = tex(geo)
                if g == "linear": code, outs = tex(geo, ctype="s32"); yield emit("large", "large/linear/s32", r, sampler(1), code, integers("1d", r, 600, 367), 1); continue
                yield emit("large", f"large/{g}/{extent[0]}x{extent[1]}x{extent[2]}/filter{filter}/norm{norm}", r, sampler(norm // 2 * 2 or 1, filter, norm), code, np.concatenate([scatter(g, r, bool(norm), 300, 331, 0.1), dense(g, r, bool(norm), 300, 337)]), 1)
def flags():
    """Flags and filters where they mean little: linear filters on integers, READ_AS_INTEGER on floats, no trilinear optimisation."""
    for name, f, c, fl, dtype in element_formats():
        r = resource("2d", f, c); code, outs = tex("2d", dtype); yield emit("flags", f"flags/linear-on-{name}", r, sampler(1, 1, fl), code, dense("2d", r, False, 120, 347), outs)
    for f, c in ((F32, 1), (F16, 2), (0xc2, 4), (0xcb, 4), (0x50, 4), (0x91, 4)):
        for filter in (0, 1): r = resource("2d", f, c); code, outs = tex("2d"); yield emit("flags", f"flags/integer-on-{f:#x}/filter{filter}", r, sampler(1, filter, INTEGER), code, dense("2d", r, False, 120, 349), outs)
    for f, c in ((2, 4), (8, 4), (F32, 4), (F16, 4), (1, 1), (1, 2), (3, 4), (0xc0, 1), (0xc5, 4), (0xc8, 4), (0x50, 4)):
        for filter in (0, 1): r = resource("2d", f, c); code, outs = tex("2d"); yield emit("flags", f"flags/srgb-on-{f:#x}x{c}/filter{filter}", r, sampler(1, filter, SRGB), code, dense("2d", r, False, 120, 353), outs)
    for mip_filter in (0, 1):
        for fl in (0, NO_TRILINEAR):
            r = resource("2d", F32, 1, extent=MIPS["2d"], levels=5); x = scatter("2d", r, True, 500, 7); code, outs = tex("2d", op="tex.level", tail=", i2"); yield emit("flags", f"flags/trilinear{fl}/{mip_filter}", r, sampler(1, 1, NORMALIZED | fl, mip_filter, 0, 0.0, 0.0, 20.0), code, np.concatenate([x, bits(uniform(359, 500, -0.2, 5.2))], 1), outs)
