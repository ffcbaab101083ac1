"""Prints from every thread of two programs."""

import triton
import triton.language as tl


@triton.jit
def kernel(BLOCK: tl.constexpr):
    tl.device_print("value: ", tl.program_id(0) * 100 + tl.arange(0, BLOCK))


kernel[(2,)](BLOCK=32, num_warps=1)
from tensor_path import synchronize  # noqa: E402

synchronize()
