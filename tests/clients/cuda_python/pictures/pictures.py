"""The pictures: small programs on textures and surfaces, each a function of a GPU that gives arrays by name.

A GPU is a `gpu_core.Gpu` (cuda-core and cuda-bindings, on any libcuda) or the `Gpu` of tests/golden/generate/pictures.py
(ctypes alone, which recorded tests/golden/clients/textures.npz on an H200). Texels are arrays whose last axis are the
channels and whose first is the outermost: layers, faces or slices, then rows, then columns.
"""

import numpy as np

PICTURES = {}
BLOCK = 16


def picture(function):
    PICTURES[function.__name__] = function
    return function


def noise(shape, dtype, seed):
    """Texels that no two places share, drawn from splitmix64: floats from -1 to 1, integers of their whole range."""
    count, dtype = int(np.prod(shape)), np.dtype(dtype)
    word = lambda number: np.uint64(number)
    with np.errstate(over="ignore"):
        z = (np.arange(1, count + 1, dtype=np.uint64) + word(seed << 32)) * word(0x9E3779B97F4A7C15)
        z = (z ^ z >> word(30)) * word(0xBF58476D1CE4E5B9)
        z = (z ^ z >> word(27)) * word(0x94D049BB133111EB)
        z = z ^ z >> word(31)
    if dtype.kind == "f":
        return ((z >> word(40)).astype(np.float64) / 2**23 - 1).astype(dtype).reshape(shape)
    return z.astype(f"u{dtype.itemsize}").view(dtype).reshape(shape)


