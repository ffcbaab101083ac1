"""Reductions and scans: kernels that Dr.Jit carries as PTX, with shared memory, shuffles and atomics.

`dr.all` of 256 booleans launches one that reads shared memory past the 8 bytes that it has, which an H200 survives; so this
suite runs with `--findings report`.
"""

import drjit as dr
import numpy as np
import pytest
from drjit import cuda

SIZES = [1, 31, 1000, 4097, 100_000]


@pytest.mark.parametrize("size", SIZES)
def test_whole_arrays(size, rng):
    a = rng.integers(-1000, 1000, size).astype(np.int32)
    x = cuda.Int32(a)
    assert (dr.sum(x)[0], dr.min(x)[0], dr.max(x)[0]) == (a.sum(), a.min(), a.max())
    b = rng.integers(1, 3, size).astype(np.uint64)
    assert dr.prod(cuda.UInt64(b))[0] == np.prod(b)
    c = rng.uniform(size=size)
    assert np.isclose(dr.sum(cuda.Float64(c))[0], c.sum(), rtol=1e-12)
    assert np.isclose(dr.mean(cuda.Float32(c))[0], c.mean(), rtol=1e-5)


@pytest.mark.parametrize("mode", ["evaluated", "symbolic"])
@pytest.mark.parametrize("block", [2, 8, 32, 256, 1024, 4096])
def test_blocks(block, mode, rng):
    a = rng.integers(0, 2**32, 8 * 4096, dtype=np.uint32)
    for op, theirs in [(dr.ReduceOp.Add, np.add), (dr.ReduceOp.Min, np.minimum), (dr.ReduceOp.Max, np.maximum),
                       (dr.ReduceOp.And, np.bitwise_and), (dr.ReduceOp.Or, np.bitwise_or)]:
        ours = dr.block_reduce(op, cuda.UInt32(a), block, mode=mode)
        assert np.array_equal(ours.numpy(), theirs.reduce(a.reshape(-1, block), axis=1, dtype=np.uint32)), op


@pytest.mark.parametrize("size", [4, 256, 1000, 65536])
def test_all_and_any(size):
    """256 booleans are 64 words, for whose 2 warps the kernel `block_reduce_and_u32_64` has 8 bytes and reads more."""
    for wrong in (0, size // 2, size - 1):
        x = dr.arange(cuda.UInt32, size)
        assert dr.all(x < size) and not dr.all(x != wrong)
        assert dr.any(x == wrong) and not dr.any(x == size)


@pytest.mark.parametrize("size", SIZES)
def test_scans(size, rng):
    a = rng.integers(0, 1000, size).astype(np.uint32)
    x = cuda.UInt32(a)
    assert np.array_equal(dr.cumsum(x).numpy(), np.cumsum(a, dtype=np.uint32))
    assert np.array_equal(dr.prefix_sum(x).numpy(), np.cumsum(a, dtype=np.uint32) - a)


def test_scans_of_blocks(rng):
    a = rng.integers(0, 1000, (64, 128)).astype(np.int64)
    ours = dr.block_prefix_reduce(dr.ReduceOp.Add, cuda.Int64(a.ravel()), 128, exclusive=False)
    assert np.array_equal(ours.numpy().reshape(64, 128), np.cumsum(a, axis=1))
    backwards = dr.block_prefix_reduce(dr.ReduceOp.Max, cuda.Int64(a.ravel()), 128, exclusive=False, reverse=True)
    assert np.array_equal(backwards.numpy().reshape(64, 128), np.maximum.accumulate(a[:, ::-1], axis=1)[:, ::-1])


def test_axes_of_a_tensor(rng):
    a = rng.normal(size=(7, 11, 13)).astype(np.float32)
    x = cuda.TensorXf(a)
    for axis in [0, 1, 2, (0, 2), None]:
        assert np.allclose(dr.sum(x, axis=axis).numpy(), a.sum(axis=axis), atol=1e-4)
        assert np.array_equal(dr.max(x, axis=axis).numpy(), a.max(axis=axis))


def test_dot_products(rng):
    a, b = rng.normal(size=(2, 50_000)).astype(np.float32)
    assert np.isclose(dr.dot(cuda.Float(a), cuda.Float(b))[0], a.astype(np.float64) @ b, atol=1e-2)
