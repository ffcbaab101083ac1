"""Turns the arguments of a launch into the bytes of the kernel's parameters, and says what would be right if they do not fit."""

from __future__ import annotations

import contextlib
import ctypes
import math
import struct
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy

from . import driver, foreign
from .tensor import Tensor, extent

_INTEGERS = {"u8": (0, 8), "u16": (0, 16), "u32": (0, 32), "u64": (0, 64), "s8": (1, 8), "s16": (1, 16), "s32": (1, 32), "s64": (1, 64)}
_BITS = {"b8": 8, "b16": 16, "b32": 32, "b64": 64, "b128": 128}
_FLOATS = {"f16": "float16", "f32": "float32", "f64": "float64"}


@dataclass
class Passed:
    """What a launch is passed."""

    values: list[bytes] = field(default_factory=list)
    ranges: list[tuple[int, int, bool]] = field(default_factory=list)
    """Memory of this process that arguments point to: address, bytes, whether the kernel may write it."""
    read_only: list[str] = field(default_factory=list)
    """Names of parameters whose arrays cannot be written."""
    kept: list[Any] = field(default_factory=list)
    """What must live until the launch has ended. Views of buffers among it, so that nobody can resize them."""
    copies: dict[tuple[int, int], bytearray] = field(default_factory=dict)
    """Copies of what lies in the driver's memory, by address and size."""
    after: list[Callable[[], None]] = field(default_factory=list)
    """What is done when it has ended."""

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Does what is due after the launch, however it ends."""
        try:
            yield
        finally:
            for do in self.after:
                do()
            for view in self.kept:
                if isinstance(view, memoryview):
                    view.release()


def passed(kernel: str, parameters: Sequence[Mapping[str, Any]], arguments: Sequence[Any]) -> Passed:
    """The arguments for a kernel's parameters."""
    if len(arguments) != len(parameters):
        wanted = ", ".join(f"{one['name']}: {_expected(one)}" for one in parameters)
        raise TypeError(f"`{kernel}` takes {len(parameters)} arguments ({wanted}), and {len(arguments)} are given")
    all = Passed()
    for parameter, argument in zip(parameters, arguments):
        all.values.append(_value(parameter, argument, all))
    return all


def _expected(parameter: Mapping[str, Any]) -> str:
    """What a parameter takes, in a few words."""
    kind, size = parameter["type"], parameter["size"]
    if parameter["address"] and size == 8:
        return "an array"
    if size not in (1, 2, 4, 8, 16) or (kind in ("b8", "u8") and size > 1):
        return f"{size} bytes"
    if kind in _FLOATS:
        return f"a float, or numpy.{_FLOATS[kind]}"
    if kind in _INTEGERS:
        return f"an int, or numpy.{'int' if _INTEGERS[kind][0] else 'uint'}{_INTEGERS[kind][1]}"
    return f"a number of {size} bytes"


def _value(parameter: Mapping[str, Any], argument: Any, all: Passed) -> bytes:
    name, kind, size = parameter["name"], parameter["type"], parameter["size"]

    def wrong(what: str, right: str) -> TypeError:
        return TypeError(f"parameter `{name}` (.{kind}) takes {_expected(parameter)}, and is given {what}; {right}")

    if isinstance(argument, Tensor) or _is_array(argument):
        if size != 8 or not (parameter["address"] or kind in ("u64", "b64", "s64")):
            one = numpy.asarray(argument)
            right = "pass x.item()" if one.size == 1 else "arrays are for parameters of 64 bits that the kernel uses as addresses"
            raise wrong(_described(argument), right)
        return struct.pack("<Q", _address(parameter, argument, all))
    if isinstance(argument, (bytes, bytearray, memoryview)):
        data = bytes(argument)
        if len(data) != size and parameter["address"]:
            raise wrong(f"{type(argument).__name__} of {len(data)} bytes", "pass numpy.frombuffer(x, dtype), which is the same memory")
        if len(data) != size:
            raise wrong(f"{len(data)} bytes", f"pass {size}")
        return data
    if isinstance(argument, numpy.void):
        data = bytes(argument.tobytes())
        if len(data) != size:
            raise wrong(f"a structure of {len(data)} bytes", f"the parameter has {size}")
        return data
    if isinstance(argument, (bool, numpy.bool_)):
        argument = int(argument)
    if isinstance(argument, (int, numpy.integer)):
        return _integer(parameter, argument, wrong)
    if isinstance(argument, (float, numpy.floating)):
        return _float(parameter, argument, wrong)
    if isinstance(argument, numpy.generic) and argument.dtype.kind in "cVf" and argument.dtype.itemsize == size:
        # Complex numbers, and those of ml_dtypes: their bits are what a parameter of this size holds.
        if kind in _BITS or kind == "u8":
            return bytes(argument.tobytes())
    if isinstance(argument, (complex, numpy.complexfloating)):
        raise wrong(f"the complex number {argument}", "pass its parts, or the bytes of the structure")
    if argument is None and parameter["address"]:
        return bytes(8)
    if isinstance(argument, ctypes._SimpleCData):
        raise wrong(f"ctypes.{type(argument).__name__}", "pass x.value")
    if parameter["address"] and _has_buffer(argument):
        raise wrong(type(argument).__name__, "pass numpy.asarray(x), which is the same memory")
    if isinstance(argument, numpy.generic):
        raise wrong(f"numpy.{argument.dtype} of {argument.dtype.itemsize} bytes", "pass a number that it can hold")
    raise wrong(f"{type(argument).__name__}", "pass a number, a NumPy array, a ptxvm.Tensor, or something with DLPack")


