"""Writes down the launches of the tests, so that an H200 can run them without Triton (see replay.py).

The H200 must run the very PTX that the tests run here, which its own Triton, of another version, would not make.
So the tests run once with a driver that compiles and launches nothing; what would have been launched goes to a file,
its PTX assembled by NVIDIA's ptxas for an H200 whatever the target is (an H200 runs PTX for sm_80, too):

    pytest tests/clients/triton --capture-for=90 --capture-to=sm_90.pickle

with TRITON_PTXAS_PATH and TRITON_PTXAS_BLACKWELL_PATH naming NVIDIA's ptxas.
"""

import contextlib
import os
import pathlib
import pickle
import subprocess
import tempfile

import numpy as np

SCALARS = {"i1": "<i1", "u1": "<u1", "i8": "<i1", "u8": "<u1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4",
           "i64": "<i8", "u64": "<u8", "fp16": "<f2", "fp32": "<f4", "fp64": "<f8"}


def assemble(ptx):
    """The H200's machine code, with no multiplication fused with an addition."""
    target = "sm_90a" if ".target sm_90a" in ptx else "sm_90"
    with tempfile.TemporaryDirectory() as folder:
        source, image = pathlib.Path(folder, "kernel.ptx"), pathlib.Path(folder, "kernel.cubin")
        source.write_text(ptx)
        subprocess.run([os.environ["TRITON_PTXAS_PATH"], "--fmad=false", f"--gpu-name={target}", source, "-o", image], check=True)
        return image.read_bytes()


class CompilingDriver:
    """The part of Triton's driver that compiling asks."""

    def __init__(self, sm):
        self.sm = sm

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", self.sm, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device):
        return 0


class Recorder:
    """Keeps, for each test, its tensors' first bytes and its launches."""

    def __init__(self, sm):
        from triton.runtime import driver
        from triton.runtime.jit import JITFunction

        self.sm = sm
        self.tests = {}
        self.images = {}
        self.launches = None
        self.tensors = []
        driver.set_active(CompilingDriver(sm))
        compile_and_run = JITFunction.run

        def run(function, *args, grid, warmup, **kwargs):
            kernel = compile_and_run(function, *args, grid=grid, warmup=True, **kwargs)
            bound, _, _ = function.device_caches[0][4](*args, **kwargs)
            self.note(kernel, grid(bound) if callable(grid) else grid, bound)
            return kernel

        JITFunction.run = run

    @contextlib.contextmanager
    def test(self, name, tensors, keep):
        self.launches, self.tensors = [], tensors
        yield
        if keep and self.launches:
            self.tests[name] = {"buffers": [t.array.tobytes() for t in tensors], "launches": self.launches}
        self.launches = None

    def note(self, kernel, grid, bound):
        # A tensor's bytes are read when the test ends: nothing here writes to them.
        if self.launches is None or kernel is None:
            return
        metadata = kernel.metadata
        assert metadata.global_scratch_size == 0 and metadata.num_ctas == 1
        arguments = []
        for (name, value), kind in zip(bound.items(), kernel.src.signature.values()):
            if kind == "constexpr":
                continue
            if kind.startswith("*"):
                index = next(i for i, t in enumerate(self.tensors) if t is value)
                arguments.append(("buffer", index))
            else:
                arguments.append(("bytes", np.array(value, SCALARS[kind]).tobytes()))
        if kernel.hash not in self.images:
            self.images[kernel.hash] = assemble(kernel.asm["ptx"])
        self.launches.append({"image": kernel.hash, "name": metadata.name, "grid": (*grid, 1, 1)[:3],
                              "threads": metadata.num_warps * 32, "shared": metadata.shared, "arguments": arguments})

    def write(self, path):
        with open(path, "wb") as file:
            pickle.dump({"sm": self.sm, "images": self.images, "tests": self.tests}, file)
