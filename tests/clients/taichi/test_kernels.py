"""What a kernel does: loops, atomics, reductions, shared memory and warps, functions, random numbers, assertions."""

import numpy as np
import pytest
import taichi as ti
from taichi.lang import simt


def test_loops_of_every_kind():
    found = ti.field(ti.i32, 6)

    @ti.kernel
    def run(n: ti.i32):
        for i in range(n):
            found[0] += i
        for i, j in ti.ndrange((2, 7), 5):
            found[1] += i * j
        for i in ti.static(range(4)):
            found[2] += i
        for i in range(n):
            j = 0
            while True:
                j += 1
                if j % 3 == 0:
                    continue
                if j > i:
                    break
            found[3] += j
        ti.loop_config(serialize=True)
        for i in range(n):
            found[4] = found[4] * 3 % 1009 + i
        for I in ti.grouped(ti.ndrange(3, 4, 5)):
            found[5] += I.sum()

    run(100)
    serial, uneven = 0, 0
    for i in range(100):
        serial = serial * 3 % 1009 + i
        uneven += next(j for j in range(1, 200) if j % 3 and j > i)
    boxes = sum(i + j + k for i in range(3) for j in range(4) for k in range(5))
    assert found.to_numpy().tolist() == [4950, sum(i * j for i in range(2, 7) for j in range(5)), 6, uneven, serial, boxes]


@pytest.mark.parametrize("name", ["i32", "u32", "i64", "u64", "f32", "f64"])
def test_atomics(name, rng):
    """Whole numbers, so that every order of additions gives the same sum."""
    kind = getattr(ti, name)
    a = rng.integers(1, 1000, 5000).astype(np.dtype({"i": "int", "u": "uint", "f": "float"}[name[0]] + name[1:]))
    x, found = ti.field(kind, 5000), ti.field(kind, 4)
    x.from_numpy(a)
    found.from_numpy(np.array([0, 500, 500, 0], a.dtype))

    @ti.kernel
    def reduce():
        for i in x:
            ti.atomic_add(found[0], x[i])
            ti.atomic_min(found[1], x[i])
            ti.atomic_max(found[2], x[i])
            ti.atomic_sub(found[3], x[i])

    reduce()
    total = a.sum(dtype=a.dtype)
    assert np.array_equal(found.to_numpy(), np.array([total, a.min(), a.max(), a.dtype.type(0) - total], a.dtype))


def test_atomics_on_bits(rng):
    a = rng.integers(0, 2**31, 3000).astype(np.int32)
    x, found = ti.field(ti.i32, 3000), ti.field(ti.i32, 3)
    x.from_numpy(a)
    found.from_numpy(np.array([-1, 0, 0], np.int32))

    @ti.kernel
    def reduce():
        for i in x:
            found[0] &= x[i] | 0x7000
            found[1] |= x[i] & 0xff00ff
            found[2] ^= x[i]

    reduce()
    assert found.to_numpy().tolist() == [np.bitwise_and.reduce(a | 0x7000), np.bitwise_or.reduce(a & 0xff00ff), np.bitwise_xor.reduce(a)]


def test_a_histogram_with_what_atomics_return(rng):
    """Every element gets a place of its own in its bin."""
    a = rng.integers(0, 10, 2000).astype(np.int32)
    x, count, place = ti.field(ti.i32, 2000), ti.field(ti.i32, 10), ti.field(ti.i32, 2000)
    x.from_numpy(a)

    @ti.kernel
    def sort():
        for i in x:
            place[i] = ti.atomic_add(count[x[i]], 1)

    sort()
    assert np.array_equal(count.to_numpy(), np.bincount(a, minlength=10))
    for k in range(10):
        assert np.array_equal(np.sort(place.to_numpy()[a == k]), np.arange((a == k).sum()))


