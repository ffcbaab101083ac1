"""Tests as a project has them: on a machine with a GPU the tensors would be PyTorch's."""

import numpy as np
import ptxvm

import rows

X = np.arange(8 * 100, dtype=np.float32).reshape(8, 100)


def test_scale():
    factors = np.arange(8, dtype=np.float32)
    out = ptxvm.Tensor(np.zeros_like(X))
    rows.scale(out, ptxvm.Tensor(X), ptxvm.Tensor(factors))
    np.testing.assert_array_equal(out.numpy(), X * factors[:, None])


def test_total():
    out = ptxvm.Tensor(np.zeros(1, np.float32))
    rows.total(out, ptxvm.Tensor(X))
    assert out.item() == X.sum()
