"""Arrays: made, described, copied in every direction, whole and in part, at once and on streams; and wrong calls."""

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core.texture import OpaqueArrayOptions

from conftest import Memory, ask

HOST, DEVICE, ARRAY = (getattr(driver.CUmemorytype, f"CU_MEMORYTYPE_{name}") for name in ("HOST", "DEVICE", "ARRAY"))
FLOAT, BYTE = driver.CUarray_format.CU_AD_FORMAT_FLOAT, driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8


def array_2d(width, height, format=FLOAT, channels=1):
    described = driver.CUDA_ARRAY_DESCRIPTOR()
    described.Width, described.Height, described.Format, described.NumChannels = width, height, format, channels
    return ask(driver.cuArrayCreate(described))


def array_3d(width, height, depth, flags=0, format=FLOAT, channels=1):
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.Depth = width, height, depth
    described.Format, described.NumChannels, described.Flags = format, channels, flags
    return ask(driver.cuArray3DCreate(described))


def part(copy, side, kind, place, pitch=0, height=0, at=(0, 0, 0)):
    """Fills one side of a copy."""
    setattr(copy, f"{side}MemoryType", kind)
    setattr(copy, f"{side}{ {HOST: 'Host', DEVICE: 'Device', ARRAY: 'Array'}[kind] }", place)
    setattr(copy, f"{side}XInBytes", at[0])
    setattr(copy, f"{side}Y", at[1])
    if pitch:
        setattr(copy, f"{side}Pitch", pitch)
    if hasattr(copy, f"{side}Z"):
        setattr(copy, f"{side}Z", at[2])
        if height:
            setattr(copy, f"{side}Height", height)


def plane(copy_function, source, target, width, height, *rest):
    copy = driver.CUDA_MEMCPY2D()
    part(copy, "src", *source)
    part(copy, "dst", *target)
    copy.WidthInBytes, copy.Height = width, height
    ask(copy_function(copy, *rest))


@pytest.fixture
def texels():
    return np.random.default_rng(3).random((6, 10), np.float32)


def test_descriptors(device):
    array = array_3d(8, 4, 3, driver.CUDA_ARRAY3D_LAYERED | driver.CUDA_ARRAY3D_SURFACE_LDST, BYTE, 4)
    told = ask(driver.cuArray3DGetDescriptor(array))
    assert (told.Width, told.Height, told.Depth, told.Format, told.NumChannels) == (8, 4, 3, BYTE, 4)
    assert told.Flags == driver.CUDA_ARRAY3D_LAYERED | driver.CUDA_ARRAY3D_SURFACE_LDST
    flat = ask(driver.cuArrayGetDescriptor(array))
    assert (flat.Width, flat.Height, flat.Format, flat.NumChannels) == (8, 4, BYTE, 4)
    ask(driver.cuArrayDestroy(array))


def test_planes_go_round(device, stream, memory, texels):
    """Host, array, array, device, array, host: every direction but host to device."""
    arrays = [array_2d(10, 6) for _ in range(3)]
    between, back = memory(np.zeros((6, 16), np.float32)), np.zeros((6, 10), np.float32)
    copy = driver.cuMemcpy2D
    plane(copy, (HOST, texels.ctypes.data, 40), (ARRAY, arrays[0]), 40, 6)
    plane(copy, (ARRAY, arrays[0]), (ARRAY, arrays[1]), 40, 6)
    plane(copy, (ARRAY, arrays[1]), (DEVICE, between.address, 64), 40, 6)
    plane(copy, (DEVICE, between.address, 64), (ARRAY, arrays[2]), 40, 6)
    plane(copy, (ARRAY, arrays[2]), (HOST, back.ctypes.data, 40), 40, 6)
    np.testing.assert_array_equal(back, texels)
    np.testing.assert_array_equal(between.numpy()[:, :10], texels)
    assert not between.numpy()[:, 10:].any()
    for array in arrays:
        ask(driver.cuArrayDestroy(array))


