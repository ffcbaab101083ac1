"""Arrays of every element type: in launches, as tensors, through DLPack, and in files of `ptxvm run`."""

import ctypes

import ml_dtypes
import numpy as np
import pytest

import ptxvm
from ptxvm import foreign
from conftest import BIN

COPY = """.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 n, .param .u64 x, .param .u64 y)
{
    .reg .u64 %x, %y, %n, %i;
    .reg .pred %p;
    .reg .b16 %v;
    .reg .u32 %t;
    ld.param.u64 %n, [n];
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
    cvt.u64.u32 %i, %t;
    setp.ge.u64 %p, %i, %n;
    @%p ret;
    add.u64 %x, %x, %i;
    add.u64 %y, %y, %i;
    ld.global.u8 %v, [%x];
    st.global.u8 [%y], %v;
    ret;
}
.visible .entry bits(.param .b8 a, .param .b16 b, .param .b32 c, .param .b64 d, .param .u64 y)
{
    .reg .u64 %y, %d;
    .reg .b16 %a, %b;
    .reg .b32 %c;
    ld.param.u64 %y, [y];
    ld.param.b8 %a, [a];
    ld.param.b16 %b, [b];
    ld.param.b32 %c, [c];
    ld.param.b64 %d, [d];
    st.global.b8 [%y], %a;
    st.global.b16 [%y+2], %b;
    st.global.b32 [%y+4], %c;
    st.global.b64 [%y+8], %d;
    ret;
}
"""

TYPES = [
    *("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64", "longdouble", "complex64", "complex128", "datetime64[s]", "S4", "U2"),
    *("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "int4"),
    np.dtype([("a", "f4"), ("b", "i2", (3,))]),
]


def values(dtype) -> np.ndarray:
    """Sixteen of a type that differ in their bytes."""
    array = np.zeros(16, dtype)
    most = 2 if array.dtype in (bool, np.dtype(ml_dtypes.float4_e2m1fn), np.dtype(ml_dtypes.int4)) else 100
    array.view(np.uint8)[...] = np.arange(array.nbytes) % most
    return array


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_arrays_and_tensors_of_every_type(dtype):
    kernel = ptxvm.load(COPY)["copy"][1, 1024]
    dtype = ptxvm.Tensor.empty(0, dtype).dtype
    x, y = values(dtype), np.zeros(16, dtype)
    kernel(x.nbytes, x, y)
    assert x.tobytes() == y.tobytes()
    x, y = ptxvm.Tensor(x), ptxvm.Tensor.zeros(16, dtype)
    kernel(x.nbytes, x, y)
    assert x.numpy().tobytes() == y.numpy().tobytes() and y.dtype == dtype
    assert y[3].numpy().tobytes() == x.numpy()[3].tobytes()
    with pytest.raises(ptxvm.Finding):
        kernel(x.nbytes, x[:15], y)


def test_numbers_of_every_type_are_bits():
    out = np.zeros(16, np.uint8)
    numbers = ml_dtypes.float8_e4m3fn(1.5), ml_dtypes.bfloat16(-2), np.float32(0.5), np.complex64(1 + 2j)
    ptxvm.load(COPY)["bits"][1, 1](*numbers, out)
    places = zip((0, 2, 4, 8), numbers)
    assert all(out[at : at + number.dtype.itemsize].tobytes() == number.tobytes() for at, number in places)
    for wrong in (ml_dtypes.bfloat16(1), np.datetime64(1, "s"), np.complex128(1)):
        with pytest.raises(TypeError, match="parameter `a`"):
            ptxvm.load(COPY)["bits"][1, 1](wrong, *numbers[1:], out)


def test_a_type_that_there_is_not(python):
    with pytest.raises(TypeError, match="neither NumPy nor ml_dtypes has a dtype `bfloat15`"):
        ptxvm.Tensor([1], "bfloat15")
    with pytest.raises(TypeError, match="Python's objects"):
        ptxvm.Tensor([object()])
    alone = "import sys\nsys.modules['ml_dtypes'] = None\nimport ptxvm\nptxvm.Tensor([1], 'bfloat16')"
    assert "pip install ml_dtypes" in python(alone, status=1).stderr


class Capsule:
    """An array of another library, of a type that NumPy lacks, with DLPack as it was first or as it is now."""

    def __init__(self, data: np.ndarray, versioned=False, read_only=False, device=1, code=4, bits=16, shape=None, strides=None):
        self.data, self.device, self.dtype = data, device, "bfloat16"
        self.shape = (data.size,) if shape is None else shape
        steps = (ctypes.c_int64 * len(self.shape))(*strides) if strides else None
        lengths = (ctypes.c_int64 * len(self.shape))(*self.shape)
        tensor = foreign._Tensor(
            data.ctypes.data, device, 0, len(self.shape), code, bits, 1,
            ctypes.cast(lengths, ctypes.POINTER(ctypes.c_int64)),
            ctypes.cast(steps, ctypes.POINTER(ctypes.c_int64)) if steps else None,
            0,
        )  # fmt: skip
        self.versioned = versioned
        self.managed = foreign._Versioned(1, 0, None, None, int(read_only), tensor) if versioned else tensor
        self.kept = lengths, steps

        self.name = b"dltensor_versioned" if versioned else b"dltensor"

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **options):
        if options and not self.versioned:
            raise TypeError("no such option")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize("versioned", [False, True])
