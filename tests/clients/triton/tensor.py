"""A tensor without torch: NumPy's data behind the two names that Triton asks for, `data_ptr()` and `dtype`.

Triton takes any object that has both. The bytes lie either in NumPy's own memory, which the driver accepts as a
CPU's, or in memory that the driver allocated, which is what a GPU needs.
"""

import ctypes
import functools
import weakref

import ml_dtypes  # noqa: F401  bfloat16 and the 8-bit floats become NumPy types by this import
import numpy as np


@functools.cache
def driver():
    """libcuda.so.1, whichever the loader finds, with a context for this thread."""
    lib = ctypes.CDLL("libcuda.so.1")
    context = ctypes.c_void_p()
    ask(lib.cuInit(0))
    ask(lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    ask(lib.cuCtxSetCurrent(context))
    return lib


def ask(result):
    """Turns the driver's answer into an exception."""
    if result != 0:
        raise RuntimeError(f"the driver answered {result}")


class Tensor:
    """An array for kernels; `numpy()` gives what it holds now."""

    def __init__(self, array, place):
        self.array = np.ascontiguousarray(array).copy()
        self.dtype = self.array.dtype
        self.shape = self.array.shape
        self.place = place
        if place == "device":
            pointer = ctypes.c_uint64()
            ask(driver().cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(self.array.nbytes, 1))))
            self.pointer = pointer.value
            ask(driver().cuMemcpyHtoD_v2(ctypes.c_uint64(self.pointer), self._bytes(), self._size()))
        else:
            self.pointer = self.array.ctypes.data
            # ptxvm alone has this function; a kernel that leaves the array is found out then, to the byte.
            if place == "host" and self.array.nbytes and hasattr(driver(), "ptxvm_declare_host_range"):
                ask(driver().ptxvm_declare_host_range(self._bytes(), self._size()))
                weakref.finalize(self, driver().ptxvm_forget_host_range, self._bytes(), self._size())

    def data_ptr(self):
        return self.pointer

    def stride(self, axis):
        """In elements, as torch counts."""
        return self.array.strides[axis] // self.array.itemsize

    def numpy(self):
        if self.place == "device":
            ask(driver().cuMemcpyDtoH_v2(self._bytes(), ctypes.c_uint64(self.pointer), self._size()))
        elif self.place == "host":
            ask(driver().cuCtxSynchronize())
        return self.array

    def free(self):
        if self.place == "device":
            ask(driver().cuMemFree_v2(ctypes.c_uint64(self.pointer)))

    def _bytes(self):
        return ctypes.c_void_p(self.array.ctypes.data)

    def _size(self):
        return ctypes.c_size_t(self.array.nbytes)
