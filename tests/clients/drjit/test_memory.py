"""Gathers, scatters, atomics, shared and local memory, textures, tensors."""

import drjit as dr
import numpy as np
import pytest
from drjit import cuda


def test_gather_and_scatter(rng):
    a, order = rng.normal(size=5000).astype(np.float32), rng.permutation(5000).astype(np.uint32)
    source, index = cuda.Float(a), cuda.UInt32(order)
    assert np.array_equal(dr.gather(cuda.Float, source, index).numpy(), a[order])
    active = cuda.Bool(order % 3 == 0)
    assert np.array_equal(dr.gather(cuda.Float, source, index, active).numpy(), np.where(order % 3 == 0, a[order], 0))
    target = dr.zeros(cuda.Float, 5000)
    dr.scatter(target, source, index)
    theirs = np.zeros_like(a)
    theirs[order] = a
    assert np.array_equal(target.numpy(), theirs)


def test_gather_of_packets(rng):
    """Four values side by side, which Dr.Jit loads as a vector."""
    a = rng.normal(size=(1000, 4)).astype(np.float32)
    index = rng.integers(0, 1000, 3000).astype(np.uint32)
    packet = dr.gather(cuda.Array4f, cuda.Float(a.ravel()), cuda.UInt32(index))
    assert np.array_equal(packet.numpy(), a[index].T)


@pytest.mark.parametrize("mode", ["Direct", "Local"])
@pytest.mark.parametrize("name", ["Int32", "UInt32", "Int64", "UInt64", "Float32", "Float64"])
def test_atomics(name, mode, rng):
    array = getattr(cuda, name)
    dtype = np.dtype(name.lower())
    value, index = rng.integers(0, 1000, 20_000).astype(dtype), rng.integers(0, 50, 20_000)
    for op, theirs in [(dr.ReduceOp.Add, np.add), (dr.ReduceOp.Min, np.minimum), (dr.ReduceOp.Max, np.maximum)]:
        if not dr.detail.can_scatter_reduce(array, op):
            continue
        start = np.full(50, 500, dtype)
        target = array(start)
        dr.scatter_reduce(op, target, array(value), cuda.UInt32(index.astype(np.uint32)), mode=getattr(dr.ReduceMode, mode))
        theirs.at(start, index, value)
        assert np.array_equal(target.numpy(), start), op


def test_atomics_of_half_precision(rng):
    """Ones: every partial sum is exact."""
    index = rng.integers(0, 7, 2000)
    target = dr.zeros(cuda.Float16, 7)
    dr.scatter_add(target, dr.full(cuda.Float16, 1, 2000), cuda.UInt32(index.astype(np.uint32)))
    assert np.array_equal(target.numpy(), np.bincount(index, minlength=7))


def test_a_counter_hands_out_every_number_once():
    counter = dr.zeros(cuda.UInt32, 1)
    numbers = dr.scatter_inc(counter, dr.zeros(cuda.UInt32, 10_000))
    assert np.array_equal(np.sort(numbers.numpy()), np.arange(10_000)) and counter[0] == 10_000


def test_local_memory():
    """An array of each thread's own, sorted by insertion."""
    @dr.syntax
    def sort(x: cuda.UInt32):
        numbers = dr.alloc_local(cuda.UInt32, 8)
        k = cuda.UInt32(0)
        while k < 8:
            numbers[k] = (x * 2654435761 + k * 40503) % 1000
            k += 1
        k = cuda.UInt32(1)
        while k < 8:
            j = cuda.UInt32(k)
            while (j > 0) & (numbers[dr.maximum(j, 1) - 1] > numbers[j]):
                smaller, larger = numbers[j], numbers[j - 1]
                numbers[j - 1] = smaller
                numbers[j] = larger
                j -= 1
            k += 1
        return [numbers[cuda.UInt32(i)] for i in range(8)]

    ours = np.stack([column.numpy() for column in sort(dr.arange(cuda.UInt32, 500))], axis=1)
    x, k = np.arange(500, dtype=np.uint32)[:, None], np.arange(8, dtype=np.uint32)
    theirs = np.sort((x * np.uint32(2654435761) + k * np.uint32(40503)) % 1000, axis=1)
    assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("accelerated", [True, False])
def test_textures(accelerated, rng):
    """Read by the texture unit, with weights out of 256, or by gathers, in full precision."""
    a = rng.uniform(size=(16, 32, 4)).astype(np.float32)
    texture = cuda.Texture2f(cuda.TensorXf(a), use_accel=accelerated, filter_mode=dr.FilterMode.Linear, wrap_mode=dr.WrapMode.Clamp)
    x, y = rng.uniform(size=(2, 1000)).astype(np.float32)
    ours = np.stack([channel.numpy() for channel in texture.eval(cuda.Array2f(x, y))], axis=1)
    u, v = x * 32 - 0.5, y * 16 - 0.5
    i, j = np.floor(u).astype(int), np.floor(v).astype(int)
    fu, fv = (u - i)[:, None], (v - j)[:, None]
    texel = lambda j, i: a[np.clip(j, 0, 15), np.clip(i, 0, 31)]
    theirs = (1 - fv) * ((1 - fu) * texel(j, i) + fu * texel(j, i + 1)) + fv * ((1 - fu) * texel(j + 1, i) + fu * texel(j + 1, i + 1))
    assert np.abs(ours - theirs).max() < (1 / 256 if accelerated else 1e-5)


def test_slices_of_tensors(rng):
    a = rng.normal(size=(10, 20, 30)).astype(np.float32)
    x = cuda.TensorXf(a)
    assert np.array_equal(x[2:8:3, 5, ::2].numpy(), a[2:8:3, 5, ::2])
    x[1:3, :, 4] = 7
    a[1:3, :, 4] = 7
    assert np.array_equal(x.numpy(), a)
    b = rng.normal(size=(20, 1)).astype(np.float32)
    assert np.array_equal((x + cuda.TensorXf(b)).numpy(), a + b)


def test_transposed_and_repeated(rng):
    a = rng.normal(size=(6, 5)).astype(np.float32)
    assert np.array_equal(dr.tile(cuda.Float(a[0]), 3).numpy(), np.tile(a[0], 3))
    assert np.array_equal(dr.repeat(cuda.Float(a[0]), 3).numpy(), np.repeat(a[0], 3))
    assert np.array_equal(dr.moveaxis(cuda.TensorXf(a), 0, 1).numpy(), a.T)
