"""The language: loops, branches, constants, functions, inline assembly, autotuning."""

import numpy as np
import pytest
import triton
import triton.language as tl

from inputs import integers, random


@triton.jit
def collatz_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr + tl.program_id(0))
    steps = 0
    while x != 1:
        if x % 2 == 0:
            x = x // 2
        else:
            x = 3 * x + 1
        steps += 1
    tl.store(out_ptr + tl.program_id(0), steps)


def test_while(gpu):
    x = np.arange(1, 65, dtype=np.int64)
    out = gpu.empty(64, "int32")
    collatz_kernel[(64,)](gpu.tensor(x), out)

    def steps(n):
        return 0 if n == 1 else 1 + steps(n // 2 if n % 2 == 0 else 3 * n + 1)

    gpu.equal(out, [steps(int(n)) for n in x])


@triton.jit
def newton_kernel(x_ptr, out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    x = tl.load(x_ptr + i)
    root = x
    error = tl.max(tl.abs(root * root - x))
    rounds = 0
    while error > 1e-3 and rounds < 50:
        root = 0.5 * (root + x / root)
        error = tl.max(tl.abs(root * root - x))
        rounds += 1
    tl.store(out_ptr + i, root)


def test_while_over_a_reduction(gpu):
    """A loop that ends when all threads agree."""
    x = random("newton").uniform(1, 100, 256).astype(np.float32)
    out = gpu.empty(256, "float32")
    newton_kernel[(1,)](gpu.tensor(x), out, N=256)
    gpu.close(out, np.sqrt(x.astype(np.float64)), rtol=1e-4)


@triton.jit
def nested_kernel(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], dtype=tl.int32)
    for a in range(n):
        for b in range(a, n, 2):
            if (a + b) % 3 == 0:
                total += a * i + b
            else:
                total -= 1
    tl.store(out_ptr + i, total)


def test_nested_loops(gpu):
    out = gpu.empty(64, "int32")
    nested_kernel[(1,)](out, 9, BLOCK=64)
    i, expected = np.arange(64), np.zeros(64, np.int32)
    for a in range(9):
        for b in range(a, 9, 2):
            expected += (a * i + b if (a + b) % 3 == 0 else -1 + 0 * i).astype(np.int32)
    gpu.equal(out, expected)


@triton.jit
def polynomial(x, COEFFICIENTS: tl.constexpr):
    result = tl.zeros_like(x)
    for k in tl.static_range(len(COEFFICIENTS)):
        result = result * x + COEFFICIENTS[k]
    return result


@triton.jit
def polynomial_kernel(x_ptr, out_ptr, COEFFICIENTS: tl.constexpr, SQUARE: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 32 == 0)
    i = tl.arange(0, BLOCK)
    y = polynomial(tl.load(x_ptr + i), COEFFICIENTS)
    if SQUARE:
        y = y * y
    tl.store(out_ptr + i, y)


@pytest.mark.parametrize("square", [False, True])
def test_static_features(gpu, square):
    x = random("polynomial").integers(-9, 9, 128).astype(np.int32)
    out = gpu.empty(128, "int32")
    polynomial_kernel[(1,)](gpu.tensor(x), out, COEFFICIENTS=(2, 0, -3, 7), SQUARE=square, BLOCK=128)
    y = 2 * x**3 - 3 * x + 7
    gpu.equal(out, y * y if square else y)


@triton.jit(noinline=True)
def mix(x, y):
    return x * 3 + (x ^ y)


@triton.jit
def call_kernel(x_ptr, y_ptr, out_ptr):
    i = tl.program_id(0)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    tl.store(out_ptr + i, mix(mix(x, y), y))


def test_calls(gpu):
    """A function that is not inlined is a call in PTX."""
    x, y = integers("int32", 64, "x"), integers("int32", 64, "y")
    out = gpu.empty(64, "int32")
    kernel = call_kernel[(64,)](gpu.tensor(x), gpu.tensor(y), out)
    assert "call.uni" in kernel.asm["ptx"]
    with np.errstate(over="ignore"):
        once = x * np.int32(3) + (x ^ y)
        gpu.equal(out, once * np.int32(3) + (once ^ y))


@triton.jit
def asm_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    y = tl.load(y_ptr + i)
    shifted = tl.inline_asm_elementwise("shf.l.wrap.b32 $0, $1, $2, 7;", "=r,r,r", [x, y], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out_ptr + i, shifted)
    low, high = tl.inline_asm_elementwise(
        """
        {
            .reg .b64 product;
            mul.wide.u32 product, $2, $3;
            mov.b64 {$0, $1}, product;
        }
        """, "=r,=r,r,r", [x, y], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(out_ptr + n + i, low)
    tl.store(out_ptr + 2 * n + i, high)


def test_inline_assembly(gpu):
    x, y = integers("int32", 256, "x"), integers("int32", 256, "y")
    out = gpu.empty((3, 256), "int32")
    asm_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, 256, BLOCK=256)
    a, b = x.view(np.uint32).astype(np.uint64), y.view(np.uint32).astype(np.uint64)
    product = a * b
    funnel = (b << np.uint64(7)) | (a >> np.uint64(25))
    gpu.equal(out, np.stack([v.astype(np.uint32).view(np.int32) for v in
                             (funnel & np.uint64(0xFFFFFFFF), product & np.uint64(0xFFFFFFFF), product >> np.uint64(32))]))


@triton.jit
def packed_asm_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    chosen = tl.inline_asm_elementwise("lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xca;", "=r,r,r",
                                       [tl.load(x_ptr + i), tl.load(y_ptr + i)], dtype=tl.uint8, is_pure=True, pack=4)
    tl.store(out_ptr + i, chosen)


def test_packed_inline_assembly(gpu):
    """Four bytes in a register."""
    x, y = integers("uint8", 512, "x"), integers("uint8", 512, "y")
    out = gpu.empty(512, "uint8")
    packed_asm_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, BLOCK=512)
    gpu.equal(out, (x & y) | (~x & 0x0F))


