"""One operation on every element, in every type that Triton knows."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import FLOATS, FP8, INTEGERS, floats, integers, numbers

N = 777


@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(output_ptr + offsets, x + y, mask=mask)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_add(gpu, dtype):
    x, y = numbers(dtype, N, "x"), numbers(dtype, N, "y")[::-1]
    out = gpu.empty(N, dtype)
    add_kernel[(triton.cdiv(N, 256),)](gpu.tensor(x), gpu.tensor(y), out, N, BLOCK_SIZE=256)
    with np.errstate(all="ignore"):
        gpu.equal(out, x + y)


@pytest.mark.parametrize("place", ["host", "device"])
def test_add_in_either_memory(gpu, place):
    """NumPy's own memory works as well as the driver's."""
    if gpu.place != "captured":
        gpu.place = place
    x, y = numbers("float32", N, "x"), numbers("float32", N, "y")[::-1]
    out = gpu.empty(N, "float32")
    add_kernel[lambda meta: (triton.cdiv(N, meta["BLOCK_SIZE"]),)](gpu.tensor(x), gpu.tensor(y), out, N, BLOCK_SIZE=128)
    with np.errstate(all="ignore"):
        gpu.equal(out, x + y)


@triton.jit
def integer_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0)
    y = tl.load(y_ptr + i, mask=mask, other=1)
    tl.store(out_ptr + i, x - y, mask=mask)
    tl.store(out_ptr + n + i, x * y, mask=mask)
    tl.store(out_ptr + 2 * n + i, x & y, mask=mask)
    tl.store(out_ptr + 3 * n + i, x | y, mask=mask)
    tl.store(out_ptr + 4 * n + i, x ^ y, mask=mask)
    tl.store(out_ptr + 5 * n + i, ~x, mask=mask)
    tl.store(out_ptr + 6 * n + i, x << (y & 7), mask=mask)
    tl.store(out_ptr + 7 * n + i, x >> (y & 7), mask=mask)
    tl.store(out_ptr + 8 * n + i, tl.minimum(x, y), mask=mask)
    tl.store(out_ptr + 9 * n + i, tl.maximum(x, y), mask=mask)
    tl.store(out_ptr + 10 * n + i, tl.where(x < y, x, y + 1), mask=mask)
    tl.store(out_ptr + 11 * n + i, x // (y | 1), mask=mask)
    tl.store(out_ptr + 12 * n + i, x % (y | 1), mask=mask)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(gpu, dtype):
    x, y = integers(dtype, N, "x"), integers(dtype, N, "y")[::-1].copy()
    # The smallest number divided by -1 has no meaning in Triton.
    y[(y | 1) == np.array(-1).astype(dtype)] = 3
    out = gpu.empty((13, N), dtype)
    integer_kernel[(triton.cdiv(N, 128),)](gpu.tensor(x), gpu.tensor(y), out, N, BLOCK=128)
    shift, divisor = y & np.array(7, dtype), y | np.array(1, dtype)
    # Triton divides as C does: towards zero, and the remainder has the dividend's sign.
    remainder = np.fmod(x, divisor)
    quotient = ((x.astype(object) - remainder.astype(object)) // divisor.astype(object)).astype(dtype)
    gpu.equal(out, np.stack([
        x - y, x * y, x & y, x | y, x ^ y, ~x, x << shift, x >> shift, np.minimum(x, y), np.maximum(x, y),
        np.where(x < y, x, y + np.array(1, dtype)), quotient, remainder]))


@triton.jit
def float_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask, other=0)
    y = tl.load(y_ptr + i, mask=mask, other=1)
    tl.store(out_ptr + i, x - y, mask=mask)
    tl.store(out_ptr + n + i, x * y, mask=mask)
    tl.store(out_ptr + 2 * n + i, -x, mask=mask)
    tl.store(out_ptr + 3 * n + i, tl.abs(x), mask=mask)
    tl.store(out_ptr + 4 * n + i, tl.minimum(x, y), mask=mask)
    tl.store(out_ptr + 5 * n + i, tl.maximum(x, y), mask=mask)
    tl.store(out_ptr + 6 * n + i, tl.where(x < y, x, y), mask=mask)
    tl.store(out_ptr + 7 * n + i, x * y + x, mask=mask)
    tl.store(out_ptr + 8 * n + i, tl.clamp(x, -0.5, 2.0), mask=mask)
    tl.store(out_ptr + 9 * n + i, x / y, mask=mask)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(gpu, dtype):
    x, y = floats(dtype, N, "x"), floats(dtype, N, "y")[::-1].copy()
    out = gpu.empty((10, N), dtype)
    float_kernel[(triton.cdiv(N, 128),)](gpu.tensor(x), gpu.tensor(y), out, N, BLOCK=128)
    with np.errstate(all="ignore"):
        # Division, the last row, is an approximation in float32; the H200's bits are the judge of that one.
        expected = np.stack([x - y, x * y, -x, abs(x), np.fmin(x, y), np.fmax(x, y), np.where(x < y, x, y), x * y + x,
                             np.fmin(np.fmax(x, np.array(-0.5).astype(dtype)), np.array(2).astype(dtype))])
        gpu.true(out, lambda got: np.array_equal(got[:9].astype(np.float64), expected.astype(np.float64), equal_nan=True))


@triton.jit
def compare_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    y = tl.load(y_ptr + i, mask=mask)
    bits = (x < y).to(tl.int32) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x >= y) + 32 * (x > y)
    tl.store(out_ptr + i, bits, mask=mask)


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float16", "bfloat16", "float32", "float64"])
def test_comparisons(gpu, dtype):
    """All of them at once, NaN included."""
    x, y = numbers(dtype, 100, "x"), numbers(dtype, 100, "y")
    y[3:9] = x[3:9]
    out = gpu.empty(100, "int32")
    compare_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, 100, BLOCK=128)
    with np.errstate(all="ignore"):
        gpu.equal(out, (x < y) * 1 + (x <= y) * 2 + (x == y) * 4 + (x != y) * 8 + (x >= y) * 16 + (x > y) * 32)


@triton.jit
def cast_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x.to(out_ptr.dtype.element_ty), mask=i < n)


CASTS = [("int8", "int64"), ("uint8", "int32"), ("int64", "int8"), ("uint32", "uint64"), ("int32", "float32"),
         ("uint32", "float64"), ("int64", "float16"), ("int16", "bfloat16"), ("float32", "float64"), ("float64", "float32"),
         ("float64", "float16"), ("float32", "float16"), ("float32", "bfloat16"), ("float16", "float32"),
         ("bfloat16", "float32"), ("float16", "bfloat16")]


@pytest.mark.parametrize("source, target", CASTS, ids=lambda name: name)
def test_casts(gpu, source, target):
    x = numbers(source, 200, "cast")
    out = gpu.empty(200, target)
    cast_kernel[(1,)](gpu.tensor(x), out, 200, BLOCK=256)
    with np.errstate(all="ignore"):
        gpu.equal(out, x.astype(target))


@pytest.mark.parametrize("source, target", [("float32", "int32"), ("float64", "int64"), ("float16", "int8"),
                                            ("bfloat16", "uint16"), ("float32", "uint32")], ids=lambda name: name)
def test_casts_to_integers(gpu, source, target):
    """Towards zero, for values that the integer can hold; what happens to others is not Triton's to say."""
    x = abs(floats(source, 200, "cast", special=False))
    out = gpu.empty(200, target)
    cast_kernel[(1,)](gpu.tensor(x), out, 200, BLOCK=256)
    small = x.astype(np.float64) < np.iinfo(target).max
    assert small.sum() > 150
    gpu.true(out, lambda got: np.array_equal(got[small], x.astype(np.float64)[small].astype(target)))


