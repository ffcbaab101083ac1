"""Fields, ndarrays, vectors, matrices and structs: where a kernel's data is, and how it is laid out."""

import numpy as np
import pytest
import taichi as ti

TYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u32": np.uint32, "u64": np.uint64, "f32": np.float32, "f64": np.float64}


@pytest.mark.parametrize("name", TYPES)
def test_a_field_of_each_type(name, rng):
    a = (rng.uniform(0, 50, (17, 9))).astype(TYPES[name])
    x, y = (ti.field(getattr(ti, name), (17, 9)) for _ in range(2))
    x.from_numpy(a)

    @ti.kernel
    def twice():
        for i, j in x:
            y[i, j] = x[i, j] * 2

    twice()
    assert np.array_equal(y.to_numpy(), a * TYPES[name](2))


def test_half_precision(rng):
    """Away from subnormal numbers, which Taichi's `mul.ftz` flushes."""
    a = rng.uniform(0.5, 2, 300).astype(np.float16)
    x = ti.field(ti.f16, 300)
    x.from_numpy(a)

    @ti.kernel
    def square():
        for i in x:
            x[i] = x[i] * x[i]

    square()
    assert np.array_equal(x.to_numpy(), a * a)


def test_ndarrays_and_numpy_arrays_as_arguments(rng):
    a = rng.normal(size=(20, 30)).astype(np.float32)

    @ti.kernel
    def transpose(source: ti.types.ndarray(), target: ti.types.ndarray()):
        for i, j in ti.ndrange(source.shape[0], source.shape[1]):
            target[j, i] = source[i, j]

    plain = np.zeros((30, 20), np.float32)
    transpose(a, plain)
    assert np.array_equal(plain, a.T)
    source, target = ti.ndarray(ti.f32, (20, 30)), ti.ndarray(ti.f32, (30, 20))
    source.from_numpy(a)
    transpose(source, target)
    assert np.array_equal(target.to_numpy(), a.T)


def test_scalars_as_arguments_and_results():
    @ti.kernel
    def mix(a: ti.i32, b: ti.f32, c: ti.u8, d: ti.i64, e: ti.f64) -> ti.f64:
        return a * 1000.0 + ti.cast(b, ti.f64) * 100 + c * 10 + d + e

    assert mix(-3, 0.5, 200, 1 << 40, 0.25) == -3000 + 50 + 2000 + 2**40 + 0.25


@pytest.mark.parametrize("order", ["ij", "ji"])
def test_layouts(order, rng):
    """The same values, rows or columns first, in blocks."""
    a = rng.integers(0, 1000, (16, 32)).astype(np.int32)
    x = ti.field(ti.i32)
    outer = ti.root.dense(ti.i, 4).dense(ti.j, 8) if order == "ij" else ti.root.dense(ti.j, 8).dense(ti.i, 4)
    outer.dense(ti.ij, 4).place(x)
    x.from_numpy(a)
    total = ti.field(ti.i32, ())

    @ti.kernel
    def weigh():
        for i, j in x:
            total[None] += x[i, j] * (i + 3 * j)

    weigh()
    i, j = np.indices(a.shape)
    assert np.array_equal(x.to_numpy(), a) and total[None] == (a * (i + 3 * j)).sum()


def test_vectors_and_matrices(rng):
    a, b = rng.normal(size=(2, 50, 3, 3)).astype(np.float32)
    x, y, product = (ti.Matrix.field(3, 3, ti.f32, 50) for _ in range(3))
    size, inverse = ti.field(ti.f32, 50), ti.Matrix.field(3, 3, ti.f32, 50)
    x.from_numpy(a)
    y.from_numpy(b)

    @ti.kernel
    def work():
        for i in x:
            product[i] = x[i] @ y[i].transpose()
            size[i] = x[i].determinant()
            inverse[i] = (x[i] + 5 * ti.Matrix.identity(ti.f32, 3)).inverse()

    work()
    assert np.allclose(product.to_numpy(), a @ b.transpose(0, 2, 1), atol=1e-5)
    assert np.allclose(size.to_numpy(), np.linalg.det(a), atol=1e-4)
    assert np.allclose(inverse.to_numpy(), np.linalg.inv(a + 5 * np.eye(3, dtype=np.float32)), atol=1e-5)


def test_decompositions(rng):
    a = rng.normal(size=(20, 3, 3)).astype(np.float32)
    x, built = ti.Matrix.field(3, 3, ti.f32, 20), ti.Matrix.field(3, 3, ti.f32, 20)
    sizes = ti.Vector.field(3, ti.f32, 20)
    x.from_numpy(a)

    @ti.kernel
    def work():
        for i in x:
            u, s, v = ti.svd(x[i])
            built[i] = u @ s @ v.transpose()
            sizes[i] = ti.Vector([s[0, 0], s[1, 1], s[2, 2]])

    work()
    assert np.allclose(built.to_numpy(), a, atol=1e-5)
    ours = np.sort(np.abs(sizes.to_numpy()), axis=1)[:, ::-1]
    assert np.allclose(ours, np.linalg.svd(a, compute_uv=False), atol=1e-5)


def test_vectors_with_an_index_that_is_not_constant(rng):
    """Which makes them arrays in local memory."""
    a = rng.integers(0, 100, (40, 8)).astype(np.int32)
    x = ti.Vector.field(8, ti.i32, 40)
    x.from_numpy(a)

    @ti.kernel
    def sort():
        for i in x:
            v = x[i]
            for k in range(1, 8):
                j = k
                while j > 0 and v[j - 1] > v[j]:
                    v[j - 1], v[j] = v[j], v[j - 1]
                    j -= 1
            x[i] = v

    sort()
    assert np.array_equal(x.to_numpy(), np.sort(a, axis=1))


def test_structs_with_functions():
    @ti.dataclass
    class Ball:
        place: ti.math.vec3
        radius: ti.f32

        @ti.func
        def volume(self):
            return 4 / 3 * ti.math.pi * self.radius**3

    balls, volumes = Ball.field(shape=10), ti.field(ti.f32, 10)

    @ti.kernel
    def fill():
        for i in balls:
            balls[i] = Ball(place=ti.math.vec3(i, 2 * i, 3 * i), radius=0.5 * i)
            volumes[i] = balls[i].volume() + balls[i].place.z

    fill()
    i = np.arange(10)
    assert np.allclose(volumes.to_numpy(), 4 / 3 * np.pi * (0.5 * i) ** 3 + 3 * i, rtol=1e-5)


def test_quantized_types(rng):
    """Two numbers in the bits of one word."""
    a = rng.integers(-16, 16, 200).astype(np.int32)
    five, fixed = ti.types.quant.int(5, True), ti.types.quant.fixed(bits=11, max_value=4.0)
    x, y, both = ti.field(five), ti.field(fixed), ti.BitpackedFields(max_num_bits=32)
    both.place(x, y)
    ti.root.dense(ti.i, 200).place(both)
    source, whole, part = ti.field(ti.i32, 200), ti.field(ti.i32, 200), ti.field(ti.f32, 200)
    source.from_numpy(a)

    @ti.kernel
    def fill():
        for i in range(200):
            x[i] = source[i]
            y[i] = ti.cast(source[i], ti.f32) / 8

    @ti.kernel
    def read():
        for i in range(200):
            whole[i], part[i] = x[i], y[i]

    fill()
    read()
    assert np.array_equal(whole.to_numpy(), a) and np.abs(part.to_numpy() - a / 8).max() <= 4 / 2**10
