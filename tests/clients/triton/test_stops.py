"""Kernels that speak or stop: printing, assertions, and reading where nothing is.

Each runs in a process of its own, because an error stays with the context, as on a GPU.
"""

import os
import pathlib
import subprocess
import sys

import pytest

PROGRAMS = pathlib.Path(__file__).parent / "programs"


@pytest.fixture(autouse=True)
def not_while_capturing(request):
    if request.config.recorder:
        pytest.skip("nothing to capture")


def run(program, *arguments):
    return subprocess.run([sys.executable, PROGRAMS / program, *arguments], capture_output=True, text=True, timeout=120)


def test_device_print():
    result = run("print.py")
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if line.startswith("pid")]
    # Which CTA prints first is open.
    lines.sort(key=lambda line: line.partition(",")[0])
    assert lines == [f"pid ({p}, 0, 0) idx ({i:>2}) value: {p * 100 + i}" for p in range(2) for i in range(32)]


def test_device_assert():
    result = run("assert.py")
    assert result.returncode != 0
    assert "x must be small" in result.stderr


def test_a_load_of_several_lines_of_assembly_is_found_in_its_own_line():
    """LLVM counts the lines of inline assembly as if they were the program's."""
    result = run("vector_load.py")
    text = (PROGRAMS / "vector_load.py").read_text().splitlines()
    line = 1 + next(number for number, line in enumerate(text) if "tl.load" in line)
    assert "error[out-of-bounds]" in result.stderr, result.stderr
    assert f"vector_load.py:{line}:" in result.stderr, result.stderr


def test_python_begins_as_ever(tmp_path):
    """What `ptxvm exec` lets Python read before a program leaves the path and the user's own `sitecustomize` alone."""
    show = "import sys; print([entry for entry in sys.path if '.ptxvm' in entry])"
    (tmp_path / "sitecustomize.py").write_text("print('own')")
    for path, expected in [("", "[]\n"), (f":{tmp_path}", "own\n[]\n")]:
        environment = {**os.environ, "PYTHONPATH": os.environ["PYTHONPATH"] + path}
        result = subprocess.run([sys.executable, "-c", show], env=environment, capture_output=True, text=True, timeout=60)
        assert (result.stdout, result.stderr) == (expected, "")


def test_the_example_of_the_readme():
    example = pathlib.Path(__file__).parents[3] / "examples/clients/softmax.py"
    right = run(example)
    assert right.stdout.startswith("CUresult 0 "), right.stderr
    wrong = run(example, "one-row-too-many")
    assert wrong.stdout.startswith("CUresult 700 "), wrong.stderr
    assert "error[out-of-bounds]" in wrong.stderr and "softmax.py:35:" in wrong.stderr
