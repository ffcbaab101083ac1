"""Read by every Python that `ptxvm exec` starts, before the program.

It says where Python's packages have NVIDIA's linker, which ptxvm's own asks about LTO-IR. Where there is none, Numba is
told so: it compiles to LTO-IR if it finds any nvJitLink, else to PTX.

And it lets Triton measure with the driver where there is no torch: Triton's benchmark, and with it `@triton.autotune`,
takes events and a buffer from torch, in whose place its driver class is given events of libcuda. A program that never
imports Triton never meets that.
"""

import glob
import importlib.util
import os
import sys

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


def amend_triton(module):
    """Lets the driver class work without torch; with it, everything is as Triton has it."""
    driver = getattr(module, "CudaDriver", None)
    if driver is None or importlib.util.find_spec("torch") is not None:
        return
    driver.get_device_interface = lambda self: Events(self)
    # There is no cache of the GPU's to be cleared before a measurement.
    driver.get_empty_cache_for_benchmark = lambda self: None
    driver.clear_cache = lambda self, cache: None


def amend_numba(module):
    """Says that there is no nvJitLink if the one that is there cannot read LTO-IR."""
    import ctypes

    found = getattr(module, "_have_nvjitlink", None)
    try:
        can_read = ctypes.CDLL("libnvJitLink.so.13").ptxvm_reads_ltoir
    except (OSError, AttributeError):
        return
    if found is not None:
        module._have_nvjitlink = lambda: bool(can_read()) and found()


AMENDED = {"triton.backends.nvidia.driver": amend_triton, "numba.cuda.cudadrv.driver": amend_numba}


class Finder:
    """Lets others find a module, and amends it when it has been loaded."""

    def __init__(self, target, amend):
        self.target, self.amend = target, amend

    def find_spec(self, name, path=None, target=None):
        if name != self.target:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                self.amend(module)

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


def name_linkers():
    """Names the folders with NVIDIA's libnvJitLink, in the order of the path."""
    found = (glob.glob(os.path.join(glob.escape(entry), "nvidia/*/lib/libnvJitLink.so.13")) for entry in sys.path)
    folders = [os.path.dirname(os.path.abspath(file)) for files in found for file in sorted(files)]
    if folders:
        os.environ["PTXVM_NVJITLINK_PATH"] = os.pathsep.join(folders)


sys.meta_path[:0] = [Finder(target, amend) for target, amend in AMENDED.items()]
name_linkers()
give_way()
