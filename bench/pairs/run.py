"""Small kernels of many kinds beside PoCL: each is one text for CUDA and for OpenCL, so that both do the same work.

    python3 -m venv /tmp/pairs && /tmp/pairs/bin/pip install numpy pyopencl nvidia-cuda-nvrtc==13.1.115
    apt-get install pocl-opencl-icd
    ptxvm exec --engine compile --threads 0 -- /tmp/pairs/bin/python bench/pairs/run.py [ROUNDS [NAME ...]]

NVRTC makes the PTX, which runs on the libcuda of `ptxvm exec`; PoCL compiles the same text. Both run in turn in one
process, and the fastest of ROUNDS (7) counts. What they leave in memory is compared.
"""

import ctypes as C
import pathlib
import sys
import time

import numpy as np
import nvidia.cu13
import pyopencl as cl

HERE = pathlib.Path(__file__).parent
SOURCE = "".join((HERE / name).read_text() for name in ("dialect.h", "numbers.c", "words.c"))
RANDOM = np.random.default_rng(1)
N = 1 << 16
W = 1024
SIDE = np.int32(W)


def f32(count):
    return RANDOM.random(count, dtype=np.float32) + np.float32(0.1)


def f64(count):
    return RANDOM.random(count)


def i32(count, end=1 << 30):
    return RANDOM.integers(0, end, count).astype(np.int32)


def u8(count, end=256):
    return RANDOM.integers(0, end, count).astype(np.uint8)


def u32(count):
    return RANDOM.integers(0, 1 << 32, count, dtype=np.uint64).astype(np.uint32)


def u64(count):
    return RANDOM.integers(1, 1 << 62, count).astype(np.uint64)


def rows(lengths):
    """Where each row of a sparse matrix begins, and the columns of its elements."""
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return starts, i32(starts[-1], N)


def forest(trees, depth):
    """The children of each node; a leaf has none."""
    left, right = [-1] * trees, [-1] * trees
    level = list(range(trees))
    for at in range(depth):
        below = []
        for node in level:
            if at > 2 and RANDOM.random() < 0.25:
                continue
            for side in (left, right):
                side[node] = len(left)
                left.append(-1)
                right.append(-1)
                below.append(side[node])
        level = below
    return np.array(left, np.int32), np.array(right, np.int32)


