"""Philox: the integers are compared with a Philox of our own, the floats with the H200's."""

import numpy as np
import pytest
import triton
import triton.language as tl

N = 1024


def philox(seed, offsets):
    """Philox 4x32 with ten rounds: four words for each offset."""
    mask = np.uint64(0xFFFFFFFF)
    c = [offsets.astype(np.uint64), *(np.zeros(len(offsets), np.uint64) for _ in range(3))]
    k0, k1 = np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ k0, b & mask, (a >> np.uint64(32)) ^ c[3] ^ k1, a & mask]
        k0, k1 = (k0 + np.uint64(0x9E3779B9)) & mask, (k1 + np.uint64(0xBB67AE85)) & mask
    return [words.astype(np.uint32) for words in c]


@triton.jit
def randint_kernel(out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out_ptr + i, a)
    tl.store(out_ptr + N + i, b)
    tl.store(out_ptr + 2 * N + i, c)
    tl.store(out_ptr + 3 * N + i, d)
    tl.store(out_ptr + 4 * N + i, tl.randint(seed, i))


@pytest.mark.parametrize("seed", [0, 0xDEADBEEFCAFE])
def test_randint(gpu, seed):
    out = gpu.empty((5, N), "uint32")
    randint_kernel[(1,)](out, seed, N=N)
    words = philox(seed, np.arange(N))
    gpu.equal(out, np.stack([*words, words[0]]))


@triton.jit
def rand_kernel(out_ptr, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.rand(seed, i))
    tl.store(out_ptr + N + i, tl.randn(seed, i))


def test_rand_and_randn(gpu):
    out = gpu.empty((2, N), "float32")
    rand_kernel[(1,)](out, 1234, N=N)
    gpu.true(out, lambda got: abs(got[0].mean() - 0.5) < 0.05 and 0 <= got[0].min() and got[0].max() < 1)
    gpu.true(out, lambda got: abs(got[1].mean()) < 0.1 and abs(got[1].std() - 1) < 0.1)


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out_ptr + i, tl.where(keep, tl.load(x_ptr + i, mask=mask) / (1 - p), 0.0), mask=mask)


def test_dropout(gpu):
    x = np.arange(1, 901, dtype=np.float32)
    out = gpu.empty(900, "float32")
    dropout_kernel[(4,)](gpu.tensor(x), out, 900, 0.5, 123, BLOCK=256)
    keep = philox(123, np.arange(900))[0].view(np.int32)
    keep = np.where(keep < 0, -keep - 1, keep).astype(np.float64) * 4.6566127342e-10 > 0.5
    gpu.equal(out, np.where(keep, 2 * x, 0))
