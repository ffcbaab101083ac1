"""Inputs for the tests: the same ones every time, with the values that break things among them."""

import zlib

import ml_dtypes
import numpy as np

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "bfloat16", "float32", "float64"]
FP8 = ["float8_e5m2", "float8_e4m3fn"]


def random(*key):
    """A generator that depends on the words given alone."""
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def integers(dtype, n, *key):
    """All bits at random, the extremes first."""
    dtype = np.dtype(dtype)
    info = np.iinfo(dtype)
    bits = random(dtype.name, *key).integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    edges = np.array([0, 1, info.max, info.min, info.max - 1, info.max // 3], dtype)
    bits[: len(edges)] = edges[:n]
    return bits


def floats(dtype, n, *key, special=True):
    """Values around one, of both signs; with `special` also zeros, infinities, NaN and subnormal numbers."""
    dtype = np.dtype(dtype)
    values = random(dtype.name, *key).standard_normal(n).astype(np.float64)
    values *= 2.0 ** random(dtype.name, "scale", *key).integers(-6, 7, n)
    values = values.astype(dtype)
    if special:
        tiny = float(ml_dtypes.finfo(dtype).smallest_subnormal)
        big = float(ml_dtypes.finfo(dtype).max)
        edges = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -3 * tiny, big, 1.0, -1.0]).astype(dtype)
        values[: len(edges)] = edges[:n]
    return values


def numbers(dtype, n, *key, special=True):
    if np.dtype(dtype).name in INTEGERS:
        return integers(dtype, n, *key)
    return floats(dtype, n, *key, special=special)
