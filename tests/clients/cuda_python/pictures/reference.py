"""What textures give, by the rules of CUDA's manual, in NumPy: which texels a coordinate meets, and with which weights.

Weights are numbers with 8 bits after the point, as the manual says; how an H200 rounds the sums of products it does not
say, so that blends are compared within a bound here and bit for bit with the recordings.
"""

import numpy as np


def place(index, size, address):
    """The texel of a whole coordinate, and whether there is one."""
    if address == "wrap":
        return index % size, np.ones(index.shape, bool)
    if address == "mirror":
        index = index % (2 * size)
        return np.where(index < size, index, 2 * size - 1 - index), np.ones(index.shape, bool)
    return np.clip(index, 0, size - 1), (index >= 0) & (index < size) if address == "border" else np.ones(index.shape, bool)


def values(texels, unit):
    """What is read of texels: numbers from 0 or -1 to 1 if the texture says so."""
    if not unit or texels.dtype.kind == "f":
        return texels.astype(np.float64) if texels.dtype.kind == "f" else texels
    return np.maximum(texels / float(np.iinfo(texels.dtype).max), -1.0)


def sample(texels, coordinates, address="clamp", smooth=False, normalized=False, unit=False, border=0.0):
    """A texture of as many dimensions as there are coordinates (x first); the last axis of the texels are its channels."""
    sizes = texels.shape[len(coordinates) - 1::-1] if len(coordinates) > 1 else texels.shape[:1]
    texels = values(texels, unit)
    corners = [(np.ones(coordinates[0].shape), (), np.ones(coordinates[0].shape, bool))]
    for coordinate, size in zip(coordinates, sizes):
        x = coordinate.astype(np.float64) * (size if normalized else 1)
        if not smooth:
            steps = [(np.floor(x).astype(np.int64), 1.0)]
        else:
            fixed = np.floor((x - 0.5) * 256 + 0.5).astype(np.int64)
            low, weight = fixed >> 8, (fixed & 255) / 256
            steps = [(low, 1 - weight), (low + 1, weight)]
        met = []
        for weight, places, there in corners:
            for index, share in steps:
                index, inside = place(index, size, address)
                met.append((weight * share, (index, *places), there & inside))
        corners = met
    if not smooth:
        weight, places, there = corners[0]
        return np.where(there[..., None], texels[places], np.asarray(border, texels.dtype))
    return sum(weight[..., None] * np.where(there[..., None], texels[places], border) for weight, places, there in corners)


def affine(pixels, xx, xy, x0, yx, yy, y0):
    """The coordinates of each pixel, in the kernels' own arithmetic."""
    y, x = np.mgrid[0:pixels[1], 0:pixels[0]].astype(np.float32) + np.float32(0.5)
    return xx * x + xy * y + x0, yx * x + yy * y + y0


def doubtful(coordinates, sizes, normalized):
    """Where a coordinate is so near to the side of a texel that its rounding decides which texel is the nearest."""
    x = [c.astype(np.float64) * (size if normalized else 1) for c, size in zip(coordinates, sizes)]
    return np.any([np.abs(c - np.round(c)) < 2.0**-9 for c in x], axis=0)


def gathered(texels, coordinates, address, normalized, unit):
    """The four texels around a place by component, each four in the order: left below, right below, right above, left above,
    where below is the greater y."""
    height, width = texels.shape[:2]
    x, y = (np.floor(c.astype(np.float64) * (size if normalized else 1) - 0.5).astype(np.int64) for c, size in zip(coordinates, (width, height)))
    read = values(texels, unit)
    corner = lambda dx, dy: read[place(y + dy, height, address)[0], place(x + dx, width, address)[0]]
    return np.stack([corner(0, 1), corner(1, 1), corner(1, 0), corner(0, 0)], axis=-1)


def cube(faces, directions, smooth):
    """A cube's faces where directions meet them; filtering stops at the edges of faces."""
    x, y, z = (d.astype(np.float64) for d in directions)
    size = faces.shape[1]
    largest = np.maximum(np.maximum(abs(x), abs(y)), abs(z))
    result = np.zeros(x.shape + faces.shape[-1:])
    left = np.ones(x.shape, bool)
    # Where two are the largest, z counts more than y, and y more than x.
    for axis, major, right, down in ((2, z, (x, -x), (-y, -y)), (1, y, (x, x), (z, -z)), (0, x, (-z, z), (-y, -y))):
        for negative in (False, True):
            mine = left & (abs(major) == largest) & ((major < 0) == negative)
            s, t = ((way[negative] / largest + 1) / 2 for way in (right, down))
            met = sample(faces[2 * axis + negative], (s, t), "clamp", smooth, True)
            result = np.where(mine[..., None], met, result)
            left &= ~mine
    return result


def srgb(texels):
    """Colours decoded from sRGB, the fourth channel as it is."""
    c = texels / 255.0
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    linear[..., 3] = c[..., 3]
    return linear
