"""Operations on the rows of a matrix, as Triton kernels."""

import triton
import triton.language as tl


@triton.jit
def _scale(out, x, factors, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    values = tl.load(x + row * columns + column, mask=inside)
    tl.store(out + row * columns + column, values * tl.load(factors + row), mask=inside)


@triton.jit
def _total(out, x, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + column, mask=column < columns, other=0.0)
    tl.atomic_add(out, tl.sum(values))


def scale(out, x, factors):
    """Multiplies each row by a factor of its own."""
    rows, columns = x.shape
    _scale[(rows,)](out, x, factors, columns, BLOCK=triton.next_power_of_2(columns))


def total(out, x):
    """Adds the sum of all elements to `out`."""
    rows, columns = x.shape
    _total[(rows,)](out, x, columns, BLOCK=triton.next_power_of_2(columns))
