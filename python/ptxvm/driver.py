"""The libcuda of this process, as far as it is ours: what Triton, Numba and cuda-core launch their kernels with.

A `ptxvm.Device` is a GPU of its own beside it. What both share is the process's memory: a `Tensor` and a NumPy array lie in
it, and either may use them in place. `docs/python.md` has the whole picture.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import shutil
import tempfile
from typing import Any, Iterator

from . import _files
from .findings import Error

_ours: ctypes.CDLL | None = None


class DriverError(Error):
    """The driver has answered a call with an error. `code` is the `CUresult`; the finding is on standard error."""

    def __init__(self, call: str, code: int) -> None:
        super().__init__(f"{call} answers CUresult {code}")
        self.code = code


def loaded() -> ctypes.CDLL | None:
    """Our libcuda, if this process has loaded it."""
    global _ours
    if _ours is None:
        with contextlib.suppress(OSError):
            library = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
            if hasattr(library, "ptxvm_declare_host_range"):
                _ours = library
    return _ours


def load(**options: Any) -> None:
    """Loads our libcuda into this process, for clients that are imported afterwards: a notebook needs no `ptxvm exec`.

    Options are those of `ptxvm exec`, such as `device="b200"` and `check="race"`. Does nothing if it is there already, and
    then takes no options. Programs that load libcudart or nvJitLink before it have NVIDIA's; `ptxvm exec` does more.
    """
    if loaded() is not None:
        if options:
            raise Error("libcuda has been loaded, and has read its options; call ptxvm.driver.load before clients are imported")
        return
    from .device import option_texts  # here, since NumPy is read with it

    folder = _files.libraries()
    own = tempfile.mkdtemp(prefix="ptxvm-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    assembler = os.path.join(own, "ptxas")
    os.symlink(_files.command(), assembler)
    for name, text in option_texts(options):
        os.environ["PTXVM_" + name.upper()] = text
    os.environ.setdefault("TRITON_LIBCUDA_PATH", str(folder))
    os.environ.setdefault("NUMBA_CUDA_DRIVER", str(folder / "libcuda.so.1"))
    for variable in ("TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"):
        os.environ.setdefault(variable, assembler)
    # What Triton has compiled for a GPU, and for another device, is of no use here.
    os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(own, "triton"))
    global_names = os.RTLD_NOW | os.RTLD_GLOBAL
    for name in ("libnvJitLink.so.13", "libcudart.so.13", "libcuda.so.1"):
        ctypes.CDLL(str(folder / name), mode=global_names)
    if loaded() is None:
        raise Error("another libcuda.so.1 has been loaded before")


def ask(name: str, *arguments: Any) -> None:
    """Calls the driver, and raises what it answers. Under `ptxvm exec` it is loaded if no client has done that yet."""
    if loaded() is None and "PTXVM_REPORT" in os.environ:
        ctypes.CDLL("libcuda.so.1")
    library = loaded()
    if library is None:
        raise Error("this process has not loaded ptxvm's libcuda: run it with `ptxvm exec`, or call ptxvm.driver.load()")
    code = getattr(library, name)(*arguments)
    if code != 0:
        raise DriverError(name, code)


def has_context() -> bool:
    """Whether the calling thread has a context, so that work of its clients may be under way."""
    library = loaded()
    context = ctypes.c_void_p()
    return library is not None and library.cuCtxGetCurrent(ctypes.byref(context)) == 0 and bool(context.value)


def synchronize() -> None:
    """Waits for all work that clients have given to the driver. Without a client there is none."""
    if has_context():
        ask("cuCtxSynchronize")


def declare(address: int, bytes: int) -> bool:
    """Lets kernels of clients use exactly these bytes. Says whether there is such a driver, and `forget` is due."""
    library = loaded()
    if library is None or bytes == 0:
        return False
    return bool(library.ptxvm_declare_host_range(ctypes.c_void_p(address), ctypes.c_size_t(bytes)) == 0)


def forget(address: int, bytes: int) -> None:
    """Takes back what `declare` said."""
    library = loaded()
    if library is not None:
        library.ptxvm_forget_host_range(ctypes.c_void_p(address), ctypes.c_size_t(bytes))


def enter() -> None:
    """Gives the calling thread the device's primary context, which clients use too, if it has none."""
    if not has_context():
        ask("cuInit", 0)
        context = ctypes.c_void_p()
        ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        ask("cuCtxSetCurrent", context)


@contextlib.contextmanager
def primary_context() -> Iterator[None]:
    """The device's primary context, which Triton, Numba and others use, as the calling thread's."""
    if has_context():
        yield
        return
    ask("cuInit", 0)
    context = ctypes.c_void_p()
    ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    ask("cuCtxPushCurrent_v2", context)
    try:
        yield
    finally:
        ask("cuCtxPopCurrent_v2", ctypes.byref(context))
        ask("cuDevicePrimaryCtxRelease_v2", 0)


def to_host(address: int, bytes: int) -> bytearray:
    """A copy of the driver's device memory."""
    copy = bytearray(bytes)
    with primary_context():
        ask("cuMemcpyDtoH_v2", (ctypes.c_char * bytes).from_buffer(copy), ctypes.c_uint64(address), ctypes.c_size_t(bytes))
    return copy


def from_host(address: int, copy: bytearray) -> None:
    """Puts bytes into the driver's device memory."""
    with primary_context():
        ask("cuMemcpyHtoD_v2", ctypes.c_uint64(address), (ctypes.c_char * len(copy)).from_buffer(copy), ctypes.c_size_t(len(copy)))
