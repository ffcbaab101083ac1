"""Inputs for matrix cases: registers of every packed format, in regimes that each look at another side of the arithmetic.

`ordinary` numbers around 1; `raw` random bits; `wide` exponents far apart; `over` and `under` results near the ends of the range;
`floor` few products, near the least exponents; `zeros` many zeros of both signs beside numbers that cancel; `zerohuge` zeros
times huge numbers beside tiny products; `special` infinities and NaNs among ordinary numbers.
"""
import numpy as np

FORMATS = {'f16': (5, 10), 'bf16': (8, 7), 'tf32': (8, 10), 'f32': (8, 23), 'f64': (11, 52), 'e4m3': (4, 3), 'e5m2': (5, 2)}
REGIMES = ['ordinary', 'raw', 'wide', 'over', 'under', 'floor', 'zeros', 'zerohuge', 'special']
# The window of unbiased exponents of multiplicands and of C: (type of A and B) -> regime -> ((low, high) of A and B, of C).
WINDOW = {
    'f16': {'over': ((9, 15), (14, 40)), 'under': ((-24, -9), (-50, -20)), 'floor': ((-24, -6), (-60, -20))},
    'bf16': {'over': ((55, 66), (120, 127)), 'under': ((-90, -55), (-149, -112)), 'floor': ((-90, -50), (-149, -118))},
    'f64': {'over': ((505, 513), (1018, 1023)), 'under': ((-545, -500), (-1074, -1010)), 'floor': ((-545, -505), (-1074, -1020))},
    'e4m3': {'over': ((4, 8), (10, 20)), 'under': ((-9, -4), (-40, -10)), 'floor': ((-9, 0), (-40, -10))},
    'e5m2': {'over': ((9, 15), (14, 40)), 'under': ((-16, -8), (-50, -20)), 'floor': ((-16, -3), (-60, -20))},
}
WINDOW['tf32'] = WINDOW['bf16']

def number(rng, fmt, low, high, shape):
    """Random numbers of the format with exponents in [low, high]; below the least normal exponent they are subnormal, above the greatest the greatest."""
    e, m = FORMATS[fmt]; bias = (1 << (e - 1)) - 1
    exp = rng.integers(low, high + 1, shape); frac = rng.integers(0, 1 << m, shape, dtype=np.uint64)
    # A few bits only, every other time: sums of short numbers cancel exactly more often.
    frac = np.where(rng.random(shape) < .3, frac & ~np.uint64((1 << max(m - 2, 0)) - 1), frac)
    biased = exp + bias; full = (np.uint64(1) << np.uint64(m)) | frac
    sub = np.clip(1 - biased, 0, 63).astype(np.uint64); top = (1 << e) - 1 - (0 if fmt == 'e4m3' else 1)
    body = np.where(biased >= 1, (np.clip(biased, 1, top).astype(np.uint64) << np.uint64(m)) | frac, full >> sub)
    if fmt == 'e4m3': body = np.where(body == 0x7f, 0x7e, body)
    return body | (rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(e + m))

def specials(fmt):
    e, m = FORMATS[fmt]; inf = ((1 << e) - 1) << m; sign = 1 << (e + m)
    if fmt == 'e4m3': v = [0x7f, 0xff, 0x7e, 0xfe, 0, 0x80]
    else: v = [inf, inf | sign, inf | 1 << (m - 1), inf | 1, inf | sign | 1 << (m - 1) | 1, inf - 1, (inf - 1) | sign, 0, sign]
    return np.array(v, np.uint64)

