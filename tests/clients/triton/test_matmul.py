"""Matrix products with pointers and masks: every element type, odd shapes, pipelines, and operands from all places.

For an A100 they become mma.sync with ldmatrix, for an H200 wgmma, for a B200 tcgen05.mma; small blocks are mma.sync on
all of them. What an H200 gave for the same PTX must come out to the last bit.
"""

import numpy as np
import pytest
import triton
import triton.language as tl

from matrices import LOST, matrix, near, product

pytestmark = pytest.mark.tensor_cores


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, PRECISION: tl.constexpr, ACC: tl.constexpr):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=ACC)
    for start in range(0, K, BK):
        inside = K - start
        a = tl.load(a_ptr + m[:, None] * stride_am + (start + k)[None, :] * stride_ak,
                    mask=(m[:, None] < M) & (k[None, :] < inside), other=0.0)
        b = tl.load(b_ptr + (start + k)[:, None] * stride_bk + n[None, :] * stride_bn,
                    mask=(k[:, None] < inside) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision=PRECISION, out_dtype=ACC)
    out = acc.to(c_ptr.dtype.element_ty)
    tl.store(c_ptr + m[:, None] * stride_cm + n[None, :], out, mask=(m[:, None] < M) & (n[None, :] < N))


def multiply(gpu, a, b, out, lost, block=(64, 64, 32), acc=tl.float32, precision=None, swap=(False, False), **options):
    """Runs the kernel on two matrices, each of them stored by columns if `swap` says so, and compares."""
    (m, k), n = a.shape, b.shape[1]
    ta, tb = (gpu.tensor(x.T if swapped else x) for x, swapped in ((a, swap[0]), (b, swap[1])))
    c = gpu.empty((m, n), out)
    stride = [(1, t.stride(0)) if swapped else (t.stride(0), 1) for t, swapped in ((ta, swap[0]), (tb, swap[1]))]
    bm, bn, bk = block
    kernel = matmul_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn))](
        ta, tb, c, m, n, k, *stride[0], *stride[1], n, BM=bm, BN=bn, BK=bk, PRECISION=precision, ACC=acc, **options)
    near(gpu, c, *product(a, b), lost)
    return kernel.asm["ptx"]


@pytest.mark.parametrize("dtype, out", [("float16", "float16"), ("float16", "float32"), ("bfloat16", "bfloat16"),
                                        ("bfloat16", "float32")])
def test_half(gpu, dtype, out):
    ptx = multiply(gpu, matrix(dtype, 128, 96, "a"), matrix(dtype, 96, 64, "b"), out, LOST["f16"])
    assert {80: "mma.sync", 90: "wgmma.mma_async", 100: "tcgen05.mma"}[gpu.capability] in ptx


def test_half_accumulators(gpu):
    """The accumulator itself is f16, rounded after each step of 16."""
    a, b = matrix("int8", 64, 64, "a").astype(np.float16) / 64, matrix("int8", 64, 64, "b").astype(np.float16) / 64
    multiply(gpu, a, b, "float16", 2.0**-9, acc=tl.float16)


@pytest.mark.parametrize("precision, lost", [("ieee", "exact"), ("tf32", "tf32"), ("tf32x3", "tf32x3"), ("bf16x3", "bf16x3")],
                         ids=["ieee-exact", "tf32-tf32", "tf32x3-x3", "bf16x3-x3"])
def test_single(gpu, precision, lost):
    a, b = matrix("float32", 64, 96, "a"), matrix("float32", 96, 64, "b")
    multiply(gpu, a, b, "float32", LOST[lost], precision=precision)


def test_double(gpu):
    multiply(gpu, matrix("float64", 32, 40, "a"), matrix("float64", 40, 32, "b"), "float64", LOST["f64"], block=(32, 32, 16),
             acc=tl.float64)


@pytest.mark.needs(90)
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
@pytest.mark.parametrize("swap", [(False, False), (False, True)], ids=["rows", "columns"])
def test_eight_bits(gpu, dtype, swap):
    """Eight-bit operands lie along K for the tensor core: `rows` makes Triton turn one of them."""
    a, b = matrix(dtype, 128, 128, "a"), matrix(dtype, 128, 64, "b")
    multiply(gpu, a, b, "float32", LOST["fp8"], block=(64, 64, 64), swap=swap)


