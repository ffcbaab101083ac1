"""What every test of Dr.Jit has: random numbers that are the same in each run, and nothing left over from the test before."""

import drjit as dr
import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(20261116)


@pytest.fixture(autouse=True)
def fresh():
    yield
    dr.sync_thread()
