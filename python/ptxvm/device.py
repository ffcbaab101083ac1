"""Devices, the modules that they load, and launches of kernels."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import sys
import warnings
from dataclasses import dataclass, field
from typing import Any, Iterator, Mapping, Sequence

import numpy

from . import _ptxvm
from ._html import launch_html
from .arguments import Passed, passed
from .findings import Finding, FindingWarning, MemoryEvent, failure, raise_failed
from .tensor import dtype_of

_HOWS = ("raise", "warn", "collect")

# A thread that the interpreter ends must not be inside of a launch.
atexit.register(_ptxvm.stop_all)


class Device:
    """A virtual GPU.

    ```python
    device = ptxvm.Device("b200", seed=3, check="race")
    module = device.load("saxpy.ptx")
    module["saxpy"][8, 128](1000, 2.0, x, y)
    ```

    Options are those of `ptxvm exec`, with `_` for `-` (`ptxvm.options()` lists them): `seed`, `check`, `engine`, `threads`,
    `timeout`, `max_instructions`, `max_memory` … What nobody says the environment may say (`PTXVM_SEED`).
    `on_finding` is what is done about findings: `"raise"` the first of a launch (the others are in its `others`), `"warn"`
    of each, or `"collect"` them in the launch's `findings`.
    """

    def __init__(self, name: str | None = None, *, on_finding: str = "raise", **options: Any) -> None:
        if name is not None:
            options["device"] = name
        self._on_finding = _how(on_finding)
        with _translated():
            self._device = _ptxvm.Device(option_texts(options))
        self._properties: dict[str, Any] = json.loads(self._device.properties())

    @property
    def name(self) -> str:
        """Its name: `h200`."""
        return str(self._properties["name"])

    @property
    def target(self) -> str:
        """What PTX is compiled for that runs on it: `sm_90a`."""
        return str(self._properties["target"])

    @property
    def capability(self) -> tuple[int, int]:
        """Its compute capability."""
        return tuple(self._properties["capability"])

    @property
    def properties(self) -> dict[str, Any]:
        """All its numbers."""
        return dict(self._properties)

    def load(self, source: str | bytes | os.PathLike[str], *, name: str | None = None) -> Module:
        """Loads PTX: a text, or a file by its path. `name` is what messages call it."""
        text, called = read_source(source)
        with _translated():
            return Module(self, self._device.load(text.rstrip("\0"), name or called))

    def __reduce__(self) -> Any:
        raise TypeError("a ptxvm.Device belongs to its process; another one makes its own by name and options")

    def __repr__(self) -> str:
        return f"ptxvm.Device({self.name!r})"


class Module(Mapping[str, "Kernel"]):
    """PTX that a device has loaded: its kernels by name, its variables in `variables`."""

    def __init__(self, device: Device, module: _ptxvm.Module) -> None:
        self.device = device
        """The device that has loaded it."""
        self._module = module
        self._kernels: dict[str, Kernel] = {}

    def __getitem__(self, name: str) -> Kernel:
        if name not in self._kernels:
            if name not in self._module.kernels():
                known = ", ".join(self._module.kernels()) or "none"
                raise KeyError(f"there is no kernel `{name}`; there are: {known}")
            with _translated():
                self._kernels[name] = Kernel(self, self._module.kernel(name))
        return self._kernels[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._module.kernels())

    def __len__(self) -> int:
        return len(self._module.kernels())

    @property
    def variables(self) -> dict[str, Variable]:
        """Its `.global` and `.const` variables."""
        return {name: Variable(self, name, size, address, constant) for name, size, address, constant in self._module.variables()}

    @property
    def source(self) -> str:
        """The text that it was made from."""
        return self._module.source()

    def __reduce__(self) -> Any:
        raise TypeError("a ptxvm.Module belongs to its process; another one loads its own of `module.source`")

    def __repr__(self) -> str:
        return f"<ptxvm.Module on {self.device.name} with {', '.join(self) or 'no kernels'}>"


@dataclass(frozen=True)
class Variable:
    """A variable of a module."""

    module: Module = field(repr=False)
    name: str
    size: int
    """In bytes."""
    address: int
    constant: bool
    """Whether kernels cannot write it."""

    def read(self, dtype: Any = "uint8") -> numpy.ndarray:
        """Its value."""
        return numpy.frombuffer(self.module._module.read(self.address, self.size), dtype_of(dtype)).copy()

    def write(self, values: Any) -> None:
        """Gives it a value: an array of just its size."""
        data = numpy.ascontiguousarray(values).tobytes()
        if len(data) != self.size:
            raise ValueError(f"the variable `{self.name}` has {self.size} bytes, and is given {len(data)}")
        self.module._module.write(self.address, data)


class Kernel:
    """An entry of a module. `kernel[grid, block](arguments…)` launches it."""

    def __init__(self, module: Module, kernel: _ptxvm.Kernel) -> None:
        self.module = module
        """The module that it belongs to."""
        self._kernel = kernel
        self.parameters: list[dict[str, Any]] = json.loads(kernel.parameters())
        """Its parameters: `name`, `type`, `size`, and `address`, whether it uses it as an address."""
        self.limits: dict[str, Any] = json.loads(kernel.limits())
        """What a launch must keep to."""
        self.name: str = kernel.name()
        """Its name."""

    def __getitem__(self, shape: Any) -> Configured:
        """The kernel with a grid and a block, each a number or up to three, and bytes of dynamic shared memory:
        `kernel[grid, block]`, `kernel[(8, 8), (16, 16), 4096]`."""
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise TypeError("a launch has a grid and a block, and may have bytes of shared memory: kernel[grid, block, shared]")
        shared = _count("shared memory", shape[2]) if len(shape) == 3 else 0
        return Configured(self, dimensions("grid", shape[0]), dimensions("block", shape[1]), shared)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"a launch needs a grid and a block: module[{self.name!r}][grid, block](…)")

    def __repr__(self) -> str:
        parameters = ", ".join(f"{one['name']}: .{one['type']}" for one in self.parameters)
        return f"<ptxvm.Kernel {self.name}({parameters})>"


@dataclass(frozen=True)
class Configured:
    """A kernel with the shape of its launch."""

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int = 0

    def __call__(
        self,
        *arguments: Any,
        cluster: Any = None,
        cooperative: bool = False,
        on_finding: str | None = None,
        **options: Any,
    ) -> Launch:
        """Launches the kernel and waits for its end.

        Arguments are numbers, NumPy arrays, tensors, what has DLPack or `__cuda_array_interface__`, and bytes for
        structures. Kernels use the memory of arrays in place. Options are those of the device, for this launch.

        Raises `Finding` for the first mistake, `LimitReached` at a `timeout`, `TypeError` and `ValueError` for arguments that
        do not fit. Ctrl-C stops the launch.
        """
        kernel = self.kernel
        how = kernel.module.device._on_finding if on_finding is None else _how(on_finding)
        prepared = passed(kernel.name, kernel.parameters, arguments)
        texts = option_texts(options)
        with prepared.held(), _translated():
            answer = kernel._kernel.launch(
                grid=self.grid,
                block=self.block,
                cluster=None if cluster is None else dimensions("cluster", cluster),
                shared=self.shared,
                cooperative=cooperative,
                arguments=prepared.values,
                arrays=prepared.ranges,
                options=texts,
                write=_print,
            )
        return _judged(self, json.loads(answer), prepared, how)


@dataclass(frozen=True)
class Statistics:
    """What a launch did. Classes of instructions and bytes are counted with `stats=True`, which takes time."""

    ctas: int = 0
    seconds: float = 0.0
    warp_instructions: int = 0
    lane_instructions: int = 0
    warp_instructions_by_class: dict[str, int] = field(default_factory=dict)
    lane_instructions_by_class: dict[str, int] = field(default_factory=dict)
    bytes_read: dict[str, int] = field(default_factory=dict)
    bytes_written: dict[str, int] = field(default_factory=dict)
    matrix_products: int = 0


@dataclass(frozen=True)
class Launch:
    """A launch that has ended."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    statistics: Statistics
    findings: list[Finding] = field(default_factory=list)
    """What was found and not raised."""
    events: list[MemoryEvent] = field(default_factory=list)
    """What happened that orders memory, with `events=True`."""

    def _repr_html_(self) -> str:
        return launch_html(self)


