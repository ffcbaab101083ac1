"""Functions: Triton's own, and libdevice's."""

import math

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra import libdevice

from inputs import floats, integers, random

N = 500


@triton.jit
def math_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=1.0)
    tl.store(out_ptr + i, tl.exp(x), mask=mask)
    tl.store(out_ptr + n + i, tl.exp2(x), mask=mask)
    tl.store(out_ptr + 2 * n + i, tl.log(x), mask=mask)
    tl.store(out_ptr + 3 * n + i, tl.log2(x), mask=mask)
    tl.store(out_ptr + 4 * n + i, tl.sin(x), mask=mask)
    tl.store(out_ptr + 5 * n + i, tl.cos(x), mask=mask)
    tl.store(out_ptr + 6 * n + i, tl.sqrt(x), mask=mask)
    tl.store(out_ptr + 7 * n + i, tl.rsqrt(x), mask=mask)
    tl.store(out_ptr + 8 * n + i, tl.erf(x), mask=mask)
    tl.store(out_ptr + 9 * n + i, tl.floor(x), mask=mask)
    tl.store(out_ptr + 10 * n + i, tl.ceil(x), mask=mask)
    tl.store(out_ptr + 11 * n + i, tl.fma(x, x, x), mask=mask)
    tl.store(out_ptr + 12 * n + i, tl.sigmoid(x), mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions(gpu, dtype):
    x = random("math").uniform(0.01, 8, N).astype(dtype)
    out = gpu.empty((13, N), dtype)
    math_kernel[(triton.cdiv(N, 128),)](gpu.tensor(x), out, N, BLOCK=128)
    wide = x.astype(np.float64)
    expected = np.stack([np.exp(wide), np.exp2(wide), np.log(wide), np.log2(wide), np.sin(wide), np.cos(wide),
                         np.sqrt(wide), 1 / np.sqrt(wide), np.vectorize(math.erf)(wide), np.floor(wide), np.ceil(wide),
                         wide * wide + wide, 1 / (1 + np.exp(-wide))])
    gpu.close(out, expected, rtol=1e-5 if dtype == "float32" else 1e-12, atol=1e-5 if dtype == "float32" else 1e-12)


@triton.jit
def libdevice_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0.5)
    y = tl.load(y_ptr + i, mask=mask, other=0.5)
    tl.store(out_ptr + i, libdevice.asin(x), mask=mask)
    tl.store(out_ptr + n + i, libdevice.acos(x), mask=mask)
    tl.store(out_ptr + 2 * n + i, libdevice.atan2(x, y), mask=mask)
    tl.store(out_ptr + 3 * n + i, libdevice.sinh(x), mask=mask)
    tl.store(out_ptr + 4 * n + i, libdevice.tanh(x), mask=mask)
    tl.store(out_ptr + 5 * n + i, libdevice.pow(x + 1, y), mask=mask)
    tl.store(out_ptr + 6 * n + i, libdevice.hypot(x, y), mask=mask)
    tl.store(out_ptr + 7 * n + i, libdevice.tgamma(y + 2), mask=mask)
    tl.store(out_ptr + 8 * n + i, libdevice.log1p(x), mask=mask)
    tl.store(out_ptr + 9 * n + i, libdevice.expm1(x), mask=mask)
    tl.store(out_ptr + 10 * n + i, libdevice.cbrt(x), mask=mask)
    tl.store(out_ptr + 11 * n + i, libdevice.fmod(x, y), mask=mask)
    tl.store(out_ptr + 12 * n + i, libdevice.rint(x * 10), mask=mask)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_libdevice(gpu, dtype):
    x = random("libdevice x").uniform(-0.99, 0.99, N).astype(dtype)
    y = random("libdevice y").uniform(0.01, 0.99, N).astype(dtype)
    out = gpu.empty((13, N), dtype)
    libdevice_kernel[(triton.cdiv(N, 128),)](gpu.tensor(x), gpu.tensor(y), out, N, BLOCK=128)
    u, v = x.astype(np.float64), y.astype(np.float64)
    expected = np.stack([np.arcsin(u), np.arccos(u), np.arctan2(u, v), np.sinh(u), np.tanh(u), (u + 1) ** v,
                         np.hypot(u, v), np.vectorize(math.gamma)(v + 2), np.log1p(u), np.expm1(u), np.cbrt(u),
                         np.fmod(u, v), np.rint(u * 10)])
    gpu.close(out, expected, rtol=2e-5 if dtype == "float32" else 1e-11, atol=1e-5 if dtype == "float32" else 1e-12)


@triton.jit
def bits_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    tl.store(out_ptr + i, libdevice.popc(x), mask=mask)
    tl.store(out_ptr + n + i, libdevice.clz(x), mask=mask)
    tl.store(out_ptr + 2 * n + i, libdevice.brev(x), mask=mask)
    tl.store(out_ptr + 3 * n + i, libdevice.ffs(x), mask=mask)
    tl.store(out_ptr + 4 * n + i, tl.umulhi(x.to(tl.uint32), y.to(tl.uint32)).to(tl.int32), mask=mask)
    tl.store(out_ptr + 5 * n + i, libdevice.mulhi(x, y), mask=mask)


def test_integer_functions(gpu):
    x, y = integers("int32", 256, "x"), integers("int32", 256, "y")
    out = gpu.empty((6, 256), "int32")
    bits_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, 256, BLOCK=256)
    words = [f"{v:032b}" for v in x.view(np.uint32)]
    unsigned = x.view(np.uint32).astype(object) * y.view(np.uint32).astype(object)
    signed = x.astype(object) * y.astype(object)
    gpu.equal(out, np.stack([
        np.array([w.count("1") for w in words], np.int32),
        np.array([32 - len(w.lstrip("0")) for w in words], np.int32),
        np.array([int(w[::-1], 2) for w in words], np.uint32).view(np.int32),
        np.array([len(w) - w.rfind("1") if "1" in w else 0 for w in words], np.int32),
        np.array([v >> 32 for v in unsigned], np.uint32).view(np.int32),
        np.array([v >> 32 for v in signed], np.int32)]))


@triton.jit
def division_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, tl.math.div_rn(x, y))
    tl.store(out_ptr + n + i, tl.math.sqrt_rn(tl.abs(x)))
    tl.store(out_ptr + 2 * n + i, tl.clamp(x, -1.0, 1.0))


def test_rounded_division_and_root(gpu):
    """The two that are exact by definition, and clamping, which has an instruction of its own."""
    x, y = floats("float32", 512, "x"), floats("float32", 512, "y")[::-1].copy()
    x[np.isnan(x)] = 0.25
    out = gpu.empty((3, 512), "float32")
    division_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, 512, BLOCK=512)
    with np.errstate(all="ignore"):
        gpu.equal(out, np.stack([x / y, np.sqrt(abs(x)), np.fmin(np.fmax(x, -1), 1)]))