def cases():
    """The kernels, each with its grid, its block and its arguments."""
    number = np.int32
    left, right = forest(16, 8)
    nodes = len(left)
    sphere, shift = np.tile(np.float32([2, 2, 6, 0.3]), 64), np.tile(np.float32([1, 1, -1, 0]), 64)
    image, small, tile = (64, 64), (32, 32), (16, 16)
    by_rows = rows(RANDOM.poisson(12, N))
    return [
        ("gemv_thread", (64,), (128,), [f32(8192 * 512), f32(512), f32(8192), number(512)]),
        ("gemv_cta", (2048,), (128,), [f32(2048 * 2048), f32(2048), f32(2048), number(2048)]),
        ("conv5", image, tile, [f32(W * W), f32(W * W), f32(25), SIDE, SIDE]),
        ("blackscholes", (1024,), (256,), [f32(1 << 18) for _ in range(5)]),
        ("pi", (256,), (256,), [u32(N), number(256)]),
        ("life", image, tile, [u8(W * W, 2), u8(W * W), SIDE, SIDE]),
        ("sobel", image, tile, [u8(W * W), u8(W * W), SIDE, SIDE]),
        ("floyd", image, tile, [i32(W * W, 1000), SIDE, number(5)]),
        ("hist_shared", (64,), (256,), [u32(1 << 20), i32(256, 1), number(1 << 20)]),
        ("kmeans", (256,), (256,), [f32(8 * N), f32(8 * 32), i32(N), number(N), number(32)]),
        ("jacobi3d", (4, 16), (32, 8), [f32(128**3), f32(128**3), number(128)]),
        ("nw", (256,), (64,), [i32(256 * 64, 4), i32(256 * 64, 4), i32(256 * 64)]),
        ("sort_rows", (256,), (128,), [i32(N // 2 * 32), i32(N // 2 * 32)]),
        ("gauss", image, tile, [f32(W * W) + 1, SIDE, number(3)]),
        ("crc", (256,), (128,), [u32(256), u8(32768 * 64), u32(32768), number(64)]),
        ("aes", (256,), (256,), [u32(256), u32(N * 4), u32(N * 4)]),
        ("median", image, tile, [f32(W * W), f32(W * W), SIDE, SIDE]),
        ("dct8", (128, 128), (64,), [f32(W * W), f32(W * W), f32(64), SIDE]),
        ("levenshtein", (128,), (128,), [u8(32, 4), u8(16384 * 32, 4), i32(16384), number(32)]),
        ("forest", (128,), (128,), [left, right, f32(nodes), i32(nodes, 16), f32(16384 * 16), f32(16384), number(16), number(16)]),
        ("spheres", small, tile, [f32(4 * 64) * sphere - shift, f32(512 * 512), number(512), number(64)]),
        ("dfa", (256,), (128,), [u8(16 * 256, 16), u8(32768 * 64), i32(32768), number(64)]),
        ("boxmuller", (128,), (256,), [f32(32768), number(16)]),
        ("heat64", image, tile, [f64(W * W), f64(W * W), SIDE]),
        ("gemm64", tile, tile, [f64(N), f64(N), f64(N), number(256)]),
        ("hamming", (256,), (128,), [u32(N), u32(1024), i32(32768), number(256)]),
        ("multiply_64", (256,), (256,), [u64(N), u64(N), number(64)]),
        ("gcd", (256,), (256,), [u32(N), u32(N) | np.uint32(1), u32(N)]),
        ("pagerank", (256,), (256,), [*by_rows, f32(N), i32(N, 20) + 1, f32(N)]),
        ("spmv", (256,), (256,), [*by_rows, f32(len(by_rows[1])), f32(N), f32(N)]),
        ("scan_blelloch", (512,), (256,), [i32(1 << 18, 100), i32(1 << 18)]),
        ("walk_tree", (4096,), (128,), [i32(4096), i32(32768 * 16), number(4096)]),
        ("normalise", (1024,), (256,), [f32(3 << 18), f32(3 << 18), number(1 << 18)]),
        ("rgb2gray", (2048,), (256,), [u8(3 << 19), u8(1 << 19), number(1 << 19)]),
        ("strsearch", (1024,), (256,), [u8((1 << 18) + 64, 2), u8(16, 2), i32(1 << 18), number(1 << 18), number(16)]),
        ("attention", (32,), (128,), [f32(4096 * 16), f32(256 * 16), f32(256 * 16), f32(4096 * 16), number(256)]),
        ("bilateral", small, tile, [f32(512 * 512), f32(512 * 512), number(512), number(512)]),
        ("radix_count", (1024,), (64,), [u32(1 << 20), i32(16 * 1024), number(1 << 20), number(4)]),
    ]


def ptx():
    """The PTX of all kernels."""
    library = next(pathlib.Path(next(iter(nvidia.cu13.__path__))).glob("lib/libnvrtc.so.*"))
    nvrtc, program, size = C.CDLL(str(library)), C.c_void_p(), C.c_size_t()
    nvrtc.nvrtcCreateProgram(C.byref(program), SOURCE.encode(), b"pairs.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, 1, (C.c_char_p * 1)(b"--gpu-architecture=compute_80"))
    size_of, get = (nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog) if failed else (nvrtc.nvrtcGetPTXSize, nvrtc.nvrtcGetPTX)
    size_of(program, C.byref(size))
    text = C.create_string_buffer(size.value)
    get(program, text)
    if failed:
        sys.exit(text.value.decode())
    return text


class Cuda:
    """What this needs of the driver API."""

    def __init__(self):
        self.library = C.CDLL("libcuda.so.1")
        device, context = C.c_int(), C.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", C.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", C.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.module = C.c_void_p()
        self.call("cuModuleLoadData", C.byref(self.module), ptx())

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            sys.exit(f"{name}: {result}")

    def put(self, array):
        at = C.c_uint64()
        self.call("cuMemAlloc_v2", C.byref(at), C.c_size_t(array.nbytes))
        self.call("cuMemcpyHtoD_v2", at, array.ctypes.data_as(C.c_void_p), C.c_size_t(array.nbytes))
        return at

    def get(self, at, like):
        array = np.empty_like(like)
        self.call("cuMemcpyDtoH_v2", array.ctypes.data_as(C.c_void_p), at, C.c_size_t(array.nbytes))
        return array

    def kernel(self, name, grid, block, arguments):
        """A function that launches a kernel and waits for it."""
        function = C.c_void_p()
        self.call("cuModuleGetFunction", C.byref(function), self.module, name.encode())
        pointers = (C.c_void_p * len(arguments))(*(C.addressof(argument) for argument in arguments))
        shape = [C.c_uint(size) for size in (*grid, *(1,) * (3 - len(grid)), *block, *(1,) * (3 - len(block)))]

        def launch():
            self.call("cuLaunchKernel", function, *shape, C.c_uint(0), None, pointers, None)
            self.call("cuCtxSynchronize")

        return launch


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def is_same(one, other):
    """Whether two arrays are the same. OpenCL leaves open how sums of products are rounded, and at the edge of a sphere that
    decides what a ray hits."""
    if one.dtype.kind == "f":
        return np.isclose(one, other, rtol=1e-3, atol=1e-3, equal_nan=True).mean() > 0.999
    return np.array_equal(one, other)


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    cuda = Cuda()
    context = cl.Context(cl.get_platforms()[0].get_devices())
    queue = cl.CommandQueue(context)
    program = cl.Program(context, SOURCE).build(["-cl-std=CL1.2"])
    ratios, wrong = [], []
    print("milliseconds        PoCL    ptxvm   of PoCL")
    for name, grid, block, arguments in cases():
        if sys.argv[2:] and name not in sys.argv[2:]:
            continue
        copy = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        theirs = [a if a.shape == () else cl.Buffer(context, copy, hostbuf=a) for a in arguments]
        ours = [C.c_int32(int(a)) if a.shape == () else cuda.put(a) for a in arguments]
        width = block + (1,) * (len(grid) - len(block))
        kernel = cl.Kernel(program, name)

        def with_pocl():
            kernel(queue, tuple(g * b for g, b in zip(grid, width)), width, *theirs)
            queue.finish()

        with_ptxvm = cuda.kernel(name, grid, block, ours)
        with_pocl()
        with_ptxvm()
        for argument, one, other in zip(arguments, theirs, ours):
            if argument.shape:
                of_pocl = np.empty_like(argument)
                cl.enqueue_copy(queue, of_pocl, one)
                if not is_same(of_pocl, cuda.get(other, argument)) and name not in wrong:
                    wrong.append(name)
        pocl, ptxvm = (min(times) for times in zip(*((seconds(with_pocl), seconds(with_ptxvm)) for _ in range(rounds))))
        ratios.append(ptxvm / pocl)
        print(f"{name:14} {pocl * 1e3:9.2f} {ptxvm * 1e3:8.2f} {ratios[-1]:9.2f}", flush=True)
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):28.2f}")
    if wrong:
        sys.exit(f"other results than PoCL's: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
