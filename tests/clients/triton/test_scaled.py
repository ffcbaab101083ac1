"""Block-scaled products (`tl.dot_scaled`): mxfp8, mxfp4, nvfp4 and mixtures, each 32 or 16 elements with a scale of their own.

For a B200 they become tcgen05.mma with scales in tensor memory; for older GPUs Triton multiplies the scales into bf16.
"""

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from inputs import random
from matrices import LOST, near

pytestmark = pytest.mark.tensor_cores

# A format's name to the type of its elements.
FORMATS = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e2m1": ml_dtypes.float4_e2m1fn,
           "bf16": ml_dtypes.bfloat16, "fp16": np.float16}


@triton.jit
def scaled_kernel(a_ptr, sa_ptr, b_ptr, sb_ptr, c_ptr, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  A: tl.constexpr, B: tl.constexpr, PACK_A: tl.constexpr, PACK_B: tl.constexpr, VECTOR: tl.constexpr,
                  HAS_SA: tl.constexpr):
    """Rows of a and columns of b lie along K in memory, with two elements of four bits in a byte."""
    m, n = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    ka, kb, ks = tl.arange(0, BK // PACK_A), tl.arange(0, BK // PACK_B), tl.arange(0, BK // VECTOR)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        a = tl.load(a_ptr + m[:, None] * (K // PACK_A) + start // PACK_A + ka[None, :])
        b = tl.load(b_ptr + n[None, :] * (K // PACK_B) + start // PACK_B + kb[:, None])
        sb = tl.load(sb_ptr + n[:, None] * (K // VECTOR) + start // VECTOR + ks[None, :])
        if HAS_SA:
            sa = tl.load(sa_ptr + m[:, None] * (K // VECTOR) + start // VECTOR + ks[None, :])
        else:
            sa = None
        acc = tl.dot_scaled(a, sa, A, b, sb, B, acc)
    tl.store(c_ptr + m[:, None] * (tl.num_programs(1) * BN) + n[None, :], acc)


def elements(name, rows, columns, *key):
    """Elements of a format, all finite: as the kernel reads them, and as numbers."""
    rng = random(name, rows, columns, *key)
    if name in ("bf16", "fp16"):
        values = rng.standard_normal((rows, columns)).astype(FORMATS[name])
        return values, values.astype(np.float64)
    codes = rng.integers(0, 16 if name == "e2m1" else 256, (rows, columns)).astype(np.uint8)
    if name != "e2m1":
        # The codes of the largest exponents are NaN and infinity.
        codes = np.where((codes & 0x7f) >= 0x78, codes & 0xbf, codes).astype(np.uint8)
        return codes, codes.view(FORMATS[name]).astype(np.float64)
    values = codes.view(FORMATS[name]).astype(np.float64)
    return codes[:, 0::2] | codes[:, 1::2] << 4, values


def scales(rows, columns, vector, *key):
    """Powers of two; for vectors of 16, numbers of e4m3."""
    rng = random("scales", rows, columns, *key)
    if vector == 32:
        codes = rng.integers(121, 134, (rows, columns)).astype(np.uint8)
        return codes, 2.0 ** (codes.astype(np.float64) - 127)
    codes = rng.integers(0x20, 0x50, (rows, columns)).astype(np.uint8)
    return codes, codes.view(ml_dtypes.float8_e4m3fn).astype(np.float64)


def check(gpu, a, b, m, n, k, vector=32, block=(128, 64, 128), has_sa=True, **options):
    (ca, va), (cb, vb) = elements(a, m, k, "a"), elements(b, n, k, "b")
    (sa, fa), (sb, fb) = scales(m, k // vector, vector, "a"), scales(n, k // vector, vector, "b")
    if vector == 16:
        sa, sb = sa.view(ml_dtypes.float8_e4m3fn), sb.view(ml_dtypes.float8_e4m3fn)
    c = gpu.empty((m, n), "float32")
    pack = [2 if name == "e2m1" else 1 for name in (a, b)]
    scaled_kernel[(m // block[0], n // block[1])](
        gpu.tensor(ca), gpu.tensor(sa), gpu.tensor(cb), gpu.tensor(sb), c, k, BM=block[0], BN=block[1], BK=block[2], A=a, B=b,
        PACK_A=pack[0], PACK_B=pack[1], VECTOR=vector, HAS_SA=has_sa, **options)
    va = va * fa.repeat(vector, axis=1) if has_sa else va
    vb = vb * fb.repeat(vector, axis=1)
    # Elements times scales are numbers of bf16 for these formats, so that no target rounds them.
    near(gpu, c, va @ vb.T, abs(va) @ abs(vb.T), LOST["f16"])


@pytest.mark.needs(90)
@pytest.mark.parametrize("a, b", [("e4m3", "e4m3"), ("e5m2", "e4m3"), ("e4m3", "e2m1"), ("e2m1", "e5m2")])
def test_eight_bits_and_mixed(gpu, a, b):
    check(gpu, a, b, 128, 64, 256)


@pytest.mark.parametrize("warps", [4, 8])
def test_four_bits(gpu, warps):
    check(gpu, "e2m1", "e2m1", 128, 128, 256, block=(128, 128, 128), num_warps=warps)


@pytest.mark.needs(100)
def test_four_bits_with_scales_of_e4m3(gpu):
    """nvfp4: a scale for 16 elements, which is itself a small float."""
    check(gpu, "e2m1", "e2m1", 128, 128, 256, vector=16, block=(128, 128, 128))


@pytest.mark.parametrize("b", ["e2m1", "e5m2"])
def test_weights_alone_are_scaled(gpu, b):
    check(gpu, "bf16", b, 128, 64, 128, has_sa=False)


@triton.jit
def packed_kernel(a, sa, b, sb, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, A: tl.constexpr, B: tl.constexpr,
                  PACK_A: tl.constexpr, PACK_B: tl.constexpr, VECTOR: tl.constexpr):
    """Tensor descriptors for everything. The scales lie as tensor memory wants them: 128 rows with four scales each are
    512 bytes, which the matrix unit copies there by itself."""
    m, n = tl.program_id(0), tl.program_id(1)
    FOURS: tl.constexpr = BK // VECTOR // 4
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=2):
        ta, tb = a.load([m * BM, k // PACK_A]), b.load([n * BN, k // PACK_B])
        four = k // VECTOR // 4
        tsa = sa.load([0, m * (BM // 128), four, 0, 0]).reshape(BM // 128, FOURS, 32, 4, 4)
        tsb = sb.load([0, n * (BN // 128), four, 0, 0]).reshape(BN // 128, FOURS, 32, 4, 4)
        tsa = tsa.trans(0, 3, 2, 1, 4).reshape(BM, BK // VECTOR)
        tsb = tsb.trans(0, 3, 2, 1, 4).reshape(BN, BK // VECTOR)
        acc = tl.dot_scaled(ta, tsa, A, tb.T, tsb, B, acc)
    c.store([m * BM, n * BN], acc)


def packed(codes):
    rows, columns = codes.shape
    blocks = codes.reshape(rows // 128, 4, 32, columns // 4, 4).transpose(0, 3, 2, 1, 4)
    return np.ascontiguousarray(blocks).reshape(1, rows // 128, columns // 4, 2, 256)


def described(tensor, block):
    return TensorDescriptor(tensor, list(tensor.shape), [tensor.stride(axis) for axis in range(len(tensor.shape))], block)


@pytest.mark.needs(100)
@pytest.mark.parametrize("a, b, vector", [("e4m3", "e4m3", 32), ("e2m1", "e2m1", 32), ("e2m1", "e2m1", 16), ("e4m3", "e2m1", 32)])
def test_scales_that_the_matrix_unit_copies(gpu, a, b, vector):
    m, n, k = 128, 256, 512
    (ca, va), (cb, vb) = elements(a, m, k, "a"), elements(b, n, k, "b")
    (sa, fa), (sb, fb) = scales(m, k // vector, vector, "a"), scales(n, k // vector, vector, "b")
    pack = [2 if name == "e2m1" else 1 for name in (a, b)]
    kind = ml_dtypes.float8_e4m3fn if vector == 16 else np.uint8
    tsa, tsb = (gpu.tensor(packed(s).view(kind)) for s in (sa, sb))
    block = {"e4m3": 128, "e2m1": 256}[a]
    fours = [1, 1, block // vector // 4, 2, 256]
    c = gpu.empty((m, n), "float32")
    kernel = packed_kernel[(1, n // 128)](
        described(gpu.tensor(ca), [128, block // pack[0]]), described(tsa, fours), described(gpu.tensor(cb), [128, block // pack[1]]),
        described(tsb, fours), described(c, [128, 128]), k, BM=128, BN=128, BK=block, A=a, B=b, PACK_A=pack[0], PACK_B=pack[1],
        VECTOR=vector)
    va, vb = va * fa.repeat(vector, axis=1), vb * fb.repeat(vector, axis=1)
    near(gpu, c, va @ vb.T, abs(va) @ abs(vb.T), LOST["f16"])
    assert "tcgen05.cp" in kernel.asm["ptx"]
