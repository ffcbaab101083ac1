"""Arithmetic of Dr.Jit's arrays: one kernel is compiled for what a test computes, and compared with NumPy."""

import drjit as dr
import numpy as np
import pytest
from drjit import cuda

COUNT = 1000
FLOATS = {"Float16": np.float16, "Float32": np.float32, "Float64": np.float64}
INTEGERS = {"Int32": np.int32, "UInt32": np.uint32, "Int64": np.int64, "UInt64": np.uint64}


@pytest.mark.parametrize("name", FLOATS)
def test_basic_floating_point(name, rng):
    """Single roundings: NumPy has the same bits. (Dr.Jit's square root of f32 is the approximate one.)"""
    array, dtype = getattr(cuda, name), FLOATS[name]
    a, b = (rng.uniform(0.5, 2, COUNT).astype(dtype) for _ in range(2))
    x, y = array(a), array(b)
    for ours, theirs in [(x + y, a + b), (x - y, a - b), (x * y, a * b), (dr.abs(-x), a),
                         (dr.minimum(x, y), np.minimum(a, b)), (dr.floor(x * 4), np.floor(a * dtype(4)))]:
        assert np.array_equal(ours.numpy(), theirs)
    assert np.allclose(dr.sqrt(x).numpy(), np.sqrt(a), rtol=2e-7)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers(name, rng):
    array, dtype = getattr(cuda, name), INTEGERS[name]
    a = rng.integers(0, np.iinfo(dtype).max, COUNT, dtype=dtype, endpoint=True)
    b = rng.integers(1, 1000, COUNT).astype(dtype)
    x, y = array(a), array(b)
    for ours, theirs in [(x + y, a + b), (x * y, a * b), (x // y, a // b), (x % y, a % b), (x & y, a & b), (x | y, a | b),
                         (x ^ y, a ^ b), (~x, ~a), (x >> 3, a >> 3), (x << 3, a << 3), (dr.maximum(x, y), np.maximum(a, b))]:
        assert np.array_equal(ours.numpy(), theirs)


def test_bits_of_integers(rng):
    a = rng.integers(1, 2**32, COUNT, dtype=np.uint32)
    x = cuda.UInt32(a)
    assert np.array_equal(dr.popcnt(x).numpy(), [int(v).bit_count() for v in a])
    assert np.array_equal(dr.lzcnt(x).numpy(), [32 - int(v).bit_length() for v in a])
    assert np.array_equal(dr.tzcnt(x).numpy(), [(int(v) & -int(v)).bit_length() - 1 for v in a])
    assert np.array_equal(dr.brev(x).numpy(), [int(f"{int(v):032b}"[::-1], 2) for v in a])


def test_high_half_of_a_product(rng):
    a, b = (rng.integers(0, 2**32, COUNT, dtype=np.uint32) for _ in range(2))
    assert np.array_equal(dr.mul_hi(cuda.UInt32(a), cuda.UInt32(b)).numpy(), (a.astype(np.uint64) * b >> 32).astype(np.uint32))
    a, b = a.view(np.int32), b.view(np.int32)
    assert np.array_equal(dr.mul_hi(cuda.Int32(a), cuda.Int32(b)).numpy(), (a.astype(np.int64) * b >> 32).astype(np.int32))


@pytest.mark.parametrize("function", ["sin", "cos", "exp", "log", "tan", "atan", "tanh", "erf", "cbrt", "asinh"])
def test_functions(function, rng):
    """The special function unit's precision, for f64 too: Dr.Jit divides by the approximate `rcp.approx.ftz.f64`."""
    a = rng.uniform(0.1, 1.5, COUNT)
    theirs = np.vectorize(__import__("math").erf)(a) if function == "erf" else \
        getattr(np, {"atan": "arctan", "asinh": "arcsinh"}.get(function, function))(a)
    for array, tolerance in [(cuda.Float32, 2e-5), (cuda.Float64, 1e-6)]:
        assert np.allclose(getattr(dr, function)(array(a)).numpy(), theirs, rtol=tolerance, atol=tolerance)


def test_conversions(rng):
    a = rng.uniform(-1000, 1000, COUNT).astype(np.float32)
    x = cuda.Float(a)
    assert np.array_equal(cuda.Int32(x).numpy(), a.astype(np.int32))
    assert np.array_equal(cuda.Float16(x).numpy(), a.astype(np.float16))
    assert np.array_equal(cuda.Float64(x).numpy(), a.astype(np.float64))
    assert np.array_equal(dr.reinterpret_array(cuda.UInt32, x).numpy(), a.view(np.uint32))
    assert np.array_equal(dr.round(x).numpy(), np.round(a))


def test_masks(rng):
    a, b = (rng.uniform(-1, 1, COUNT).astype(np.float32) for _ in range(2))
    x, y = cuda.Float(a), cuda.Float(b)
    mask = (x < y) & ~(x > 0) | (y == x)
    theirs = (a < b) & ~(a > 0) | (a == b)
    assert np.array_equal(mask.numpy(), theirs)
    assert np.array_equal(dr.select(mask, x, y).numpy(), np.where(theirs, a, b))
    assert dr.count(mask)[0] == np.count_nonzero(theirs)
    assert np.array_equal(dr.compress(mask).numpy(), np.flatnonzero(theirs))
    assert bool(dr.any(mask)) == theirs.any() and bool(dr.all(mask)) == theirs.all()


def test_vectors_and_matrices(rng):
    a, b = (rng.normal(size=(3, 3, 100)).astype(np.float32) for _ in range(2))
    product = cuda.Matrix3f(a) @ cuda.Matrix3f(b)
    theirs = np.einsum("ijn,jkn->ikn", a, b)
    assert np.allclose(product.numpy(), theirs, atol=1e-5)
    u, v = rng.normal(size=(2, 3, 100)).astype(np.float32)
    assert np.allclose(dr.cross(cuda.Array3f(u), cuda.Array3f(v)).numpy(), np.cross(u, v, axis=0), atol=1e-5)
    assert np.allclose(dr.det(cuda.Matrix3f(a)).numpy(), np.linalg.det(a.transpose(2, 0, 1)), atol=1e-4)


def test_complex_numbers_and_quaternions(rng):
    a, b = rng.normal(size=(2, 2, 100)).astype(np.float32)
    product = cuda.Complex2f(*map(cuda.Float, a)) * cuda.Complex2f(*map(cuda.Float, b))
    theirs = (a[0] + 1j * a[1]) * (b[0] + 1j * b[1])
    assert np.allclose(product.real.numpy(), theirs.real, atol=1e-5) and np.allclose(product.imag.numpy(), theirs.imag, atol=1e-5)
    axis = dr.normalize(cuda.Array3f(1, 2, 3))
    turned = dr.quat_to_matrix(cuda.Matrix3f, dr.rotate(cuda.Quaternion4f, axis, 0.75))
    assert np.allclose((turned @ turned.T).numpy()[..., 0], np.eye(3), atol=1e-6)


def test_random_numbers():
    """PCG32's own first numbers: seed 42, stream 54 (the demo of pcg-random.org)."""
    generator = cuda.PCG32(1, cuda.UInt64(42), cuda.UInt64(54))
    numbers = [generator.next_uint32()[0] for _ in range(6)]
    assert numbers == [0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e]
