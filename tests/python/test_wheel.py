"""The wheel: what is in it, what it needs of a machine, and that it works where there is nothing else."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

WHEEL = Path(os.environ["PTXVM_WHEEL"])
BINARIES = ("ptxvm", "libcuda.so.1", "libcudart.so.13", "libnvJitLink.so.13", "libnvidia-ml.so.1", "_ptxvm.abi3.so")


def test_what_is_in_it():
    with zipfile.ZipFile(WHEEL) as wheel:
        names = wheel.namelist()
        metadata = wheel.read(next(name for name in names if name.endswith("METADATA"))).decode()
    files = {name.rsplit("/", 1)[-1] for name in names}
    assert {*BINARIES, "py.typed", "_ptxvm.pyi", "pytest_plugin.py", "LICENSE-MIT", "LICENSE-APACHE", "entry_points.txt"} <= files
    assert "cp310-abi3-manylinux" in WHEEL.name and "Name: ptxvm" in metadata and "Requires-Python: >=3.10" in metadata
    assert "License-Expression: MIT OR Apache-2.0" in metadata and "# ptxvm" in metadata
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_the_tag_says_what_the_files_need(tmp_path):
    newest = tuple(int(part) for part in re.search(r"manylinux_(\d+)_(\d+)", WHEEL.name).groups())
    with zipfile.ZipFile(WHEEL) as wheel:
        wheel.extractall(tmp_path)
    for name in BINARIES:
        (path,) = (found for found in tmp_path.rglob(name) if found.is_file())
        said = subprocess.run(["objdump", "-p", path], check=True, capture_output=True, text=True).stdout
        needed = {tuple(int(part) for part in version.split(".")) for version in re.findall(r"GLIBC_([\d.]+)", said)}
        assert max(needed)[:2] <= newest, f"{name} needs glibc {max(needed)}"
        libraries = set(re.findall(r"NEEDED +(\S+)", said))
        usual = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1", "ld-linux-x86-64.so.2"}
        assert libraries <= usual, f"{name} needs {libraries - usual}"


def test_a_machine_with_nothing_else(tmp_path, root):
    """A fresh environment, an empty home and no tools in the path: the README's first example runs."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    home = tmp_path / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": str(tmp_path / "venv/bin")}
    pip = [tmp_path / "venv/bin/python", "-m", "pip", "install", "--quiet", "--no-index", WHEEL]
    subprocess.run(pip, check=True, env=environment)
    example = root / "examples/saxpy.ptx"
    done = subprocess.run(["ptxvm", "run", example], env=environment, capture_output=True, text=True, executable=tmp_path / "venv/bin/ptxvm")
    shown = re.search(r"\$ cargo run --release -q -- run examples/saxpy.ptx\n((?:    .*\n)+)", (root / "README.md").read_text())
    assert done.stdout == re.sub("^    ", "", shown[1], flags=re.M) and done.returncode == 0
    for words in (["-m", "ptxvm", "--version"], ["-c", "import ptxvm; print('ptxvm', ptxvm.__version__)"]):
        said = subprocess.run([tmp_path / "venv/bin/python", *words], env=environment, capture_output=True, text=True)
        assert said.stdout.startswith("ptxvm 0."), said
    # The driver is found beside the command; NumPy is missed only by who launches from Python.
    program = "import ctypes; print(ctypes.CDLL('libcuda.so.1').cuInit(0))"
    under = ["ptxvm", "exec", "--", "python", "-c", program]
    said = subprocess.run(under, env=environment, capture_output=True, text=True, executable=tmp_path / "venv/bin/ptxvm")
    assert said.stdout == "0\n", said
    said = subprocess.run([tmp_path / "venv/bin/python", "-c", "import ptxvm; ptxvm.Device()"], env=environment, capture_output=True, text=True)
    assert "needs NumPy: pip install numpy" in said.stderr


def test_the_command_runs_where_it_is_unpacked(run):
    assert run("ptxvm", "--version").stdout.startswith("ptxvm 0.")
    assert "ptxvm" in run("ptxvm", "doctor").stdout