def test_sums_of_locals(rng):
    """Which Taichi makes a reduction over warps."""
    a = rng.integers(-1000, 1000, 100_000).astype(np.int32)
    x = ti.field(ti.i32, 100_000)
    x.from_numpy(a)

    @ti.kernel
    def total() -> ti.i32:
        sum = 0
        for i in x:
            sum += x[i]
        return sum

    @ti.kernel
    def largest() -> ti.i32:
        best = -10000
        for i in x:
            ti.atomic_max(best, x[i])
        return best

    assert total() == a.sum() and largest() == a.max()


def test_scans_and_sorts_of_taichis_own(rng):
    a = rng.integers(0, 100, 1000).astype(np.int32)
    x = ti.field(ti.i32, 1000)
    x.from_numpy(a)
    ti.algorithms.PrefixSumExecutor(1000).run(x)
    assert np.array_equal(x.to_numpy(), np.cumsum(a))
    keys, values = ti.field(ti.i32, 256), ti.field(ti.i32, 256)
    b = rng.permutation(256).astype(np.int32)
    keys.from_numpy(b)
    values.from_numpy(np.arange(256, dtype=np.int32))
    ti.algorithms.parallel_sort(keys, values)
    assert np.array_equal(keys.to_numpy(), np.arange(256)) and np.array_equal(values.to_numpy(), np.argsort(b))


