"""Every snippet of docs/python.md and docs/pytest.md runs."""

import re
import sys

import pytest

from conftest import ROOT
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


def test_the_readme_of_the_package(run, tmp_path):
    text = (ROOT / "python/README.md").read_text()
    program = re.search(r"From Python.*?\n\n((?:    .*\n|\n)+)", text)[1]
    (tmp_path / "saxpy.ptx").write_bytes((ROOT / "examples/saxpy.ptx").read_bytes())
    (tmp_path / "page.py").write_text(re.sub("^    ", "", program, flags=re.M) + "assert y[999] == 1999\n")
    run(sys.executable, "page.py")