def values(rng, fmt, regime, ab, role, shape):
    """`ab` is the format of A and B, which decides the windows; `role` is 'a', 'b' or 'c'."""
    e, m = FORMATS[fmt]; bits = 1 + e + m; sign = np.uint64(1 << (bits - 1)); w = WINDOW[ab]
    flip = lambda x: x ^ (rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(bits - 1))
    if regime == 'raw': return rng.integers(0, 1 << 63, shape, dtype=np.uint64) << np.uint64(1) & np.uint64((1 << bits) - 1) | rng.integers(0, 2, shape, dtype=np.uint64)
    if regime == 'ordinary': return number(rng, fmt, -3, 3, shape)
    if regime == 'wide':
        s = {'f16': 12, 'bf16': 30, 'tf32': 30, 'e4m3': 7, 'e5m2': 13, 'f64': 60}[ab]
        return number(rng, fmt, -s, s, shape) if role != 'c' else number(rng, fmt, -2 * s, 2 * s, shape)
    if regime in ('over', 'under'):
        x = number(rng, fmt, *w[regime][role == 'c'], shape)
        return np.where(rng.random(shape) < .1, flip(np.zeros(shape, np.uint64)), x)
    if regime == 'floor':
        x = number(rng, fmt, *w[regime][role == 'c'], shape)
        return np.where(rng.random(shape) < {'a': .8, 'b': .2, 'c': .6}[role], flip(np.zeros(shape, np.uint64)), x)
    if regime == 'zeros':
        few = rng.choice(number(rng, fmt, -1, 1, (6,)), shape)
        tiny = number(rng, fmt, *w['floor'][role == 'c'], shape)
        x = np.where(rng.random(shape) < .5, few, tiny)
        x = np.where(rng.random(shape) < {'a': .7, 'b': .4, 'c': .7}[role], np.zeros(shape, np.uint64), x)
        # Some warps hold zeros of one sign only.
        p = rng.choice([0., 1., .5], shape[:1] + (1,) * (len(shape) - 1))
        return np.where(x == 0, np.where(rng.random(shape) < p, sign, np.uint64(0)), flip(x))
    if regime == 'zerohuge':
        top = (1 << (e - 1)) - 1
        huge = number(rng, fmt, top - 6, top, shape); tiny = number(rng, fmt, *w['floor'][role == 'c'], shape)
        if role == 'a': return np.where(rng.random(shape) < .85, flip(np.zeros(shape, np.uint64)), tiny)
        if role == 'b': return np.where(rng.random(shape) < .5, huge, tiny)
        return np.where(rng.random(shape) < .5, flip(np.zeros(shape, np.uint64)), tiny)
    if regime == 'special':
        x = number(rng, fmt, -3, 3, shape)
        rate = rng.choice([.01, .03, .1], shape[:1] + (1,) * (len(shape) - 1))
        return np.where(rng.random(shape) < rate, rng.choice(specials(fmt), shape), x)
    raise KeyError(regime)

PAIRS2 = np.array([0b0100, 0b1000, 0b1001, 0b1100, 0b1101, 0b1110], np.uint64)

def registers(rng, classes, roles, regime, warps):
    """The values of each register of `classes` in warps·32 lanes, all in one regime; `roles` names each register's matrix."""
    ab = next((c.split('x')[0] for c in classes if c.split('x')[0] in WINDOW), None); out = []
    for i, c in enumerate(classes):
        shape = (warps, 32); fmt, _, packed = c.partition('x'); packed = int(packed or 1)
        if c == 'raw': out.append(rng.integers(0, 1 << 32, shape, dtype=np.uint64)); continue
        if c == 'meta2':
            v = np.zeros(shape, np.uint64)
            for k in range(8): v |= rng.choice(PAIRS2, shape) << np.uint64(4 * k)
            out.append(v); continue
        if c == 'meta1':
            v = np.zeros(shape, np.uint64)
            for k in range(8): v |= rng.choice(np.array([0b0100, 0b1110], np.uint64), shape) << np.uint64(4 * k)
            out.append(v); continue
        if c == 's32':
            v = rng.integers(0, 1 << 32, shape, dtype=np.uint64)
            near = (rng.choice(np.array([0, 0x7fffffff, 0x80000000], np.uint64), shape) + rng.integers(-4096, 4096, shape).astype(np.uint64)) & np.uint64(0xffffffff)
            out.append(v if regime == 'raw' else near if regime in ('over', 'wide', 'floor', 'special') else rng.integers(-1000, 1000, shape).astype(np.uint64) & np.uint64(0xffffffff)); continue
        if c in ('i8x4', 'i4x8', 'b1x32'):
            v = rng.integers(0, 1 << 32, shape, dtype=np.uint64)
            if regime in ('over', 'special') and c == 'i8x4':
                v = sum(rng.choice(np.array([0x80, 0x7f, 0xff, 0, 1], np.uint64), shape, p=[.3, .3, .2, .1, .1]) << np.uint64(8 * k) for k in range(4))
            if regime in ('over', 'special') and c == 'i4x8':
                v = sum(rng.choice(np.array([8, 7, 15, 0, 1], np.uint64), shape, p=[.3, .3, .2, .1, .1]) << np.uint64(4 * k) for k in range(8))
            if regime in ('zeros', 'floor'): v &= rng.integers(0, 1 << 32, shape, dtype=np.uint64) & rng.integers(0, 1 << 32, shape, dtype=np.uint64)
            out.append(v); continue
        role = roles[i]
        v = np.zeros(shape, np.uint64); w = 1 + sum(FORMATS[fmt])
        for k in range(packed):
            x = values(rng, fmt, regime, ab, role, shape)
            if fmt == 'tf32': x = x << np.uint64(13) | (rng.integers(0, 1 << 13, shape, dtype=np.uint64) if regime in ('raw', 'wide') else np.uint64(0))
            v |= x << np.uint64(k * w) if fmt != 'tf32' else x
        out.append(v)
    return [x.reshape(-1) for x in out]
