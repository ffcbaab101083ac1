"""Read by every Python that `ptxvm exec` starts, before the program: without torch, Triton measures with the driver.

Triton's benchmark, and with it `@triton.autotune`, takes events and a buffer from torch. Where torch is not installed,
this gives Triton's driver class events of libcuda instead. Nothing else is changed, and a program that never imports
Triton never meets it.
"""

import importlib.util
import os
import sys

TARGET = "triton.backends.nvidia.driver"


class Events:
    """What Triton asks of `torch.cuda`: events and synchronisation, on the stream that its kernels run in."""

    def __init__(self, driver):
        import ctypes

        cuda = ctypes.CDLL("libcuda.so.1")

        def ask(name, *arguments):
            answer = getattr(cuda, name)(*arguments)
            if answer != 0:
                raise RuntimeError(f"{name} answers CUresult {answer}")

        class Event:
            def __init__(self, enable_timing=False, **_):
                self.handle = ctypes.c_void_p()
                ask("cuEventCreate", ctypes.byref(self.handle), 0 if enable_timing else 2)

            def record(self, stream=None):
                stream = driver.get_current_stream(driver.get_current_device()) if stream is None else stream
                ask("cuEventRecord", self.handle, ctypes.c_void_p(stream))

            def synchronize(self):
                ask("cuEventSynchronize", self.handle)

            def elapsed_time(self, end):
                milliseconds = ctypes.c_float()
                ask("cuEventElapsedTime_v2", ctypes.byref(milliseconds), self.handle, end.handle)
                return milliseconds.value

            def __del__(self):
                cuda.cuEventDestroy_v2(self.handle)

        self.Event = Event
        self.synchronize = lambda *_: ask("cuCtxSynchronize")
        self.current_device = driver.get_current_device


def amend(module):
    """Lets the driver class work without torch; with it, everything is as Triton has it."""
    driver = getattr(module, "CudaDriver", None)
    if driver is None or importlib.util.find_spec("torch") is not None:
        return
    driver.get_device_interface = lambda self: Events(self)
    # There is no cache of the GPU's to be cleared before a measurement.
    driver.get_empty_cache_for_benchmark = lambda self: None
    driver.clear_cache = lambda self, cache: None


class Finder:
    """Lets others find the module, and amends it when it has been loaded."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != TARGET:
            return None
        sys.meta_path.remove(cls)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                amend(module)

            spec.loader.exec_module = exec_module
        return spec


def give_way():
    """Leaves no trace in the path, and lets a `sitecustomize` of the user's own have its turn."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    own = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "sitecustomize":
            raise
        # Python wants to find what it has imported.
        sys.modules["sitecustomize"] = own


sys.meta_path.insert(0, Finder)
give_way()
