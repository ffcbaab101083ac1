"""The tests of clusters and copies once more, in every mode of asynchrony: what is right waits for what it needs."""

import os
import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


@pytest.mark.parametrize("mode, seed", [("eager", 0), ("lazy", 0), ("seeded", 1), ("seeded", 2), ("seeded", 3)])
@pytest.mark.parametrize("tests", ["test_clusters.py", "test_tma.py"])
def test_in_every_mode(device, tests, mode, seed):
    if device.compute_capability.major < 9:
        pytest.skip("this device has neither clusters nor bulk copies")
    command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", HERE / tests]
    environment = {**os.environ, "PTXVM_ASYNC": mode, "PTXVM_SEED": str(seed)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert result.returncode == 0, result.stdout + result.stderr
