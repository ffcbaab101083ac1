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


def scalar(value, kind):
    return "bytes", np.array(value, SCALARS[kind]).tobytes()


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
        maps = iter(getattr(metadata, "tensordesc_meta", None) or [])
        arguments = []
        for value, kind in zip(bound.values(), kernel.src.signature.values()):
            if kind.startswith("tensordesc"):
                arguments += self.descriptor(value, next(maps, None))
            elif kind.startswith("*"):
                arguments.append(self.buffer(value))
            elif kind != "constexpr":
                arguments.append(scalar(value, kind))
        if kernel.hash not in self.images:
            self.images[kernel.hash] = assemble(kernel.asm["ptx"])
        grid = (*grid, 1, 1)[:3]
        programs = grid[0] * grid[1] * grid[2] * metadata.num_ctas
        self.launches.append({"image": kernel.hash, "name": metadata.name, "grid": grid, "ctas": metadata.num_ctas,
                              "threads": metadata.num_warps * 32, "shared": metadata.shared, "arguments": arguments,
                              "dependent": metadata.launch_pdl, "scratch": metadata.global_scratch_size * programs})

    def buffer(self, tensor):
        return "buffer", next(i for i, t in enumerate(self.tensors) if t is tensor)

    def descriptor(self, value, encoding):
        """What a kernel gets for a host's descriptor: a tensor map if it asks for one, or else the parts of it."""
        shape = [scalar(n, "i32") for n in value.shape]
        strides = [scalar(n, "i64") for n in value.strides]
        if encoding is None:
            sizes = [scalar(n, "i64") for n in value.shape]
            flags = [scalar(value.padding == "nan", "i1"), scalar(value.round_f32_to_tf32, "i1")]
            return [self.buffer(value.base), *sizes, *strides, *flags, *shape, *strides]
        from triton.backends.nvidia.driver import TMA_DTYPE_DEVICE_TO_HOST

        assert not encoding["fp4_padded"] and value.padding == "zero" and not value.round_f32_to_tf32
        size = encoding["elem_size"]
        tensor_map = {"buffer": self.buffer(value.base)[1], "type": TMA_DTYPE_DEVICE_TO_HOST[encoding["elem_type"]],
                      "sizes": list(value.shape)[::-1], "strides": [size * n for n in list(value.strides)[-2::-1]],
                      "box": list(encoding["block_size"])[::-1], "swizzle": encoding["swizzle"]}
        return [("map", tensor_map), *shape, *strides]

    def write(self, path):
        with open(path, "wb") as file:
            pickle.dump({"sm": self.sm, "images": self.images, "tests": self.tests}, file)
