"""Textures and surfaces: each picture bit for bit as an H200 drew it, and by the rules of the manual."""

import pathlib

import numpy as np
import pytest
from cuda.bindings import driver

from conftest import ask
from pictures import pictures, reference
from pictures.gpu_core import Gpu

FOLDER = pathlib.Path(__file__).parent
KERNELS = (FOLDER / "pictures/kernels.cu").read_text()
RECORDED = FOLDER / "../../golden/clients/textures.npz"
# Each of up to three weights has 8 bits, and may be rounded up or down.
ROUNDING = 3 * 2.0**-8


@pytest.fixture
def gpu(device, stream, compile):
    gpu = Gpu(device, stream, compile(KERNELS, fma=False))
    yield gpu
    gpu.close()


@pytest.fixture(scope="session")
def recorded():
    with np.load(RECORDED) as file:
        return dict(file)


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_as_an_h200(gpu, recorded, name):
    drawn = pictures.PICTURES[name](gpu)
    assert sorted(drawn) == sorted(key.split("/", 1)[1] for key in recorded if key.split("/")[0] == name)
    wrong = {}
    for part, have in drawn.items():
        want = recorded[f"{name}/{part}"]
        assert have.dtype == want.dtype and have.shape == want.shape
        bits = f"u{have.itemsize}"
        differs = have.view(bits) != want.view(bits)
        if differs.any():
            first = tuple(int(i) for i in np.argwhere(differs)[0])
            largest = np.nanmax(np.abs(have.astype(np.float64) - want.astype(np.float64)))
            wrong[part] = f"{differs.sum()} of {differs.size} differ, by up to {largest:g}; first at {first}: {have[first]}, the H200 has {want[first]}"
    assert not wrong, "\n".join(f"{part}: {why}" for part, why in wrong.items())


def near(have, want):
    np.testing.assert_allclose(have, want, rtol=0, atol=ROUNDING * max(1.0, np.abs(want).max()))


@pytest.mark.parametrize("mode", pictures.MODES, ids=lambda mode: " ".join(map(str, mode)))
def test_modes(gpu, mode):
    address, smooth, normalized = mode
    name = f"{address} {'linear' if smooth else 'point'}{' normalized' if normalized else ''}"
    where = pictures.over(pictures.MODES_PIXELS, (9, 6), 5, normalized)
    at = reference.affine(pictures.MODES_PIXELS, *where)
    want = reference.sample(pictures.MODES_TEXELS, at, address, smooth, normalized, border=0.25)
    have = pictures.modes(gpu)[name]
    if smooth:
        near(have, want)
    else:
        clear = ~reference.doubtful(at, (9, 6), normalized)
        assert clear.mean() > 0.8
        np.testing.assert_array_equal(have[clear], want[clear].astype(np.float32))


def test_formats(gpu):
    drawn = pictures.formats(gpu)
    at = reference.affine(pictures.FORMATS_PIXELS, *pictures.over(pictures.FORMATS_PIXELS, pictures.FORMATS_SIZE, 1, False))
    for name, (_, _, _, unit, smooth) in pictures.FORMATS.items():
        want = reference.sample(pictures.format_texels(name), at, "clamp", smooth, unit=unit)
        near(drawn[name], want) if smooth else np.testing.assert_array_equal(drawn[name], want.astype(drawn[name].dtype), err_msg=name)


def test_srgb(gpu):
    drawn = pictures.srgb(gpu)
    at = reference.affine((64, 64), *pictures.over((64, 64), (16, 16), 0, True))
    decoded = reference.srgb(pictures.SRGB_TEXELS)
    for name, smooth in (("point", False), ("linear", True)):
        near(drawn[name], reference.sample(decoded, at, "wrap", smooth, True))


def test_rows(gpu):
    drawn = pictures.rows(gpu)
    x = (np.arange(400, dtype=np.float32) + np.float32(0.5)) * np.float32(0.01) + np.float32(-1.5)
    for address in ("wrap", "clamp", "mirror", "border"):
        # The row is a plane of one row, looked at with y = 0, which is half way to what lies before it.
        near(drawn[address], reference.sample(pictures.ROW[None], (x, np.zeros_like(x)), address, True, True, border=-3.0)[..., 0])
    for name, texels, unit, _ in pictures.FETCHES:
        want = np.zeros_like(drawn[name])
        want[8:56] = reference.values(texels, unit)
        np.testing.assert_array_equal(drawn[name], want, err_msg=name)