def test_a_part_of_a_plane(stream, texels):
    array, back = array_2d(10, 6), np.zeros((6, 10), np.float32)
    zeros = np.zeros_like(texels)
    plane(driver.cuMemcpy2D, (HOST, zeros.ctypes.data, 40), (ARRAY, array), 40, 6)
    plane(driver.cuMemcpy2DUnaligned, (HOST, texels.ctypes.data, 40, 0, (8, 1, 0)), (ARRAY, array, 0, 0, (12, 2, 0)), 20, 3)
    plane(driver.cuMemcpy2DAsync, (ARRAY, array), (HOST, back.ctypes.data, 40), 40, 6, stream.handle)
    stream.sync()
    want = zeros.copy()
    want[2:5, 3:8] = texels[1:4, 2:7]
    np.testing.assert_array_equal(back, want)
    ask(driver.cuArrayDestroy(array))


def test_rows(device, memory):
    """The copies of one dimension: between an array and the host, the device and another array, with offsets."""
    row, back = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    a, b = array_2d(32, 0), array_2d(32, 0)
    device = memory(np.zeros(32, np.float32))
    ask(driver.cuMemcpyHtoA(a, 0, row.ctypes.data, 128))
    ask(driver.cuMemcpyAtoA(b, 64, a, 0, 64))
    ask(driver.cuMemcpyAtoA(b, 0, a, 64, 64))
    ask(driver.cuMemcpyAtoD(device.address, b, 0, 128))
    ask(driver.cuMemcpyDtoA(a, 0, device.address + 16, 64))
    ask(driver.cuMemcpyAtoH(back.ctypes.data, a, 0, 128))
    swapped = np.concatenate([row[16:], row[:16]])
    np.testing.assert_array_equal(device.numpy(), swapped)
    np.testing.assert_array_equal(back, np.concatenate([swapped[4:20], row[16:]]))
    for array in (a, b):
        ask(driver.cuArrayDestroy(array))


def test_rows_on_a_stream(stream):
    row, back = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    array = array_2d(32, 0)
    ask(driver.cuMemcpyHtoAAsync(array, 0, row.ctypes.data, 128, stream.handle))
    ask(driver.cuMemcpyAtoHAsync(back.ctypes.data, array, 0, 128, stream.handle))
    stream.sync()
    np.testing.assert_array_equal(back, row)
    ask(driver.cuArrayDestroy(array))


@pytest.mark.parametrize("flags, depth", [(0, 5), (driver.CUDA_ARRAY3D_LAYERED, 5), (driver.CUDA_ARRAY3D_CUBEMAP, 6)])
def test_volumes(stream, memory, flags, depth):
    """A box of a volume, of layers, or of faces, to a place of its own in another one."""
    volume = np.random.default_rng(4).random((depth, 7, 7), np.float32)
    a, b = array_3d(7, 7, depth, flags), array_3d(7, 7, depth, flags)

    def copy(source, target, extent, on=None):
        described = driver.CUDA_MEMCPY3D()
        part(described, "src", *source)
        part(described, "dst", *target)
        described.WidthInBytes, described.Height, described.Depth = extent
        ask(driver.cuMemcpy3DAsync(described, on.handle) if on else driver.cuMemcpy3D(described))

    zeros, back = np.zeros_like(volume), np.zeros_like(volume)
    copy((HOST, volume.ctypes.data, 28, 7), (ARRAY, a), (28, 7, depth))
    copy((HOST, zeros.ctypes.data, 28, 7), (ARRAY, b), (28, 7, depth))
    copy((ARRAY, a, 0, 0, (4, 2, 1)), (ARRAY, b, 0, 0, (8, 3, 2)), (16, 3, 2))
    copy((ARRAY, b), (HOST, back.ctypes.data, 28, 7), (28, 7, depth), stream)
    stream.sync()
    want = zeros.copy()
    want[2:4, 3:6, 2:6] = volume[1:3, 2:5, 1:5]
    np.testing.assert_array_equal(back, want)
    pitched = memory(np.zeros((depth, 8, 16), np.float32))
    copy((ARRAY, a), (DEVICE, pitched.address, 64, 8), (28, 7, depth))
    np.testing.assert_array_equal(pitched.numpy()[:, :7, :7], volume)
    for array in (a, b):
        ask(driver.cuArrayDestroy(array))


