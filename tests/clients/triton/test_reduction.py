"""Reductions, scans, sorting and histograms."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import floats, integers, random


@triton.jit
def reduce_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, OP: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :])
    if OP == "sum":
        result = tl.sum(x, axis=AXIS)
    elif OP == "max":
        result = tl.max(x, axis=AXIS)
    elif OP == "min":
        result = tl.min(x, axis=AXIS)
    elif OP == "argmax":
        result = tl.argmax(x, axis=AXIS)
    elif OP == "argmin":
        result = tl.argmin(x, axis=AXIS)
    else:
        result = tl.xor_sum(x, axis=AXIS)
    tl.store(out_ptr + (rows if AXIS == 1 else columns), result)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op, dtype", [("sum", "int32"), ("sum", "float32"), ("sum", "float16"), ("max", "int64"),
                                       ("max", "float32"), ("min", "bfloat16"), ("min", "uint8"), ("argmax", "float32"),
                                       ("argmin", "int32"), ("xor", "int32")], ids=lambda name: name)
def test_reductions(gpu, op, dtype, axis):
    m, n = 64, 32
    if np.dtype(dtype).kind in "iu":
        x = integers(dtype, m * n, op).reshape(m, n)
    else:
        x = floats(dtype, m * n, op, special=False).reshape(m, n)
    numpy_op = {"sum": np.add.reduce, "max": np.maximum.reduce, "min": np.minimum.reduce, "argmax": np.argmax,
                "argmin": np.argmin, "xor": np.bitwise_xor.reduce}[op]
    out = gpu.empty(n if axis == 0 else m, "int32" if op.startswith("arg") else dtype)
    reduce_kernel[(1,)](gpu.tensor(x), out, M=m, N=n, AXIS=axis, OP=op)
    if op == "sum" and dtype.startswith("float"):
        gpu.close(out, numpy_op(x.astype(np.float64), axis=axis), rtol=0.02 if dtype == "float16" else 1e-4,
                  atol=1 if dtype == "float16" else 1e-3)
    else:
        gpu.equal(out, numpy_op(x, axis=axis))


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + i, mask=i < n, other=0.0)
    tl.store(out_ptr, tl.sum(total))


@pytest.mark.parametrize("warps", [1, 2, 4, 8, 16])
def test_sum_with_warps(gpu, warps):
    x = random("total").standard_normal(5000).astype(np.float32)
    out = gpu.empty(1, "float32")
    total_kernel[(1,)](gpu.tensor(x), out, 5000, BLOCK=1024, num_warps=warps)
    gpu.close(out, [x.astype(np.float64).sum()], rtol=1e-4, atol=1e-3)


@triton.jit
def welford(mean_a, m2_a, weight_a, mean_b, m2_b, weight_b):
    delta = mean_b - mean_a
    weight = weight_a + weight_b
    ratio = tl.where(weight == 0.0, 0.0, weight_b / weight)
    return mean_a + delta * ratio, m2_a + m2_b + delta * delta * weight_a * ratio, weight


@triton.jit
def variance_kernel(x_ptr, weight_ptr, mean_ptr, variance_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    at = rows[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    mean, m2, weight = tl.reduce((x, tl.zeros_like(x), tl.load(weight_ptr + at)), 1, welford)
    tl.store(mean_ptr + rows, mean)
    tl.store(variance_ptr + rows, m2 / weight)


def test_custom_combination(gpu):
    """Welford's variance: a reduction of three tensors at once.

    Every lane combines its own part with its partner's, so two lanes round differently, and both store their result
    in the same place. PTX leaves open which of them stays; ptxvm keeps the one that an H200 keeps.
    """
    x = random("welford").standard_normal((32, 128)).astype(np.float32)
    weight = gpu.tensor(np.ones((32, 128), np.float32))
    mean, variance = gpu.empty(32, "float32"), gpu.empty(32, "float32")
    variance_kernel[(1,)](gpu.tensor(x), weight, mean, variance, M=32, N=128)
    gpu.close(mean, x.astype(np.float64).mean(axis=1), rtol=1e-4, atol=1e-6)
    gpu.close(variance, x.astype(np.float64).var(axis=1), rtol=1e-4)


@triton.jit
def max_with_index_kernel(x_ptr, value_ptr, index_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    x = tl.load(x_ptr + rows[:, None] * N + tl.arange(0, N)[None, :])
    value, index = tl.max(x, axis=1, return_indices=True)
    tl.store(value_ptr + rows, value)
    tl.store(index_ptr + rows, index)


def test_max_with_index(gpu):
    """Of several equal values, the leftmost."""
    x = random("ties").integers(0, 9, (64, 64)).astype(np.int32)
    value, index = gpu.empty(64, "int32"), gpu.empty(64, "int32")
    max_with_index_kernel[(1,)](gpu.tensor(x), value, index, M=64, N=64)
    gpu.equal(value, x.max(axis=1))
    gpu.equal(index, x.argmax(axis=1))


@triton.jit
def cumsum_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.cumsum(tl.load(x_ptr + at), axis=AXIS, reverse=REVERSE))


@pytest.mark.parametrize("axis, reverse", [(0, False), (1, False), (1, True)])
@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_cumsum(gpu, dtype, axis, reverse):
    x = random("cumsum").integers(-99, 99, (32, 64)).astype(dtype)
    if dtype == "float32":
        x /= np.float32(7)
    out = gpu.empty(x.shape, dtype)
    cumsum_kernel[(1,)](gpu.tensor(x), out, M=32, N=64, AXIS=axis, REVERSE=reverse)
    expected = np.flip(np.cumsum(np.flip(x, axis), axis), axis) if reverse else np.cumsum(x, axis)
    if dtype == "int32":
        gpu.equal(out, expected)
    else:
        gpu.close(out, expected, rtol=1e-3, atol=1e-3)


@triton.jit
def linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence_kernel(a_ptr, b_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    _, h = tl.associative_scan((tl.load(a_ptr + i), tl.load(b_ptr + i)), 0, linear_recurrence)
    tl.store(out_ptr + i, h)


def test_associative_scan(gpu):
    """h[i] = a[i] * h[i - 1] + b[i], over two tensors at once."""
    a = random("a").uniform(0.5, 1, 256).astype(np.float32)
    b = random("b").standard_normal(256).astype(np.float32)
    out = gpu.empty(256, "float32")
    recurrence_kernel[(1,)](gpu.tensor(a), gpu.tensor(b), out, N=256)
    expected, h = [], 0.0
    for x, y in zip(a.astype(np.float64), b.astype(np.float64)):
        h = x * h + y
        expected.append(h)
    gpu.close(out, expected, rtol=1e-3, atol=1e-4)


@triton.jit
def cumprod_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.cumprod(tl.load(x_ptr + i), axis=0))


def test_cumprod(gpu):
    x = (2 * random("cumprod").integers(-99, 99, 128) + 1).astype(np.int64)
    out = gpu.empty(128, "int64")
    cumprod_kernel[(1,)](gpu.tensor(x), out, N=128)
    with np.errstate(over="ignore"):
        gpu.equal(out, np.cumprod(x))


@triton.jit
def sort_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, DESCENDING: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at), descending=DESCENDING))


@pytest.mark.parametrize("dtype, descending", [("int32", False), ("float32", False), ("float16", True), ("int8", True)])
def test_sort(gpu, dtype, descending):
    if dtype.startswith("float"):
        x = floats(dtype, 8 * 64, "sort", special=False).reshape(8, 64)
    else:
        x = integers(dtype, 8 * 64, "sort").reshape(8, 64)
    out = gpu.empty(x.shape, dtype)
    sort_kernel[(1,)](gpu.tensor(x), out, M=8, N=64, DESCENDING=descending)
    expected = np.sort(x, axis=1)
    gpu.equal(out, expected[:, ::-1] if descending else expected)


@triton.jit
def topk_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    x = tl.load(x_ptr + rows * N + tl.arange(0, N)[None, :])
    tl.store(out_ptr + rows * K + tl.arange(0, K)[None, :], tl.topk(x, K))


def test_topk(gpu):
    x = integers("int32", 16 * 64, "topk").reshape(16, 64)
    out = gpu.empty((16, 8), "int32")
    topk_kernel[(1,)](gpu.tensor(x), out, M=16, N=64, K=8)
    gpu.equal(out, np.sort(x, axis=1)[:, ::-1][:, :8])


@triton.jit
def flip_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, tl.flip(tl.load(x_ptr + i)))


def test_flip(gpu):
    x = integers("int16", 128, "flip")
    out = gpu.empty(128, "int16")
    flip_kernel[(1,)](gpu.tensor(x), out, N=128)
    gpu.equal(out, x[::-1])


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    counts = tl.histogram(tl.load(x_ptr + i, mask=mask, other=0), BINS, mask=mask)
    tl.store(out_ptr + tl.arange(0, BINS), counts)


@pytest.mark.parametrize("bins", [16, 256])
def test_histogram(gpu, bins):
    x = random("histogram").integers(0, bins, 900).astype(np.int32)
    out = gpu.empty(bins, "int32")
    histogram_kernel[(1,)](gpu.tensor(x), out, 900, BLOCK=1024, BINS=bins)
    gpu.equal(out, np.bincount(x, minlength=bins))
