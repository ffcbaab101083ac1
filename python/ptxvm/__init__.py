"""ptxvm runs NVIDIA GPU kernels (PTX) on a plain CPU, with the bits of a GPU, and says exactly what is wrong with a wrong one.

```python
import numpy, ptxvm

module = ptxvm.Device("h200").load("saxpy.ptx")
x, y = numpy.arange(1000, dtype="float32"), numpy.ones(1000, "float32")
module["saxpy"][8, 128](1000, 2.0, x, y)
```
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import driver as driver
    from ._ptxvm import VERSION as __version__
    from .clock import Event as Event
    from .clock import do_bench as do_bench
    from .device import Configured as Configured
    from .device import Device as Device
    from .device import Kernel as Kernel
    from .device import Launch as Launch
    from .device import Module as Module
    from .device import Statistics as Statistics
    from .device import Variable as Variable
    from .device import devices as devices
    from .device import load as load
    from .device import options as options
    from .findings import Bug as Bug
    from .findings import Diagnostic as Diagnostic
    from .findings import Error as Error
    from .findings import Finding as Finding
    from .findings import FindingWarning as FindingWarning
    from .findings import InvalidPtx as InvalidPtx
    from .findings import LimitReached as LimitReached
    from .findings import MemoryEvent as MemoryEvent
    from .findings import Place as Place
    from .findings import Source as Source
    from .findings import Thread as Thread
    from .findings import Unsupported as Unsupported
    from .tensor import Tensor as Tensor
    from .text import Checked as Checked
    from .text import Form as Form
    from .text import Page as Page
    from .text import check as check
    from .text import explain as explain
    from .text import fmt as fmt
    from .text import isa as isa

# Modules are read when something of them is used: pytest reads this package at every start, for its plugin, and NumPy is
# only needed by those who launch kernels from Python.
_HOMES = {
    "clock": ("Event", "do_bench"),
    "device": ("Configured", "Device", "Kernel", "Launch", "Module", "Statistics", "Variable", "devices", "load", "options"),
    "findings": (
        "Bug",
        "Diagnostic",
        "Error",
        "Finding",
        "FindingWarning",
        "InvalidPtx",
        "LimitReached",
        "MemoryEvent",
        "Place",
        "Source",
        "Thread",
        "Unsupported",
    ),
    "tensor": ("Tensor",),
    "text": ("Checked", "Form", "Page", "check", "explain", "fmt", "isa"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted([*_HOME_OF, "driver"])


def __getattr__(name: str) -> Any:
    if name == "driver":
        return importlib.import_module(".driver", __name__)
    if name == "__version__":
        value = importlib.import_module("._ptxvm", __name__).VERSION
    elif name in _HOME_OF:
        try:
            value = getattr(importlib.import_module(f".{_HOME_OF[name]}", __name__), name)
        except ModuleNotFoundError as error:
            if error.name == "numpy":
                raise ModuleNotFoundError(f"ptxvm.{name} needs NumPy: pip install numpy", name="numpy") from None
            raise
    else:
        raise AttributeError(f"module 'ptxvm' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
