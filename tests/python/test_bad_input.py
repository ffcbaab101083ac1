"""Wrong arguments, wrong kernels and wrong options: exceptions that say what would be right, and nothing worse."""

import array
import copy
import ctypes
import pickle

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
        ((32, 1e300, X, X), OverflowError, "cannot hold 1e+300; pass numpy.float32(…)"),
        ((32, 1.0, np.broadcast_to(np.float32(1), 32), X), ValueError, "its strides are (0,)"),
        ((32, 1.0, np.zeros(32, [("a", ">f4")]), X), TypeError, "x.astype([('a', '<f4')])"),
        ((32, 1.0, np.zeros(32, [("a", "O")]), X), TypeError, "Python's objects"),
        ((32, 1.0, np.ma.masked_array(X, mask=True), X), ValueError, "x.filled(…)"),
        ((32, 1.0, bytearray(128), X), TypeError, "pass numpy.frombuffer(x, dtype)"),
        ((32, 1.0, memoryview(X), X), TypeError, "pass numpy.frombuffer(x, dtype)"),
        ((32, 1.0, array.array("f", [0] * 32), X), TypeError, "pass numpy.asarray(x)"),
        ((32, 1.0, (ctypes.c_float * 32)(), X), TypeError, "pass numpy.asarray(x)"),
        ((32, 1.0, ctypes.c_void_p(X.ctypes.data), X), TypeError, "pass x.value"),
        ((32, 1.0, np.float32, X), TypeError, "is given type"),
        ((32, 1.0, {}, X), TypeError, "is given dict"),
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


class Once:
    """Its capsule can be taken once, and is given twice."""

    def __init__(self, array):
        self.capsule = array.__dlpack__()

    def __dlpack__(self, **_):
        return self.capsule

    def __dlpack_device__(self):
        return (1, 0)


class Interface:
    def __init__(self, **about):
        self.__array_interface__ = {"typestr": "<f4", "version": 3, **about}


class OfGpu:
    def __init__(self, **about):
        self.__cuda_array_interface__ = about


def test_a_capsule_that_has_been_used(saxpy):
    x = Once(np.zeros(32, np.float32))
    saxpy(32, 1.0, x, X)
    np.from_dlpack(x)
    with pytest.raises(ValueError, match="one that has been used"):
        saxpy(32, 1.0, x, X)


@pytest.mark.parametrize(
    "foreign, says",
    [
        (Interface(shape=(32,), data=(0x10000, False)), "this process has no such memory"),
        (Interface(shape=(1 << 45,), data=(X.ctypes.data, False)), "this process has no such memory"),
        (Interface(shape=(-1,), data=(X.ctypes.data, False)), "cannot be used in place"),
        (OfGpu(), "there is no 'data'"),
        (OfGpu(shape=4, typestr="<f4", data=(8, False)), "not iterable"),
        (OfGpu(shape=(4,), typestr="<f4", data=8), "not subscriptable"),
        (OfGpu(shape=(-4,), typestr="<f4", data=(8, False)), "no array of shape"),
        (OfGpu(shape=(1 << 62, 4), typestr="<f4", data=(8, False)), "no array of shape"),
        (OfGpu(shape=(4,), typestr="<f4", data=(-8, False)), "no array of shape"),
    ],
)
def test_objects_that_say_what_is_not_so(saxpy, foreign, says):
    with pytest.raises(ValueError, match=says):
        saxpy(1, 1.0, foreign, X)


def test_what_belongs_to_its_process():
    module = ptxvm.load(SAXPY)
    for one in module.device, module, module["saxpy"], module["saxpy"][1, 32]:
        for act in (pickle.dumps, copy.copy, copy.deepcopy):
            # A kernel that is copied is the same kernel of the same module.
            if act is copy.copy and one is not module and one is not module.device:
                continue
            with pytest.raises(TypeError, match="belongs to its process"):
                act(one)
    tensor = pickle.loads(pickle.dumps(ptxvm.Tensor([1.0, 2.0])))
    assert tensor.tolist() == [1, 2]
    with pytest.raises(ptxvm.Finding) as raised:
        module["saxpy"][1, 32](32, 1.0, None, X)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.kind, str(again)) == ("null", str(raised.value))


def test_processes_that_fork_after_and_in_a_launch(python):
    program = """
import os, threading, time, numpy as np, ptxvm
from kernels import SAXPY

def compute():
    y = np.ones(32, np.float32)
    ptxvm.load(SAXPY)["saxpy"][1, 32](32, 2.0, y, y)
    return (y == 3).all()

SPIN = SAXPY[: SAXPY.index(".visible")] + ".visible .entry spin() { L: bra L; }"
assert compute()
endless = threading.Thread(target=lambda: ptxvm.load(SPIN)["spin"][1, 1](timeout=2, on_finding="collect"))
threading.excepthook = lambda caught: print(caught.exc_type.__name__)
endless.start()
time.sleep(0.3)
child = os.fork()
if child == 0:
    os._exit(7 if compute() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
endless.join()
threading.Thread(target=lambda: ptxvm.load(SPIN)["spin"][1, 1](), daemon=True).start()
time.sleep(0.3)
print("end", flush=True)
os._exit(9)
"""
    assert python(program, status=9).stdout.split() == ["7", "LimitReached", "end"]


def test_an_interpreter_within_another(python):
    program = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import ptxvm
ptxvm.check("\\n")
try:
    answer = interpreters.run_string(interpreters.create(), "import ptxvm\\nptxvm.check(chr(10))")
    print(answer)
except Exception as error:
    print(error)
"""
    assert "once per process" in python(program).stdout or "subinterpreters" in python(program).stdout