def test_types_that_numpy_lacks_come_through_dlpack(versioned):
    kernel = ptxvm.load(COPY)["copy"][1, 1024]
    x, y = (Capsule(values(ml_dtypes.bfloat16), versioned) for _ in range(2))
    y.data[...] = 0
    kernel(32, x, y)
    assert x.data.tobytes() == y.data.tobytes()
    with pytest.raises(ptxvm.Finding, match="33|32 bytes|out of bounds"):
        kernel(33, x, y)


@pytest.mark.parametrize(
    "capsule, says",
    [
        (dict(device=2), "on a device"),
        (dict(bits=4), "4 bits"),
        (dict(shape=(4, 4), strides=(1, 4)), "not contiguous"),
    ],
)
def test_what_dlpack_says_that_cannot_be_used(capsule, says):
    kernel = ptxvm.load(COPY)["copy"][1, 1024]
    with pytest.raises(ValueError, match=says):
        kernel(32, Capsule(values(ml_dtypes.bfloat16), **capsule), np.zeros(32, np.uint8))


def test_a_capsule_that_may_not_be_written():
    kernel = ptxvm.load(COPY)["copy"][1, 1024]
    read_only = Capsule(values(ml_dtypes.bfloat16), versioned=True, read_only=True)
    kernel(32, read_only, np.zeros(32, np.uint8))
    with pytest.raises(ptxvm.Finding) as raised:
        kernel(32, np.zeros(32, np.uint8), read_only)
    assert raised.value.kind == "read-only"


def test_triton_computes_with_types_that_numpy_lacks(python):
    program = """
import numpy as np, ptxvm, triton, triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, (2 * tl.load(x + at, mask=at < n).to(tl.float32)).to(y.dtype.element_ty), mask=at < n)

for name in "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float64", "int8", "uint16":
    x, y = ptxvm.Tensor(range(5), name), ptxvm.Tensor.zeros(5, name)
    double[(1,)](x, y, 5, BLOCK=16)
    print([float(v) for v in y.numpy()] == [float(2 * v) for v in range(5)])
x, y = ptxvm.Tensor([True, False, True]), ptxvm.Tensor.zeros(3, "float32")
double[(1,)](x, y, 3, BLOCK=16)
print(y.tolist() == [2.0, 0.0, 2.0])
"""
    assert python(program, "--device", "h200").stdout.split() == ["True"] * 8


@pytest.mark.parametrize(
    "name, dtype, more",
    [
        *((name, name, "") for name in ("bool", "int16", "float16", "float64")),
        ("bf16", "bfloat16", "bf16[]="),
        ("e4m3", "float8_e4m3fn", "e4m3[]="),
        ("e5m2", "float8_e5m2", "e5m2[]="),
        ("f32", "complex64", ""),
    ],
)
def test_files_of_every_type(run, tmp_path, name, dtype, more):
    (tmp_path / "k.ptx").write_text(COPY)
    x = values(ptxvm.Tensor.empty(0, dtype).dtype)
    np.save(tmp_path / "x.npy", x)
    options = ["--entry", "copy", "--block", "1024", "--arg", str(x.nbytes), "--arg", f"{more}@x.npy"]
    shape = "[16,2]" if dtype == "complex64" else "[16]"
    name = {"int16": "s16", "float16": "f16", "float64": "f64"}.get(name, name)
    done = run(BIN / "ptxvm", "run", "k.ptx", *options, "--arg", f"{name}{shape.replace(']', ']=rand')}", "--save", "y=y.npy", "--expect", "y=y.npy", status=None)
    assert done.returncode == 1, "there is no such file yet"
    done = run(BIN / "ptxvm", "run", "k.ptx", *options, "--arg", f"{name}{shape}", "--save", "y=y.npy")
    assert f"{name}{shape}" in done.stdout
    y = np.load(tmp_path / "y.npy")
    assert y.tobytes() == x.tobytes()
    assert dtype != "bool" or y.dtype == bool
    wanted = "y=x.npy" if not more else "y=y.bits"
    (tmp_path / "y.bits").write_bytes(x.tobytes())
    run(BIN / "ptxvm", "run", "k.ptx", *options, "--arg", f"{name}{shape}", "--expect", wanted)
