"""What the tests of the installed package share."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout, for examples and docs: the package itself is the installed one."""
    return ROOT


@pytest.fixture
def run(tmp_path):
    """Runs a command in an empty folder, and gives what it has printed."""

    def run(*command, status=0, text=None, timeout=240, **variables):
        environment = {**os.environ, "PATH": f"{BIN}:/usr/bin:/bin", **variables}
        done = subprocess.run(
            [str(word) for word in command], cwd=tmp_path, env=environment, input=text, capture_output=True, text=True, timeout=timeout
        )
        assert status is None or done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture
def python(run, tmp_path):
    """Runs a program of Python's with the installed package, with options of `ptxvm exec` under it."""

    def python(program, *options, **more):
        (tmp_path / "program.py").write_text(program)
        before = [BIN / "ptxvm", "exec", *options, "--"] if options else []
        more.setdefault("PYTHONPATH", str(Path(__file__).parent))
        return run(*before, sys.executable, "program.py", **more)

    return python
