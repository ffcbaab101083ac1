"""What every test with cuda-core and cuda-bindings is given: a device, a stream, and a compiler of CUDA C++."""

import functools
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from cuda.bindings import driver
from cuda.core import Device, Program, ProgramOptions
from cuda.pathfinder import find_nvidia_header_directory

PROGRAMS = pathlib.Path(__file__).parent / "programs"


def ask(answer):
    """What a driver call returned, or an exception with the error's name."""
    error, *values = answer
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(error.name)
    return values[0] if len(values) == 1 else tuple(values)


@pytest.fixture
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture
def stream(device):
    stream = device.create_stream()
    yield stream
    stream.sync()


@functools.cache
def compile_cuda(code, names=(), **options):
    """CUDA C++ to PTX by NVRTC, loaded by the driver; the same code once."""
    device = Device()
    include = [find_nvidia_header_directory(name) for name in ("cudart", "cccl")]
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", include_path=[i for i in include if i], **options)
    return Program(code, "c++", options=options).compile("ptx", name_expressions=names)


@pytest.fixture
def compile(device):
    return compile_cuda


class Memory:
    """Device memory with an array's shape."""

    def __init__(self, array, stream):
        self.dtype, self.shape, self.size = array.dtype, array.shape, array.nbytes
        self.stream = stream
        self.buffer = Device().allocate(max(array.nbytes, 1), stream=stream)
        array = np.ascontiguousarray(array)
        stream.sync()
        ask(driver.cuMemcpyHtoD(self.address, array.ctypes.data, array.nbytes))

    @property
    def address(self):
        return int(self.buffer.handle)

    def numpy(self):
        result = np.empty(self.shape, self.dtype)
        self.stream.sync()
        ask(driver.cuMemcpyDtoH(result.ctypes.data, self.address, result.nbytes))
        return result


@pytest.fixture
def memory(stream):
    """Makes device memory that holds an array."""
    return lambda array: Memory(np.asarray(array), stream)


@pytest.fixture
def program():
    """Runs one of the programs beside the tests in a process of its own: a device error outlives its context."""

    def run(name, *arguments):
        return subprocess.run([sys.executable, PROGRAMS / name, *arguments], capture_output=True, text=True, timeout=120)

    return run