def _judged(launched: Configured, answer: Mapping[str, Any], prepared: Passed, how: str) -> Launch:
    """Raises or warns of what was found, and gives the launch."""
    told = [one for one in answer["findings"] if "suppressed" not in one]
    # What may be wrong, and what a right program may do too, is no finding of its own.
    found = [Finding(one) for one in told if one["kind"] == "finding"]
    remarks = [Finding(one) for one in told if one["kind"] != "finding"]
    failed = answer["failure"]
    if failed is not None:
        error = failure(failed, found)
        if not isinstance(error, Finding):
            error.findings = found  # type: ignore[attr-defined]
            raise error
        if error.kind == "read-only" and prepared.read_only:
            names = " and ".join(f"`{name}`" for name in prepared.read_only)
            error.notes.append(f"the array that is passed as {names} is not writeable; pass x.copy() to let the kernel write")
            error.text += f"\n  = note: {error.notes[-1]}"
        found.insert(0, error)
        error.others = []
    statistics = Statistics(**(answer["statistics"] or {}))
    events = [MemoryEvent._of(one) for one in answer["events"]]
    name = launched.kernel.name
    launch = Launch(name, launched.grid, launched.block, statistics, [*found, *remarks], events)
    if how != "collect":
        for one in remarks:
            warnings.warn(FindingWarning(one), stacklevel=3)
    if how == "raise" and found:
        found[0].others = found[1:]
        raise found[0]
    if how == "warn":
        for one in found:
            warnings.warn(FindingWarning(one), stacklevel=3)
    return launch