def test_rotate(gpu):
    at = reference.affine((64, 64), *pictures.ROTATION)
    near(pictures.rotate(gpu)["picture"], reference.sample(pictures.PHOTOGRAPH, at, "border", True, unit=True, border=np.array([0, 0, 1, 1])))


def test_blur(gpu):
    height, width = pictures.PHOTOGRAPH.shape[:2]
    padded = np.pad(pictures.PHOTOGRAPH.astype(int), ((2, 2), (2, 2), (0, 0)), mode="edge")
    total = sum(padded[dy:dy + height, dx:dx + width] for dy in range(5) for dx in range(5))
    # Sums of floats round other than sums of integers, where a mean lies between two bytes.
    assert np.abs(pictures.blur(gpu)["picture"] - total / 25).max() <= 0.51


def test_gather(gpu):
    drawn = pictures.gather(gpu)
    at = reference.affine((40, 30), *pictures.over((40, 30), (10, 7), 1, False))
    np.testing.assert_array_equal(drawn["float"], reference.gathered(pictures.GATHERED, at, "clamp", False, False).astype(np.float32))
    at = reference.affine((40, 30), *pictures.over((40, 30), (8, 8), 3, True))
    np.testing.assert_array_equal(drawn["bytes"], reference.gathered(pictures.GATHERED_BYTES, at, "wrap", True, True).astype(np.float32))


def test_layers(gpu):
    drawn = pictures.layers(gpu)
    x = reference.affine((60, 8), *pictures.over((60, 8), (12, 1), 2, False))[0]
    # A layer that does not exist is the last, because -1 is a large number without a sign.
    for y, layer in enumerate([4, 0, 1, 2, 3, 4, 4, 4]):
        near(drawn["rows"][y], reference.sample(pictures.LAYERS_1D[layer], (x[y],), "clamp", True))
    at = reference.affine((40, 32), *pictures.over((40, 32), (8, 6), 4, True))
    for layer in (-1, 0, 1, 3, 7):
        want = reference.sample(pictures.LAYERS_2D[layer if 0 <= layer < 4 else 3], at, "mirror", True, True, unit=True)
        near(drawn[f"plane {layer}"], want)


def test_volume(gpu):
    drawn = pictures.volume(gpu)
    for name, have in drawn.items():
        kind, z = name.split()
        smooth, normalized, address = {"point": (False, False, "clamp"), "linear": (True, False, "border"), "wrapped": (True, True, "wrap")}[kind]
        x, y = reference.affine((40, 36), *pictures.over((40, 36), (7, 6), 2, normalized))
        near(have, reference.sample(pictures.VOLUME, (x, y, np.float32(z) + x * np.float32(0.25)), address, smooth, normalized))


