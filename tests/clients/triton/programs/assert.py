"""Fails an assertion on the device."""

import numpy as np
import triton
import triton.language as tl
from tensor_path import Tensor, synchronize


@triton.jit(debug=True)
def kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.device_assert(x < 100, "x must be small")
    tl.store(x_ptr + tl.arange(0, BLOCK), x + 1)


kernel[(1,)](Tensor(np.arange(128, dtype=np.int32), "device"), BLOCK=128)
synchronize()
