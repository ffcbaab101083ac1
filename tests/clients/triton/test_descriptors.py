"""Tensor descriptors, pipelined loops, clusters and dependent launches: the copy engine as Triton uses it.

For an H200 and a B200 descriptors become tensor maps, made by the driver or by the kernel itself, and loads and stores
become copies of the engine; for older targets all of it becomes ordinary loads and stores.
"""

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait
from triton.tools.tensor_descriptor import TensorDescriptor

from inputs import numbers, random

pytestmark = pytest.mark.usefixtures("scratch")


def described(tensor, block):
    strides = [tensor.stride(axis) for axis in range(len(tensor.shape))]
    return TensorDescriptor(tensor, list(tensor.shape), strides, block)


@triton.jit
def copy_kernel(x_ptr, out_ptr, H, W, BH: tl.constexpr, BW: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, shape=[H, W], strides=[W, 1], block_shape=[BH, BW])
    out = tl.make_tensor_descriptor(out_ptr, shape=[H, W], strides=[W, 1], block_shape=[BH, BW])
    at = [tl.program_id(0) * BH, tl.program_id(1) * BW]
    out.store(at, x.load(at))


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "int8", "uint16", "int32"])
@pytest.mark.parametrize("height, width", [(64, 128), (50, 80)])
def test_copy_with_descriptors_made_by_the_kernel(gpu, dtype, height, width):
    x = numbers(dtype, height * width, "copy").reshape(height, width)
    t, out = gpu.tensor(x), gpu.empty(x.shape, dtype)
    copy_kernel[(triton.cdiv(height, 32), triton.cdiv(width, 64))](t, out, height, width, BH=32, BW=64)
    gpu.equal(out, x)


@triton.jit
def transpose_kernel(x, out, B: tl.constexpr):
    i, j = tl.program_id(0), tl.program_id(1)
    out.store([j * B, i * B], tl.trans(x.load([i * B, j * B])))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
