"""Wrong arguments, wrong kernels and wrong options: exceptions that say what would be right, and nothing worse."""

import numpy as np
import pytest

import ptxvm
from kernels import COUNT, KINDS, SAXPY


@pytest.fixture(scope="module")
def saxpy():
    return ptxvm.load(SAXPY)["saxpy"][1, 32]


X = np.zeros(32, np.float32)


@pytest.mark.parametrize(
    "arguments, error, says",
    [
        ((32, 1.0, X), TypeError, "takes 4 arguments (n: an int, or numpy.uint32, a: a float"),
        ((32.0, 1.0, X, X), TypeError, "pass an int, or int(x)"),
        ((X, 1.0, X, X), TypeError, "parameter `n` (.u32) takes an int"),
        ((1 << 32, 1.0, X, X), OverflowError, "cannot hold 4294967296"),
        ((np.int64(3), 1.0, X, X), TypeError, "numpy.int64 of 8 bytes"),
        ((32, np.float16(1), X, X), TypeError, "pass numpy.float32(x), or a float"),
        ((32, (1 << 24) + 1, X, X), TypeError, "which it cannot hold"),
        ((32, 1 << 2000, X, X), (TypeError, OverflowError), ""),
        ((32, 1j, X, X), TypeError, "complex"),
        ((32, "1", X, X), TypeError, "is given str"),
        ((32, 1.0, [1.0], X), TypeError, "is given list"),
        ((32, 1.0, object(), X), TypeError, "pass a number, a NumPy array"),
        ((32, 1.0, 1.5, X), TypeError, "takes an array"),
        ((32, 1.0, X[::2], X), ValueError, "numpy.ascontiguousarray(x)"),
        ((32, 1.0, np.zeros((8, 8), np.float32).T, X), ValueError, "its strides are (4, 32)"),
        ((32, 1.0, X[::-1], X), ValueError, "not contiguous"),
        ((32, 1.0, X.astype(object), X), TypeError, "Python's objects"),
        ((32, 1.0, X.astype(">f4"), X), TypeError, "x.astype(float32)"),
        ((32, 1.0, b"abc", X), TypeError, "3 bytes"),
    ],
)
def test_arguments_that_do_not_fit(saxpy, arguments, error, says):
    with pytest.raises(error) as raised:
        saxpy(*arguments)
    assert says in str(raised.value)


def test_an_array_that_is_not_aligned_as_the_kernel_says(saxpy):
    bytes = np.zeros(200, np.uint8)
    start = -bytes.ctypes.data % 4 + 1
    with pytest.raises(ValueError, match="multiple of 4"):
        saxpy(32, 1.0, bytes[start : start + 128].view(np.float32), X)


def test_a_kernel_may_read_what_it_may_not_write(saxpy):
    x, y = np.ones(32, np.float32), np.ones(32, np.float32)
    x.flags.writeable = False
    saxpy(32, 1.0, x, y)
    assert (y == 2).all()
    with pytest.raises(ptxvm.Finding, match="pass x.copy") as raised:
        saxpy(32, 1.0, y, x)
    assert raised.value.kind == "read-only" and (x == 1).all()


@pytest.mark.parametrize(
    "shape, error",
    [
        (1, TypeError),
        ((1,), TypeError),
        ((1, 2, 3, 4), TypeError),
        ((1.5, 32), TypeError),
        (("1", 32), TypeError),
        ((True, 32), TypeError),
        ((-1, 32), ValueError),
        ((1 << 32, 32), ValueError),
        (((1, 1, 1, 1), 32), ValueError),
        (((), 32), ValueError),
        ((1, 32, -4), ValueError),
    ],
)
def test_shapes_that_are_none(shape, error):
    with pytest.raises(error):
        ptxvm.load(SAXPY)["saxpy"][shape]


@pytest.mark.parametrize("grid, block, shared", [(0, 32, 0), (1, 0, 0), (1, 1025, 0), ((1, 65536), 32, 0), (1, 32, 1 << 31)])
def test_shapes_that_the_device_refuses(grid, block, shared):
    with pytest.raises(ptxvm.Finding) as raised:
        ptxvm.load(SAXPY)["saxpy"][grid, block, shared](32, 1.0, X, X)
    assert raised.value.kind == "launch"


