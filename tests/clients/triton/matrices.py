"""Matrix products for the tests of the tensor cores: inputs, products in double precision, and how far from them a result may lie.

A tensor core adds products of a block to the accumulator after it has cut them all to the place of the largest one, so
what is lost depends on the sizes of the products and not on the size of the result: the bound is a part of the sum of
the products' magnitudes, plus what rounding the result to its type loses.
"""

import ml_dtypes
import numpy as np

from inputs import floats, random

# The part of the sum of magnitudes that may be lost, by how the product is made.
#   exact: f32 by multiplication and addition, one rounding for each of K terms (K is at most 256 here);
#   f16: exact products, 24 or 25 bits after the largest term's place in each step; the same for bf16 and sums of tf32;
#   tf32: both operands cut to 11 bits; tf32x3: with corrections by the parts that were cut off; bf16x3: 16 bits of each;
#   fp8: an H200's wgmma keeps 13 bits after the largest term's place, of each of 32 terms in a step.
LOST = {"exact": 2.0**-16, "f16": 2.0**-19, "tf32": 2.0**-9, "tf32x3": 2.0**-18, "bf16x3": 2.0**-14, "fp8": 2.0**-9, "f64": 2.0**-48}


def matrix(dtype, rows, columns, *key):
    """Numbers of many sizes, all finite, the same ones every time."""
    dtype = np.dtype(dtype)
    if dtype.kind == "i":
        return random(dtype.name, *key).integers(-128, 128, (rows, columns)).astype(dtype)
    return floats(dtype, rows * columns, *key, special=False).reshape(rows, columns)


def product(a, b):
    """The product in double precision, and the sum of the magnitudes of its terms."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    return a @ b, abs(a) @ abs(b)


def near(gpu, tensor, expected, magnitude, lost):
    """Every element of the result lies within the bound."""
    got = gpu.result(tensor)
    if got is None:
        return
    allowed = lost * magnitude
    if got.dtype.kind != "i":
        info = ml_dtypes.finfo(got.dtype)
        allowed = allowed + float(info.eps) * abs(expected) + float(info.smallest_subnormal)
    off = abs(got.astype(np.float64) - expected)
    worst = np.unravel_index(np.argmax(np.where(np.isnan(off), np.inf, off / np.maximum(allowed, 1e-300))), off.shape)
    assert not np.isnan(off).any() and (off <= allowed).all(), (
        f"{int((~(off <= allowed)).sum())} of {off.size} elements are too far off; element {worst} is {got[worst]} and "
        f"should be {expected[worst]} ± {allowed[worst]}")
