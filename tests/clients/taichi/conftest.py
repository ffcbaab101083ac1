"""Taichi on CUDA, started once for a file of tests: it compiles its own runtime with LLVM each time, which takes half a second."""

import numpy as np
import pytest
import taichi as ti


@pytest.fixture(autouse=True, scope="module")
def cuda():
    # Without a fallback: where CUDA is not found, Taichi would go on with the CPU. A loop over a sparse field gets as many
    # CTAs as the GPU runs at a time, 8,448, nearly all without work; 256 do.
    ti.init(arch=ti.cuda, enable_fallback=False, offline_cache=False, device_memory_GB=0.5, saturating_grid_dim=256, log_level=ti.ERROR)
    yield
    ti.reset()


@pytest.fixture
def rng():
    return np.random.default_rng(20261116)