@pytest.mark.parametrize("swap", [(False, False), (False, True)], ids=["rows", "columns"])
def test_integers(gpu, swap):
    a, b = matrix("int8", 128, 192, "a"), matrix("int8", 192, 64, "b")
    multiply(gpu, a, b, "int32", 0, block=(64, 64, 64), acc=tl.int32, swap=swap)


@pytest.mark.parametrize("swap", [(False, True), (True, False), (True, True)])
def test_stored_by_columns(gpu, swap):
    multiply(gpu, matrix("float16", 128, 64, "a"), matrix("float16", 64, 128, "b"), "float32", LOST["f16"], swap=swap)


@pytest.mark.parametrize("shape", [(37, 53, 41), (100, 8, 130), (1, 1, 1), (65, 129, 16)], ids=lambda s: "x".join(map(str, s)))
def test_odd_shapes(gpu, shape):
    m, n, k = shape
    multiply(gpu, matrix("float16", m, k, "a"), matrix("float16", k, n, "b"), "float32", LOST["f16"])


@pytest.mark.parametrize("stages, warps", [(1, 4), (2, 4), (3, 8), (4, 4), (4, 8)])
def test_pipelines(gpu, stages, warps):
    multiply(gpu, matrix("float16", 128, 256, "a"), matrix("float16", 256, 128, "b"), "float16", LOST["f16"], block=(128, 128, 32),
             num_stages=stages, num_warps=warps)


@pytest.mark.parametrize("dtype, out, acc, block, warps", [
    ("float16", "float32", tl.float32, (16, 16, 16), 1),
    ("float16", "float32", tl.float32, (32, 16, 64), 2),
    ("bfloat16", "float32", tl.float32, (16, 8, 32), 1),
    ("float32", "float32", tl.float32, (32, 32, 16), 4),
    ("int8", "int32", tl.int32, (16, 32, 32), 2),
], ids=str)
def test_small_blocks(gpu, dtype, out, acc, block, warps):
    lost = {"float32": LOST["tf32"], "int8": 0}.get(dtype, LOST["f16"])
    multiply(gpu, matrix(dtype, 48, 64, "a"), matrix(dtype, 64, 32, "b"), out, lost, block=block, acc=acc, num_warps=warps)


@pytest.mark.needs(90)
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_small_blocks_of_eight_bits(gpu, dtype):
    """mma.sync, which an H200 computes in the f16 unit."""
    multiply(gpu, matrix(dtype, 32, 64, "a"), matrix(dtype, 64, 32, "b"), "float32", LOST["fp8"], block=(32, 32, 32), num_warps=1)


@triton.jit
def chain_kernel(a_ptr, b_ptr, c_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    ab = tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)).to(a_ptr.dtype.element_ty)
    tl.store(out_ptr + at, tl.dot(ab, tl.load(c_ptr + at)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_product_of_products(gpu, dtype):
    """The first product is an operand of the second, from registers or from tensor memory."""
    a, b, c = (matrix("int8", 64, 64, k).astype(dtype) / np.dtype(dtype).type(64) for k in "abc")
    out = gpu.empty((64, 64), "float32")
    chain_kernel[(1,)](gpu.tensor(a), gpu.tensor(b), gpu.tensor(c), out, N=64)
    ab, magnitude = product(a, b)
    rounded = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[dtype]
    near(gpu, out, ab @ c.astype(np.float64), magnitude @ abs(c.astype(np.float64)), rounded + LOST["f16"])


@triton.jit
def batched_kernel(a_ptr, b_ptr, c_ptr, B: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, N)[None, :, None], tl.arange(0, N)[None, None, :]
    at = tl.arange(0, B)[:, None, None] * N * N + i * N + j
    tl.store(c_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


def test_batches(gpu):
    a, b = (matrix("float16", 4 * 32, 32, k).reshape(4, 32, 32) for k in "ab")
    c = gpu.empty((4, 32, 32), "float32")
    batched_kernel[(1,)](gpu.tensor(a), gpu.tensor(b), c, B=4, N=32)
    near(gpu, c, *product(a, b), LOST["f16"])