@triton.jit
def minmax(x, y, MAX: tl.constexpr):
    return tl.maximum(x, y) if MAX else tl.minimum(x, y)


@triton.jit
def function_argument_kernel(x_ptr, y_ptr, out_ptr, FUNCTION: tl.constexpr, MAX: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, FUNCTION(tl.load(x_ptr + i), tl.load(y_ptr + i), MAX))


def test_function_as_a_constant(gpu):
    x, y = integers("int32", 128, "x"), integers("int32", 128, "y")
    out = gpu.empty(128, "int32")
    function_argument_kernel[(1,)](gpu.tensor(x), gpu.tensor(y), out, FUNCTION=minmax, MAX=True, BLOCK=128)
    gpu.equal(out, np.maximum(x, y))


@triton.jit
def early_return_kernel(out_ptr, n):
    pid = tl.program_id(0)
    if pid >= n:
        return
    tl.store(out_ptr + pid, pid * pid)


def test_early_return(gpu):
    out = gpu.empty(32, "int32")
    early_return_kernel[(32,)](out, 20)
    i = np.arange(32)
    gpu.equal(out, np.where(i < 20, i * i, 0))


@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def heuristic_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(out_ptr + i, tl.load(x_ptr + i) + 1)
    else:
        tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + 1, mask=i < n)


@pytest.mark.parametrize("n", [512, 500])
def test_heuristics(gpu, n):
    x = integers("int32", n, "heuristic") // 2
    out = gpu.empty(n, "int32")
    heuristic_kernel[(4,)](gpu.tensor(x), out, n, BLOCK=128)
    gpu.equal(out, x + 1)


def stopwatch(call, quantiles):
    """Times a candidate with the clock."""
    import time

    start = time.perf_counter()
    call()
    return [time.perf_counter() - start] * len(quantiles)


@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 5, mask=i < n)


# Without torch, the events that Triton's own benchmark measures with are the driver's.
@pytest.mark.unordered
@pytest.mark.parametrize("benchmark", [stopwatch, None], ids=["stopwatch", "triton"])
def test_autotune(gpu, benchmark):
    """Runs every configuration and keeps the fastest."""
    if gpu.place == "captured":
        pytest.skip("needs a device to measure")
    configs = [triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 256}, num_warps=4)]
    tuned = triton.autotune(configs=configs, key=["n"], do_bench=benchmark)(tuned_kernel)
    x = integers("int32", 1000, "tuned") // 8
    out = gpu.empty(1000, "int32")
    tuned[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](gpu.tensor(x), out, 1000)
    gpu.equal(out, x * 5)
    assert tuned.best_config.kwargs["BLOCK"] in (64, 256)
    times = tuned.configs_timings
    assert len(times) == 2 and all(time > 0 for three in times.values() for time in three)
