"""Times of kernels without torch: an event of libcuda's, and a `do_bench` for Triton's autotuner."""

from __future__ import annotations

import ctypes
import statistics
from typing import Any, Callable, Sequence

from . import driver


class Event:
    """A point in the work of the default stream, by the driver's clock, as `torch.cuda.Event` is one.

    ```python
    start, end = ptxvm.Event(), ptxvm.Event()
    start.record()
    kernel[grid](x)
    end.record()
    print(start.elapsed_time(end), "ms")
    ```
    """

    def __init__(self, enable_timing: bool = True, **_: Any) -> None:
        self._handle = ctypes.c_void_p()
        driver.enter()
        driver.ask("cuEventCreate", ctypes.byref(self._handle), 0 if enable_timing else 2)

    def record(self, stream: int | None = None) -> None:
        """Notes the time when all work that the stream has been given is done."""
        driver.ask("cuEventRecord", self._handle, ctypes.c_void_p(stream or 0))

    def synchronize(self) -> None:
        """Waits for that."""
        driver.ask("cuEventSynchronize", self._handle)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds from this to another, for whose end it waits."""
        end.synchronize()
        milliseconds = ctypes.c_float()
        driver.ask("cuEventElapsedTime_v2", ctypes.byref(milliseconds), self._handle, end._handle)
        return milliseconds.value

    def __del__(self) -> None:
        library = driver.loaded() if driver is not None else None
        if library is not None and self._handle:
            library.cuEventDestroy_v2(self._handle)


def do_bench(
    kernel_call: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Any = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
) -> Any:
    """The time of a call in milliseconds, as `triton.testing.do_bench` gives it: `@triton.autotune(…, do_bench=ptxvm.do_bench)`.

    `warmup` and `rep` are milliseconds to spend. The times are those of this machine, and say nothing of a GPU's.
    """
    modes: dict[str, Callable[[list[float]], Any]] = {
        "mean": statistics.fmean,
        "median": statistics.median,
        "min": min,
        "max": max,
        "all": list,
    }
    if return_mode not in modes:
        raise ValueError(f"return_mode is one of {', '.join(modes)}, and is given {return_mode!r}")
    first = _measured(kernel_call)
    for _ in range(int(warmup / max(first, 1e-3))):
        kernel_call()
    times = [_measured(kernel_call) for _ in range(max(1, int(rep / max(first, 1e-3))))]
    if quantiles is not None:
        at = [_quantile(sorted(times), quantile) for quantile in quantiles]
        return at[0] if len(at) == 1 else at
    return modes[return_mode](times)


def _measured(kernel_call: Callable[[], Any]) -> float:
    start, end = Event(), Event()
    start.record()
    kernel_call()
    end.record()
    return start.elapsed_time(end)


def _quantile(ordered: list[float], quantile: float) -> float:
    """Between its two neighbours, as numpy.quantile has it."""
    at = quantile * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])
