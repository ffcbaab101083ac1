"""Records what an H200 gives for tests/run/wgmma/matmul.ptx: 512 and 1024 cubed with numbers that are about normal, and the
launch line of the file itself. Each is launched three times and must give the same bits.

    python3 matmul.py matmul.ptx OUT

writes OUT/matmul.json, with a hash for each row of D (tests/golden/README.md), and every D as OUT/matmul_M.npy."""
import ctypes as C, json, sys
import numpy as np
import cu

def splitmix(seed, count):
    """SplitMix64's numbers from this seed, as u64."""
    with np.errstate(over='ignore'):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9e3779b97f4a7c15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        return z ^ (z >> np.uint64(31))

def normals(seed, rows, columns):
    """About normal: the sum of four 16-bit numbers about their mean, times 2^-15, rounded to f16."""
    bits = splitmix(seed, rows * columns)
    total = sum(((bits >> np.uint64(16 * i)) & np.uint64(0xffff)).astype(np.int64) for i in range(4)) - 131070
    return (total.astype(np.float32) * np.float32(2.0 ** -15)).astype(np.float16).reshape(rows, columns)

def uniform(seed, rows, columns):
    """What `rand(seed,-1,1)` of `ptxvm run` gives for f16."""
    unit = (splitmix(seed, rows * columns) >> np.uint64(40)).astype(np.float64) / 2.0 ** 24
    return (-1 + unit * 2).astype(np.float16).reshape(rows, columns)

def tensor_map(buffer, data_type, size, rows, columns, box):
    out = (C.c_ubyte * 192)()
    at = (C.addressof(out) + 63) & ~63
    dims = (C.c_uint64 * 2)(columns, rows)
    strides = (C.c_uint64 * 1)(columns * size)
    boxes = (C.c_uint32 * 2)(*box)
    ones = (C.c_uint32 * 2)(1, 1)
    cu.ck(cu.L.cuTensorMapEncodeTiled(C.c_void_p(at), C.c_int(data_type), C.c_uint(2), C.c_void_p(buffer.p.value), dims, strides,
        boxes, ones, C.c_int(0), C.c_int(3), C.c_int(2), C.c_int(0)), 'encode')
    return C.string_at(at, 128)

def product(kernel, a, b):
    (m, k), n = a.shape, b.shape[1]
    A, B, D = cu.Buf(a.nbytes).put(a), cu.Buf(b.nbytes).put(b), cu.Buf(m * n * 4)
    maps = [tensor_map(A, 6, 2, m, k, (64, 128)), tensor_map(B, 6, 2, k, n, (64, 64)), tensor_map(D, 7, 4, m, n, (32, 16))]
    results = []
    for _ in range(3):
        D.fill(0xff)
        cu.launch(kernel, (n // 128, m // 128), (384,), maps + [np.uint32(k), A, B, D], 197728)
        cu.sync()
        results.append(D.get(np.float32).reshape(m, n).copy())
    assert all((r.view(np.uint32) == results[0].view(np.uint32)).all() for r in results), 'launches differ'
    exact = a.astype(np.float64) @ b.astype(np.float64)
    print(m, n, k, 'greatest error', np.abs(results[0] - exact).max())
    return results[0]

cu.init()
module = cu.Mod(open(sys.argv[1]).read())
kernel = module.fn('matmul')
cu.ck(cu.L.cuFuncSetAttribute(kernel, C.c_int(8), C.c_int(197728)), 'dynamic shared memory')
out = sys.argv[2]

def mix(h):
    h = (h ^ h >> np.uint32(16)) * np.uint32(0x85ebca6b)
    h = (h ^ h >> np.uint32(13)) * np.uint32(0xc2b2ae35)
    return h ^ h >> np.uint32(16)

cases = []
for m, n, k, make, seeds in [(512, 512, 512, normals, (101, 102)), (1024, 1024, 1024, normals, (103, 104)), (128, 128, 384, uniform, (1, 2))]:
    d = product(kernel, make(seeds[0], m, k), make(seeds[1], k, n))
    np.save(f'{out}/matmul_{m}.npy', d)
    words = d.view(np.uint32)
    with np.errstate(over='ignore'):
        rows = mix(words ^ mix(np.arange(n, dtype=np.uint32))).sum(axis=1, dtype=np.uint32)
    cases.append({'m': m, 'n': n, 'k': k, 'numbers': make.__name__, 'seeds': seeds, 'first': words[0, :16].tolist(), 'rows': rows.tolist()})
json.dump({'cases': cases}, open(f'{out}/matmul.json', 'w'))