def test_shared_memory_and_barriers(rng):
    """A matrix product in tiles."""
    n, tile = 64, 16
    a, b = rng.integers(-9, 9, (2, n, n)).astype(np.float32)
    x, y, z = (ti.ndarray(ti.f32, (n, n)) for _ in range(3))
    x.from_numpy(a)
    y.from_numpy(b)

    @ti.kernel
    def product(x: ti.types.ndarray(ndim=2), y: ti.types.ndarray(ndim=2), z: ti.types.ndarray(ndim=2)):
        ti.loop_config(block_dim=tile * tile)
        for thread in range(n * n):
            within, block = thread % (tile * tile), thread // (tile * tile)
            row, column = within // tile, within % tile
            top, left = block // (n // tile) * tile, block % (n // tile) * tile
            ours, theirs = simt.block.SharedArray((tile, tile), ti.f32), simt.block.SharedArray((tile, tile), ti.f32)
            sum = 0.0
            for k in range(n // tile):
                ours[row, column] = x[top + row, k * tile + column]
                theirs[row, column] = y[k * tile + row, left + column]
                simt.block.sync()
                for m in range(tile):
                    sum += ours[row, m] * theirs[m, column]
                simt.block.sync()
            z[top + row, left + column] = sum

    product(x, y, z)
    assert np.array_equal(z.to_numpy(), a @ b)


def test_warps():
    x, votes = ti.field(ti.i32, 32), ti.field(ti.i32, 3)

    @ti.kernel
    def run():
        ti.loop_config(block_dim=32)
        for i in range(32):
            mask = ti.u32(0xffffffff)
            x[i] = simt.warp.shfl_down_i32(mask, i * i, 1)
            some, all, ballot = simt.warp.any_nonzero(mask, i // 31), simt.warp.all_nonzero(mask, i + 1), simt.warp.ballot(i % 2)
            if i == 0:
                votes[0], votes[1], votes[2] = some, all, ballot

    run()
    assert x.to_numpy()[:31].tolist() == [i * i for i in range(1, 32)]
    assert votes[0] != 0 and votes[1] != 0 and np.uint32(votes[2] & 0xffffffff) == 0xaaaaaaaa


def test_real_functions():
    """Functions that are called, not inlined: by recursion, with arguments by reference, and atomics on a local variable."""
    @ti.real_func
    def fibonacci(n: ti.i32) -> ti.i32:
        result = n
        if n > 1:
            result = fibonacci(n - 1) + fibonacci(n - 2)
        return result

    @ti.real_func
    def grow(x: ti.ref(ti.i32), by: ti.i32):
        x += by

    x = ti.field(ti.i32, 12)

    @ti.kernel
    def run():
        for i in x:
            n = fibonacci(i)
            grow(n, 100)
            x[i] = n

    run()
    assert x.to_numpy().tolist() == [100 + n for n in (0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89)]


def test_functions_of_mathematics(rng):
    a = rng.uniform(0.1, 1, 200)
    functions = {"sin": ti.sin, "cos": ti.cos, "tan": ti.tan, "arcsin": ti.asin, "arccos": ti.acos, "exp": ti.exp, "log": ti.log,
                 "sqrt": ti.sqrt, "tanh": ti.tanh, "floor": ti.floor, "ceil": ti.ceil}
    for kind, tolerance in [(ti.f32, 2e-6), (ti.f64, 1e-13)]:
        x, y = ti.field(kind, 200), ti.Vector.field(len(functions), kind, 200)
        x.from_numpy(a.astype(np.float32 if kind == ti.f32 else np.float64))

        @ti.kernel
        def run():
            for i in x:
                for k, function in ti.static(enumerate(functions.values())):
                    y[i][k] = function(x[i])

        run()
        for k, name in enumerate(functions):
            assert np.allclose(y.to_numpy()[:, k], getattr(np, name)(a), rtol=tolerance, atol=tolerance), name


def test_random_numbers():
    x, whole, bell = ti.field(ti.f32, 20_000), ti.field(ti.i32, 20_000), ti.field(ti.f32, 20_000)

    @ti.kernel
    def fill():
        for i in x:
            x[i] = ti.random()
            whole[i] = ti.random(ti.i32)
            bell[i] = ti.randn()

    fill()
    a = x.to_numpy()
    assert 0 <= a.min() and a.max() < 1 and abs(a.mean() - 0.5) < 0.02 and abs(a.var() - 1 / 12) < 0.01
    assert len(np.unique(whole.to_numpy())) > 19_900
    assert abs(bell.to_numpy().mean()) < 0.05 and abs(bell.to_numpy().std() - 1) < 0.05


def test_a_wave_in_a_field():
    """A stencil over many launches."""
    n = 32
    x, y = ti.field(ti.f64, (n, n)), ti.field(ti.f64, (n, n))
    a = np.zeros((n, n))
    a[n // 2, n // 2] = 1
    x.from_numpy(a)

    @ti.kernel
    def step(x: ti.template(), y: ti.template()):
        for i, j in ti.ndrange((1, n - 1), (1, n - 1)):
            y[i, j] = 0.25 * (x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])

    for _ in range(10):
        step(x, y)
        step(y, x)
    for _ in range(20):
        b = np.zeros_like(a)
        b[1:-1, 1:-1] = 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a = b
    assert np.array_equal(x.to_numpy(), a)


def test_derivatives(rng):
    a = rng.uniform(0.5, 2, 100).astype(np.float32)
    x, loss = ti.field(ti.f32, 100, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)
    x.from_numpy(a)

    @ti.kernel
    def work():
        for i in x:
            loss[None] += ti.sin(x[i]) * x[i] + ti.log(x[i])

    with ti.ad.Tape(loss):
        work()
    assert np.allclose(x.grad.to_numpy(), np.cos(a) * a + np.sin(a) + 1 / a, atol=1e-5)


def test_a_graph_of_kernels():
    @ti.kernel
    def add(x: ti.types.ndarray(ndim=1), by: ti.i32):
        for i in x:
            x[i] += by

    builder = ti.graph.GraphBuilder()
    array = ti.graph.Arg(ti.graph.ArgKind.NDARRAY, "x", ti.i32, ndim=1)
    by = ti.graph.Arg(ti.graph.ArgKind.SCALAR, "by", ti.i32)
    builder.dispatch(add, array, by)
    builder.dispatch(add, array, by)
    graph, x = builder.compile(), ti.ndarray(ti.i32, 50)
    graph.run({"x": x, "by": 21})
    assert np.array_equal(x.to_numpy(), np.full(50, 42))
