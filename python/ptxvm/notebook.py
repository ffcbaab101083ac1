"""A `%%ptx` cell for Jupyter: `%load_ext ptxvm.notebook`, then PTX in a cell becomes a module.

    %%ptx saxpy --device b200 --check race
    .version 9.1
    …

puts the module into the variable `saxpy`. What is wrong with the PTX is shown, and nothing is assigned.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from html import escape
from typing import Any

from .device import load
from .findings import InvalidPtx


class _Parser(argparse.ArgumentParser):
    """Tells of a wrong line, and does not end the process."""

    def error(self, message: str) -> Any:
        raise ValueError(f"%%ptx: {message}; it is `%%ptx [NAME] [--device NAME] [--check WHAT] [--seed N] …`")


class Shown:
    """A text that notebooks show as it is laid out."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<pre style="border-left:4px solid #c0392b;padding-left:12px">{escape(self.text)}</pre>'


def ptx(line: str, cell: str) -> Any:
    """The cell magic: loads the cell's PTX, and gives the name and the module, or what is wrong."""
    parser = _Parser(prog="%%ptx", add_help=False)
    parser.add_argument("name", nargs="?", default="module")
    known, rest = parser.parse_known_args(shlex.split(line))
    if len(rest) % 2 or any(not word.startswith("--") for word in rest[::2]):
        parser.error(f"`{' '.join(rest)}` are no options with their values")
    options = {word[2:].replace("-", "_"): value for word, value in zip(rest[::2], rest[1::2])}
    device = options.pop("device", None)
    if not known.name.isidentifier():
        parser.error(f"`{known.name}` is no name of a variable")
    return known.name, load(cell + "\n", device=device, **options)


def load_ipython_extension(shell: Any) -> None:
    """Registers the cell magic."""

    def magic(line: str, cell: str) -> Any:
        try:
            name, module = ptx(line, cell)
        except InvalidPtx as error:
            return Shown(str(error))
        except ValueError as error:
            print(error, file=sys.stderr)
            return None
        shell.push({name: module})
        return module

    shell.register_magic_function(magic, "cell", "ptx")
