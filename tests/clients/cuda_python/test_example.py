"""examples/clients/textures.py draws the picture that README.md and docs/gallery.md show, which is what an H200 drew."""

import pathlib
import struct
import subprocess
import sys
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).parents[3]


def pixels(path):
    """The pixels of a PNG file as the example writes it: bytes of red, green and blue, each less the one before it."""
    file = path.read_bytes()
    parts, at = {}, 8
    while at < len(file):
        length, name = struct.unpack(">I4s", file[at:at + 8])
        parts[name] = parts.get(name, b"") + file[at + 8:at + 8 + length]
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, colour) == (8, 2)
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 1).all()
    return rows[:, 1:].reshape(height, width, 3).cumsum(axis=1, dtype=np.uint8)


def test_the_picture(tmp_path):
    run = subprocess.run([sys.executable, ROOT / "examples/clients/textures.py", tmp_path / "scene.png"], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    drawn = pixels(tmp_path / "scene.png")
    with np.load(ROOT / "tests/golden/clients/textures.npz") as recorded:
        h200 = recorded["scene/16"][..., :3]
    differs = (drawn != h200).any(axis=-1)
    assert not differs.any(), f"{differs.sum()} of {differs.size} pixels differ, by up to {np.abs(drawn.astype(int) - h200).max()}"
    np.testing.assert_array_equal(pixels(ROOT / "docs/images/textures.png"), h200)
