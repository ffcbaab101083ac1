"""Shapes and addresses: broadcasting, masks, gathering, transposing, three dimensions."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import floats, integers, random


@triton.jit
def outer_kernel(x_ptr, y_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    columns = tl.arange(0, N)
    x = tl.load(x_ptr + rows)
    y = tl.load(y_ptr + columns)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], x[:, None] * y[None, :] + 1)


@pytest.mark.parametrize("dtype", ["int32", "float16"])
def test_broadcasting(gpu, dtype):
    x, y = (random(name).integers(-20, 20, 64).astype(dtype) for name in "xy")
    out = gpu.empty((64, 64), dtype)
    outer_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, M=64, N=64)
    gpu.equal(out, x[:, None] * y[None, :] + np.array(1, dtype))


@triton.jit
def masked_kernel(x_ptr, out_ptr, rows, columns, stride, M: tl.constexpr, N: tl.constexpr):
    m = tl.program_id(0) * M + tl.arange(0, M)
    n = tl.program_id(1) * N + tl.arange(0, N)
    mask = (m[:, None] < rows) & (n[None, :] < columns)
    x = tl.load(x_ptr + m[:, None] * stride + n[None, :], mask=mask, other=-1)
    tl.store(out_ptr + m[:, None] * columns + n[None, :], x * 2, mask=mask)


def test_masks_in_two_dimensions(gpu):
    """A tile larger than the array: nothing outside of it may be touched."""
    x = integers("int16", 37 * 50, "masked").reshape(37, 50)
    out = gpu.empty((37, 41), "int16")
    masked_kernel[(3, 3)](gpu.tensor(x), out, 37, 41, 50, M=16, N=16)
    gpu.equal(out, x[:, :41] * np.int16(2))


@triton.jit
def other_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=(i < n) & (i % 3 != 0), other=42))


def test_other_values_of_a_masked_load(gpu):
    x = integers("int64", 100, "other")
    out = gpu.empty(128, "int64")
    other_kernel[(1,)](gpu.tensor(x), out, 100, BLOCK=128)
    i = np.arange(128)
    gpu.equal(out, np.where((i < 100) & (i % 3 != 0), np.resize(x, 128), 42))


@triton.jit
def transpose_kernel(x_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr):
    m = tl.arange(0, M)
    n = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + n[None, :])
    tl.store(out_ptr + n[:, None] * M + m[None, :], tl.trans(x))


@pytest.mark.parametrize("dtype", ["int8", "bfloat16", "float32", "float64"])
def test_transpose(gpu, dtype):
    x = random("transpose").integers(-100, 100, (64, 32)).astype(dtype)
    out = gpu.empty((32, 64), dtype)
    transpose_kernel[(1,)](gpu.tensor(x), out, M=64, N=32)
    gpu.equal(out, x.T)


@triton.jit
def permute_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (a * B + b) * C + c)
    flat = tl.reshape(tl.permute(x, (2, 0, 1)), (A * B * C,))
    tl.store(out_ptr + tl.arange(0, A * B * C), flat)


def test_three_dimensions(gpu):
    x = integers("int32", 8 * 16 * 4, "permute").reshape(8, 16, 4)
    out = gpu.empty((4, 8, 16), "int32")
    permute_kernel[(1,)](gpu.tensor(x), out, A=8, B=16, C=4)
    gpu.equal(out, x.transpose(2, 0, 1))


@triton.jit
def reduce3d_kernel(x_ptr, out_ptr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)[:, None, None]
    b = tl.arange(0, B)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    x = tl.load(x_ptr + (a * B + b) * C + c)
    tl.store(out_ptr + tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :], tl.sum(x, axis=1))


def test_sum_in_three_dimensions(gpu):
    x = integers("int32", 4 * 8 * 16, "reduce3d").reshape(4, 8, 16)
    out = gpu.empty((4, 16), "int32")
    reduce3d_kernel[(1,)](gpu.tensor(x), out, A=4, B=8, C=16)
    gpu.equal(out, x.sum(axis=1, dtype=np.int32))


@triton.jit
def join_kernel(x_ptr, y_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + tl.arange(0, 2 * N), tl.interleave(x, y))
    left, right = tl.split(tl.join(x + 1, y + 2))
    tl.store(out_ptr + 2 * N + i, left)
    tl.store(out_ptr + 3 * N + i, right)
    tl.store(out_ptr + 4 * N + tl.arange(0, 2 * N), tl.cat(x, y, dim=0))


def test_join_split_interleave_cat(gpu):
    x, y = integers("int32", 128, "x") // 2, integers("int32", 128, "y") // 2
    out = gpu.empty(6 * 128, "int32")
    join_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, N=128)
    gpu.equal(out, np.concatenate([np.stack([x, y], 1).reshape(-1), x + 1, y + 2, x, y]))


@triton.jit
def gather_kernel(x_ptr, index_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.gather(tl.load(x_ptr + at), tl.load(index_ptr + at), axis=AXIS))


@pytest.mark.parametrize("axis", [0, 1])
def test_gather(gpu, axis):
    x = floats("float32", 32 * 64, "gather").reshape(32, 64)
    index = random("index").integers(0, 32 if axis == 0 else 64, (32, 64)).astype(np.int32)
    out = gpu.empty(x.shape, "float32")
    gather_kernel[(1,)](gpu.tensor(x), gpu.tensor(index), out, M=32, N=64, AXIS=axis)
    gpu.equal(out, np.take_along_axis(x, index, axis))


@triton.jit
def lookup_kernel(table_ptr, index_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(index_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + i, tl.load(table_ptr + index, mask=i < n), mask=i < n)


def test_lookup(gpu):
    """Loads from addresses that other loads gave."""
    table = integers("int64", 1000, "table")
    index = random("lookup").integers(0, 1000, 700).astype(np.int64)
    out = gpu.empty(700, "int64")
    lookup_kernel[(3,)](gpu.tensor(table), gpu.tensor(index), out, 700, BLOCK=256)
    gpu.equal(out, table[index])


@triton.jit
def cache_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x_ptr + i, cache_modifier=".ca")
    b = tl.load(x_ptr + i, cache_modifier=".cg")
    d = tl.load(x_ptr + i, eviction_policy="evict_last")
    c = tl.load(x_ptr + i, volatile=True)
    tl.store(out_ptr + i, a + b + c + d, cache_modifier=".wb")
    tl.store(out_ptr + BLOCK + i, a, cache_modifier=".cs")
    tl.store(out_ptr + 2 * BLOCK + i, b, eviction_policy="evict_first")


def test_cache_modifiers(gpu):
    x = floats("float32", 1024, "cache", special=False)
    out = gpu.empty((3, 1024), "float32")
    cache_kernel[(1,)](gpu.tensor(x), out, BLOCK=1024)
    gpu.equal(out, np.stack([x + x + x + x, x, x]))


@triton.jit
def grid3_kernel(out_ptr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    place = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out_ptr + place, x + 10 * y + 100 * z)


def test_grid_of_three_dimensions(gpu):
    out = gpu.empty((2, 3, 4), "int32")
    grid3_kernel[(4, 3, 2)](out)
    x, y, z = np.arange(4), np.arange(3), np.arange(2)
    gpu.equal(out, x[None, None, :] + 10 * y[None, :, None] + 100 * z[:, None, None])


@triton.jit
def large_shared_kernel(x_ptr, out_ptr, N: tl.constexpr):
    m = tl.arange(0, N)
    x = tl.load(x_ptr + m[:, None] * N + m[None, :])
    tl.store(out_ptr + m[:, None] * N + m[None, :], tl.trans(x) + x)


def test_more_than_48_kib_of_shared_memory(gpu):
    """Above 48 KiB a kernel must ask for shared memory with an attribute of the function."""
    x = random("large").integers(-1000, 1000, (128, 128)).astype(np.int32)
    out = gpu.empty(x.shape, "int32")
    kernel = large_shared_kernel[(1,)](gpu.tensor(x), out, N=128, num_warps=8)
    assert kernel.metadata.shared > 48 * 1024
    gpu.equal(out, x.T + x)
