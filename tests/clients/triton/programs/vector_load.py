"""Reads vectors past the end of an array, with a mask and another value: several lines of inline assembly."""

import numpy as np
import triton
import triton.language as tl
from tensor_path import Tensor, synchronize


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=7)
    y = x + 1
    z = y * 2
    tl.store(x_ptr + i, z, mask=i < n)


kernel[(1,)](Tensor(np.arange(512, dtype=np.int32), "device"), 1024, BLOCK=1024, num_warps=4)
synchronize()
