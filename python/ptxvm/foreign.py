"""Arrays of other libraries, as DLPack or `__array_interface__` says where they lie.

A kernel needs an address, the bytes behind it and whether they may be written; it makes no difference to it what a library
calls their elements. NumPy's own `from_dlpack` knows integers, floats and complex numbers only. What an object says of memory
may be wrong, so that memory which is not there is found here and not by a kernel.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import numpy

_HOST = (1, 3, 13)
"""Plain memory, pinned memory, and memory that host and device share."""


class _Tensor(ctypes.Structure):
    """`DLTensor`"""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """`DLManagedTensorVersioned`"""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_READ_ONLY = 1

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


def bytes_of(array: Any) -> numpy.ndarray:
    """An array's bytes as NumPy has them, in place; they live as long as the result.

    Raises `BufferError` where it cannot be used, with the reason.
    """
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array)
    view = numpy.asarray(array)
    if view.size:
        _check_mapped(view.ctypes.data, view.nbytes if view.flags.c_contiguous else 1)
    return view


def _of_dlpack(array: Any) -> numpy.ndarray:
    """The array is not taken over: the capsule gives it back to its owner when nobody uses the bytes any more."""
    device = array.__dlpack_device__()[0] if hasattr(array, "__dlpack_device__") else 1
    if device not in _HOST:
        raise BufferError(f"it lies on a device (DLPack's kind {device}); pass one of the host's memory")
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = array.__dlpack__()
    flags = 0
    if _is_valid(capsule, b"dltensor_versioned"):
        managed = ctypes.cast(_pointer(capsule, b"dltensor_versioned"), ctypes.POINTER(_Versioned)).contents
        if managed.major != 1:
            raise BufferError(f"its DLPack is of version {managed.major}.{managed.minor}, and 1.0 is known")
        flags, tensor = managed.flags, managed.tensor
    elif _is_valid(capsule, b"dltensor"):
        tensor = ctypes.cast(_pointer(capsule, b"dltensor"), ctypes.POINTER(_Tensor)).contents
    else:
        raise BufferError("its __dlpack__ gives no capsule, or one that has been used")
    if tensor.device_type not in _HOST:
        raise BufferError(f"it lies on a device (DLPack's kind {tensor.device_type}); pass one of the host's memory")
    bits = tensor.bits * tensor.lanes
    if bits % 8:
        raise BufferError(f"its elements have {bits} bits, and bytes are what a kernel can be lent")
    shape = tensor.shape[: tensor.ndim]
    if any(length < 0 for length in shape):
        raise BufferError(f"its shape is {shape}")
    count = math.prod(shape)
    if count == 0:
        return numpy.empty(0, numpy.uint8)
    if tensor.strides:
        expected = 1
        for length, stride in zip(reversed(shape), reversed(tensor.strides[: tensor.ndim])):
            if length > 1 and stride != expected:
                raise BufferError(
                    f"it is not contiguous: its strides are {tensor.strides[: tensor.ndim]} for the shape {shape}; pass a copy"
                )
            expected *= length
    address, size = (tensor.data or 0) + tensor.byte_offset, count * bits // 8
    _check_mapped(address, size)
    room = (ctypes.c_uint8 * size).from_address(address)
    # The capsule goes with the memory, and gives the array back when nobody has it any more.
    room._capsule = capsule  # type: ignore[attr-defined]
    view = numpy.frombuffer(room, numpy.uint8)
    if flags & _READ_ONLY:
        view.flags.writeable = False
    return view


def _check_mapped(address: int, size: int) -> None:
    """Raises if part of the memory is not there."""
    end, at = address + size, address
    try:
        maps = open("/proc/self/maps")
    except OSError:
        return  # another system, where nobody says
    with maps:
        for line in maps:
            place, rights = line.split(maxsplit=2)[:2]
            first, last = (int(part, 16) for part in place.split("-"))
            if first <= at < last and rights.startswith("r"):
                at = last
            if at >= end:
                return
    raise BufferError(f"it says that it has {size} bytes at {address:#x}, and this process has no such memory")
