"""A tensor in the process's memory that kernels of ptxvm and of its clients use in place, with exact bounds."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any, Sequence

import numpy as np

from . import driver

_ALIGNMENT = 256
_CPU = (1, 0)


class Tensor:
    """An array for kernels: as an argument of `module["kernel"][grid, block](…)`, and in place of a GPU's tensor in Triton,
    Numba and cuda-core.

    A kernel may touch exactly its bytes; of a view such as `x[2:5]`, exactly those of the view. Reading it (`numpy()`,
    `item()`, `tolist()`, `numpy.asarray`) first waits for the kernels of clients.

    ```python
    x = ptxvm.Tensor([1.0, 2.0, 3.0], dtype="float32")
    y = ptxvm.Tensor.zeros((4, 8), dtype="int32")
    ```
    """

    __slots__ = ("_array", "_declared", "__weakref__")

    def __init__(self, values: Any, dtype: Any = None) -> None:
        """A copy of values: a NumPy array, a list, a number, another tensor."""
        dtype = None if dtype is None else dtype_of(dtype)
        values = values.numpy() if isinstance(values, Tensor) else np.asarray(values, dtype)
        values = values.astype(dtype or values.dtype, copy=False)
        if values.dtype.hasobject:
            raise TypeError(f"a tensor holds numbers, and {values.dtype} are Python's objects; name a dtype")
        self._hold(_memory(values.shape, values.dtype))
        self._array[...] = values

    def _hold(self, array: np.ndarray) -> None:
        self._array = array
        self._declared: Any = None

    @classmethod
    def _of(cls, array: np.ndarray) -> Tensor:
        tensor = cls.__new__(cls)
        tensor._hold(array)
        return tensor

    @classmethod
    def empty(cls, shape: int | Sequence[int], dtype: Any = "float32") -> Tensor:
        """One whose values are what was there."""
        return cls._of(_memory(shape, dtype_of(dtype)))

    @classmethod
    def zeros(cls, shape: int | Sequence[int], dtype: Any = "float32") -> Tensor:
        """One of zeros."""
        return cls.full(shape, 0, dtype)

    @classmethod
    def full(cls, shape: int | Sequence[int], value: Any, dtype: Any = "float32") -> Tensor:
        """One of the same value everywhere."""
        tensor = cls.empty(shape, dtype)
        tensor._array[...] = value
        return tensor

    @property
    def shape(self) -> tuple[int, ...]:
        """Its lengths."""
        return self._array.shape

    @property
    def dtype(self) -> np.dtype:
        """The type of its elements."""
        return self._array.dtype

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return self._array.ndim

    @property
    def size(self) -> int:
        """How many elements it has."""
        return self._array.size

    @property
    def nbytes(self) -> int:
        """How many bytes they take."""
        return self._array.nbytes

    @property
    def itemsize(self) -> int:
        """How many bytes one of them takes."""
        return self._array.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, for each dimension."""
        return self._array.strides

    def stride(self, dimension: int | None = None) -> Any:
        """Elements from one to the next, as torch has it."""
        steps = tuple(step // self.itemsize for step in self.strides)
        return steps if dimension is None else steps[dimension]

    def is_contiguous(self) -> bool:
        """Whether its elements lie side by side, row by row."""
        return self._array.flags.c_contiguous

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, index: Any) -> Tensor:
        """A view: the same memory, and kernels that are passed it may touch no more than its bytes."""
        array = self._array[index]
        if not isinstance(array, np.ndarray):
            # NumPy gives a number for an element; a view of it has the one element.
            places = [place % length for place, length in zip(np.atleast_1d(index).tolist(), self.shape)]
            array = self._array[tuple(slice(place, place + 1) for place in places)].reshape(())
        elif array.size and not np.may_share_memory(array, self._array):
            raise IndexError("a tensor is indexed by integers and slices: a list or a mask would make a copy; use numpy()")
        return Tensor._of(array)

    def __setitem__(self, index: Any, values: Any) -> None:
        driver.synchronize()
        self._array[index] = values.numpy() if isinstance(values, Tensor) else values

    def reshape(self, *shape: Any) -> Tensor:
        """A view of another shape."""
        view = self._array.view()
        view.shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
        return Tensor._of(view)

    def numpy(self) -> np.ndarray:
        """A copy, made when the kernels of clients have ended."""
        driver.synchronize()
        return self._array.copy()

    def item(self) -> Any:
        """The value of a tensor with one element."""
        return self.numpy().item()

    def tolist(self) -> Any:
        """Its values as lists."""
        return self.numpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("reading a tensor makes a copy")
        return self.numpy().astype(dtype or self.dtype, copy=False)

    def data_ptr(self) -> int:
        """Its address, for clients: their kernels may touch its bytes from now on, as long as it lives."""
        array = self._array
        if self._declared is None:
            # Other views of the array keep it alive, and so does the finalizer, which holds no reference to this.
            start, bytes = extent(array)
            if driver.declare(start, bytes):
                self._declared = weakref.finalize(self, _forget, start, bytes, array)
        return array.ctypes.data

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self.data_ptr(), False),
            "strides": None if self.is_contiguous() else self.strides,
            "version": 3,
            "stream": None,
        }

    def __dlpack__(self, **options: Any) -> Any:
        self.data_ptr()
        driver.synchronize()
        options.pop("stream", None)
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU

    def __repr__(self) -> str:
        return f"ptxvm.Tensor({self.numpy()!r})"


def dtype_of(dtype: Any) -> np.dtype:
    """A type of NumPy's, or one of those that ml_dtypes adds to it, such as `bfloat16` and `float8_e4m3fn`."""
    try:
        return np.dtype(dtype)
    except TypeError:
        if not isinstance(dtype, str):
            raise
    try:
        import ml_dtypes  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError as error:
        raise TypeError(f"NumPy has no dtype `{dtype}`; `pip install ml_dtypes` brings bfloat16 and the floats of eight bits") from error
    if not hasattr(ml_dtypes, dtype):
        raise TypeError(f"neither NumPy nor ml_dtypes has a dtype `{dtype}`")
    return np.dtype(getattr(ml_dtypes, dtype))


def _memory(shape: int | Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Memory of its own, aligned as a driver aligns it."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    bytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    room = np.empty(bytes + _ALIGNMENT, np.uint8)
    start = -room.ctypes.data % _ALIGNMENT
    return room[start : start + bytes].view(dtype).reshape(shape)


def extent(array: np.ndarray) -> tuple[int, int]:
    """Where the bytes of an array begin, and how many there are from the first to the last."""
    if array.size == 0:
        return 0, 0
    steps = [(length - 1) * step for length, step in zip(array.shape, array.strides)]
    before = sum(step for step in steps if step < 0)
    return array.ctypes.data + before, sum(abs(step) for step in steps) + array.itemsize


def _forget(address: int, bytes: int, _array: np.ndarray) -> None:
    # A kernel that a client has launched may use the memory still.
    with contextlib.suppress(driver.DriverError):
        driver.synchronize()
    driver.forget(address, bytes)
