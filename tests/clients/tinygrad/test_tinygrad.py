"""tinygrad with DEV=CUDA: its own small tests, and the three programs that everybody tries first.

tinygrad writes PTX itself and calls the driver by ctypes, with the parameters of a kernel in one buffer; where it finds
NVRTC it writes CUDA C++ instead.
"""

import os
import pathlib
import subprocess
import sys
import tarfile

import numpy as np
import pytest

ARCHIVES = pathlib.Path(os.environ.get("PTXVM_TEST_ARCHIVES", pathlib.Path(__file__).parents[3] / "target/clients"))
# CC: tinygrad reads constants back by a function for the CPU.
ENVIRONMENT = {"DEV": "CUDA", "CC": str(pathlib.Path(__file__).parent / "cc")}


def run(arguments, environment, **options):
    return subprocess.run([sys.executable, *arguments], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=280, **options)


def test_tiny(tmp_path):
    """tinygrad's own test_tiny.py, which its source distribution carries."""
    archives = sorted(ARCHIVES.glob("tinygrad-*.tar.gz"))
    if not archives:
        pytest.fail(f"{ARCHIVES} has no source distribution of tinygrad; `cargo xtask clients` fetches it")
    with tarfile.open(archives[-1]) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith("/test/test_tiny.py"))
        (tmp_path / "test_tiny.py").write_bytes(archive.extractfile(member).read())
    result = run(["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_tiny.py"],
                 {**ENVIRONMENT, "CACHEDB": str(tmp_path / "cache.db")}, cwd=tmp_path)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


PROGRAMS = {
    "matmul": """
a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((48, 64), (64, 32)))
check((Tensor(a) @ Tensor(b)).numpy(), a.astype(np.float64) @ b)
""",
    "convolution": """
x, w = rng.standard_normal((2, 3, 12, 12)).astype(np.float32), rng.standard_normal((4, 3, 3, 3)).astype(np.float32)
got = Tensor(x).conv2d(Tensor(w), padding=1).numpy()
padded, expected = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1))), np.zeros((2, 4, 12, 12))
for dy in range(3):
    for dx in range(3):
        expected += np.einsum("nchw,kc->nkhw", padded[:, :, dy:dy + 12, dx:dx + 12], w[:, :, dy, dx])
check(got, expected)
""",
    "softmax": """
x = rng.standard_normal((17, 100)).astype(np.float32)
e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
check(Tensor(x).softmax().numpy(), e / e.sum(axis=1, keepdims=True))
""",
    "training": """
x, y = rng.standard_normal((64, 8)).astype(np.float32), rng.standard_normal((64, 1)).astype(np.float32)
w = Tensor(np.zeros((8, 1), np.float32))
for _ in range(3):
    loss = ((Tensor(x) @ w - Tensor(y)) ** 2).mean()
    w = (w - 0.1 * loss.gradient(w)[0]).detach().realize()
expected = np.zeros((8, 1))
for _ in range(3):
    expected -= 0.1 * 2 / 64 * x.astype(np.float64).T @ (x @ expected - y)
check(w.numpy(), expected)
""",
}

HEAD = """
import numpy as np
from tinygrad import Device, Tensor, dtypes
assert Device.DEFAULT == "CUDA", Device.DEFAULT
rng = np.random.default_rng(1)
def check(got, expected):
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)
"""


# What a product of two matrices may lose, as a part of the sum of the magnitudes of its terms: a tensor core keeps 24 bits
# after the largest term's place (and an f16 result 11), and tf32 has 11 bits of each operand.
TENSOR_CORES = """
a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((64, 96), (96, 48)))
a, b = Tensor(a).cast({element}).realize(), Tensor(b).cast({element}).realize()
got = a.matmul(b, dtype={result}).cast(dtypes.float32).numpy()
a, b = (x.cast(dtypes.float32).numpy().astype(np.float64) for x in (a, b))
off, allowed = abs(got - a @ b), {lost} * (abs(a) @ abs(b))
assert (off <= allowed).all(), (off / allowed).max()
"""
LOST = {"half": 2.0**-19, "bfloat16": 2.0**-19, "fp8e4m3": 2.0**-19, "fp8e5m2": 2.0**-19, "float32": 2.0**-9}
PTX = [("half", "float32"), ("half", "half"), ("float32", "float32")]
NVRTC = [*PTX, ("bfloat16", "float32"), ("fp8e4m3", "float32"), ("fp8e5m2", "float32")]


def nvrtc():
    """Where the wheels of NVRTC and the CUDA headers lie."""
    import nvidia

    return next(path for root in nvidia.__path__ if (path := pathlib.Path(root, "cu13")).is_dir())


@pytest.mark.parametrize("compiler, element, result", [("PTX", *row) for row in PTX] + [("NVRTC", *row) for row in NVRTC])
def test_tensor_cores(compiler, element, result, tmp_path):
    """DEBUG=4 prints the kernels: they must have the instruction."""
    environment = {**ENVIRONMENT, "CACHEDB": str(tmp_path / "cache.db"), "DEBUG": "4", "ALLOW_TF32": "1"}
    if compiler == "NVRTC":
        environment |= {"NVRTC_PATH": str(next(nvrtc().glob("lib/libnvrtc.so.*"))), "CUDA_PATH": str(nvrtc())}
    lost = 2.0**-9 if result == "half" else LOST[element]
    program = TENSOR_CORES.format(element=f"dtypes.{element}", result=f"dtypes.{result}", lost=lost)
    ran = run(["-c", HEAD + program], environment)
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert "mma.sync.aligned" in ran.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name, tmp_path):
    result = run(["-c", HEAD + PROGRAMS[name]], {**ENVIRONMENT, "CACHEDB": str(tmp_path / "cache.db")})
    assert result.returncode == 0, result.stderr[-4000:]