@pytest.mark.parametrize("dtype", FP8)
@pytest.mark.parametrize("other", ["float16", "float32", "bfloat16"])
def test_fp8(gpu, dtype, other):
    """Every value of the 8-bit floats widens exactly; what becomes of infinities is the H200's to say."""
    if dtype == "float8_e4m3fn" and gpu.capability < 89:
        pytest.skip("float8_e4m3fn is for compute capability 89 and newer")
    x = np.arange(256, dtype=np.uint8).view(dtype)
    out = gpu.empty(256, other)
    cast_kernel[(1,)](gpu.tensor(x), out, 256, BLOCK=256)
    finite = np.isfinite(x.astype(np.float64))
    gpu.true(out, lambda got: np.array_equal(got[finite].astype(np.float64), x[finite].astype(np.float64)))


@pytest.mark.needs(89)
@pytest.mark.parametrize("dtype", FP8)
@pytest.mark.parametrize("other", ["float16", "float32"])
def test_to_fp8(gpu, dtype, other):
    x = floats(other, 256, "to fp8", special=False)
    out = gpu.empty(256, dtype)
    cast_kernel[(1,)](gpu.tensor(x), out, 256, BLOCK=256)
    gpu.equal(out, np.clip(x.astype(np.float64), -448 if dtype == "float8_e4m3fn" else -57344, 448 if dtype == "float8_e4m3fn" else 57344).astype(dtype))


@triton.jit
def bitcast_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    bits = tl.load(x_ptr + i).to(tl.uint32, bitcast=True)
    tl.store(out_ptr + i, ((bits >> 23) & 0xFF).to(tl.int32) - 127)


def test_bitcast(gpu):
    x = floats("float32", 256, "bits")
    out = gpu.empty(256, "int32")
    bitcast_kernel[(1,)](gpu.tensor(x), out, BLOCK=256)
    gpu.equal(out, (x.view(np.uint32) >> 23 & 0xFF).astype(np.int32) - 127)


@triton.jit
def scalars_kernel(out_ptr, i, u, big, f, flag, one):
    tl.store(out_ptr, i)
    tl.store(out_ptr + 1, u)
    tl.store(out_ptr + 2, big)
    tl.store(out_ptr + 3, f)
    tl.store(out_ptr + 4, flag.to(tl.int32))
    tl.store(out_ptr + 5, one)


def test_scalar_arguments(gpu):
    """Integers of every size, floats, truth values, and the 1 that Triton makes a constant."""
    out = gpu.empty(6, "float64")
    scalars_kernel[(1,)](out, -7, 2**32 - 3, 2**40 + 16, 2.5, True, 1)
    gpu.equal(out, np.array([-7, 2**32 - 3, 2**40 + 16, 2.5, 1, 1], np.float64))