@pytest.mark.parametrize("block", [16, 64])
def test_transpose_with_descriptors_made_by_the_host(gpu, dtype, block):
    x = numbers(dtype, 128 * 192, "transpose").reshape(128, 192)
    t, out = gpu.tensor(x), gpu.empty((192, 128), dtype)
    transpose_kernel[(128 // block, 192 // block)](described(t, [block, block]), described(out, [block, block]), B=block)
    gpu.equal(out, x.T)


@triton.jit
def add_kernel(a, b, out, B: tl.constexpr):
    at = tl.program_id(0) * B
    out.store([at], a.load([at]) + b.load([at]))


def test_add_in_one_dimension(gpu):
    a, b = (random("descriptor add", k).standard_normal(1000).astype(np.float32) for k in "ab")
    out = gpu.empty(1000, "float32")
    add_kernel[(8,)](*(described(t, [128]) for t in (gpu.tensor(a), gpu.tensor(b), out)), B=128)
    gpu.equal(out, a + b)


@triton.jit
def shift_kernel(x, out, dz, dy, dx, B: tl.constexpr):
    z, y, xx = tl.program_id(0) * B, tl.program_id(1) * B, tl.program_id(2) * B
    out.store([z, y, xx], x.load([z + dz, y + dy, xx + dx]))


@pytest.mark.parametrize("shift", [(0, 0, 0), (1, -2, 4), (-9, 0, 8)])
def test_outside_of_the_tensor_is_zero(gpu, shift):
    shape = (10, 20, 28)
    x = random("shift").standard_normal(shape).astype(np.float32)
    t, out = gpu.tensor(x), gpu.empty(shape, "float32")
    shift_kernel[(2, 3, 4)](described(t, [8, 8, 8]), described(out, [8, 8, 8]), *shift, B=8)
    wide = np.zeros([n + 64 for n in shape], np.float32)
    wide[tuple(slice(32, 32 + n) for n in shape)] = x
    gpu.equal(out, wide[tuple(slice(32 + d, 32 + d + n) for d, n in zip(shift, shape))])


@triton.jit
def row_sums_kernel(x, out_ptr, W, BH: tl.constexpr, BW: tl.constexpr):
    row = tl.program_id(0) * BH
    total = tl.zeros([BH], dtype=tl.float32)
    for column in tl.range(0, W, BW, num_stages=4):
        total += tl.sum(x.load([row, column]).to(tl.float32), 1)
    tl.store(out_ptr + row + tl.arange(0, BH), total)


def test_a_pipelined_loop_over_descriptors(gpu):
    """Four stages: copies run ahead of their use, and each stage is used many times."""
    x = random("row sums").integers(-50, 50, (64, 1024)).astype(np.float16)
    out = gpu.empty(64, "float32")
    row_sums_kernel[(4,)](described(gpu.tensor(x), [16, 32]), out, 1024, BH=16, BW=32)
    gpu.equal(out, x.astype(np.float32).sum(axis=1))


@triton.jit
def pipeline_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in tl.range(0, n, BLOCK, num_stages=3):
        total += tl.load(x_ptr + start + i, mask=start + i < n, other=0.0) * 2
    tl.store(out_ptr + i, total)


@pytest.mark.parametrize("n", [256, 1000, 4096])
def test_a_pipelined_loop_over_pointers(gpu, n):
    """For every target this is cp.async with zero fill, commit groups and waits for them."""
    x = random("pipeline").integers(-100, 100, n).astype(np.float32)
    out = gpu.empty(256, "float32")
    pipeline_kernel[(1,)](gpu.tensor(x), out, n, BLOCK=256)
    padded = np.zeros(-(-n // 256) * 256, np.float32)
    padded[:n] = x
    gpu.equal(out, 2 * padded.reshape(-1, 256).sum(axis=0))


@triton.jit
def accumulate_kernel(x, out, B: tl.constexpr, KIND: tl.constexpr):
    i = tl.program_id(0)
    value = x.load([i * B, 0])
    if KIND == "add":
        out.atomic_add([0, 0], value)
    elif KIND == "min":
        out.atomic_min([0, 0], value)
    elif KIND == "max":
        out.atomic_max([0, 0], value)
    elif KIND == "or":
        out.atomic_or([0, 0], value)
    else:
        out.atomic_xor([0, 0], value)


@pytest.mark.needs(90)
@pytest.mark.parametrize("kind, dtype, combine", [
    ("add", "int32", np.add), ("add", "float32", np.add), ("add", "float16", np.add), ("min", "int32", np.minimum),
    ("max", "uint32", np.maximum), ("or", "int32", np.bitwise_or), ("xor", "uint32", np.bitwise_xor),
])
def test_reductions_to_memory(gpu, kind, dtype, combine):
    """Small integers, so that the order of the additions does not show."""
    x = random("reduce", kind).integers(0, 30, (5 * 16, 32)).astype(dtype)
    start = random("reduce start", kind).integers(0, 30, (16, 32)).astype(dtype)
    t, out = gpu.tensor(x), gpu.tensor(start)
    accumulate_kernel[(5,)](described(t, [16, 32]), described(out, [16, 32]), B=16, KIND=kind)
    gpu.equal(out, combine(start, combine.reduce(x.reshape(5, 16, 32), axis=0)))


@triton.jit
def gather_kernel(x, rows_ptr, out_ptr, column, N: tl.constexpr, W: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, N))
    at = tl.arange(0, N)[:, None] * W + tl.arange(0, W)[None, :]
    tl.store(out_ptr + at, x.gather(rows, column))


@triton.jit
def scatter_kernel(x_ptr, rows_ptr, out, column, N: tl.constexpr, W: tl.constexpr):
    rows = tl.load(rows_ptr + tl.arange(0, N))
    at = tl.arange(0, N)[:, None] * W + tl.arange(0, W)[None, :]
    out.scatter(tl.load(x_ptr + at), rows, column)


@pytest.mark.needs(100)
def test_gather_rows(gpu):
    x = random("gather").standard_normal((100, 64)).astype(np.float32)
    rows = random("gather rows").integers(0, 100, 32).astype(np.int32)
    out = gpu.empty((32, 16), "float32")
    gather_kernel[(1,)](described(gpu.tensor(x), [1, 16]), gpu.tensor(rows), out, 24, N=32, W=16)
    gpu.equal(out, x[rows, 24:40])


@pytest.mark.needs(100)
def test_scatter_rows(gpu):
    x = random("scatter").standard_normal((32, 16)).astype(np.float32)
    rows = random("scatter rows").permutation(100)[:32].astype(np.int32)
    out, expected = gpu.empty((100, 64), "float32"), np.zeros((100, 64), np.float32)
    scatter_kernel[(1,)](gpu.tensor(x), gpu.tensor(rows), described(out, [1, 16]), 8, N=32, W=16)
    expected[rows, 8:24] = x
    gpu.equal(out, expected)


@triton.jit
def reverse_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    value = tl.load(x_ptr + i)
    tl.store(out_ptr + i, value + tl.sum(value, 0))


@pytest.mark.needs(90)
@pytest.mark.parametrize("ctas", [2, 4])
def test_programs_of_several_ctas(gpu, ctas):
    """`num_ctas`: a program is a cluster, and a sum over a block goes through distributed shared memory."""
    x = random("ctas").integers(-100, 100, (3, 512)).astype(np.int32)
    out = gpu.empty(x.shape, "int32")
    reverse_kernel[(3,)](gpu.tensor(x), out, N=512, num_ctas=ctas)
    gpu.equal(out, x + x.sum(axis=1, keepdims=True, dtype=np.int32))


@triton.jit
def chain_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    gdc_wait()
    value = tl.load(x_ptr + (n - 1 - i), mask=i < n)
    gdc_launch_dependents()
    tl.store(out_ptr + i, value * 3 + 1, mask=i < n)


@pytest.mark.needs(90)
def test_a_chain_of_dependent_launches(gpu):
    """Each may begin before the one before it has ended, and reads what that wrote."""
    x = random("chain").integers(0, 1000, 1000).astype(np.int32)
    a, b = gpu.tensor(x), gpu.empty(1000, "int32")
    expected = x
    for _ in range(6):
        chain_kernel[(4,)](a, b, 1000, BLOCK=256, launch_pdl=True)
        a, b, expected = b, a, expected[::-1] * np.int32(3) + np.int32(1)
    gpu.equal(a, expected)