def test_sky(gpu):
    drawn, size = pictures.sky(gpu), 20
    column = np.arange(size * 6)
    a = ((column % size).astype(np.float32) + np.float32(0.5)) / np.float32(size) * np.float32(2.5) - np.float32(1.25)
    b = ((np.arange(size).astype(np.float32) + np.float32(0.5)) / np.float32(size) * np.float32(2.5) - np.float32(1.25))[:, None]
    a, b, face = np.broadcast_to(a, (size, size * 6)), np.broadcast_to(b, (size, size * 6)), np.broadcast_to(column // size, (size, size * 6))
    s = np.where(face % 2, np.float32(-1), np.float32(1))
    direction = (np.where(face < 2, s, a), np.where(face < 2, b, np.where(face < 4, s, b)), np.where(face < 2, a, np.where(face < 4, b, s)))
    np.testing.assert_array_equal(drawn["point"], reference.cube(pictures.CUBE, direction, False).astype(np.float32))
    near(drawn["linear"], reference.cube(pictures.CUBE, direction, True))


def test_levels(gpu):
    drawn, level = pictures.levels(gpu), pictures.BASE
    for number in range(1, 7):
        height, width = max(level.shape[0] // 2, 1), max(level.shape[1] // 2, 1)
        corner = lambda dy, dx: level[np.minimum(np.arange(height) * 2 + dy, level.shape[0] - 1)][:, np.minimum(np.arange(width) * 2 + dx, level.shape[1] - 1)]
        level = (((corner(0, 0) + corner(0, 1)) + corner(1, 0)) + corner(1, 1)) * np.float32(0.25)
        np.testing.assert_array_equal(drawn[f"level {number}"], level)
    assert list(drawn["sizes"]) == [64, 32, 0]
    # Where a row asks for a whole level, trilinear is bilinear of that level.
    at = reference.affine((48, 80), *pictures.over((48, 80), (64, 32), 3, True))
    row = 5
    near(drawn["trilinear"][row], reference.sample(pictures.BASE, [a[row] for a in at], "wrap", True, True))


def test_surfaces(gpu):
    drawn = pictures.surfaces(gpu)

    def reads(texels, starts, extents):
        places = np.meshgrid(*[np.arange(n) + s for s, n in zip(starts, extents)], indexing="ij")
        inside = np.all([(p >= 0) & (p < n) for p, n in zip(places, texels.shape)], axis=0)
        clamped = texels[tuple(np.clip(p, 0, n - 1) for p, n in zip(places, texels.shape))]
        return np.stack([clamped, np.where(inside[..., None], clamped, 0)])

    np.testing.assert_array_equal(drawn["1d"], reads(pictures.SURFACE_1D, (-4,), (20,))[..., 0])
    np.testing.assert_array_equal(drawn["2d"], reads(pictures.SURFACE_2D, (-3, -3), (11, 15)))
    for z in (-1, 0, 2, 3):
        np.testing.assert_array_equal(drawn[f"3d {z}"], reads(pictures.SURFACE_3D, (z, -2, -2), (1, 8, 9))[:, 0])
    for layer in (0, 2):
        np.testing.assert_array_equal(drawn[f"layer {layer}"], reads(pictures.SURFACE_LAYERS[layer], (-2, -2), (8, 10)))
    x, y = np.meshgrid(np.arange(9), np.arange(5))
    written = np.stack([x + 2, y + 2], axis=-1).astype(np.uint16)
    np.testing.assert_array_equal(drawn["written zero"], written)
    row = pictures.SURFACE_2D.copy()
    row[1] = np.stack([np.arange(9) + 100, np.full(9, 7)], axis=-1)
    row[1, 0] = (np.uint16(95), 7)
    np.testing.assert_array_equal(drawn["written clamped"], row)
    z, y, x = np.mgrid[0:3, 0:10, 0:20]
    np.testing.assert_array_equal(drawn["written layers"], np.stack([x, y, z, np.full_like(x, 255)], axis=-1))
    z, y, x = np.mgrid[0:4, 0:10, 0:20]
    np.testing.assert_array_equal(drawn["written volume"][..., 0], x + np.float32(0.5) * y + 100 * z)
    z, y, x = np.mgrid[0:6, 0:8, 0:8]
    np.testing.assert_array_equal(drawn["written cube"], np.stack([x, y, z, np.ones_like(x)], axis=-1))


def test_a_texture_sees_what_a_surface_wrote(gpu):
    """The same array through both, launch after launch."""
    image = gpu.array(np.zeros((4, 10, 20, 1), np.float32), surface=True)
    surface, texture = gpu.surface(image), gpu.texture(image, address="clamp")
    gpu.launch("write_volume", pictures.grid(20, 10, 4), (16, 16, 1), np.uint64(surface), np.int32(20), np.int32(10))
    have = pictures.draw(gpu, "sample_volume", texture, 20, 10, *pictures.over((20, 10), (20, 10), 0, False), np.float32(-100), channels=1)
    y, x = np.mgrid[0:10, 0:20]
    np.testing.assert_array_equal(have[..., 0], (x + 0.5 * y).astype(np.float32))


@pytest.mark.parametrize("x, y", [(-4, 0), (64, 0), (0, 16), (0, -1)])
def test_a_surface_read_beyond_its_image_traps(program, x, y):
    run = program("surface_trap.py", str(x), str(y))
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in run.stdout, run.stdout + run.stderr


def test_a_misaligned_surface_read_traps(program):
    run = program("surface_trap.py", "2", "0")
    assert "CUDA_ERROR_MISALIGNED_ADDRESS" in run.stdout, run.stdout + run.stderr


def test_objects_tell_what_they_were_made_of(gpu):
    image = gpu.array(pictures.LAYERS_2D, layered=True)
    handle = driver.CUtexObject(gpu.texture(image, address="mirror", smooth=True, normalized=True, unit=True))
    described = ask(driver.cuTexObjectGetTextureDesc(handle))
    assert described.addressMode[0] == driver.CUaddress_mode.CU_TR_ADDRESS_MODE_MIRROR
    assert described.filterMode == driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
    assert described.flags == driver.CU_TRSF_NORMALIZED_COORDINATES
    assert int(ask(driver.cuTexObjectGetResourceDesc(handle)).res.array.hArray) == int(image.handle)
