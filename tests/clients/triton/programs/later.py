"""A kernel for the matrix unit, which comes with a later issue."""

import numpy as np
import triton
import triton.language as tl
from tensor_path import Tensor, synchronize


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


n = 64
a, b, c = (Tensor(np.ones((n, n), t), "device") for t in (np.float16, np.float16, np.float32))
dot_kernel[(1,)](a, b, c, N=n)
synchronize()
assert np.array_equal(c.numpy(), np.full((n, n), n, np.float32))
