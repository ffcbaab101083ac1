"""What every Triton test is given: a `gpu` that makes tensors and compares results.

Each test's results are compared twice: with NumPy in the test itself, and here, when the test is over, with the
bytes that an H200 left in the same tensors (tests/golden/clients/triton*.npz) when it ran the same PTX.
"""

import os
import pathlib
import sys

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import capture  # noqa: E402
from tensor import Tensor  # noqa: E402

GOLDEN = pathlib.Path(__file__).parents[2] / "golden/clients"


def pytest_addoption(parser):
    parser.addoption("--capture-for", metavar="SM", type=int,
                     help="do not run kernels, but write what an H200 needs to run them (see capture.py)")
    parser.addoption("--capture-to", metavar="FILE", help="the file to write")


def pytest_configure(config):
    config.addinivalue_line("markers", "unordered: the kernel's result depends on the order of its threads")
    config.addinivalue_line("markers", "needs(sm): the smallest compute capability the kernel is for")
    config.addinivalue_line("markers", "tensor_cores: the last bits depend on the generation of the tensor cores")
    # The PTX must mean one thing: without this, ptxas may fuse a multiplication with an addition, and our machine
    # does what is written.
    os.environ["TRITON_DEFAULT_FP_FUSION"] = "0"
    if sm := config.getoption("--capture-for"):
        config.recorder = capture.Recorder(sm)
    else:
        config.recorder = None


def pytest_sessionfinish(session):
    if recorder := session.config.recorder:
        recorder.write(session.config.getoption("--capture-to"))


@pytest.fixture(scope="session")
def golden():
    """`test/tensor` to bytes, for the tests' PTX for sm_90; `sm_80/test/tensor` where the PTX for sm_80 gave others."""
    return {key: value for path in sorted(GOLDEN.glob("triton*.npz")) for key, value in np.load(path).items()}


@pytest.fixture(scope="session")
def capability(request):
    """The device's compute capability as one number, 90 for an H200."""
    if recorder := request.config.recorder:
        return recorder.sm
    import triton

    return triton.runtime.driver.active.get_current_target().arch


class Gpu:
    """Makes tensors and compares results; `place` says in whose memory the tensors lie."""

    def __init__(self, capability, place, recorded):
        self.capability = capability
        self.place = place
        self.recorded = recorded
        self.tensors = []

    def tensor(self, array):
        tensor = Tensor(array, self.place)
        self.tensors.append(tensor)
        return tensor

    def empty(self, shape, dtype):
        return self.tensor(np.zeros(shape, np.dtype(dtype)))

    def equal(self, tensor, expected):
        """Every value is the expected one; a NaN equals a NaN."""
        got, expected = self.result(tensor), np.asarray(expected)
        if got is not None:
            assert got.shape == expected.shape
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(wide(got), wide(expected.astype(got.dtype)))

    def close(self, tensor, expected, rtol, atol=0.0):
        """Every value is near the expected one: for functions that the GPU approximates."""
        got = self.result(tensor)
        if got is not None:
            np.testing.assert_allclose(wide(got), wide(np.asarray(expected)), rtol=rtol, atol=atol)

    def true(self, tensor, condition):
        """For what the others cannot say."""
        got = self.result(tensor)
        if got is not None:
            assert condition(got)

    def result(self, tensor):
        """What the tensor holds now. While capturing, that is what an H200 put there, if it has been asked: so a
        capture also checks that the expectations of the tests hold for the recorded answers."""
        if self.place != "captured":
            return tensor.numpy()
        index = next(i for i, t in enumerate(self.tensors) if t is tensor)
        bytes = self.recorded.get(index)
        return None if bytes is None else bytes.view(tensor.dtype).reshape(tensor.shape)


def wide(array):
    """The values as float64 where NumPy's comparisons do not know the type."""
    return array.astype(np.float64) if array.dtype.kind == "V" or array.dtype.name.startswith(("bf", "float8")) else array


@pytest.fixture
def scratch(request):
    """Memory for the tensor maps that kernels make."""
    if request.config.recorder:
        yield
        return
    import triton

    kept = []

    def allocate(size, alignment, _stream):
        kept.append(Tensor(np.zeros(size + alignment, np.uint8), "device"))
        return kept[-1]

    triton.set_allocator(allocate)
    yield
    for tensor in kept:
        tensor.free()


def an_h200_tells(node, capability):
    """Whether an H200's bytes must come out. Where the order of threads is open they need not, and an A100's tensor cores
    sum in another way than an H200's, unless `ptxvm exec --mma hopper` asks for the latter."""
    if node.get_closest_marker("unordered"):
        return False
    return not (node.get_closest_marker("tensor_cores") and capability == 80 and os.environ.get("PTXVM_MMA") != "hopper")


@pytest.fixture
def gpu(request, capability, golden):
    recorder = request.config.recorder
    if mark := request.node.get_closest_marker("needs"):
        if capability < mark.args[0]:
            pytest.skip(f"for compute capability {mark.args[0]} and newer")
    name = request.node.nodeid.split("/")[-1]
    ordered = request.node.get_closest_marker("unordered") is None
    compared = ordered if recorder else an_h200_tells(request.node, capability)
    recorded = h200_bytes(golden, capability, name) if compared else {}
    if compared and not recorder and capability <= 90 and request.node.get_closest_marker("tensor_cores"):
        assert recorded, "an H200 has not been asked (see capture.py)"
    gpu = Gpu(capability, "captured" if recorder else "device", recorded)
    if recorder:
        with recorder.test(name, gpu.tensors, keep=ordered):
            yield gpu
        return
    yield gpu
    if not getattr(request.node, "failed", False) and gpu.tensors:
        compare_with_h200(recorded, gpu.tensors)
    for tensor in gpu.tensors:
        tensor.free()


def h200_bytes(golden, capability, name):
    """Tensor's number to bytes. For targets that an H200 cannot run, nothing is known."""
    found = {}
    if capability <= 90:
        for key, value in golden.items():
            test, _, index = key.rpartition("/")
            if test == name or (capability == 80 and test == f"sm_80/{name}"):
                found[int(index)] = value
    return found


def compare_with_h200(recorded, tensors):
    for index, expected in recorded.items():
        tensor = tensors[index]
        got = tensor.numpy().reshape(-1).view(np.uint8)
        if not np.array_equal(got, expected):
            size = tensor.dtype.itemsize
            wrong = np.flatnonzero((got != expected).reshape(-1, size).any(axis=1))
            at = wrong[0] * size
            raise AssertionError(
                f"tensor {index}: {len(wrong)} of {len(got) // size} elements differ from the H200's; element {wrong[0]} is "
                f"{got[at:at + size][::-1].tobytes().hex()} and should be {expected[at:at + size][::-1].tobytes().hex()}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    item.failed = getattr(item, "failed", False) or report.failed
    return report
