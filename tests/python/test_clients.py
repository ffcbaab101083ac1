"""Triton, Numba and cuda-core take a `ptxvm.Tensor` in place of a GPU's tensor, under `ptxvm exec` and in a process of its own."""

import sys

import pytest

from conftest import BIN

TRITON = """
import ptxvm, triton, triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

x, y = ptxvm.Tensor(range(1000), "float32"), ptxvm.Tensor.zeros(1000)
double[(8,)](x, y, 1000, BLOCK=128)
print(y.tolist()[-1], y.numpy().sum())
"""

NUMBA = """
import numpy as np, ptxvm
from numba import cuda

@cuda.jit
def double(x, y):
    at = cuda.grid(1)
    if at < x.size:
        y[at] = 2 * x[at]

x, y = ptxvm.Tensor(range(1000), "float32"), ptxvm.Tensor.zeros(1000)
double[8, 128](x, y)
print(y.tolist()[-1], y.numpy().sum())
"""

CORE = """
import ptxvm
from cuda.core import Device, LaunchConfig, ObjectCode, launch
from kernels import SAXPY
import numpy as np

device = Device()
device.set_current()
stream = device.default_stream
kernel = ObjectCode.from_ptx(SAXPY.encode()).get_kernel("saxpy")
x, y = ptxvm.Tensor(range(1000), "float32"), ptxvm.Tensor.zeros(1000)
launch(stream, LaunchConfig(grid=8, block=128), kernel, np.uint32(1000), np.float32(2), x.data_ptr(), y.data_ptr())
print(y.tolist()[-1], y.numpy().sum())
"""


@pytest.mark.parametrize("program", [TRITON, NUMBA, CORE], ids=["triton", "numba", "cuda-core"])
def test_a_client_computes_with_tensors(python, program):
    assert python(program, "--device", "h200").stdout.split() == ["1998.0", "999000.0"]


@pytest.mark.parametrize("program", [TRITON, NUMBA], ids=["triton", "numba"])
def test_bounds_are_exact_for_clients(python, program):
    wrong = program.replace("at < n", "at < n + 1").replace("at < x.size", "at < x.size + 1")
    done = python(wrong, "--device", "h200", status=None)
    assert done.returncode != 0 and "error[out-of-bounds]" in done.stderr and "of 4000 bytes" in done.stderr, done.stderr
    part = program.replace("(x, y", "(x[:999], y[1:]", 1) if program is NUMBA else program.replace("double[(8,)](x, y", "double[(8,)](x, y[1:]")
    done = python(part, "--device", "h200", status=None)
    if program is TRITON:
        assert "error[out-of-bounds]" in done.stderr and "of 3996 bytes" in done.stderr, done.stderr


def test_a_client_in_a_process_of_its_own(python):
    """A notebook has no `ptxvm exec`."""
    program = "import ptxvm\nptxvm.driver.load(device='a100')\n" + NUMBA
    assert python(program).stdout.split() == ["1998.0", "999000.0"]
    program = "import ptxvm\nptxvm.driver.load(device='a100')\n" + TRITON
    assert python(program).stdout.split() == ["1998.0", "999000.0"]


def test_arrays_of_clients_are_arguments_of_kernels(python):
    program = """
import numpy as np, ptxvm
from numba import cuda
from kernels import SAXPY
x, y = cuda.to_device(np.arange(1000, dtype=np.float32)), cuda.to_device(np.ones(1000, np.float32))
kernel = ptxvm.load(SAXPY)["saxpy"]
kernel[8, 128](1000, 2.0, x, y)
print(y.copy_to_host()[-1])
try:
    kernel[8, 128](1000, 2.0, x[:999], y)
except ptxvm.Finding as finding:
    print(finding.kind)
"""
    assert python(program, "--device", "h200").stdout.split() == ["1999.0", "out-of-bounds"]


def test_a_tensor_that_is_dropped_while_a_client_uses_it(python):
    program = TRITON.replace(
        'x, y = ptxvm.Tensor(range(1000), "float32"), ptxvm.Tensor.zeros(1000)\ndouble[(8,)](x, y, 1000, BLOCK=128)',
        "y = ptxvm.Tensor.zeros(1000)\nfor _ in range(50):\n"
        '    double[(8,)](ptxvm.Tensor(range(1000), "float32"), y, 1000, BLOCK=128)',
    )
    assert python(program, "--device", "h200").stdout.split() == ["1998.0", "999000.0"]


def test_times_without_torch(python):
    program = """
import ptxvm, triton
start, end = ptxvm.Event(), ptxvm.Event()
start.record()
end.record()
print(start.elapsed_time(end) >= 0)
""" + TRITON.split("x, y =")[0] + """
x, y = ptxvm.Tensor(range(1000), "float32"), ptxvm.Tensor.zeros(1000)
call = lambda: double[(8,)](x, y, 1000, BLOCK=128)
low, middle, high = ptxvm.do_bench(call, warmup=1, rep=10, quantiles=[0, 0.5, 1])
print(0 < low <= middle <= high, ptxvm.do_bench(call, warmup=1, rep=1, return_mode="min") > 0)

@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=[], do_bench=ptxvm.do_bench)
@triton.jit
def tuned(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 3 * tl.load(x + at, mask=at < n), mask=at < n)

tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, y, 1000)
print(y.tolist()[-1])
"""
    assert python(program, "--device", "h200").stdout.split() == ["True", "True", "True", "2997.0"]
