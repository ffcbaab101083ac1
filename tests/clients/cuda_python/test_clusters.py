"""Clusters of CTAs and launches that depend on each other, through cuda-core and NVRTC."""

from ctypes import c_uint, c_void_p

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import LaunchConfig, launch

from conftest import ask

OUTCOME = driver.CUresult


@pytest.fixture(autouse=True)
def clusters_are_there(device):
    if device.compute_capability.major < 9:
        pytest.skip("this device has no clusters")


SHAPE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void tell(unsigned *out) {
    cg::cluster_group cluster = cg::this_cluster();
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (threadIdx.x == 0) {
        dim3 index = cluster.block_index(), dim = cluster.dim_blocks();
        unsigned values[] = {cluster.block_rank(), cluster.num_blocks(), index.x, index.y, index.z, dim.x, dim.y, dim.z};
        for (int i = 0; i < 8; i++) out[block * 8 + i] = values[i];
    }
}
extern "C" __global__ void shape(unsigned *out) { tell(out); }
extern "C" __global__ void __cluster_dims__(2, 2, 1) fixed(unsigned *out) { tell(out); }
"""


def shapes(grid, cluster):
    """What every block of a grid should see of its cluster."""
    rows = []
    for z, y, x in np.ndindex(grid[::-1]):
        index = [x % cluster[0], y % cluster[1], z % cluster[2]]
        rank = (index[2] * cluster[1] + index[1]) * cluster[0] + index[0]
        rows.append([rank, np.prod(cluster), *index, *cluster])
    return np.array(rows, np.uint32)


@pytest.mark.parametrize("clusters, cluster", [
    ((3, 1, 1), (2, 1, 1)), ((1, 1, 1), (8, 1, 1)), ((2, 2, 1), (2, 2, 2)), ((2, 3, 2), (1, 2, 3)), ((5, 1, 1), (1, 1, 1)),
])
def test_cluster_launches(stream, compile, memory, clusters, cluster):
    """cuda-core counts the grid in clusters; the driver is told blocks."""
    grid = tuple(a * b for a, b in zip(clusters, cluster))
    out = memory(np.zeros((np.prod(grid), 8), np.uint32))
    launch(stream, LaunchConfig(grid=clusters, cluster=cluster, block=64), compile(SHAPE).get_kernel("shape"), out.buffer)
    np.testing.assert_array_equal(out.numpy(), shapes(grid, cluster))


def test_cluster_dims_of_the_kernel(stream, compile, memory):
    """`__cluster_dims__` needs no attribute of the launch, and the grid is told in blocks."""
    out = memory(np.zeros((16, 8), np.uint32))
    launch(stream, LaunchConfig(grid=(4, 4, 1), block=32), compile(SHAPE).get_kernel("fixed"), out.buffer)
    np.testing.assert_array_equal(out.numpy(), shapes((4, 4, 1), (2, 2, 1)))


def test_wrong_clusters(stream, compile, memory):
    module, out = compile(SHAPE), memory(np.zeros((16, 8), np.uint32))
    shape, fixed = module.get_kernel("shape"), module.get_kernel("fixed")
    for kernel, config in [
        (shape, LaunchConfig(grid=1, cluster=9, block=32)),
        (shape, LaunchConfig(grid=1, cluster=16, block=32)),
        (fixed, LaunchConfig(grid=(4, 3, 1), block=32)),
        (fixed, LaunchConfig(grid=1, cluster=(4, 1, 1), block=32)),
    ]:
        with pytest.raises(Exception, match="CUDA_ERROR_INVALID_CLUSTER_SIZE"):
            launch(stream, config, kernel, out.buffer)
    # Sixteen are possible on this device, if the program asks for what not every device has.
    function = ask(driver.cuKernelGetFunction(shape.handle))
    ask(driver.cuFuncSetAttribute(function, driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))
    launch(stream, LaunchConfig(grid=1, cluster=16, block=32), shape, out.buffer)
    np.testing.assert_array_equal(out.numpy(), shapes((16, 1, 1), (16, 1, 1)))


EXCHANGE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// Each block holds a part of a histogram in its shared memory; all blocks of the cluster count into all parts.
extern "C" __global__ void histogram(const unsigned *values, unsigned n, unsigned *counts, unsigned bins) {
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned each = bins / cluster.num_blocks();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x) part[i] = 0;
    cluster.sync();
    unsigned step = cluster.num_threads();
    for (unsigned i = cluster.thread_rank(); i < n; i += step) {
        unsigned bin = values[i] % bins;
        atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1u);
    }
    cluster.sync();
    for (unsigned i = threadIdx.x; i < each; i += blockDim.x) counts[cluster.block_rank() * each + i] = part[i];
}
// Rounds of an exchange: each block adds its right neighbour's sum to its own.
extern "C" __global__ void ring(unsigned *out, unsigned rounds) {
    __shared__ unsigned sum[2];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned me = cluster.block_rank(), next = (me + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) sum[0] = me + 1;
    cluster.sync();
    for (unsigned i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) sum[(i + 1) & 1] = sum[i & 1] + *cluster.map_shared_rank(&sum[i & 1], next);
        cluster.sync();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sum[rounds & 1];
}
"""


