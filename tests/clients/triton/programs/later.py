"""Kernels for the matrix and tensor-copy units, which come with later issues: `float16` or `descriptor`."""

import sys

import numpy as np
import triton
import triton.language as tl
from tensor_path import Tensor, synchronize


@triton.jit
def dot_kernel(a_ptr, b_ptr, c_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[N, N], strides=[N, 1], block_shape=[N, N])
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, source.load([0, 0]))


KEPT = []


def scratch(size, alignment, _stream):
    KEPT.append(Tensor(np.zeros(size + alignment, np.uint8), "device"))
    return KEPT[-1]


n = 64
if sys.argv[1] == "float16":
    a, b, c = (Tensor(np.ones((n, n), t), "device") for t in (np.float16, np.float16, np.float32))
    dot_kernel[(1,)](a, b, c, N=n)
    synchronize()
    assert np.array_equal(c.numpy(), np.full((n, n), n, np.float32))
else:
    triton.set_allocator(scratch)
    x, out = Tensor(np.arange(n * n, dtype=np.float32).reshape(n, n), "device"), Tensor(np.zeros((n, n), np.float32), "device")
    descriptor_kernel[(1,)](x, out, N=n)
    synchronize()
    assert np.array_equal(x.numpy(), out.numpy())
