"""Attention in one pass (flash attention, forward), as Triton's tutorial has it: two products with a softmax between them."""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from inputs import random
from matrices import near

pytestmark = pytest.mark.tensor_cores


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                     CAUSAL: tl.constexpr):
    head = tl.program_id(1) * N * D
    m, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    q = tl.load(q_ptr + head + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = tl.minimum((tl.program_id(0) + 1) * BM, N) if CAUSAL else N
    for start in range(0, end, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + head + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        v = tl.load(v_ptr + head + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, k) * (scale * 1.44269504)
        seen = n[None, :] < N
        if CAUSAL:
            seen = seen & (m[:, None] >= n[None, :])
        s = tl.where(seen, s, float("-inf"))
        largest = tl.maximum(most, tl.max(s, 1))
        p = tl.math.exp2(s - largest[:, None])
        old = tl.math.exp2(most - largest)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * old[:, None])
        most = largest
    tl.store(out_ptr + head + m[:, None] * D + d[None, :], (acc / total[:, None]).to(out_ptr.dtype.element_ty),
             mask=m[:, None] < N)
    tl.store(lse_ptr + tl.program_id(1) * N + m, most + tl.math.log2(total), mask=m < N)


@triton.jit
def described_kernel(q, k, v, out, scale, N, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, SPECIALIZE: tl.constexpr):
    """The same without masks, through tensor descriptors."""
    row, head = tl.program_id(0) * BM, tl.program_id(1) * N
    tile = q.load([head + row, 0])
    most = tl.full((BM,), float("-inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in tl.range(0, N, BN, warp_specialize=SPECIALIZE):
        s = tl.dot(tile, k.load([head + start, 0]).T) * (scale * 1.44269504)
        largest = tl.maximum(most, tl.max(s, 1))
        p = tl.math.exp2(s - largest[:, None])
        old = tl.math.exp2(most - largest)
        total = total * old + tl.sum(p, 1)
        acc = tl.dot(p.to(tl.float16), v.load([head + start, 0]), acc * old[:, None])
        most = largest
    out.store([head + row, 0], (acc / total[:, None]).to(tl.float16))


def attention(q, k, v, scale, causal):
    """In double precision: the result, the logarithms of the sums, and what the result is a mean of, in magnitude."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    s = q @ k.swapaxes(-1, -2) * scale
    if causal:
        s = np.where(np.tri(s.shape[-1], dtype=bool), s, -np.inf)
    most = s.max(axis=-1, keepdims=True)
    p = np.exp(s - most)
    total = p.sum(axis=-1, keepdims=True)
    return p / total @ v, ((most + np.log(total)) / np.log(2))[..., 0], p / total @ abs(v)


def inputs(heads, n, d):
    return (random("attention", n, d, name).standard_normal((heads, n, d)).astype(np.float16) for name in "qkv")


# The probabilities are rounded to f16 and exp2 is approximate: 2^-10 of the mean of magnitudes, and the result is f16.
LOST = 2.0**-10


@pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])
@pytest.mark.parametrize("n, d", [(128, 64), (128, 128), (100, 64)])
def test_forward(gpu, n, d, causal):
    q, k, v = inputs(2, n, d)
    out, lse = gpu.empty(q.shape, "float16"), gpu.empty((2, n), "float32")
    attention_kernel[(triton.cdiv(n, 64), 2)](*map(gpu.tensor, (q, k, v)), out, lse, 0.125, n, D=d, BM=64, BN=64, CAUSAL=causal,
                                              num_stages=2)
    expected, logarithms, magnitude = attention(q, k, v, 0.125, causal)
    near(gpu, out, expected, magnitude, LOST)
    gpu.close(lse, logarithms, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("specialize", [False, pytest.param(True, marks=pytest.mark.needs(90))], ids=["plain", "specialized"])
@pytest.mark.parametrize("d", [64, 128])
def test_forward_with_descriptors(gpu, d, specialize):
    q, k, v = (x.reshape(512, d) for x in inputs(2, 256, d))
    out = gpu.empty((512, d), "float16")
    # For an H200 Triton does not compile higher tiles for specialised warps.
    rows = 64 if gpu.capability == 90 and specialize else 128

    def described(tensor, rows):
        return TensorDescriptor(tensor, [512, d], [d, 1], [rows, d])

    kernel = described_kernel[(256 // rows, 2)](
        described(gpu.tensor(q), rows), described(gpu.tensor(k), 64), described(gpu.tensor(v), 64), described(out, rows), 0.125, 256, D=d,
        BM=rows, BN=64, SPECIALIZE=specialize, num_stages=2)
    expected, _, magnitude = attention(*(x.reshape(2, 256, d) for x in (q, k, v)), 0.125, False)
    near(gpu, out, expected.reshape(512, d), magnitude.reshape(512, d), LOST)
    assert (kernel.metadata.num_warps > 4) == specialize
