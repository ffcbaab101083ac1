"""What compute-sanitizer's racecheck costs on an H200: the six kernels of `machine/kernels/six.ptx`, each launched and waited
for, in milliseconds. Run it alone and under the tool, and divide:

    python bench/racecheck.py
    compute-sanitizer --tool racecheck python bench/racecheck.py
"""

import ctypes
import pathlib
import statistics
import time

CASES = {  # kernel: grid, block, the bytes of its buffers, numbers
    "vadd": ((8192, 1), (256, 1), [8 << 20] * 3, [ctypes.c_uint(2097152)]),
    "sgemm_naive": ((16, 16), (16, 16), [1 << 18] * 3, [ctypes.c_uint(256)]),
    "sgemm_tiled": ((16, 16), (16, 16), [1 << 18] * 3, [ctypes.c_uint(256)]),
    "reduce": ((4096, 1), (256, 1), [4 << 20, 1 << 14], [ctypes.c_uint(1048576)]),
    "nbody": ((8, 1), (256, 1), [1 << 15] * 2, [ctypes.c_uint(2048), ctypes.c_float(0.01)]),
    "mandel": ((32, 32), (16, 16), [1 << 20], [ctypes.c_uint(512), ctypes.c_uint(512)]),
}

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    result = getattr(cuda, name)(*arguments)
    if result:
        raise SystemExit(f"{name} answers {result}")


def main():
    context, module = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    text = (pathlib.Path(__file__).parent / "machine/kernels/six.ptx").read_bytes()
    call("cuModuleLoadData", ctypes.byref(module), ctypes.c_char_p(text))
    for name, (grid, block, sizes, numbers) in CASES.items():
        kernel, values = ctypes.c_void_p(), []
        call("cuModuleGetFunction", ctypes.byref(kernel), module, name.encode())
        for size in sizes:
            pointer = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
            call("cuMemsetD8_v2", pointer, 0, ctypes.c_size_t(size))
            values.append(pointer)
        values += numbers
        addresses = (ctypes.c_void_p * len(values))(*(ctypes.addressof(value) for value in values))
        times = []
        for _ in range(6):
            call("cuCtxSynchronize")
            start = time.perf_counter()
            call("cuLaunchKernel", kernel, *grid, 1, *block, 1, 0, None, addresses, None)
            call("cuCtxSynchronize")
            times.append(time.perf_counter() - start)
        print(f"{name:12} {statistics.median(times[1:]) * 1e3:10.3f} ms", flush=True)


main()