def test_kernels_and_variables_that_do_not_exist():
    module = ptxvm.load(SAXPY)
    with pytest.raises(KeyError, match="there is no kernel `saxpi`; there are: saxpy"):
        module["saxpi"]
    assert "saxpi" not in module and module.variables == {}
    with pytest.raises(TypeError, match="needs a grid and a block"):
        module["saxpy"](1, 2)


def test_ptx_that_is_none():
    with pytest.raises(ptxvm.InvalidPtx) as raised:
        ptxvm.load(SAXPY.replace("fma.rn.f32 %y", "fma.rn.f32 %py"))
    assert raised.value.diagnostics[0].code == "E0502" and "error[E0502]" in str(raised.value)
    for text in ("\n\0\n", ".version 9.1\n.target sm_80\n" + "(" * 10000):
        with pytest.raises(ptxvm.InvalidPtx):
            ptxvm.load(text)
    with pytest.raises(ptxvm.InvalidPtx, match="sm_100a"):
        ptxvm.load(SAXPY.replace("8.0", "8.6").replace("sm_80", "sm_100a"))
    assert ptxvm.load(SAXPY + "\0")["saxpy"].name == "saxpy"
    with pytest.raises(UnicodeDecodeError):
        ptxvm.load(b"\xff\n")
    assert not ptxvm.check(b"\xff\n")


@pytest.mark.parametrize(
    "options, says",
    [
        ({"sead": 3}, "there is no option `sead`"),
        ({"seed": "many"}, "seed=many"),
        ({"check": "rase"}, "check=rase"),
        ({"timeout": -1}, "timeout=-1"),
        ({"color": "always"}, "no option `color`"),
        ({"suppress": "/nowhere"}, "/nowhere"),
        ({"memory": "much"}, "memory=much"),
    ],
)
def test_options_that_are_none(options, says):
    with pytest.raises(ValueError, match=says):
        ptxvm.Device(**options)
    with pytest.raises(ValueError, match="h2000"):
        ptxvm.Device("h2000")
    with pytest.raises(ValueError, match="an option of a Device"):
        ptxvm.load(SAXPY)["saxpy"][1, 1](0, 1.0, X, X, device="b200")
    with pytest.raises(TypeError, match="takes a text or a number"):
        ptxvm.Device(seed=object())


def test_a_wrong_variable_of_the_environment_is_an_error(monkeypatch):
    monkeypatch.setenv("PTXVM_SEED", "many")
    with pytest.raises(ValueError, match="PTXVM_SEED=many"):
        ptxvm.Device()


def test_memory_that_a_device_has_not():
    with pytest.raises(MemoryError):
        ptxvm.Device(memory="1M").load(SAXPY + ".global .align 4 .b8 much[2000000];\n")
    module = ptxvm.Device(max_memory="64M").load(COUNT)
    module["count"][1, 32](np.zeros(32, np.uint32))


def test_addresses_are_no_arrays():
    kernel = ptxvm.load(COUNT)["count"][1, 1]
    for address in (0, 1, 4096, np.zeros(4, np.uint32).ctypes.data, (1 << 64) - 4):
        with pytest.raises(ptxvm.Finding):
            kernel(address)
    with pytest.raises(ptxvm.Finding) as null:
        kernel(None)
    assert null.value.kind == "null"
    with pytest.raises(ValueError, match="on a GPU"):
        kernel(type("Foreign", (), {"__cuda_array_interface__": {
            "shape": (4,), "typestr": "<u4", "data": (0x200000000000, False), "version": 3}})())


def test_objects_whose_attributes_fail():
    class Broken:
        def __dlpack_device__(self):
            raise RuntimeError("no device")

        def __dlpack__(self, **_):
            raise RuntimeError("no capsule")

    with pytest.raises((RuntimeError, ValueError)):
        ptxvm.load(COUNT)["count"][1, 1](Broken())


def test_a_kind_of_parameter_that_is_not_given_a_number():
    kernel = ptxvm.load(KINDS)["kinds"][1, 1]
    out = np.zeros(6, np.uint64)
    with pytest.raises(OverflowError, match="has 8 bits"):
        kernel(out, 256, 0, 0, 0, 0.0, 0)
    with pytest.raises(OverflowError, match="`b`"):
        kernel(out, 0, 1 << 16, 0, 0, 0.0, 0)
    with pytest.raises(TypeError, match="its bits may mean anything"):
        kernel(out, 0, 0, 0, 0, 0.0, 1.5)
