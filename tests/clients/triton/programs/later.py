"""Kernels for the matrix and copy units, which come with later issues: `float16`, `descriptor` or `pipeline`."""

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


@triton.jit
def pipeline_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=3):
        total += tl.load(x_ptr + start + i, mask=start + i < n, other=0.0) * 2
    tl.store(out_ptr + i, total)


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
elif sys.argv[1] == "pipeline":
    x, out = Tensor(np.ones(1024, np.float32), "device"), Tensor(np.zeros(256, np.float32), "device")
    pipeline_kernel[(1,)](x, out, 1024, BLOCK=256)
    synchronize()
    assert np.array_equal(out.numpy(), np.full(256, 8, np.float32))
else:
    triton.set_allocator(scratch)
    x, out = Tensor(np.arange(n * n, dtype=np.float32).reshape(n, n), "device"), Tensor(np.zeros((n, n), np.float32), "device")
    descriptor_kernel[(1,)](x, out, N=n)
    synchronize()
    assert np.array_equal(x.numpy(), out.numpy())
