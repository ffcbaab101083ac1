"""nvJitLink under `ptxvm exec`: PTX and LTO-IR linked in every mixture, by cuda-core and by cuda-bindings."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from cuda.bindings import nvjitlink
from cuda.core import LaunchConfig, Linker, LinkerOptions, ObjectCode, Program, ProgramOptions, launch

CALLER = """
extern "C" __device__ int first(int);
extern "C" __device__ int second(int);
extern "C" __global__ void k(int *x) { x[threadIdx.x] = first(x[threadIdx.x]) + second(3); }
"""
# Nothing of its own language calls `third`: it has to be kept for what the other is linked with.
FIRST = """
extern "C" __device__ int first(int x) { return 3 * x; }
extern "C" __device__ int third(int x) { return 7 * x; }
"""
SECOND = """
extern "C" __device__ int third(int);
__device__ int base = 1;
extern "C" __device__ int second(int x) { return third(x) + base; }
"""


def compiled(device, code, kind):
    options = ProgramOptions(
        arch=f"sm_{device.arch}", relocatable_device_code=True, link_time_optimization=True if kind == "ltoir" else None)
    return Program(code, "c++", options=options).compile(kind)


def linked(device, *kinds, **options):
    objects = [compiled(device, code, kind) for code, kind in zip((CALLER, FIRST, SECOND), kinds)]
    options = LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=True if "ltoir" in kinds else None, **options)
    return Linker(*objects, options=options)


@pytest.mark.parametrize("kinds", [*itertools.product(("ptx", "ltoir"), repeat=3)], ids="-".join)
def test_every_mixture(device, stream, memory, kinds):
    image = linked(device, *kinds).link("cubin")
    x = memory(np.arange(32, dtype=np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), image.get_kernel("k"), x.buffer)
    np.testing.assert_array_equal(x.numpy(), 3 * np.arange(32) + 22)


def test_the_linked_ptx(device, stream, memory):
    """Of LTO-IR alone there is PTX, in which everything has been put into the kernel."""
    image = linked(device, "ltoir", "ltoir", "ltoir", ptx=True).link("ptx")
    assert b".entry k" in bytes(image.code) and b"call" not in bytes(image.code)
    x = memory(np.arange(32, dtype=np.int32))
    kernel = ObjectCode.from_ptx(bytes(image.code).rstrip(b"\0")).get_kernel("k")
    launch(stream, LaunchConfig(grid=1, block=32), kernel, x.buffer)
    np.testing.assert_array_equal(x.numpy(), 3 * np.arange(32) + 22)


def test_what_is_missing_is_named(device):
    for kind in ("ptx", "ltoir"):
        with pytest.raises(Exception, match="'third'"):
            objects = [compiled(device, SECOND + CALLER, kind), compiled(device, "extern \"C\" __device__ int first(int x) { return x; }", kind)]
            options = LinkerOptions(arch=f"sm_{device.arch}", link_time_optimization=True if kind == "ltoir" else None)
            Linker(*objects, options=options).link("cubin")


def test_linking_again(device, stream, memory):
    """LTO-IR linked with `-r` keeps what is called by what it is linked with later."""
    def link(options, *inputs):
        handle = nvjitlink.create(len(options), options)
        for kind, code in inputs:
            nvjitlink.add_data(handle, kind, code, len(code), "input")
        nvjitlink.complete(handle)
        image = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, image)
        nvjitlink.destroy(handle)
        return bytes(image)

    arch = f"-arch=sm_{device.arch}"
    kinds = nvjitlink.InputType
    ltoir = [(kinds.LTOIR, bytes(compiled(device, code, "ltoir").code)) for code in (CALLER, FIRST)]
    half = link([arch, "-lto", "-r"], *ltoir)
    image = link([arch], (kinds.CUBIN, half), (kinds.PTX, bytes(compiled(device, SECOND, "ptx").code)))
    x = memory(np.arange(32, dtype=np.int32))
    launch(stream, LaunchConfig(grid=1, block=32), ObjectCode.from_cubin(image).get_kernel("k"), x.buffer)
    np.testing.assert_array_equal(x.numpy(), 3 * np.arange(32) + 22)


def test_bindings(device):
    """What cuda-bindings looks up is there."""
    assert nvjitlink.version() >= (13, 0)
    with pytest.raises(nvjitlink.nvJitLinkError, match="UNRECOGNIZED_OPTION"):
        nvjitlink.create(1, ["-nonsense"])
    with pytest.raises(nvjitlink.nvJitLinkError, match="MISSING_ARCH"):
        nvjitlink.create(0, [])


NUMBA = """
import numpy, sys
from numba import cuda
from numba.cuda.cudadrv.driver import _have_nvjitlink
@cuda.jit
def double(x): x[cuda.grid(1)] *= 2
x = numpy.arange(32.0)
double[1, 32](x)
print(_have_nvjitlink(), x.sum())
"""


@pytest.mark.parametrize("installed", (True, False))
def test_numba(installed):
    """Numba compiles to LTO-IR where NVIDIA's library is there to read it, else to PTX, and runs either way."""
    environment = os.environ if installed else os.environ | {"PTXVM_NVJITLINK": "/there/is/none"}
    ran = subprocess.run([sys.executable, "-c", NUMBA], env=environment, capture_output=True, text=True, timeout=120)
    assert ran.stdout == f"{installed} 992.0\n", ran.stderr
    assert "too old" not in ran.stderr