def test_levels(stream):
    """Every level of a chain is an array of its own size, and keeps its own texels."""
    described = driver.CUDA_ARRAY3D_DESCRIPTOR()
    described.Width, described.Height, described.Format, described.NumChannels = 20, 12, FLOAT, 1
    chain = ask(driver.cuMipmappedArrayCreate(described, 4))
    levels = [np.full((max(12 >> n, 1), max(20 >> n, 1)), n + 1, np.float32) for n in range(4)]
    for number, level in enumerate(levels):
        array = ask(driver.cuMipmappedArrayGetLevel(chain, number))
        told = ask(driver.cuArray3DGetDescriptor(array))
        assert (told.Height, told.Width) == level.shape
        plane(driver.cuMemcpy2D, (HOST, level.ctypes.data, level.strides[0]), (ARRAY, array), level.strides[0], level.shape[0])
    for number, level in enumerate(levels):
        array, back = ask(driver.cuMipmappedArrayGetLevel(chain, number)), np.zeros_like(level)
        plane(driver.cuMemcpy2D, (ARRAY, array), (HOST, back.ctypes.data, level.strides[0]), level.strides[0], level.shape[0])
        np.testing.assert_array_equal(back, level)
    assert driver.cuMipmappedArrayGetLevel(chain, 4)[0] == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    ask(driver.cuMipmappedArrayDestroy(chain))


def test_copies_in_a_graph(device, stream, texels):
    """cuda-core's copies, captured and replayed."""
    array = device.create_opaque_array(OpaqueArrayOptions(shape=(10, 6), format="float32", num_channels=1))
    source, target = (Memory(a, stream) for a in (texels, np.zeros_like(texels)))
    builder = device.create_graph_builder().begin_building()
    array.copy_from(source.buffer, stream=builder)
    array.copy_to(target.buffer, stream=builder)
    graph = builder.end_building().complete()
    graph.launch(stream)
    stream.sync()
    np.testing.assert_array_equal(target.numpy(), texels)
    ask(driver.cuMemcpyHtoD(source.address, (texels + 1).ctypes.data, texels.nbytes))
    graph.launch(stream)
    stream.sync()
    np.testing.assert_array_equal(target.numpy(), texels + 1)


def answer(error):
    return error[0].name


def test_wrong_calls(device):
    wrong = driver.CUDA_ARRAY3D_DESCRIPTOR()
    wrong.Width, wrong.Height, wrong.Format, wrong.NumChannels = 8, 8, FLOAT, 3
    assert answer(driver.cuArray3DCreate(wrong)) == "CUDA_ERROR_INVALID_VALUE"
    wrong.NumChannels, wrong.Width = 1, 1 << 20
    assert answer(driver.cuArray3DCreate(wrong)) == "CUDA_ERROR_INVALID_VALUE"
    wrong.Width, wrong.Depth, wrong.Flags = 8, 5, driver.CUDA_ARRAY3D_CUBEMAP
    assert answer(driver.cuArray3DCreate(wrong)) == "CUDA_ERROR_INVALID_VALUE"
    array = array_2d(8, 8)
    copy = driver.CUDA_MEMCPY2D()
    host = np.zeros(1024, np.float32)
    part(copy, "src", HOST, host.ctypes.data, 64)
    part(copy, "dst", ARRAY, array)
    copy.WidthInBytes, copy.Height = 36, 8
    assert answer(driver.cuMemcpy2D(copy)) == "CUDA_ERROR_INVALID_VALUE"
    copy.WidthInBytes, copy.Height = 32, 9
    assert answer(driver.cuMemcpy2D(copy)) == "CUDA_ERROR_INVALID_VALUE"
    ask(driver.cuArrayDestroy(array))
    # NVIDIA's driver looks into what it has freed, and answers that a context is destroyed.
    assert answer(driver.cuArrayDestroy(array)) == "CUDA_ERROR_INVALID_HANDLE"


def test_textures_without_what_they_need(device):
    resource, how = driver.CUDA_RESOURCE_DESC(), driver.CUDA_TEXTURE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_LINEAR
    resource.res.linear.devPtr, resource.res.linear.format, resource.res.linear.numChannels = 0, FLOAT, 1
    resource.res.linear.sizeInBytes = 64
    assert answer(driver.cuTexObjectCreate(resource, how, None)) == "CUDA_ERROR_INVALID_VALUE"
    assert answer(driver.cuSurfObjectCreate(resource)) == "CUDA_ERROR_INVALID_VALUE"
