"""Where the command and the libraries are that came in the same wheel."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

from .findings import Error


def _find(name: str) -> Path:
    try:
        files = importlib.metadata.files("ptxvm") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == name and (path := Path(str(file.locate()))).exists():
            return path.resolve()
    raise Error(f"there is no {name} in the installation of ptxvm; install the wheel")


def command() -> Path:
    """The command `ptxvm`."""
    return _find("ptxvm")


def libraries() -> Path:
    """The folder with libcuda.so.1 and those that go with it."""
    return _find("libcuda.so.1").parent