def _integer(parameter: Mapping[str, Any], argument: Any, wrong: Callable[[str, str], TypeError]) -> bytes:
    kind, size = parameter["type"], parameter["size"]
    if kind in _FLOATS:
        exact = float(argument)
        with numpy.errstate(over="ignore"):
            number = numpy.dtype(_FLOATS[kind]).type(exact)
        if not numpy.isfinite(number) or int(number) != int(argument):
            raise wrong(f"the int {argument}, which it cannot hold", f"pass numpy.{_FLOATS[kind]}(…)")
        return bytes(number.tobytes())
    if isinstance(argument, numpy.integer) and argument.dtype.itemsize != size:
        raise wrong(f"numpy.{argument.dtype} of {argument.dtype.itemsize} bytes", f"pass an int, or one of {size} bytes")
    if size not in (1, 2, 4, 8, 16) or (kind in _BITS and _BITS[kind] != size * 8) or (kind in _INTEGERS and _INTEGERS[kind][1] != size * 8):
        raise wrong("a number", f"pass its {size} bytes")
    bits = size * 8
    # A kernel often declares as unsigned what a program has signed.
    value = int(argument)
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise OverflowError(f"parameter `{parameter['name']}` (.{kind}) has {bits} bits, and cannot hold {value}")
    return int.to_bytes(value % (1 << bits), size, "little")


def _float(parameter: Mapping[str, Any], argument: Any, wrong: Callable[[str, str], TypeError]) -> bytes:
    kind, size = parameter["type"], parameter["size"]
    of_numpy = isinstance(argument, numpy.floating)
    # numpy.float64 is a float too: it is what arithmetic of Python's with NumPy's numbers gives.
    typed = of_numpy and not isinstance(argument, float)
    if kind in _FLOATS:
        if typed and argument.dtype != _FLOATS[kind]:
            raise wrong(f"numpy.{argument.dtype}", f"pass numpy.{_FLOATS[kind]}(x), or a float")
        with numpy.errstate(over="ignore"):
            number = numpy.dtype(_FLOATS[kind]).type(argument)
        if numpy.isinf(number) and not numpy.isinf(argument):
            raise OverflowError(f"parameter `{parameter['name']}` (.{kind}) cannot hold {argument}; pass numpy.{_FLOATS[kind]}(…)")
        return bytes(number.tobytes())
    if kind in _BITS and of_numpy and argument.dtype.itemsize == size:
        return bytes(argument.tobytes())
    if kind in _BITS:
        raise wrong("a float, and its bits may mean anything", f"pass a number of NumPy's that has {size} bytes")
    right = "pass a NumPy array or a ptxvm.Tensor" if parameter["address"] else "pass an int, or int(x)"
    raise wrong(f"the float {argument}", right)


def _is_array(argument: Any) -> bool:
    if isinstance(argument, (numpy.generic, type)):
        return False
    return isinstance(argument, numpy.ndarray) or any(
        hasattr(argument, name) for name in ("__cuda_array_interface__", "__dlpack__", "__array_interface__")
    )


def _has_buffer(argument: Any) -> bool:
    try:
        memoryview(argument).release()
    except TypeError:
        return False
    return True


def _described(argument: Any) -> str:
    shape, dtype = getattr(argument, "shape", None), getattr(argument, "dtype", None)
    name = type(argument).__name__
    return name if shape is None and dtype is None else f"{name} of shape {shape} and dtype {dtype}"


