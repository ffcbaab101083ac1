"""A Triton kernel on NumPy arrays, as a user writes it: ptxvm exec -- python examples/clients/softmax.py"""

import ctypes
import sys

import numpy as np
import triton
import triton.language as tl


driver = ctypes.CDLL("libcuda.so.1")


class Tensor:
    """What Triton asks of an argument: an address and a type. ptxvm is told where the array ends, too."""

    def __init__(self, array):
        self.array, self.dtype = array, array.dtype
        self.range = ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes)
        if hasattr(driver, "ptxvm_declare_host_range"):
            driver.ptxvm_declare_host_range(*self.range)

    def __del__(self):
        if hasattr(driver, "ptxvm_forget_host_range"):
            driver.ptxvm_forget_host_range(*self.range)

    def data_ptr(self):
        return self.array.ctypes.data


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + column, mask=column < columns, other=-float("inf"))
    numerator = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + column, numerator / tl.sum(numerator, axis=0), mask=column < columns)


rows, columns = 64, 100
x = np.random.default_rng(1).standard_normal((rows, columns), dtype=np.float32)
out = np.zeros_like(x)
# With an argument the program launches a row too many.
arguments = Tensor(out), Tensor(x)
softmax[(rows + len(sys.argv) - 1,)](*arguments, columns, BLOCK=128)
failed = driver.cuCtxSynchronize()
expected = np.exp(x - x.max(1, keepdims=True))
expected /= expected.sum(1, keepdims=True)
print("CUresult", failed, "largest difference from NumPy", np.abs(out - expected).max())
