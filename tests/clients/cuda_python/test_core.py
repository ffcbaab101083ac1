"""cuda-core: programs, launches, streams, events, memory."""

import ctypes
import threading

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import (
    Device, DeviceMemoryResource, DeviceMemoryResourceOptions, EventOptions, LaunchConfig, LegacyPinnedMemoryResource, Linker,
    LinkerOptions, ManagedMemoryResource, ObjectCode, StreamOptions, VirtualMemoryResource,
    VirtualMemoryResourceOptions, launch,
)

from conftest import Memory, ask, compile_cuda

SAXPY = """
template <typename T> __global__ void saxpy(T a, const T *x, T *y, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""

SLOW = """
extern "C" __global__ void slow_add(unsigned *value, unsigned rounds, unsigned amount) {
    unsigned x = *value;
    for (unsigned i = 0; i < rounds; i++) x = x * 1664525u + 1013904223u;
    for (unsigned i = 0; i < rounds; i++) x = (x - 1013904223u) * 4276115653u;
    *value = x + amount;
}
extern "C" __global__ void times_three(unsigned *value) { *value *= 3; }
"""


@pytest.mark.parametrize("dtype, name", [(np.float32, "float"), (np.float64, "double"), (np.int32, "int")])
def test_templates_and_name_expressions(stream, compile, memory, dtype, name):
    kernel = compile(SAXPY, (f"saxpy<{name}>",), fma=False).get_kernel(f"saxpy<{name}>")
    x, y = np.arange(1000).astype(dtype), np.arange(1000)[::-1].astype(dtype)
    dx, dy = memory(x), memory(y)
    launch(stream, LaunchConfig(grid=8, block=128), kernel, dtype(3), dx.buffer, dy.buffer, np.uint64(1000))
    np.testing.assert_array_equal(dy.numpy(), dtype(3) * x + y)


def test_kernel_arguments_of_every_kind(stream, compile, memory):
    code = """
    struct Pair { short a; double b; };
    extern "C" __global__ void kinds(double *out, bool t, signed char c, short s, int i, long long l, float f, double d,
                                     float2 v, const double *p) {
        out[0] = t; out[1] = c; out[2] = s; out[3] = i; out[4] = l; out[5] = f; out[6] = d; out[7] = v.x; out[8] = v.y;
        out[9] = *p;
    }
    """
    kernel = compile(code).get_kernel("kinds")
    out, p = memory(np.zeros(10)), memory(np.array([1.75]))
    launch(stream, LaunchConfig(grid=1, block=1), kernel, out.buffer, True, np.int8(-3), ctypes.c_short(-300), -70000,
           ctypes.c_longlong(-(2**40)), np.float32(0.5), 0.25, np.complex64(1 + 2j), p.address)
    np.testing.assert_array_equal(out.numpy(), [1, -3, -300, -70000, -(2**40), 0.5, 0.25, 1, 2, 1.75])


def test_order_within_a_stream(stream, compile, memory):
    """Kernels of one stream run one after the other."""
    module = compile(SLOW)
    slow, triple = module.get_kernel("slow_add"), module.get_kernel("times_three")
    value, config = memory(np.array([5], np.uint32)), LaunchConfig(grid=1, block=1)
    for _ in range(4):
        launch(stream, config, slow, value.buffer, np.uint32(2000), np.uint32(1))
        launch(stream, config, triple, value.buffer)
    expected = 5
    for _ in range(4):
        expected = (expected + 1) * 3
    assert value.numpy()[0] == expected


def test_a_stream_waits_for_an_event(device, stream, compile, memory):
    module = compile(SLOW)
    slow, triple = module.get_kernel("slow_add"), module.get_kernel("times_three")
    value, other, config = memory(np.array([1], np.uint32)), device.create_stream(), LaunchConfig(grid=1, block=1)
    launch(stream, config, slow, value.buffer, np.uint32(20000), np.uint32(1))
    done = stream.record()
    other.wait(done)
    launch(other, config, triple, value.buffer)
    other.sync()
    assert done.is_done
    assert value.numpy()[0] == 6


def test_event_timing(device, stream, compile, memory):
    """A long kernel takes longer than a short one, and time passes between events."""
    slow = compile(SLOW).get_kernel("slow_add")
    value, config = memory(np.array([1], np.uint32)), LaunchConfig(grid=1, block=1)
    times = []
    for rounds in (10, 200_000):
        start = stream.record(options=EventOptions(timing_enabled=True))
        launch(stream, config, slow, value.buffer, np.uint32(rounds), np.uint32(0))
        end = stream.record(options=EventOptions(timing_enabled=True))
        end.sync()
        times.append(end - start)
    assert 0 <= times[0] < times[1]


def test_events_without_timing(stream):
    start, end = (stream.record(options=EventOptions(timing_enabled=False)) for _ in range(2))
    stream.sync()
    with pytest.raises(RuntimeError):
        end - start


def test_streams_and_priorities(device):
    plain = device.create_stream(options=StreamOptions(nonblocking=True, priority=0))
    low, high = ask(driver.cuCtxGetStreamPriorityRange())
    urgent = device.create_stream(options=StreamOptions(nonblocking=False, priority=high))
    assert plain.is_nonblocking and not urgent.is_nonblocking
    assert plain.priority == 0 and urgent.priority == high and high <= low
    assert plain != urgent and device.default_stream != plain


def test_two_threads_on_two_streams(device, compile):
    """Each thread launches a hundred times on a stream of its own; neither disturbs the other."""
    module = compile("""
    extern "C" __global__ void step(unsigned *x, unsigned n) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) x[i] = x[i] * 7 + i;
    }""")
    kernel, results = module.get_kernel("step"), {}

    def work(which):
        Device().set_current()
        stream = Device().create_stream()
        x = Memory(np.full(500, which, np.uint32), stream)
        for _ in range(100):
            launch(stream, LaunchConfig(grid=4, block=128), kernel, x.buffer, np.uint32(500))
        results[which] = x.numpy()

    threads = [threading.Thread(target=work, args=(which,)) for which in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for which in (1, 2):
        expected = np.full(500, which, np.uint32)
        for _ in range(100):
            expected = expected * np.uint32(7) + np.arange(500, dtype=np.uint32)
        np.testing.assert_array_equal(results[which], expected)


def test_dynamic_shared_memory(stream, compile, memory):
    """More than 48 KiB, which a kernel must be allowed first; cuda-core does that itself or the driver refuses."""
    module = compile("""
    extern "C" __global__ void reverse(int *x, int n) {
        extern __shared__ int shared[];
        for (int i = threadIdx.x; i < n; i += blockDim.x) shared[i] = x[i];
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = shared[n - 1 - i];
    }""")
    kernel, x = module.get_kernel("reverse"), memory(np.arange(20000, dtype=np.int32))
    function = ask(driver.cuKernelGetFunction(kernel.handle))
    ask(driver.cuFuncSetAttribute(function, driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 80000))
    launch(stream, LaunchConfig(grid=1, block=256, shmem_size=80000), kernel, x.buffer, np.int32(20000))
    np.testing.assert_array_equal(x.numpy(), np.arange(20000)[::-1])


def test_cooperative_launch(stream, compile, memory):
    """All blocks meet at grid.sync(): each adds what its neighbour wrote in the round before."""
    module = compile("""
    #include <cooperative_groups.h>
    extern "C" __global__ void rounds(unsigned *a, unsigned *b, int n) {
        auto grid = cooperative_groups::this_grid();
        unsigned block = blockIdx.x, blocks = gridDim.x;
        for (int i = 0; i < n; i++) {
            if (threadIdx.x == 0) b[block] = a[block] + a[(block + 1) % blocks];
            grid.sync();
            if (threadIdx.x == 0) a[block] = b[block];
            grid.sync();
        }
    }""")
    a, b = memory(np.arange(16, dtype=np.uint32)), memory(np.zeros(16, np.uint32))
    launch(stream, LaunchConfig(grid=16, block=64, is_cooperative=True), module.get_kernel("rounds"), a.buffer, b.buffer,
           np.int32(10))
    expected = np.arange(16, dtype=np.uint32)
    for _ in range(10):
        expected = expected + np.roll(expected, -1)
    np.testing.assert_array_equal(a.numpy(), expected)


def test_a_cooperative_launch_that_does_not_fit(stream, compile):
    kernel = compile("extern \"C\" __global__ void empty() {}").get_kernel("empty")
    with pytest.raises(ValueError, match="exceeds the limit"):
        launch(stream, LaunchConfig(grid=1_000_000, block=1024, is_cooperative=True), kernel)
    function = ask(driver.cuKernelGetFunction(kernel.handle))
    (error,) = driver.cuLaunchCooperativeKernel(function, 1_000_000, 1, 1, 1024, 1, 1, 0, stream.handle, 0)
    assert error == driver.CUresult.CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE


def test_kernel_attributes(device, compile):
    module = compile("""
    __constant__ int table[64];
    extern "C" __global__ void __launch_bounds__(256) k(int *x) {
        __shared__ int s[100];
        s[threadIdx.x % 100] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[99 - threadIdx.x % 100] + table[threadIdx.x % 64];
    }""")
    attributes = module.get_kernel("k").attributes
    assert attributes.shared_size_bytes == 400
    assert attributes.const_size_bytes >= 256
    assert attributes.max_threads_per_block == 256
    assert attributes.num_regs > 0
    assert attributes.ptx_version > 0 and attributes.binary_version > 0


def test_kernel_arguments_info(compile):
    kernel = compile("extern \"C\" __global__ void k(char a, double b, short c, int *d) {}").get_kernel("k")
    assert kernel.num_arguments == 4
    assert [(a.offset, a.size) for a in kernel.arguments_info] == [(0, 1), (8, 8), (16, 2), (24, 8)]


def test_occupancy(device, compile):
    kernel = compile("extern \"C\" __global__ void k(int *x) { x[threadIdx.x]++; }").get_kernel("k")
    threads = device.properties.max_threads_per_multiprocessor
    assert kernel.occupancy.max_active_blocks_per_multiprocessor(1024, 0) == threads // 1024
    assert kernel.occupancy.max_active_blocks_per_multiprocessor(256, 100_000) <= 2
    advice = kernel.occupancy.max_potential_block_size(0, 0)
    assert advice.min_grid_size >= device.properties.multiprocessor_count and advice.max_block_size == 1024


def test_device_properties(device):
    properties = device.properties
    assert device.name.startswith("NVIDIA ") and len(device.uuid) == 36
    assert (device.compute_capability.major, device.compute_capability.minor) == (int(device.arch[:-1]), int(device.arch[-1]))
    assert properties.warp_size == 32 and properties.max_threads_per_block == 1024
    assert properties.multiprocessor_count > 100 and properties.cooperative_launch and properties.managed_memory
    assert properties.max_grid_dim_x == 2**31 - 1


def test_memory_pool(device, stream):
    """A pool of its own: what was freed is given out again, and the pool knows how much is in use."""
    pool = DeviceMemoryResource(device, options=DeviceMemoryResourceOptions(max_size=1 << 24))
    first = pool.allocate(1 << 16, stream=stream)
    stream.sync()
    used = pool.attributes.used_mem_current
    assert used >= 1 << 16
    first.close(stream)
    stream.sync()
    assert pool.attributes.used_mem_current <= used - (1 << 16)
    second = pool.allocate(1 << 16, stream=stream)
    ask(driver.cuMemsetD32Async(second.handle, 77, 1 << 14, stream.handle))
    check = np.zeros(1 << 14, np.uint32)
    stream.sync()
    ask(driver.cuMemcpyDtoH(check.ctypes.data, second.handle, check.nbytes))
    assert (check == 77).all()
    second.close(stream)


def test_buffers_copy_and_fill(device, stream):
    pinned = LegacyPinnedMemoryResource()
    host = pinned.allocate(4096, stream=stream)
    array = np.from_dlpack(host).view(np.int32)
    array[:] = np.arange(1024)
    a, b = device.allocate(4096, stream=stream), device.allocate(4096, stream=stream)
    host.copy_to(a, stream=stream)
    a.copy_to(b, stream=stream)
    a.fill(np.uint16(0x1234), stream=stream)
    back, filled = (pinned.allocate(4096, stream=stream) for _ in range(2))
    b.copy_to(back, stream=stream)
    a.copy_to(filled, stream=stream)
    stream.sync()
    np.testing.assert_array_equal(np.from_dlpack(back).view(np.int32), np.arange(1024))
    assert (np.from_dlpack(filled).view(np.uint16) == 0x1234).all()
    assert a.is_device_accessible and not a.is_host_accessible and host.is_host_accessible


@pytest.mark.parametrize("resource", [ManagedMemoryResource, LegacyPinnedMemoryResource])
def test_memory_that_host_and_device_share(stream, compile, resource):
    kernel = compile("extern \"C\" __global__ void k(int *x) { x[threadIdx.x] += threadIdx.x; }").get_kernel("k")
    buffer = resource().allocate(1024, stream=stream)
    stream.sync()
    array = np.ctypeslib.as_array(ctypes.cast(int(buffer.handle), ctypes.POINTER(ctypes.c_int)), (256,))
    array[:] = 1000
    launch(stream, LaunchConfig(grid=1, block=256), kernel, buffer)
    stream.sync()
    np.testing.assert_array_equal(array, 1000 + np.arange(256))
    buffer.close()


def test_virtual_memory(device, stream, compile):
    """Memory of reserved addresses and mapped pages, grown in place."""
    resource = VirtualMemoryResource(device, config=VirtualMemoryResourceOptions(handle_type=None))
    buffer = resource.allocate(1 << 21)
    address = int(buffer.handle)
    ask(driver.cuMemsetD8(address, 7, 1 << 21))
    check = np.zeros(16, np.uint8)
    ask(driver.cuMemcpyDtoH(check.ctypes.data, address + (1 << 21) - 16, 16))
    assert (check == 7).all()
    buffer.close()


def test_ptx_given_as_text(stream, memory):
    ptx = b"""
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry store(.param .u64 out) {
        .reg .b64 %rd<2>; .reg .b32 %r<2>;
        ld.param.u64 %rd1, [out]; mov.u32 %r1, 42; st.global.u32 [%rd1], %r1; ret;
    }
    """
    out = memory(np.zeros(1, np.int32))
    launch(stream, LaunchConfig(grid=1, block=1), ObjectCode.from_ptx(ptx).get_kernel("store"), out.buffer)
    assert out.numpy()[0] == 42


def test_linking_two_objects(device, stream, memory):
    """Two pieces of PTX that need each other, joined by nvJitLink."""
    callee = compile_cuda("__device__ int twice(int x) { return 2 * x; }", relocatable_device_code=True)
    caller = compile_cuda("""
    extern __device__ int twice(int);
    extern "C" __global__ void k(int *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }""", relocatable_device_code=True)
    linked = Linker(caller, callee, options=LinkerOptions(arch=f"sm_{device.arch}")).link("cubin")
    x = memory(np.arange(32, dtype=np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), linked.get_kernel("k"), x.buffer)
    np.testing.assert_array_equal(x.numpy(), 2 * np.arange(32))


def test_ten_thousand_launches(stream, compile, memory):
    """In a loop, and memory does not grow with them."""
    import resource

    kernel = compile("extern \"C\" __global__ void k(unsigned *x) { (*x)++; }").get_kernel("k")
    x, config = memory(np.zeros(1, np.uint32)), LaunchConfig(grid=1, block=1)

    def many(n):
        for _ in range(n):
            launch(stream, config, kernel, x.buffer)
        stream.sync()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = many(2000)
    after = many(8000)
    assert x.numpy()[0] == 10000
    assert after - before < 4096, f"{after - before} KiB more"