@pytest.mark.parametrize("blocks", [2, 4, 8])
def test_histogram_in_distributed_shared_memory(stream, compile, memory, blocks):
    values = np.random.default_rng(5).integers(0, 1 << 32, 5000, dtype=np.uint32)
    bins = 256
    source, counts = memory(values), memory(np.zeros(bins, np.uint32))
    kernel = compile(EXCHANGE).get_kernel("histogram")
    config = LaunchConfig(grid=1, cluster=blocks, block=128, shmem_size=4 * bins // blocks)
    launch(stream, config, kernel, source.buffer, np.uint32(len(values)), counts.buffer, np.uint32(bins))
    np.testing.assert_array_equal(counts.numpy(), np.bincount(values % bins, minlength=bins))


def test_a_cluster_of_eight_exchanges(stream, compile, memory):
    out, rounds = memory(np.zeros(24, np.uint32)), 40
    launch(stream, LaunchConfig(grid=3, cluster=8, block=32), compile(EXCHANGE).get_kernel("ring"), out.buffer, np.uint32(rounds))
    expected = np.arange(1, 9, dtype=np.uint32)
    for _ in range(rounds):
        expected = expected + np.roll(expected, -1)
    np.testing.assert_array_equal(out.numpy(), np.tile(expected, 3))


DEPENDENT = """
extern "C" __global__ void produce(unsigned *data, unsigned n, unsigned rounds, unsigned value) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, x = i + value;
    for (unsigned k = 0; k < rounds; k++) x = x * 1664525u + 1013904223u;
    if (i < n) data[i] = x;
}
extern "C" __global__ void consume(const unsigned *data, unsigned *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("griddepcontrol.wait;" ::: "memory");
    if (i < n) out[i] += data[i];
}
"""


def produced(n, rounds, value):
    x = np.arange(n, dtype=np.uint32) + np.uint32(value)
    for _ in range(rounds):
        x = x * np.uint32(1664525) + np.uint32(1013904223)
    return x


def test_programmatic_dependent_launch(stream, compile, memory):
    """The second kernel may begin early; what it reads after its wait is whole all the same."""
    module, n = compile(DEPENDENT), 1000
    produce, consume = module.get_kernel("produce"), module.get_kernel("consume")
    data, out = memory(np.zeros(n, np.uint32)), memory(np.zeros(n, np.uint32))
    early = LaunchConfig(grid=8, block=128, programmatic_stream_serialization=True)
    plain = LaunchConfig(grid=8, block=128)
    expected = np.zeros(n, np.uint32)
    for value in range(5):
        launch(stream, plain, produce, data.buffer, np.uint32(n), np.uint32(50), np.uint32(value))
        launch(stream, early, consume, data.buffer, out.buffer, np.uint32(n))
        expected += produced(n, 50, value)
    np.testing.assert_array_equal(out.numpy(), expected)


def test_what_follows_waits_for_both(stream, compile, memory):
    """A kernel without the attribute begins when both before it have ended, though the later one never waits."""
    module, n = compile(DEPENDENT + """
    extern "C" __global__ void idle() {}
    extern "C" __global__ void copy(const unsigned *data, unsigned *out, unsigned n) {
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) out[i] = data[i];
    }"""), 1000
    data, out = memory(np.zeros(n, np.uint32)), memory(np.zeros(n, np.uint32))
    plain, early = LaunchConfig(grid=8, block=128), LaunchConfig(grid=1, block=1, programmatic_stream_serialization=True)
    launch(stream, plain, module.get_kernel("produce"), data.buffer, np.uint32(n), np.uint32(300), np.uint32(7))
    launch(stream, early, module.get_kernel("idle"))
    launch(stream, plain, module.get_kernel("copy"), data.buffer, out.buffer, np.uint32(n))
    np.testing.assert_array_equal(out.numpy(), produced(n, 300, 7))


def config(stream, grid, block, *attributes):
    made = driver.CUlaunchConfig()
    made.gridDimX, made.gridDimY, made.gridDimZ = grid, 1, 1
    made.blockDimX, made.blockDimY, made.blockDimZ = block, 1, 1
    made.hStream = stream.handle
    made.attrs, made.numAttrs = list(attributes), len(attributes)
    return made


def test_dependent_launches_in_a_graph(stream, compile, memory):
    """Captured, the attribute becomes a programmatic edge; the graph gives what the stream gives."""
    module, n = compile(DEPENDENT), 1000
    produce, consume = (ask(driver.cuKernelGetFunction(module.get_kernel(k).handle)) for k in ("produce", "consume"))
    data, out = memory(np.zeros(n, np.uint32)), memory(np.zeros(n, np.uint32))
    serial = driver.CUlaunchAttribute()
    serial.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
    serial.value.programmaticStreamSerializationAllowed = 1
    ask(driver.cuStreamBeginCapture(stream.handle, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED))
    arguments = ((data.address, n, 50, 3), (c_void_p, c_uint, c_uint, c_uint))
    ask(driver.cuLaunchKernelEx(config(stream, 8, 128), produce, arguments, 0))
    arguments = ((data.address, out.address, n), (c_void_p, c_void_p, c_uint))
    ask(driver.cuLaunchKernelEx(config(stream, 8, 128, serial), consume, arguments, 0))
    graph = ask(driver.cuStreamEndCapture(stream.handle))
    _, _, edges, count = ask(driver.cuGraphGetEdges(graph, 1))
    assert count == 1 and edges[0].type == driver.CUgraphDependencyType.CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC
    assert edges[0].from_port == driver.CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC
    executable = ask(driver.cuGraphInstantiate(graph, 0))
    for _ in range(3):
        ask(driver.cuGraphLaunch(executable, stream.handle))
    np.testing.assert_array_equal(out.numpy(), 3 * produced(n, 50, 3))