def _address(parameter: Mapping[str, Any], argument: Any, all: Passed) -> int:
    """The address of an array, whose memory is lent to the launch."""
    name = parameter["name"]
    if isinstance(argument, Tensor):
        _fits(parameter, argument._array)
        driver.synchronize()
        return _lend(name, argument._array, all, is_view=True)
    if isinstance(argument, numpy.ma.MaskedArray):
        raise ValueError(f"parameter `{name}`: a kernel knows no masks; pass x.data, or x.filled(…)")
    if not isinstance(argument, numpy.ndarray) and hasattr(argument, "__cuda_array_interface__"):
        return _borrowed(name, argument, all)
    if not isinstance(argument, numpy.ndarray):
        argument = _foreign(name, argument)
    _fits(parameter, argument)
    if not argument.flags.c_contiguous:
        steps = f"its strides are {argument.strides} for the shape {argument.shape}"
        raise ValueError(
            f"parameter `{name}`: the array is not contiguous ({steps}), and a kernel sees addresses, not strides; pass "
            f"numpy.ascontiguousarray(x), or a ptxvm.Tensor and its strides"
        )
    return _lend(name, argument, all, is_view=False)


def _fits(parameter: Mapping[str, Any], array: numpy.ndarray) -> None:
    """Whether the array begins where the kernel has been promised that it does."""
    if array.size and array.ctypes.data % parameter["align"]:
        raise ValueError(
            f"parameter `{parameter['name']}`: the kernel is promised an address that is a multiple of {parameter['align']}, and "
            f"this array begins at {array.ctypes.data:#x}; pass x.copy(), or a ptxvm.Tensor"
        )


def _lend(name: str, array: numpy.ndarray, all: Passed, is_view: bool) -> int:
    if array.dtype.hasobject:
        raise TypeError(f"parameter `{name}`: an array of dtype {array.dtype} holds Python's objects; pass one of numbers")
    if not array.dtype.isnative:
        raise TypeError(
            f"parameter `{name}`: the array's dtype {array.dtype} has its bytes in the other order; pass "
            f"x.astype({array.dtype.newbyteorder('=')!s})"
        )
    if array.size == 0:
        all.kept.append(array)
        return 0
    if not array.flags.writeable:
        all.read_only.append(name)
    all.ranges.append((*extent(array), array.flags.writeable))
    all.kept.append(array)
    # Nobody can resize an array in place while there is a view of its buffer.
    with contextlib.suppress(ValueError, TypeError, BufferError):
        all.kept.append(memoryview(array))  # type: ignore[arg-type]
    return array.ctypes.data


def _foreign(name: str, argument: Any) -> numpy.ndarray:
    try:
        return foreign.bytes_of(argument)
    except (BufferError, RuntimeError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"parameter `{name}`: {_described(argument)} cannot be used in place: {error}") from error


def _borrowed(name: str, argument: Any, all: Passed) -> int:
    """The address of a copy of an array that lies in the driver's memory; what the kernel makes of it is copied back."""
    about = argument.__cuda_array_interface__
    try:
        address, read_only = (int(about["data"][0]), bool(about["data"][1]))
        dtype, shape = numpy.dtype(about["typestr"]), tuple(int(length) for length in about["shape"])
    except (KeyError, IndexError, TypeError, ValueError) as error:
        why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise ValueError(f"parameter `{name}`: {type(argument).__name__}.__cuda_array_interface__ is wrong: {why}") from error
    bytes = math.prod(shape) * dtype.itemsize
    if any(length < 0 for length in shape) or not 0 <= address <= address + bytes < 1 << 64:
        raise ValueError(f"parameter `{name}`: no array of shape {shape} and dtype {dtype} lies at {address:#x}")
    strides = about.get("strides")
    contiguous = tuple(math.prod(shape[at + 1 :]) * dtype.itemsize for at in range(len(shape)))
    if bytes and strides is not None and tuple(strides) != contiguous:
        raise ValueError(f"parameter `{name}`: the array is not contiguous (its strides are {strides}); pass a copy of it")
    if about.get("mask") is not None:
        raise ValueError(f"parameter `{name}`: a kernel knows no masks; pass the array's data")
    if bytes == 0:
        return 0
    if driver.loaded() is None:
        raise ValueError(f"parameter `{name}`: the array lies on a GPU, not in this process's memory; pass a copy on the host")
    driver.synchronize()
    all.kept.append(argument)
    copy = all.copies.get((address, bytes))
    if copy is None:
        copy = all.copies[address, bytes] = driver.to_host(address, bytes)
        if not read_only:
            all.after.append(lambda: driver.from_host(address, copy))
    return _lend(name, numpy.frombuffer(copy, numpy.uint8), all, is_view=False)
