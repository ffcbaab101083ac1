"""Makes one mistake on the device, and says what the driver answers: at once, to a copy, and to a launch."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
from conftest import ask, compile_cuda  # noqa: E402
from cuda.bindings import driver  # noqa: E402
from cuda.core import Device  # noqa: E402

device = Device()
device.set_current()
module = compile_cuda("""
extern "C" __global__ void fault(int which, char *p, int x) {
    if (which == 0) assert(x < 10);
    if (which == 1) __trap();
    if (which == 2) *(volatile int *)nullptr = 1;
    if (which == 3) p[1ull << 40] = 1;
    if (which == 4) *(volatile int *)(p + 1) = 1;
}""")
kernel = ask(driver.cuKernelGetFunction(module.get_kernel("fault").handle))
place = ask(driver.cuMemAlloc(64))
which = ["assert", "trap", "null", "bounds", "misaligned"].index(sys.argv[1])

import ctypes  # noqa: E402

values = ((which, place, 50), (ctypes.c_int, None, ctypes.c_int))
ask(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, values, 0))
print(driver.cuCtxSynchronize()[0].name)
print(driver.cuMemsetD8(place, 0, 64)[0].name)
print(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, values, 0)[0].name, flush=True)
