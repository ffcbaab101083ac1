"""Every snippet of docs/python.md and docs/pytest.md runs, and what README.md, docs/exec.md, docs/clients/triton.md and the guide
run with Python. `tests/documents/blocks.txt` says which blocks are run here."""

import re
import shutil
import sys

import pytest

from conftest import BIN, ROOT
from test_pytest_plugin import suite as suite

FENCED = re.compile(r"^```python( exec)?\n(.*?)^```", re.M | re.S)


def snippets(name):
    return FENCED.findall((ROOT / "docs" / name).read_text())


def test_the_page_about_python(run, tmp_path):
    """The snippets follow each other, as a reader types them. Those for `exec` are programs of their own."""
    together = "\n".join(text for under, text in snippets("python.md") if not under)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "page.py").write_text(together)
    done = run(sys.executable, "page.py")
    assert done.stdout.startswith("8\n")
    said = re.search(r"^    (parameter `x`: .*)$", (ROOT / "docs/python.md").read_text(), re.M)
    assert said[1] in done.stdout and "out-of-bounds" in done.stdout and "E0402 15" in done.stdout


@pytest.mark.parametrize("text", [text for under, text in snippets("python.md") if under])
def test_programs_for_exec(python, text):
    python(text, "--device", "h200")


def test_the_page_about_pytest(suite):
    ((_, text),) = snippets("pytest.md")
    assert "2 passed" in suite(text, "--ptxvm", "--strict-markers", status=0).stdout


def indented(page, first):
    """The block that begins with a line."""
    found = re.search(rf"^    {re.escape(first)}.*\n((    .*)?\n)*", (ROOT / page).read_text(), re.M)
    assert found, f"{page} has no `{first}`"
    return re.sub("^    ", "", found[0], flags=re.M).rstrip() + "\n"


def steady(text):
    """What is the same in every run: addresses of the host's and times are not."""
    text = re.sub(r"made from .*/examples/", "made from examples/", text)
    text = re.sub(r"0x[5-7][0-9a-f]{11}", "0x…", text)
    return re.sub(r"\b[0-9.,]+ (µs|ms|s)$", "a time", text, flags=re.M).strip()


def test_the_readme(run, tmp_path):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "page.py").write_text(indented("README.md", "import numpy, ptxvm") + "assert y[999] == 1999\n")
    run(sys.executable, "page.py")


@pytest.mark.parametrize(
    "command, status",
    [
        ("ptxvm exec --device b200 --stats -- python examples/clients/softmax.py", 0),
        ("ptxvm exec -- python examples/clients/softmax.py one-row-too-many", 3),
    ],
)
def test_what_the_readme_shows_of_triton(run, tmp_path, command, status):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shown = indented("README.md", f"$ {command}").split("\n", 1)[1]
    done = run("bash", "-c", command, status=status, PYTHONWARNINGS="ignore", HOME=str(tmp_path))
    # What goes to a terminal and what to a pipe come in another order; the sum at the end is cut off there.
    printed = [line for line in (done.stderr + done.stdout).splitlines() if not re.match(r"ptxvm: \d+ launch", line)]
    assert sorted(steady("\n".join(printed)).splitlines()) == sorted(steady(shown).splitlines())


def listed_lines():
    """Commands of the pages that run a reader's program of Python, and that the list leaves to this test."""
    for entry in (ROOT / "tests/documents/blocks.txt").read_text().splitlines():
        page, _, rest = entry.partition(" | ")
        first, _, who = rest.rpartition(" | ")
        if who == "here" and page.endswith(".md"):
            for line in indented(page, first.replace("\\|", "|")).splitlines():
                if "python" in line and line.startswith("ptxvm "):
                    yield pytest.param(line, id=f"{page}: {line}")


@pytest.mark.parametrize("line", list(listed_lines()))
def test_commands_for_a_readers_programs(run, tmp_path, line):
    for name in "softmax.py", "program.py", "train.py":
        shutil.copy(ROOT / "examples/clients/softmax.py", tmp_path / name)
    (tmp_path / "test_mine.py").write_text("def test_mine():\n    import softmax\n    assert softmax.failed == 0\n")
    (tmp_path / "known.txt").write_text(indented("docs/suppressions.md", "# Races that we live with."))
    # Sixty-four runs of Triton take their time.
    run("bash", "-ec", line.replace("0..64", "0..4"))


def test_launches_to_replay(run, tmp_path):
    """docs/exec.md"""
    shutil.copy(ROOT / "examples/clients/softmax.py", tmp_path)
    run("bash", "-ec", indented("docs/exec.md", "ptxvm exec --save-launch launches"))
    typed = re.search(r"`(--map 'p0=f32\[1024\]=@launches/.*?')` on", (ROOT / "docs/exec.md").read_text())[1]
    text = (tmp_path / "launches/0001-softmax/kernel.ptx").read_text()
    place = re.search(r"p0=@./p0.bin at (0x[0-9a-f]+)|p0=u8\[\d+\]=zeros at (0x[0-9a-f]+)", text)
    place = place[1] or place[2]
    typed = re.sub("at 0x[0-9a-f]+", f"at {place}", typed).replace("f32[1024]=@launches/0001-softmax/p0.bin", "f32[6400]")
    done = run("bash", "-ec", f"ptxvm run launches/0001-softmax/kernel.ptx {typed}")
    assert "f32[6400]" in done.stdout


def test_the_finding_that_the_page_about_exec_shows(python):
    shown = indented("docs/exec.md", "error[null]: a write of 4 bytes through a null pointer")
    (kernel,) = re.findall(r"^ *4 \| (.*)$", shown, re.M)
    program = f"""
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
text = ".version 8.0\\n.target sm_80\\n.address_size 64\\n" + {kernel!r}
context, module, function, address = (ctypes.c_void_p() for _ in range(4))
address.value = 0x10
cuda.cuInit(0)
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), text.encode() + b"\\0")
cuda.cuModuleGetFunction(ctypes.byref(function), module, b"k")
values = (ctypes.c_void_p * 1)(ctypes.addressof(address))
cuda.cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, None, values, None)
print(cuda.cuCtxSynchronize())
"""
    done = python(program, "--device", "h200", status=3)
    assert done.stdout.split() == ["700"]
    assert done.stderr.startswith(shown.rstrip()) or shown.rstrip() in done.stderr, done.stderr


def test_the_page_about_triton(python):
    """docs/clients/triton.md: its class for arrays, and how to wait."""
    kernel = """
import numpy as np, triton, triton.language as tl

@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

n, grid = 2000, (2,)
x, y = np.ones(n, np.float32), np.zeros(n, np.float32)
"""
    tensor, wait = (indented("docs/clients/triton.md", first) for first in ("class Tensor:", "import ctypes"))
    assert python(kernel + tensor + wait + "assert (y == 2).all()", "--device", "h200").stdout.startswith("[2. 2.")


def test_the_readme_of_the_package(run, tmp_path):
    text = (ROOT / "python/README.md").read_text()
    program = re.search(r"From Python.*?\n\n((?:    .*\n|\n)+)", text)[1]
    (tmp_path / "saxpy.ptx").write_bytes((ROOT / "examples/saxpy.ptx").read_bytes())
    (tmp_path / "page.py").write_text(re.sub("^    ", "", program, flags=re.M) + "assert y[999] == 1999\n")
    run(sys.executable, "page.py")
