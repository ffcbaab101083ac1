"""Atomic operations: the sums are integers, so that their order does not matter."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import integers, random


@triton.jit
def atomic_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i, mask=mask)
    place = out_ptr + i % 7
    if OP == "add":
        tl.atomic_add(place, x, mask=mask)
    elif OP == "max":
        tl.atomic_max(place, x, mask=mask)
    elif OP == "min":
        tl.atomic_min(place, x, mask=mask)
    elif OP == "and":
        tl.atomic_and(place, x, mask=mask)
    elif OP == "or":
        tl.atomic_or(place, x, mask=mask)
    else:
        tl.atomic_xor(place, x, mask=mask)


OPS = {"add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
       "xor": np.bitwise_xor}


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("op", OPS)
def test_integer_atomics(gpu, op, dtype):
    x = integers(dtype, 1000, op)
    start = integers(dtype, 7, "start")
    out = gpu.tensor(start)
    atomic_kernel[(4,)](gpu.tensor(x), out, 1000, BLOCK=256, OP=op)
    expected = start.copy()
    OPS[op].at(expected, np.arange(1000) % 7, x)
    gpu.equal(out, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_float_add(gpu, dtype):
    """Small whole numbers, whose sums are exact in any order."""
    x = random("floats").integers(-2, 3, 256).astype(dtype)
    # Eight, of which seven are used: for sm_80 Triton adds 16-bit numbers by exchanging the 32-bit word around them.
    out = gpu.empty(8, dtype)
    atomic_kernel[(2,)](gpu.tensor(x), out, 256, BLOCK=128, OP="add")
    expected = np.zeros(8, np.float64)
    np.add.at(expected, np.arange(256) % 7, x.astype(np.float64))
    gpu.equal(out, expected.astype(dtype))


@pytest.mark.parametrize("op", ["max", "min"])
def test_float_max_and_min(gpu, op):
    """Triton makes them of integer atomics."""
    x = random("float", op).standard_normal(1000).astype(np.float32)
    start = np.zeros(7, np.float32)
    out = gpu.tensor(start)
    atomic_kernel[(4,)](gpu.tensor(x), out, 1000, BLOCK=256, OP=op)
    expected = start.copy()
    OPS[op].at(expected, np.arange(1000) % 7, x)
    gpu.equal(out, expected)


@triton.jit
def ticket_kernel(counter_ptr, ticket_ptr):
    ticket = tl.atomic_add(counter_ptr, 1)
    tl.store(ticket_ptr + tl.program_id(0), ticket)


@pytest.mark.unordered
def test_old_values(gpu):
    """Every program draws a ticket of its own."""
    counter, tickets = gpu.empty(1, "int32"), gpu.empty(300, "int32")
    ticket_kernel[(300,)](counter, tickets)
    gpu.true(tickets, lambda got: sorted(got) == list(range(300)))
    gpu.equal(counter, [300])


@triton.jit
def lock_kernel(x_ptr, lock_ptr, sum_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * BLOCK + i)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(sum_ptr + i, tl.load(sum_ptr + i) + x)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


def test_lock(gpu):
    """Programs that wait for each other: a spin lock of atomic_cas and atomic_xchg."""
    x = integers("int32", 64 * 128, "lock").reshape(64, 128)
    total, lock = gpu.empty(128, "int32"), gpu.empty(1, "int32")
    lock_kernel[(64,)](gpu.tensor(x), lock, total, BLOCK=128)
    gpu.equal(total, x.sum(axis=0, dtype=np.int32))
    gpu.equal(lock, [0])


@triton.jit
def exchange_kernel(x_ptr, cas_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + i, tl.atomic_xchg(x_ptr + i, x * 3))
    tl.store(out_ptr + BLOCK + i, tl.atomic_cas(cas_ptr + i, (i % 2).to(x.dtype), x))


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_exchange_and_compare(gpu, dtype):
    x = random("exchange").integers(-(2**20), 2**20, 256).astype(dtype)
    tensor, cas, out = gpu.tensor(x), gpu.empty(256, dtype), gpu.empty((2, 256), dtype)
    exchange_kernel[(1,)](tensor, cas, out, BLOCK=256)
    gpu.equal(tensor, x * 3)
    gpu.equal(cas, np.where(np.arange(256) % 2 == 0, x, 0))
    gpu.equal(out, np.stack([x, np.zeros(256, dtype)]))


@triton.jit
def last_block_kernel(x_ptr, partial_ptr, count_ptr, out_ptr, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.sum(tl.load(x_ptr + pid * BLOCK + tl.arange(0, BLOCK)))
    tl.atomic_xchg(partial_ptr + pid, total, sem="release")
    if tl.atomic_add(count_ptr, 1, sem="acq_rel", scope="gpu") == PROGRAMS - 1:
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + tl.arange(0, PROGRAMS), volatile=True)))


def test_last_program_sums_up(gpu):
    """Acquire and release: the last program reads what the others wrote."""
    x = random("last").integers(-1000, 1000, 32 * 128).astype(np.int32)
    partial, count, out = gpu.empty(32, "int32"), gpu.empty(1, "int32"), gpu.empty(1, "int32")
    last_block_kernel[(32,)](gpu.tensor(x), partial, count, out, BLOCK=128, PROGRAMS=32)
    gpu.equal(out, [x.sum()])
