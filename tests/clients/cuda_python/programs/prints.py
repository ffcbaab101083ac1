"""Prints from kernels between prints of the host."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from conftest import compile_cuda  # noqa: E402
from cuda.core import Device, LaunchConfig, launch  # noqa: E402
import numpy as np  # noqa: E402

device = Device()
device.set_current()
stream = device.create_stream()
kernel = compile_cuda(r"""
extern "C" __global__ void k(int n) { printf("thread %d of launch %d: %.2f %s\n", threadIdx.x, n, threadIdx.x * 0.5, "ok"); }
""").get_kernel("k")
for n in (1, 2):
    print("host", n, flush=True)
    launch(stream, LaunchConfig(grid=1, block=4), kernel, np.int32(n))
    stream.sync()
print("host 3", flush=True)