def load(source: str | bytes | os.PathLike[str], *, device: Device | str | None = None, **options: Any) -> Module:
    """Loads PTX on a new device, or on one that is given."""
    if isinstance(device, Device):
        if options:
            raise TypeError("options belong to a new device; this one has its own")
        return device.load(source)
    return Device(device, **options).load(source)


def devices() -> list[dict[str, Any]]:
    """Every GPU that a device can be."""
    all: list[dict[str, Any]] = json.loads(_ptxvm.devices())
    return all


def options() -> list[dict[str, Any]]:
    """Every option of devices and launches, with its help."""
    all: list[dict[str, Any]] = json.loads(_ptxvm.options())
    return all


def read_source(source: str | bytes | os.PathLike[str]) -> tuple[str, str]:
    """A text of PTX and what messages call it: a text has lines, a path has none."""
    if isinstance(source, bytes):
        return source.decode(), "PTX"
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith((".version", "//"))):
        return source, "PTX"
    path = os.fspath(source)
    with open(path, encoding="utf-8") as file:
        return file.read(), path


def option_texts(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Options in the words of the command line."""
    return [(name, _text(name, value)) for name, value in options.items() if value is not None]


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return ("all" if value else "none") if name == "check" else str(int(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return ",".join(str(one) for one in value)
    if isinstance(value, (int, float, numpy.number)):
        return str(value)
    raise TypeError(f"the option {name} takes a text or a number, and is given {type(value).__name__}")


def dimensions(what: str, value: Any) -> tuple[int, int, int]:
    """Three sizes from one, two or three numbers."""
    parts = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"the {what} has one to three sizes, and is given {value!r}")
    counts = [_count(what, part) for part in parts] + [1, 1]
    return counts[0], counts[1], counts[2]


def _count(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, numpy.integer)):
        raise TypeError(f"a size of the {what} is an int, and is given {value!r}")
    if not 0 <= value < 1 << 32:
        raise ValueError(f"a size of the {what} is from 0 to 2^32 - 1, and is given {value}")
    return int(value)


def _how(on_finding: str) -> str:
    if on_finding not in _HOWS:
        raise ValueError(f"on_finding is one of {', '.join(_HOWS)}, and is given {on_finding!r}")
    return on_finding


def _print(text: bytes) -> None:
    """What a kernel prints goes where Python prints."""
    sys.stdout.write(text.decode(errors="replace"))


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Raises what the module below says as exceptions of this package."""
    try:
        yield
    except _ptxvm.Failed as failed:
        raise_failed(failed)
