"""Sparse fields: Taichi's runtime allocates their nodes in device memory, lists the active ones and gives memory back, all in
kernels of its own with locks and atomics."""

import numpy as np
import pytest
import taichi as ti


@pytest.mark.parametrize("kind", ["pointer", "bitmasked"])
def test_only_what_was_touched(kind):
    x, seen = ti.field(ti.i32), ti.field(ti.i32, 2)
    getattr(ti.root, kind)(ti.i, 64).dense(ti.i, 16).place(x)

    @ti.kernel
    def touch():
        for k in range(20):
            x[k * k] = k + 1

    @ti.kernel
    def count():
        for i in x:
            seen[0] += 1
            seen[1] += x[i]

    touch()
    count()
    blocks = {k * k // 16 for k in range(20)}
    assert seen.to_numpy().tolist() == [16 * len(blocks), sum(range(1, 21))]


def test_two_levels():
    x, seen = ti.field(ti.i32), ti.field(ti.i32, ())
    ti.root.pointer(ti.ij, 8).pointer(ti.ij, 8).dense(ti.ij, 4).place(x)

    @ti.kernel
    def touch():
        for k in range(50):
            x[k * 5, 255 - k * 5] = 1

    @ti.kernel
    def count():
        for i, j in x:
            seen[None] += x[i, j] * i

    touch()
    count()
    assert seen[None] == sum(5 * k for k in range(50))


def test_activation_and_deactivation():
    x, block = ti.field(ti.i32), ti.root.pointer(ti.i, 32)
    block.dense(ti.i, 8).place(x)
    found = ti.field(ti.i32, 3)

    @ti.kernel
    def fill():
        for i in range(256):
            if i // 8 % 2 == 0:
                x[i] = 1

    @ti.kernel
    def clear():
        for i in block:
            if i % 3 == 0:
                ti.deactivate(block, i)

    @ti.kernel
    def count(k: ti.i32):
        for i in block:
            found[k] += ti.is_active(block, i)

    fill()
    count(0)
    clear()
    count(1)
    block.deactivate_all()
    count(2)
    assert found.to_numpy().tolist() == [16, sum(i % 2 == 0 and i % 3 != 0 for i in range(32)), 0]


def test_memory_is_used_again():
    """As often as the list of free nodes is emptied, a node has zeros again."""
    x, block, dirty = ti.field(ti.i32), ti.root.pointer(ti.i, 128), ti.field(ti.i32, ())
    block.dense(ti.i, 128).place(x)

    @ti.kernel
    def fill():
        for i in range(128 * 128):
            if x[i] != 0:
                dirty[None] += 1
            x[i] = i + 1

    for _ in range(4):
        fill()
        block.deactivate_all()
    assert dirty[None] == 0


def test_lists_that_grow():
    x, length = ti.field(ti.i32), ti.field(ti.i32, 16)
    lists = ti.root.dense(ti.i, 16).dynamic(ti.j, 256, chunk_size=16)
    lists.place(x)

    @ti.kernel
    def fill():
        for i, k in ti.ndrange(16, 100):
            if k < 6 * i:
                x[i].append(i * 1000 + k)

    @ti.kernel
    def measure():
        for i in range(16):
            length[i] = x[i].length()

    fill()
    measure()
    assert length.to_numpy().tolist() == [min(100, 6 * i) for i in range(16)]
    for i in (1, 15):
        assert sorted(x[i, k] for k in range(length[i])) == [i * 1000 + k for k in range(min(100, 6 * i))]


def test_a_stencil(rng):
    """A stencil on the active cells of a grid with two levels, beside the whole grid in NumPy."""
    n = 64
    x, y = ti.field(ti.f32), ti.field(ti.f32)
    ti.root.pointer(ti.ij, 8).bitmasked(ti.ij, 8).place(x, y)
    cells = rng.integers(1, n - 1, (60, 2))
    a = np.zeros((n, n), np.float32)
    for i, j in cells:
        x[i, j] = a[i, j] = i + j

    @ti.kernel
    def spread():
        for i, j in x:
            y[i, j] = x[i, j] + x[i - 1, j] + x[i, j + 1]

    spread()
    theirs = a.copy()
    theirs[1:] += a[:-1]
    theirs[:, :-1] += a[:, 1:]
    assert np.array_equal(y.to_numpy(), np.where(a != 0, theirs, 0))
