"""Matrix products whose operands the copy engine brings: tensor descriptors, persistent programs, specialised warps, clusters.

On an H200 and a B200 the engine writes the tiles in the swizzled layouts that wgmma and tcgen05.mma read.
"""

import pytest
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from matrices import LOST, matrix, near, product

pytestmark = [pytest.mark.tensor_cores, pytest.mark.usefixtures("scratch")]


def described(tensor, block):
    return TensorDescriptor(tensor, list(tensor.shape), [tensor.stride(axis) for axis in range(len(tensor.shape))], block)


@triton.jit
def host_kernel(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, TURNED: tl.constexpr,
                SPECIALIZE: tl.constexpr):
    """With TURNED, b is stored by columns."""
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=SPECIALIZE):
        tile = b.load([n, k]).T if TURNED else b.load([k, n])
        acc = tl.dot(a.load([m, k]), tile, acc)
    c.store([m, n], acc.to(c.dtype))


def multiply(gpu, dtype, out, lost, shape=(128, 128, 128), block=(64, 64, 64), turned=False, specialize=False, **options):
    (m, n, k), (bm, bn, bk) = shape, block
    a, b = matrix(dtype, m, k, "a"), matrix(dtype, k, n, "b")
    c = gpu.empty((m, n), out)
    kernel = host_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn))](
        described(gpu.tensor(a), [bm, bk]), described(gpu.tensor(b.T if turned else b), [bn, bk] if turned else [bk, bn]),
        described(c, [bm, bn]), k, BM=bm, BN=bn, BK=bk, TURNED=turned, SPECIALIZE=specialize, **options)
    near(gpu, c, *product(a, b), lost)
    return kernel


@pytest.mark.parametrize("dtype, out, turned", [("float16", "float16", False), ("float16", "float32", True),
                                                ("bfloat16", "bfloat16", False), ("float32", "float32", True)])
def test_descriptors_made_by_the_host(gpu, dtype, out, turned):
    multiply(gpu, dtype, out, LOST["tf32" if dtype == "float32" else "f16"], turned=turned)


@pytest.mark.needs(90)
@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_eight_bits(gpu, dtype):
    multiply(gpu, dtype, "float32", LOST["fp8"], block=(64, 64, 128), turned=True)


@pytest.mark.parametrize("block, warps", [((128, 32, 32), 4), ((128, 128, 16), 8), ((64, 16, 64), 4)], ids=str)
def test_tiles_of_other_sizes(gpu, block, warps):
    """The rows of the tiles are 32, 64 and 128 bytes, each with a swizzle of its own; the matrices end inside of tiles."""
    multiply(gpu, "float16", "float32", LOST["f16"], shape=(136, 72, 104), block=block, num_warps=warps, num_stages=4)


@triton.jit
def device_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    a = tl.make_tensor_descriptor(a_ptr, shape=[M, K], strides=[K, 1], block_shape=[BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, shape=[K, N], strides=[N, 1], block_shape=[BK, BN])
    c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    m, n = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        acc = tl.dot(a.load([m, k]), b.load([k, n]), acc)
    c.store([m, n], acc.to(tl.float16))


@pytest.mark.parametrize("shape", [(128, 128, 128), (72, 200, 136)], ids=str)
def test_descriptors_made_by_the_kernel(gpu, shape):
    m, n, k = shape
    a, b = matrix("float16", m, k, "a"), matrix("float16", k, n, "b")
    c = gpu.empty((m, n), "float16")
    device_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 64))](gpu.tensor(a), gpu.tensor(b), c, m, n, k, BM=64, BN=64, BK=64)
    near(gpu, c, *product(a, b), LOST["f16"])


@triton.jit
def persistent_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALIZE: tl.constexpr,
                      FLATTEN: tl.constexpr):
    """Each program works through several tiles of the result."""
    columns = tl.cdiv(N, BN)
    tiles = tl.cdiv(M, BM) * columns
    for tile in tl.range(tl.program_id(0), tiles, tl.num_programs(0), flatten=FLATTEN, warp_specialize=SPECIALIZE):
        m, n = tile // columns * BM, tile % columns * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, K, BK):
            acc = tl.dot(a.load([m, k]), b.load([n, k]).T, acc)
        c.store([m, n], acc.to(tl.float16))


@pytest.mark.parametrize("flatten, specialize", [
    (False, False),
    (True, False),
    pytest.param(False, True, marks=pytest.mark.needs(90)),
    pytest.param(True, True, marks=pytest.mark.needs(100)),
])
def test_persistent_programs(gpu, flatten, specialize):
    m, n, k = 256, 128, 128
    a, b = matrix("float16", m, k, "a"), matrix("float16", k, n, "b")
    c = gpu.empty((m, n), "float16")
    rows = rows_of_a_tile(gpu, specialize)
    kernel = persistent_kernel[(2,)](
        described(gpu.tensor(a), [rows, 64]), described(gpu.tensor(b.T), [64, 64]), described(c, [rows, 64]), m, n, k, BM=rows, BN=64,
        BK=64, SPECIALIZE=specialize, FLATTEN=flatten, num_stages=3)
    near(gpu, c, *product(a, b), LOST["f16"])
    assert (kernel.metadata.num_warps > 4) == specialize


def rows_of_a_tile(gpu, specialize):
    """For an H200 Triton splits higher tiles between specialised warps, and then fails to compile them with descriptors."""
    return 64 if specialize and gpu.capability == 90 else 128


@pytest.mark.needs(90)
@pytest.mark.parametrize("dtype, turned", [("float16", True), ("bfloat16", False)])
def test_specialized_warps(gpu, dtype, turned):
    """Some warps issue the copies, others the products."""
    kernel = multiply(gpu, dtype, "float32", LOST["f16"], shape=(128, 128, 256), block=(rows_of_a_tile(gpu, True), 64, 64), turned=turned,
                      specialize=True, num_stages=3)
    assert kernel.metadata.num_warps > 4


@pytest.mark.needs(90)
@pytest.mark.parametrize("block", [(128, 128, 64), (256, 64, 64)], ids=str)
def test_clusters(gpu, block):
    """A program is a cluster of two CTAs; on a B200 both may work on one instruction."""
    multiply(gpu, "float16", "float32", LOST["f16"], shape=(256, 128, 128), block=block, num_ctas=2, num_warps=4)


@pytest.mark.needs(90)
def test_clusters_over_pointers(gpu):
    from test_matmul import multiply as over_pointers

    a, b = matrix("float16", 128, 128, "a"), matrix("float16", 128, 128, "b")
    over_pointers(gpu, a, b, "float32", LOST["f16"], block=(128, 128, 64), num_ctas=2)
