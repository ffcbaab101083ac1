"""Packs the wheel: `python3 pack.py STAGED MODULE OUT VERSION TAG`.

What is in it was built by cargo, all at once, so that the command, the libraries and the module share one compilation. The
metadata is that of pyproject.toml. The same files give the same bytes: their order and their times are fixed.
"""

import base64
import hashlib
import os
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
staged, module, out, version, tag = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:]
project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
info, data = f"ptxvm-{version}.dist-info", f"ptxvm-{version}.data"


def metadata() -> str:
    """The file METADATA, of pyproject.toml's table and the README."""
    lines = ["Metadata-Version: 2.4", "Name: ptxvm", f"Version: {version}", f"Summary: {project['description']}"]
    lines += [f"Keywords: {','.join(project['keywords'])}", f"License-Expression: {project['license'].replace('/', ' OR ')}"]
    lines += [f"License-File: {name}" for name in project["license-files"]]
    lines += [f"Classifier: {name}" for name in project["classifiers"]]
    lines += [f"Project-URL: {name}, {address}" for name, address in project["urls"].items()]
    lines += [f"Requires-Python: {project['requires-python']}"]
    for extra, needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {one}; extra == '{extra}'" for one in needed)]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text()])


def entry_points() -> str:
    groups = project["entry-points"].items()
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {to}\n" for name, to in names.items()) for group, names in groups)


files: dict[str, tuple[bytes, int]] = {}
for path in sorted((HERE / "ptxvm").iterdir()):
    if path.is_file():
        files[f"ptxvm/{path.name}"] = path.read_bytes(), 0o644
files["ptxvm/_ptxvm.abi3.so"] = module.read_bytes(), 0o755
for path in sorted((staged / "bin").iterdir()):
    files[f"{data}/scripts/{path.name}"] = path.read_bytes(), 0o755
for path in sorted((staged / "lib/ptxvm").iterdir()):
    files[f"{data}/data/lib/ptxvm/{path.name}"] = path.read_bytes(), 0o755
for name in project["license-files"]:
    files[f"{info}/licenses/{name}"] = (HERE.parent / name).read_bytes(), 0o644
files[f"{info}/METADATA"] = metadata().encode(), 0o644
files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: ptxvm\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), 0o644
files[f"{info}/entry_points.txt"] = entry_points().encode(), 0o644

digest = lambda content: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, (content, _) in files.items())
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode(), 0o644

out.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(out / f"ptxvm-{version}-{tag}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    for name, (content, mode) in files.items():
        # A zip's times begin in 1980; one time for all files says nothing of the machine.
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.external_attr, entry.compress_type = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED
        wheel.writestr(entry, content, compresslevel=9)
