"""Whole programs, as Triton's tutorials have them; products of matrices have files of their own."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import random


@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr):
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        mask = col_offsets < n_cols
        row = tl.load(input_ptr + row_idx * input_row_stride + col_offsets, mask=mask, other=-float("inf"))
        row_minus_max = row - tl.max(row, axis=0)
        numerator = tl.exp(row_minus_max)
        denominator = tl.sum(numerator, axis=0)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, numerator / denominator, mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softmax(gpu, dtype):
    x = random("softmax").standard_normal((29, 181)).astype(dtype)
    t, out = gpu.tensor(x), gpu.empty(x.shape, dtype)
    softmax_kernel[(8,)](out, t, t.stride(0), out.stride(0), 29, 181, BLOCK_SIZE=256)
    e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    gpu.close(out, e / e.sum(axis=1, keepdims=True), rtol=1e-5 if dtype == "float32" else 1e-12)


@triton.jit
def layer_norm_kernel(X, Y, W, B, Mean, Rstd, stride, N, eps, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(0)
    Y += row * stride
    X += row * stride
    _mean = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        _mean += tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(_mean, axis=0) / N
    _var = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        x = tl.load(X + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        _var += x * x
    var = tl.sum(_var, axis=0) / N
    rstd = 1 / tl.sqrt(var + eps)
    tl.store(Mean + row, mean)
    tl.store(Rstd + row, rstd)
    for off in range(0, N, BLOCK_SIZE):
        cols = off + tl.arange(0, BLOCK_SIZE)
        mask = cols < N
        w = tl.load(W + cols, mask=mask)
        b = tl.load(B + cols, mask=mask)
        x = tl.load(X + cols, mask=mask, other=0.0).to(tl.float32)
        tl.store(Y + cols, (x - mean) * rstd * w + b, mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_layer_norm(gpu, dtype):
    x = random("norm x").standard_normal((16, 300)).astype(dtype)
    w, b = (random("norm", k).uniform(0.5, 2, 300).astype(dtype) for k in "wb")
    t, out = gpu.tensor(x), gpu.empty(x.shape, dtype)
    mean, rstd = gpu.empty(16, "float32"), gpu.empty(16, "float32")
    layer_norm_kernel[(16,)](t, out, gpu.tensor(w), gpu.tensor(b), mean, rstd, t.stride(0), 300, 1e-5, BLOCK_SIZE=128)
    wide = x.astype(np.float64)
    scale = 1 / np.sqrt(wide.var(axis=1, keepdims=True) + 1e-5)
    expected = (wide - wide.mean(axis=1, keepdims=True)) * scale * w.astype(np.float64) + b.astype(np.float64)
    tolerance = 1e-4 if dtype == "float32" else 5e-3
    gpu.close(out, expected, rtol=tolerance, atol=tolerance)
    gpu.close(rstd, scale[:, 0], rtol=1e-4)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_bk, stride_cm, BM: tl.constexpr, BN: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(K):
        a = tl.load(a_ptr + rm * stride_am + k, mask=rm < M, other=0.0)
        b = tl.load(b_ptr + k * stride_bk + rn, mask=rn < N, other=0.0)
        acc += a[:, None] * b[None, :]
    mask = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c_ptr + rm[:, None] * stride_cm + rn[None, :], acc, mask=mask)


def test_matmul_without_dot(gpu):
    """Column by column, so exactly in this order: NumPy can do the same and must get the same bits."""
    a = random("matmul a").standard_normal((50, 40)).astype(np.float32)
    b = random("matmul b").standard_normal((40, 60)).astype(np.float32)
    ta, tb, c = gpu.tensor(a), gpu.tensor(b), gpu.empty((50, 60), "float32")
    matmul_kernel[(4, 4)](ta, tb, c, 50, 60, 40, ta.stride(0), tb.stride(0), c.stride(0), BM=16, BN=16)
    expected = np.zeros((50, 60), np.float32)
    for k in range(40):
        expected += a[:, k, None] * b[None, k]
    gpu.equal(c, expected)


@triton.jit
def convolution_kernel(x_ptr, w_ptr, out_ptr, H, W, BLOCK: tl.constexpr, R: tl.constexpr):
    y = tl.program_id(0)
    x = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for dy in tl.static_range(-R, R + 1):
        for dx in tl.static_range(-R, R + 1):
            inside = (y + dy >= 0) & (y + dy < H) & (x + dx >= 0) & (x + dx < W)
            value = tl.load(x_ptr + (y + dy) * W + x + dx, mask=inside, other=0.0)
            acc += value * tl.load(w_ptr + (dy + R) * (2 * R + 1) + dx + R)
    tl.store(out_ptr + y * W + x, acc, mask=x < W)


def test_convolution(gpu):
    x = random("image").standard_normal((20, 50)).astype(np.float32)
    w = random("weights").standard_normal((3, 3)).astype(np.float32)
    out = gpu.empty(x.shape, "float32")
    convolution_kernel[(20,)](gpu.tensor(x), gpu.tensor(w), out, 20, 50, BLOCK=64, R=1)
    padded, expected = np.pad(x, 1), np.zeros(x.shape, np.float32)
    for dy in range(3):
        for dx in range(3):
            expected += padded[dy:dy + 20, dx:dx + 50] * w[dy, dx]
    gpu.equal(out, expected)


@triton.jit
def cross_entropy_kernel(logits_ptr, label_ptr, loss_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    logits = tl.load(logits_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    top = tl.max(logits, 0)
    logsumexp = tl.log(tl.sum(tl.exp(logits - top), 0)) + top
    label = tl.load(label_ptr + row)
    tl.store(loss_ptr + row, logsumexp - tl.load(logits_ptr + row * n_cols + label).to(tl.float32))


def test_cross_entropy(gpu):
    logits = random("logits").standard_normal((24, 100)).astype(np.float16)
    labels = random("labels").integers(0, 100, 24).astype(np.int64)
    loss = gpu.empty(24, "float32")
    cross_entropy_kernel[(24,)](gpu.tensor(logits), gpu.tensor(labels), loss, 100, BLOCK=128)
    wide = logits.astype(np.float64)
    gpu.close(loss, np.log(np.exp(wide).sum(axis=1)) - wide[np.arange(24), labels], rtol=1e-4)


@triton.jit
def adam_kernel(p_ptr, g_ptr, m_ptr, v_ptr, n, lr, beta1, beta2, eps, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    g = tl.load(g_ptr + i, mask=mask)
    m = beta1 * tl.load(m_ptr + i, mask=mask) + (1 - beta1) * g
    v = beta2 * tl.load(v_ptr + i, mask=mask) + (1 - beta2) * g * g
    p = tl.load(p_ptr + i, mask=mask) - lr * m / (tl.sqrt(v) + eps)
    tl.store(m_ptr + i, m, mask=mask)
    tl.store(v_ptr + i, v, mask=mask)
    tl.store(p_ptr + i, p, mask=mask)


def test_adam(gpu):
    """Ten launches that read what the one before wrote."""
    p, g = (random("adam", k).standard_normal(1000).astype(np.float32) for k in "pg")
    tp, tg, tm, tv = gpu.tensor(p), gpu.tensor(g), gpu.empty(1000, "float32"), gpu.empty(1000, "float32")
    for _ in range(10):
        adam_kernel[(4,)](tp, tg, tm, tv, 1000, 0.01, 0.9, 0.999, 1e-8, BLOCK=256)
    expected, m, v = p.astype(np.float64), np.zeros(1000), np.zeros(1000)
    for _ in range(10):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g.astype(np.float64) ** 2
        expected -= 0.01 * m / (np.sqrt(v) + 1e-8)
    gpu.close(tp, expected, rtol=1e-3, atol=1e-4)
