"""Control flow in one kernel: loops, branches, indirect calls, recorded functions, derivatives through all of them."""

import drjit as dr
import numpy as np
import pytest
from drjit import cuda
from drjit.cuda import ad


@dr.syntax
def collatz(n: cuda.UInt32):
    steps = cuda.UInt32(0)
    while n != 1:
        if n & 1 == 1:
            n = 3 * n + 1
        else:
            n //= 2
        steps += 1
    return steps


def test_a_loop_of_different_lengths():
    def plain(n):
        steps = 0
        while n != 1:
            n, steps = (3 * n + 1 if n & 1 else n // 2), steps + 1
        return steps

    assert collatz(dr.arange(cuda.UInt32, 1, 301)).numpy().tolist() == [plain(n) for n in range(1, 301)]


@pytest.mark.parametrize("mode", ["symbolic", "evaluated"])
def test_loops_in_both_modes(mode):
    """Symbolic: a loop of the kernel; evaluated: a kernel for each turn."""
    limit = dr.arange(cuda.UInt32, 20)
    _, total = dr.while_loop((cuda.UInt32(0), dr.zeros(cuda.UInt32, 20)), lambda i, total: i < limit,
                             lambda i, total: (i + 1, total + i * i), mode=mode)
    assert total.numpy().tolist() == [sum(i * i for i in range(n)) for n in range(20)]


@pytest.mark.parametrize("mode", ["symbolic", "evaluated"])
def test_calls_of_one_of_several_functions(mode, rng):
    """By a table of functions in the kernel, or a launch for each."""
    functions = [lambda x: x + 1, lambda x: x * x, lambda x: dr.sin(x), lambda x: -x]
    a, index = rng.normal(size=2000).astype(np.float32), rng.integers(0, 4, 2000).astype(np.uint32)
    ours = dr.switch(cuda.UInt32(index), functions, cuda.Float(a), mode=mode)
    theirs = np.choose(index, [a + 1, a * a, np.sin(a), -a])
    assert np.allclose(ours.numpy(), theirs, atol=1e-6)


def test_calls_with_side_effects():
    target = dr.zeros(cuda.UInt32, 3)

    def count(k):
        return lambda i: dr.scatter_add(target, cuda.UInt32(k + 1), cuda.UInt32(k))

    index = cuda.UInt32(np.arange(900, dtype=np.uint32) % 3)
    dr.switch(index, [count(0), count(1), count(2)], dr.arange(cuda.UInt32, 900))
    assert target.numpy().tolist() == [300, 600, 900]


def test_a_frozen_function(rng):
    """Recorded once and replayed for other inputs, of another size too."""
    @dr.freeze
    def work(x, y):
        return dr.sum(x * y) + dr.max(x)

    for size in (10, 10, 10, 5000, 5000):
        a, b = rng.integers(0, 100, (2, size)).astype(np.int64)
        assert work(cuda.Int64(a), cuda.Int64(b))[0] == a @ b + a.max()
    assert work.n_recordings <= 2


def test_a_frozen_scatter():
    @dr.freeze
    def work(target, index):
        dr.scatter_reduce(dr.ReduceOp.Add, target, cuda.UInt32(1), index)

    target = dr.zeros(cuda.UInt32, 10)
    for _ in range(4):
        work(target, dr.arange(cuda.UInt32, 100) % 10)
    assert target.numpy().tolist() == [40] * 10


def test_derivatives(rng):
    a = rng.uniform(0.5, 2, 1000).astype(np.float32)
    x = ad.Float(a)
    dr.enable_grad(x)
    dr.backward(dr.sum(dr.sin(x) * x + dr.log(x)))
    assert np.allclose(dr.grad(x).numpy(), np.cos(a) * a + np.sin(a) + 1 / a, atol=1e-5)


def test_derivatives_of_gathers(rng):
    """Backwards a gather is a scatter with atomics."""
    a, index = rng.normal(size=20).astype(np.float32), rng.integers(0, 20, 5000)
    x = ad.Float(a)
    dr.enable_grad(x)
    dr.backward(dr.gather(ad.Float, x, ad.UInt32(index.astype(np.uint32))))
    assert np.array_equal(dr.grad(x).numpy(), np.bincount(index, minlength=20))


def test_derivatives_of_calls_and_loops():
    x = ad.Float([1, 2, 3, 4])
    dr.enable_grad(x)
    y = dr.switch(ad.UInt32([0, 1, 0, 1]), [lambda x: x * x, lambda x: x * x * x], x)
    dr.backward(y)
    assert dr.grad(x).numpy().tolist() == [2, 12, 6, 48]
    x = ad.Float([1, 2, 3])
    dr.enable_grad(x)
    _, y = dr.while_loop((ad.UInt32(0), ad.Float(x)), lambda i, y: i < 3, lambda i, y: (i + 1, y * 2))
    dr.forward(x)
    assert dr.grad(y).numpy().tolist() == [8, 8, 8]


def test_an_optimizer_finds_the_minimum():
    from drjit.opt import Adam

    optimizer = Adam(lr=0.1, params={"x": ad.Float(0, 0)})
    for _ in range(200):
        loss = dr.sum(dr.square(optimizer["x"] - ad.Float(1, -2)))
        dr.backward(loss)
        optimizer.step()
    assert np.allclose(optimizer["x"].numpy(), [1, -2], atol=1e-2)
