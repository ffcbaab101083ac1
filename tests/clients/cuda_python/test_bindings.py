"""cuda-bindings: the driver API itself, through NVIDIA's own wrapper."""

import ctypes

import numpy as np
import pytest
from cuda.bindings import driver, nvrtc
from cuda.core import LaunchConfig, launch

from conftest import ask

OUTCOME = driver.CUresult


def nvrtc_ptx(code, arch):
    error, program = nvrtc.nvrtcCreateProgram(code.encode(), b"test.cu", 0, [], [])
    options = [f"--gpu-architecture=compute_{arch}".encode()]
    (error,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
    assert error == nvrtc.nvrtcResult.NVRTC_SUCCESS
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = b" " * size
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx


def test_the_classic_way(device):
    """cuCtxCreate, cuModuleLoadData, cuLaunchKernel: as the documentation's first example does it."""
    ptx = nvrtc_ptx("""
    extern "C" __global__ void saxpy(float a, float *x, float *y, float *out, size_t n) {
        size_t i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = __fadd_rn(__fmul_rn(a, x[i]), y[i]);
    }""", device.arch)
    context = ask(driver.cuCtxCreate(None, 0, 0))
    module = ask(driver.cuModuleLoadData(ptx))
    kernel = ask(driver.cuModuleGetFunction(module, b"saxpy"))
    n = 5000
    x, y, out = (np.random.default_rng(k).random(n, np.float32) for k in range(3))
    places = [ask(driver.cuMemAlloc(4 * n)) for _ in range(3)]
    stream = ask(driver.cuStreamCreate(0))
    for place, array in zip(places, (x, y)):
        ask(driver.cuMemcpyHtoDAsync(place, array.ctypes.data, array.nbytes, stream))
    values = (np.float32(2.5), *places, n)
    types = (ctypes.c_float, None, None, None, ctypes.c_size_t)
    ask(driver.cuLaunchKernel(kernel, (n + 127) // 128, 1, 1, 128, 1, 1, 0, stream, (values, types), 0))
    ask(driver.cuMemcpyDtoHAsync(out.ctypes.data, places[2], out.nbytes, stream))
    ask(driver.cuStreamSynchronize(stream))
    np.testing.assert_array_equal(out, np.float32(2.5) * x + y)
    for place in places:
        ask(driver.cuMemFree(place))
    ask(driver.cuStreamDestroy(stream))
    ask(driver.cuModuleUnload(module))
    ask(driver.cuCtxDestroy(context))
    device.set_current()


def test_module_globals(device, stream):
    """A variable of the module, read and written by host and kernel."""
    ptx = nvrtc_ptx("""
    __device__ int counter = 40; __constant__ float scale[4] = {1, 2, 3, 4};
    extern "C" __global__ void k(float *out) { counter += 2; for (int i = 0; i < 4; i++) out[i] = scale[i]; }""", device.arch)
    module = ask(driver.cuModuleLoadData(ptx))
    kernel = ask(driver.cuModuleGetFunction(module, b"k"))
    counter, size = ask(driver.cuModuleGetGlobal(module, b"counter"))
    scale, scale_size = ask(driver.cuModuleGetGlobal(module, b"scale"))
    assert (size, scale_size) == (4, 16)
    new = np.array([5, 6, 7, 8], np.float32)
    ask(driver.cuMemcpyHtoD(scale, new.ctypes.data, 16))
    out = ask(driver.cuMemAlloc(16))
    ask(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream.handle, ((out,), (None,)), 0))
    ask(driver.cuStreamSynchronize(stream.handle))
    value, back = np.zeros(1, np.int32), np.zeros(4, np.float32)
    ask(driver.cuMemcpyDtoH(value.ctypes.data, counter, 4))
    ask(driver.cuMemcpyDtoH(back.ctypes.data, out, 16))
    assert value[0] == 42 and (back == new).all()
    assert driver.cuModuleGetGlobal(module, b"nothing")[0] == OUTCOME.CUDA_ERROR_NOT_FOUND
    assert driver.cuModuleGetFunction(module, b"nothing")[0] == OUTCOME.CUDA_ERROR_NOT_FOUND
    ask(driver.cuModuleUnload(module))


@pytest.mark.parametrize("width, dtype", [(1, np.uint8), (2, np.uint16), (4, np.uint32)])
def test_memset(device, width, dtype):
    place = ask(driver.cuMemAlloc(64 * width))
    fill = {1: driver.cuMemsetD8, 2: driver.cuMemsetD16, 4: driver.cuMemsetD32}[width]
    ask(fill(place, 0, 64))
    ask(fill(int(place) + 8 * width, 0xAB, 10))
    result = np.zeros(64, dtype)
    ask(driver.cuMemcpyDtoH(result.ctypes.data, place, result.nbytes))
    expected = np.zeros(64, dtype)
    expected[8:18] = 0xAB
    np.testing.assert_array_equal(result, expected)
    ask(driver.cuMemFree(place))


def test_pitched_copies(device):
    """A window of a pitched allocation, out and back."""
    place, pitch = ask(driver.cuMemAllocPitch(100, 20, 4))
    assert pitch >= 100 and pitch % 32 == 0
    ask(driver.cuMemsetD2D8(place, pitch, 1, 100, 20))
    source = np.arange(30 * 10, dtype=np.uint8).reshape(10, 30)
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, source.ctypes.data, 30
    copy.dstMemoryType, copy.dstDevice, copy.dstPitch = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, place, pitch
    copy.dstXInBytes, copy.dstY, copy.WidthInBytes, copy.Height = 20, 5, 30, 10
    ask(driver.cuMemcpy2D(copy))
    back = np.zeros((20, 100), np.uint8)
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcDevice, copy.srcPitch = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE, place, pitch
    copy.dstMemoryType, copy.dstHost, copy.dstPitch = driver.CUmemorytype.CU_MEMORYTYPE_HOST, back.ctypes.data, 100
    copy.WidthInBytes, copy.Height = 100, 20
    ask(driver.cuMemcpy2D(copy))
    expected = np.ones((20, 100), np.uint8)
    expected[5:15, 20:50] = source
    np.testing.assert_array_equal(back, expected)
    ask(driver.cuMemFree(place))


def test_pointer_attributes(device):
    attribute = driver.CUpointer_attribute
    place = ask(driver.cuMemAlloc(1000))
    managed = ask(driver.cuMemAllocManaged(64, driver.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL.value))
    host = ask(driver.cuMemHostAlloc(64, 0))
    kind = attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE
    types = driver.CUmemorytype
    assert ask(driver.cuPointerGetAttribute(kind, place)) == types.CU_MEMORYTYPE_DEVICE
    assert ask(driver.cuPointerGetAttribute(kind, host)) == types.CU_MEMORYTYPE_HOST
    assert ask(driver.cuPointerGetAttribute(attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED, managed))
    base, size = ask(driver.cuMemGetAddressRange(int(place) + 500))
    assert (int(base), size) == (int(place), 1000)
    ask(driver.cuMemFree(place))
    assert driver.cuPointerGetAttribute(kind, place)[0] == OUTCOME.CUDA_ERROR_INVALID_VALUE
    ask(driver.cuMemFree(managed))
    ask(driver.cuMemFreeHost(host))


def test_registered_memory(device, stream, compile):
    """NumPy's own memory, made known to the driver and used in place."""
    array = np.zeros(1024, np.int32)
    ask(driver.cuMemHostRegister(array.ctypes.data, array.nbytes, 0))
    place = ask(driver.cuMemHostGetDevicePointer(array.ctypes.data, 0))
    kernel = compile("extern \"C\" __global__ void k(int *x) { x[threadIdx.x] = threadIdx.x; }").get_kernel("k")
    launch(stream, LaunchConfig(grid=1, block=1024), kernel, int(place))
    stream.sync()
    np.testing.assert_array_equal(array, np.arange(1024))
    ask(driver.cuMemHostUnregister(array.ctypes.data))
    assert driver.cuMemHostUnregister(array.ctypes.data)[0] == OUTCOME.CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED


def test_virtual_memory_management(device):
    """Two pieces of memory, mapped side by side into one reserved range."""
    properties = driver.CUmemAllocationProp()
    properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    properties.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    properties.location.id = 0
    flag = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    size = ask(driver.cuMemGetAllocationGranularity(properties, flag))
    base = ask(driver.cuMemAddressReserve(2 * size, 0, 0, 0))
    handles = [ask(driver.cuMemCreate(size, properties, 0)) for _ in range(2)]
    for i, handle in enumerate(handles):
        ask(driver.cuMemMap(int(base) + i * size, size, 0, handle, 0))
    access = driver.CUmemAccessDesc()
    access.location = properties.location
    access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
    ask(driver.cuMemSetAccess(base, 2 * size, [access], 1))
    ask(driver.cuMemsetD8(base, 3, 2 * size))
    check = np.zeros(32, np.uint8)
    ask(driver.cuMemcpyDtoH(check.ctypes.data, int(base) + size - 16, 32))
    assert (check == 3).all()
    ask(driver.cuMemUnmap(base, 2 * size))
    for handle in handles:
        ask(driver.cuMemRelease(handle))
    ask(driver.cuMemAddressFree(base, 2 * size))


def test_peer_to_itself(device):
    """There is one device: it is no peer of itself, but a copy between its contexts works."""
    assert ask(driver.cuDeviceCanAccessPeer(0, 0)) == 0
    context = ask(driver.cuCtxGetCurrent())
    a, b = ask(driver.cuMemAlloc(64)), ask(driver.cuMemAlloc(64))
    ask(driver.cuMemsetD8(a, 9, 64))
    ask(driver.cuMemcpyPeer(b, context, a, context, 64))
    check = np.zeros(64, np.uint8)
    ask(driver.cuMemcpyDtoH(check.ctypes.data, b, 64))
    assert (check == 9).all()
    assert driver.cuCtxEnablePeerAccess(context, 0)[0] != OUTCOME.CUDA_SUCCESS


def test_host_functions(device, stream, compile, memory):
    """A function of the host runs between two kernels of the stream."""
    kernel = compile("extern \"C\" __global__ void k(int *x) { *x = *x * 2 + 1; }").get_kernel("k")
    host = ask(driver.cuMemHostAlloc(4, 0))
    value = ctypes.cast(int(host), ctypes.POINTER(ctypes.c_int))
    value[0] = 1

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def callback(_data):
        value[0] += 100

    launch(stream, LaunchConfig(grid=1, block=1), kernel, int(host))
    ask(driver.cuLaunchHostFunc(stream.handle, driver.CUhostFn(_ptr=ctypes.addressof(callback)), 0))
    launch(stream, LaunchConfig(grid=1, block=1), kernel, int(host))
    stream.sync()
    assert value[0] == (3 + 100) * 2 + 1


def test_wrong_calls(device, stream, compile):
    """The right error, and the context lives on."""
    kernel = ask(driver.cuKernelGetFunction(compile("extern \"C\" __global__ void k() {}").get_kernel("k").handle))
    assert driver.cuLaunchKernel(kernel, 1, 1, 1, 2000, 1, 1, 0, 0, 0, 0)[0] == OUTCOME.CUDA_ERROR_INVALID_VALUE
    assert driver.cuLaunchKernel(kernel, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0)[0] == OUTCOME.CUDA_ERROR_INVALID_VALUE
    assert driver.cuMemAlloc(0)[0] == OUTCOME.CUDA_ERROR_INVALID_VALUE
    assert driver.cuMemAlloc(1 << 60)[0] == OUTCOME.CUDA_ERROR_OUT_OF_MEMORY
    assert driver.cuMemFree(0xDEAD000)[0] == OUTCOME.CUDA_ERROR_INVALID_VALUE
    assert driver.cuModuleLoadData(b"this is no PTX\0")[0] in (OUTCOME.CUDA_ERROR_INVALID_PTX, OUTCOME.CUDA_ERROR_INVALID_IMAGE)
    assert driver.cuDeviceGet(100)[0] == OUTCOME.CUDA_ERROR_INVALID_DEVICE
    assert driver.cuStreamQuery(stream.handle)[0] == OUTCOME.CUDA_SUCCESS
    assert ask(driver.cuGetErrorName(OUTCOME.CUDA_ERROR_INVALID_VALUE)) == b"CUDA_ERROR_INVALID_VALUE"


def test_jit_log(device):
    """The driver's compiler says what is wrong with PTX, and where."""
    options = driver.CUjit_option
    log = bytearray(4096)
    keys = [options.CU_JIT_ERROR_LOG_BUFFER, options.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES]
    bad = b".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { bogus.u32 %r1; ret; }\0"
    error, _ = driver.cuModuleLoadDataEx(bad, 2, keys, [log, len(log)])
    assert error == OUTCOME.CUDA_ERROR_INVALID_PTX
    assert b"line 4" in log and b"bogus" in log


def test_load_and_unload(device):
    """A thousand times, and memory does not grow with them."""
    import resource

    ptx = nvrtc_ptx("__device__ int big[1000]; extern \"C\" __global__ void k(int *x) { *x = big[7]; }", device.arch)

    def many(n):
        for _ in range(n):
            ask(driver.cuModuleUnload(ask(driver.cuModuleLoadData(ptx))))
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = many(200)
    assert many(800) - before < 4096


def test_printf_in_order(program):
    result = program("prints.py")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["host 1", *(f"thread {i} of launch 1: {i * 0.5:.2f} ok" for i in range(4)),
                                          "host 2", *(f"thread {i} of launch 2: {i * 0.5:.2f} ok" for i in range(4)), "host 3"]


@pytest.mark.parametrize("fault, error, words", [
    ("assert", "CUDA_ERROR_ASSERT", "x < 10"),
    ("trap", "CUDA_ERROR_LAUNCH_FAILED", ""),
    ("null", "CUDA_ERROR_ILLEGAL_ADDRESS", ""),
    ("bounds", "CUDA_ERROR_ILLEGAL_ADDRESS", ""),
    ("misaligned", "CUDA_ERROR_MISALIGNED_ADDRESS", ""),
])
def test_faults(program, fault, error, words):
    """The error is the hardware's, and it stays: every later call of the context answers with it."""
    result = program("faults.py", fault)
    assert result.returncode in (0, 3), result.stderr
    assert result.stdout.splitlines() == [error, error, error]
    assert words in result.stderr
