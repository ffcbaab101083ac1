"""Graphs: captured from streams and built of nodes, launched again, changed."""

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import LaunchConfig, launch

from conftest import ask

KERNELS = """
extern "C" __global__ void add(unsigned *x, unsigned n) { x[threadIdx.x] += n; }
extern "C" __global__ void mul(unsigned *x, unsigned n) { x[threadIdx.x] *= n; }
"""
CONFIG = LaunchConfig(grid=1, block=64)


@pytest.fixture
def module(compile):
    return compile(KERNELS)


def test_capture_and_launch_twice(device, stream, module, memory):
    x = memory(np.ones(64, np.uint32))
    builder = stream.create_graph_builder()
    builder.begin_building()
    launch(builder, CONFIG, module.get_kernel("add"), x.buffer, np.uint32(1))
    launch(builder, CONFIG, module.get_kernel("mul"), x.buffer, np.uint32(3))
    graph = builder.end_building().complete()
    assert (x.numpy() == 1).all(), "a captured kernel does not run"
    graph.launch(stream)
    assert (x.numpy() == 6).all()
    graph.launch(stream)
    assert (x.numpy() == 21).all()


def test_fork_and_join(device, stream, module, memory):
    x, y = memory(np.ones(64, np.uint32)), memory(np.ones(64, np.uint32))
    builder = stream.create_graph_builder()
    builder.begin_building()
    launch(builder, CONFIG, module.get_kernel("add"), x.buffer, np.uint32(1))
    left, right = builder.split(2)
    launch(left, CONFIG, module.get_kernel("mul"), x.buffer, np.uint32(5))
    launch(right, CONFIG, module.get_kernel("mul"), y.buffer, np.uint32(7))
    joined = type(builder).join(left, right)
    launch(joined, CONFIG, module.get_kernel("add"), y.buffer, np.uint32(2))
    graph = joined.end_building().complete()
    graph.launch(stream)
    assert (x.numpy() == 10).all() and (y.numpy() == 9).all()


def test_update(device, stream, module, memory):
    """A graph takes another's parameters when their shapes agree."""
    x = memory(np.zeros(64, np.uint32))

    def build(amount):
        builder = device.create_graph_builder()
        builder.begin_building()
        launch(builder, CONFIG, module.get_kernel("add"), x.buffer, np.uint32(amount))
        return builder.end_building()

    graph = build(1).complete()
    graph.launch(stream)
    graph.update(build(10))
    graph.launch(stream)
    assert (x.numpy() == 11).all()


def parameters(address, amount):
    """Kept alive by the caller: the driver copies them when the node is made."""
    return np.array([address], np.uint64), np.array([amount], np.uint32)


def kernel_node(function, address, amount):
    values = parameters(address, amount)
    pointers = np.array([value.ctypes.data for value in values], np.uint64)
    node = driver.CUDA_KERNEL_NODE_PARAMS()
    node.func = function
    node.gridDimX = node.gridDimY = node.gridDimZ = 1
    node.blockDimX, node.blockDimY, node.blockDimZ = 64, 1, 1
    node.sharedMemBytes = 0
    node.kernelParams = pointers.ctypes.data
    return node, (values, pointers)


def test_explicit_nodes(device, stream, module, memory):
    """memset, kernel, copy and a host function, in the order of their edges; then other parameters."""
    x, y = memory(np.full(64, 9, np.uint32)), memory(np.zeros(64, np.uint32))
    context = ask(driver.cuCtxGetCurrent())
    add = ask(driver.cuKernelGetFunction(module.get_kernel("add").handle))
    graph = ask(driver.cuGraphCreate(0))
    memset = driver.CUDA_MEMSET_NODE_PARAMS()
    memset.dst, memset.value, memset.elementSize, memset.width, memset.height = x.address, 5, 4, 64, 1
    first = ask(driver.cuGraphAddMemsetNode(graph, [], 0, memset, context))
    node, alive = kernel_node(add, x.address, 4)
    second = ask(driver.cuGraphAddKernelNode(graph, [first], 1, node))
    copy = driver.CUDA_MEMCPY3D()
    copy.srcMemoryType = copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    copy.srcDevice, copy.dstDevice = x.address, y.address
    copy.WidthInBytes, copy.Height, copy.Depth = 256, 1, 1
    third = ask(driver.cuGraphAddMemcpyNode(graph, [second], 1, copy, context))
    assert len(ask(driver.cuGraphGetNodes(graph, 3))[0]) == 3
    assert ask(driver.cuGraphNodeGetType(third)) == driver.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEMCPY
    executable = ask(driver.cuGraphInstantiate(graph, 0))
    ask(driver.cuGraphLaunch(executable, stream.handle))
    assert (y.numpy() == 9).all()
    node, alive = kernel_node(add, x.address, 100)
    ask(driver.cuGraphExecKernelNodeSetParams(executable, second, node))
    ask(driver.cuGraphLaunch(executable, stream.handle))
    assert (y.numpy() == 105).all()
    ask(driver.cuGraphExecDestroy(executable))
    ask(driver.cuGraphDestroy(graph))


def test_a_cycle_is_refused(device):
    graph = ask(driver.cuGraphCreate(0))
    a, b = (ask(driver.cuGraphAddEmptyNode(graph, [], 0)) for _ in range(2))
    ask(driver.cuGraphAddDependencies(graph, [a], [b], None, 1))
    driver.cuGraphAddDependencies(graph, [b], [a], None, 1)
    error, _ = driver.cuGraphInstantiate(graph, 0)
    assert error == driver.CUresult.CUDA_ERROR_INVALID_VALUE
    ask(driver.cuGraphDestroy(graph))


def test_child_graph(device, stream, module, memory):
    x = memory(np.zeros(64, np.uint32))
    add = ask(driver.cuKernelGetFunction(module.get_kernel("add").handle))
    child, parent = ask(driver.cuGraphCreate(0)), ask(driver.cuGraphCreate(0))
    node, alive = kernel_node(add, x.address, 4)
    ask(driver.cuGraphAddKernelNode(child, [], 0, node))
    first = ask(driver.cuGraphAddChildGraphNode(parent, [], 0, child))
    ask(driver.cuGraphAddChildGraphNode(parent, [first], 1, child))
    executable = ask(driver.cuGraphInstantiate(parent, 0))
    ask(driver.cuGraphLaunch(executable, stream.handle))
    assert (x.numpy() == 8).all()


def test_what_capture_forbids(device, stream):
    """Waiting for a stream that is being captured spoils the capture."""
    mode = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    ask(driver.cuStreamBeginCapture(stream.handle, mode))
    assert ask(driver.cuStreamIsCapturing(stream.handle)) == driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    (error,) = driver.cuStreamSynchronize(stream.handle)
    assert error == driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    error, _ = driver.cuStreamEndCapture(stream.handle)
    assert error == driver.CUresult.CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
    assert ask(driver.cuStreamIsCapturing(stream.handle)) == driver.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_NONE