def photograph(width, height):
    """A picture with flat parts, edges and a slope, in bytes."""
    y, x = np.mgrid[0:height, 0:width]
    red = (x * 255 // max(width - 1, 1)).astype(np.uint8)
    green = np.where((x // 5 + y // 5) % 2, 220, 30).astype(np.uint8)
    blue = np.where((x - width // 2) ** 2 + (y - height // 2) ** 2 < (height // 3) ** 2, 255, 60).astype(np.uint8)
    return np.stack([red, green, blue, np.full_like(red, 255)], axis=-1)


def affine(xx, xy, x0, yx, yy, y0):
    """A map of pixels to coordinates, as six arguments."""
    return [np.float32(number) for number in (xx, xy, x0, yx, yy, y0)]


def over(pixels, texels, beyond, normalized):
    """The map that spreads `pixels` over `texels` and `beyond` texels on each side."""
    scale = [(t + 2 * beyond) / p for p, t in zip(pixels, texels)]
    unit = [1 / t if normalized else 1.0 for t in texels]
    return affine(scale[0] * unit[0], 0, -beyond * unit[0], 0, scale[1] * unit[1], -beyond * unit[1])


def draw(gpu, kernel, texture, width, height, *rest, dtype=np.float32, channels=4, each=()):
    """Launches a kernel with a thread for each pixel; what it wrote."""
    out = gpu.memory(np.zeros((height, width, *each, channels), dtype))
    gpu.launch(kernel, grid(width, height), (BLOCK, BLOCK, 1), np.uint64(texture), out, np.int32(width), np.int32(height), *rest)
    return out.numpy()


def grid(width, height, depth=1):
    return (-(-width // BLOCK), -(-height // BLOCK), depth)


# What becomes of coordinates: (address mode, smooth, normalized).
MODES = [(address, smooth, normalized) for normalized in (False, True) for smooth in (False, True)
         for address in (("wrap", "clamp", "mirror", "border") if normalized else ("clamp", "border"))]
MODES_TEXELS = noise((6, 9, 1), np.float32, 1)
MODES_PIXELS = (72, 56)


@picture
def modes(gpu):
    image = gpu.array(MODES_TEXELS)
    result = {}
    for address, smooth, normalized in MODES:
        texture = gpu.texture(image, address=address, smooth=smooth, normalized=normalized, border=(0.25, 0, 0, 0))
        name = f"{address} {'linear' if smooth else 'point'}{' normalized' if normalized else ''}"
        result[name] = draw(gpu, "sample_float", texture, *MODES_PIXELS, *over(MODES_PIXELS, (9, 6), 5, normalized), channels=1)
    return result


# (texels, what the kernel reads, whether integers become numbers from 0 or -1 to 1, whether it blends texels)
FORMATS = {
    "u8 element": (np.uint8, 4, "uchar4", False, False), "s8 element": (np.int8, 2, "char2", False, False),
    "u16 element": (np.uint16, 2, "ushort2", False, False), "s16 element": (np.int16, 4, "short4", False, False),
    "u32 element": (np.uint32, 4, "uint4", False, False), "s32 element": (np.int32, 1, "int", False, False),
    "f16 point": (np.float16, 2, "float2", False, False), "f32 point": (np.float32, 4, "float4", False, False),
    "u8 unit": (np.uint8, 4, "float4", True, False), "s8 unit": (np.int8, 2, "float2", True, False),
    "u16 unit": (np.uint16, 1, "float", True, False), "s16 unit": (np.int16, 4, "float4", True, False),
    "u8 linear": (np.uint8, 4, "float4", True, True), "s8 linear": (np.int8, 1, "float", True, True),
    "u16 linear": (np.uint16, 4, "float4", True, True), "s16 linear": (np.int16, 2, "float2", True, True),
    "f16 linear": (np.float16, 4, "float4", False, True), "f32 linear": (np.float32, 4, "float4", False, True),
}
FORMATS_PIXELS, FORMATS_SIZE = (33, 29), (8, 7)
CTYPE = {"float": np.float32, "uchar": np.uint8, "char": np.int8, "ushort": np.uint16, "short": np.int16, "uint": np.uint32, "int": np.int32}


def format_texels(name):
    dtype, channels = FORMATS[name][:2]
    return noise((FORMATS_SIZE[1], FORMATS_SIZE[0], channels), dtype, list(FORMATS).index(name))


@picture
def formats(gpu):
    result = {}
    for name, (dtype, channels, reads, unit, smooth) in FORMATS.items():
        texture = gpu.texture(gpu.array(format_texels(name)), address="clamp", smooth=smooth, unit=unit)
        where = over(FORMATS_PIXELS, FORMATS_SIZE, 1, False)
        result[name] = draw(gpu, f"sample_{reads}", texture, *FORMATS_PIXELS, *where, dtype=CTYPE[reads.rstrip("24")], channels=channels)
    return result


SRGB_TEXELS = np.arange(256, dtype=np.uint8).reshape(16, 16, 1).repeat(4, axis=2)


@picture
def srgb(gpu):
    """Every byte as a colour, and between two of them."""
    image = gpu.array(SRGB_TEXELS)
    where = over((64, 64), (16, 16), 0, True)
    return {name: draw(gpu, "sample_float4", gpu.texture(image, address="wrap", smooth=smooth, normalized=True, unit=True, srgb=True), 64, 64, *where)
            for name, smooth in (("point", False), ("linear", True))}


ROW = noise((13, 1), np.float32, 2)


@picture
def rows(gpu):
    """One dimension: an array with each address mode, and memory without one."""
    result, n = {}, 400
    for address in ("wrap", "clamp", "mirror", "border"):
        texture = gpu.texture(gpu.array(ROW), address=address, smooth=True, normalized=True, border=(-3, 0, 0, 0))
        out = gpu.memory(np.zeros(n, np.float32))
        gpu.launch("sample_1d", (2, 1, 1), (256, 1, 1), np.uint64(texture), out, np.int32(n), np.float32(4 / n), np.float32(-1.5))
        result[address] = out.numpy()
    for name, texels, unit, out in FETCHES:
        texture = gpu.texture(gpu.linear(texels), unit=unit)
        out = gpu.memory(np.zeros((64, out), np.float32 if unit or texels.dtype == np.float32 else texels.dtype))
        gpu.launch(name, (1, 1, 1), (64, 1, 1), np.uint64(texture), out, np.int32(64), np.int32(-8))
        result[name] = out.numpy()
    return result


FETCHES = [("fetch_float4", noise((48, 4), np.float32, 3), False, 4), ("fetch_uchar2", noise((48, 2), np.uint8, 4), False, 2),
           ("fetch_float", noise((48, 1), np.int16, 5), True, 1)]

ROTATION = affine(0.8, -0.6, 4.0, 0.6, 0.8, -12.0)
PHOTOGRAPH = photograph(48, 40)


@picture
def rotate(gpu):
    """A picture in pitched memory, turned and blended; outside is the border."""
    texture = gpu.texture(gpu.pitched(PHOTOGRAPH, 256), address="border", smooth=True, unit=True, border=(0, 0, 1, 1))
    return {"picture": draw(gpu, "sample_float4", texture, 64, 64, *ROTATION)}


@picture
def blur(gpu):
    """A box blur from a texture to a surface."""
    height, width = PHOTOGRAPH.shape[:2]
    texture = gpu.texture(gpu.array(PHOTOGRAPH), address="clamp", unit=True)
    to = gpu.array(np.zeros_like(PHOTOGRAPH), surface=True)
    gpu.launch("blur", grid(width, height), (BLOCK, BLOCK, 1), np.uint64(texture), np.uint64(gpu.surface(to)), np.int32(width), np.int32(height), np.int32(2))
    return {"picture": to.numpy()}


GATHERED = noise((7, 10, 4), np.float32, 6)
GATHERED_BYTES = noise((8, 8, 4), np.uint8, 7)


@picture
def gather(gpu):
    """The four texels that a blend would take, by component."""
    floats = gpu.texture(gpu.array(GATHERED, gather=True), address="clamp", smooth=True)
    octets = gpu.texture(gpu.array(GATHERED_BYTES, gather=True), address="wrap", smooth=True, normalized=True, unit=True)
    return {"float": draw(gpu, "gather", floats, 40, 30, *over((40, 30), (10, 7), 1, False), each=(4,)),
            "bytes": draw(gpu, "gather", octets, 40, 30, *over((40, 30), (8, 8), 3, True), each=(4,))}


LAYERS_1D = noise((5, 12, 2), np.float32, 8)
LAYERS_2D = noise((4, 6, 8, 4), np.uint8, 9)


@picture
def layers(gpu):
    """Arrays of rows and of planes; layers that do not exist are the last."""
    texture = gpu.texture(gpu.array(LAYERS_1D, layered=True), address="clamp", smooth=True)
    result = {"rows": draw(gpu, "sample_layer_1d", texture, 60, 8, *over((60, 8), (12, 1), 2, False), channels=2)}
    texture = gpu.texture(gpu.array(LAYERS_2D, layered=True), address="mirror", smooth=True, normalized=True, unit=True)
    for layer in (-1, 0, 1, 3, 7):
        result[f"plane {layer}"] = draw(gpu, "sample_layer_2d", texture, 40, 32, *over((40, 32), (8, 6), 4, True), np.int32(layer))
    return result


VOLUME = noise((5, 6, 7, 1), np.float32, 10)


@picture
def volume(gpu):
    image, result = gpu.array(VOLUME), {}
    for name, smooth, normalized, address in (("point", False, False, "clamp"), ("linear", True, False, "border"), ("wrapped", True, True, "wrap")):
        texture = gpu.texture(image, address=address, smooth=smooth, normalized=normalized)
        where = over((40, 36), (7, 6), 2, normalized)
        for z in (-0.5, 0.3, 1.9) if not normalized else (-0.1, 0.41):
            result[f"{name} {z}"] = draw(gpu, "sample_volume", texture, 40, 36, *where, np.float32(z), channels=1)
    return result


def colour_table(n=9):
    """Colours turned towards their complement where they are dark."""
    b, g, r = (x / (n - 1) for x in np.mgrid[0:n, 0:n, 0:n])
    dark = 1 - (r + g + b) / 3
    return np.stack([r * (1 - dark) + (1 - r) * dark, g ** 2, np.sqrt(b), np.ones_like(r)], axis=-1).astype(np.float32)


@picture
def grade(gpu):
    """A picture's colours looked up in a table of three dimensions."""
    table = colour_table()
    n = table.shape[0]
    height, width = PHOTOGRAPH.shape[:2]
    image = gpu.texture(gpu.array(PHOTOGRAPH), address="clamp", unit=True)
    colours = gpu.texture(gpu.array(table), address="clamp", smooth=True, normalized=True)
    out = gpu.memory(np.zeros((height, width, 4), np.uint8))
    gpu.launch("grade", grid(width, height), (BLOCK, BLOCK, 1), np.uint64(image), np.uint64(colours), out, np.int32(width), np.int32(height),
               np.float32((n - 1) / n), np.float32(0.5 / n))
    return {"picture": out.numpy()}


CUBE = noise((6, 8, 8, 4), np.float32, 11)
CUBES = noise((12, 4, 4, 4), np.uint8, 12)


@picture
def sky(gpu):
    """The inside of a cube, with filtering that stops at the edges of faces and with filtering that does not."""
    result, image, size = {}, gpu.array(CUBE, cube=True), 20
    for name, smooth, seamless in (("point", False, False), ("linear", True, False), ("seamless", True, True)):
        texture = gpu.texture(image, address="clamp", smooth=smooth, normalized=True, seamless=seamless)
        result[name] = draw_sky(gpu, texture, size, 0)
    texture = gpu.texture(gpu.array(CUBES, cube=True, layered=True), address="clamp", smooth=True, normalized=True, unit=True)
    result["layered"] = draw_sky(gpu, texture, size, 2)
    return result


def draw_sky(gpu, texture, size, cubes):
    width = size * 6 * max(cubes, 1)
    out = gpu.memory(np.zeros((size, width, 4), np.float32))
    gpu.launch("sky", grid(width, size), (BLOCK, BLOCK, 1), np.uint64(texture), out, np.int32(size), np.int32(size), np.int32(cubes))
    return out.numpy()


BASE = noise((32, 64, 4), np.float32, 13)


@picture
def levels(gpu):
    """A chain of levels that a kernel builds, each from the one before it, and looks at it in every way."""
    height, width = BASE.shape[:2]
    chain = gpu.mipmapped((height, width, 4), np.float32, 7, surface=True)
    chain.level(0).put(BASE)
    result = {}
    for level in range(1, 7):
        w, h = max(width >> level, 1), max(height >> level, 1)
        gpu.launch("halve", grid(w, h), (BLOCK, BLOCK, 1), np.uint64(gpu.surface(chain.level(level - 1))), np.uint64(gpu.surface(chain.level(level))), np.int32(w), np.int32(h))
        result[f"level {level}"] = chain.level(level).numpy()
    where = over((48, 80), (width, height), 3, True)
    for name, smooth, level_smooth, extra in (("nearest", False, False, {}), ("bilinear", True, False, {}), ("trilinear", True, True, {}),
                                              ("biased", True, True, {"bias": 0.75}), ("clamped", True, True, {"least": 1.25, "most": 3.5})):
        texture = gpu.texture(chain, address="wrap", smooth=smooth, normalized=True, level_smooth=level_smooth, most=extra.pop("most", 6.0), **extra)
        result[name] = draw(gpu, "sample_level", texture, 48, 80, *where, np.float32(-1), np.float32(7))
        if name != "clamped":
            result[f"floor {name}"] = draw(gpu, "sample_gradients", texture, 64, 48, np.float32(1.5))
    out = gpu.memory(np.zeros(3, np.uint32))
    gpu.launch("sizes", (1, 1, 1), (1, 1, 1), np.uint64(texture), out)
    result["sizes"] = out.numpy()
    return result


@picture
def anisotropy(gpu):
    """A chequered floor that goes to the horizon, with more and more samples along its longer axis."""
    y, x = np.mgrid[0:32, 0:32]
    base = np.where((x // 8 + y // 8) % 2, 230, 40).astype(np.uint8)[..., None].repeat(4, axis=2)
    chain = gpu.mipmapped((32, 32, 4), np.uint8, 6)
    for level in range(6):
        n = 32 >> level
        chain.level(level).put(base.reshape(n, 1 << level, n, 1 << level, 4).mean(axis=(1, 3)).astype(np.uint8))
    result = {}
    for samples in (1, 2, 4, 8, 16):
        texture = gpu.texture(chain, address="wrap", smooth=True, normalized=True, unit=True, level_smooth=True, most=5.0, anisotropy=samples)
        result[str(samples)] = draw(gpu, "sample_gradients", texture, 80, 60, np.float32(1.5))
    return result


SURFACE_1D = noise((11, 1), np.uint32, 14)
SURFACE_2D = noise((5, 9, 2), np.uint16, 15)
SURFACE_3D = noise((3, 4, 5, 1), np.float32, 16)
SURFACE_LAYERS = noise((3, 4, 6, 4), np.uint8, 17)


@picture
def surfaces(gpu):
    """Reads beyond all sides, clamped and zero; writes that are dropped or clamped; every shape written."""
    result = {}
    out = gpu.memory(np.zeros((2, 20), np.uint32))
    gpu.launch("surfaces_1d", (1, 1, 1), (32, 1, 1), np.uint64(gpu.surface(gpu.array(SURFACE_1D, surface=True))), out, np.int32(20), np.int32(-4))
    result["1d"] = out.numpy()
    plane = gpu.array(SURFACE_2D, surface=True)
    result["2d"] = read_surface(gpu, "surfaces_2d", plane, (2, 11, 15, 2), np.uint16, np.int32(-3))
    for z in (-1, 0, 2, 3):
        result[f"3d {z}"] = read_surface(gpu, "surfaces_3d", gpu.array(SURFACE_3D, surface=True), (2, 8, 9, 1), np.float32, np.int32(-2), np.int32(z))
    for layer in (0, 2):
        result[f"layer {layer}"] = read_surface(gpu, "surfaces_layer", gpu.array(SURFACE_LAYERS, layered=True, surface=True), (2, 8, 10, 4), np.uint8, np.int32(-2), np.int32(layer))
    gpu.launch("write_zero", grid(12, 8), (BLOCK, BLOCK, 1), np.uint64(gpu.surface(plane)), np.int32(12), np.int32(8), np.int32(-2))
    result["written zero"] = plane.numpy()
    plane = gpu.array(SURFACE_2D, surface=True)
    gpu.launch("write_clamp", (1, 1, 1), (32, 1, 1), np.uint64(gpu.surface(plane)), np.int32(9), np.int32(0))
    gpu.launch("write_clamp", (1, 1, 1), (32, 1, 1), np.uint64(gpu.surface(plane)), np.int32(1), np.int32(-5))
    result["written clamped"] = plane.numpy()
    for name, kernel, texels, how, depth in (("layers", "write_layers", np.zeros((3, 10, 20, 4), np.uint8), {"layered": True}, 3),
                                             ("volume", "write_volume", np.zeros((4, 10, 20, 1), np.float32), {}, 4),
                                             ("cube", "write_cube", np.zeros((6, 8, 8, 4), np.float32), {"cube": True}, 6)):
        image = gpu.array(texels, surface=True, **how)
        height, width = texels.shape[1:3]
        sizes = [np.int32(width)] if name == "cube" else [np.int32(width), np.int32(height)]
        gpu.launch(kernel, grid(width, height, depth), (BLOCK, BLOCK, 1), np.uint64(gpu.surface(image)), *sizes)
        result[f"written {name}"] = image.numpy()
    return result


def read_surface(gpu, kernel, image, shape, dtype, *rest):
    out = gpu.memory(np.zeros(shape, dtype))
    gpu.launch(kernel, grid(shape[2], shape[1]), (BLOCK, BLOCK, 1), np.uint64(gpu.surface(image)), out, np.int32(shape[2]), np.int32(shape[1]), *rest)
    return out.numpy()
