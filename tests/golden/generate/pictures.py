"""Draws the pictures of tests/clients/cuda_python/pictures on a GPU through libcuda alone, and keeps them.

    pictures.py PTX SCENE OUT.npz      PTX: kernels.cu, SCENE: KERNEL of examples/clients/textures.py, both compiled by
                                       NVRTC with --fmad=false for sm_90

One process; a picture that fails is told and left out. tests/golden/clients/textures.npz is what an H200 gave."""
import ctypes as C, os, sys, time, traceback
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in (HERE, os.path.join(HERE, '../../clients/cuda_python/pictures'), os.path.join(HERE, '../../../examples/clients')): sys.path.insert(0, folder)
V, Z, U = C.c_void_p, C.c_size_t, C.c_uint
L = C.CDLL('libcuda.so.1')
class Array3D(C.Structure): _fields_ = [('w', Z), ('h', Z), ('d', Z), ('format', U), ('channels', U), ('flags', U)]
class Copy3D(C.Structure): _fields_ = [('src', Z * 4), ('stype', U), ('shost', V), ('sdev', C.c_uint64), ('sarr', V), ('r0', V), ('spitch', Z), ('sheight', Z), ('dst', Z * 4), ('dtype', U), ('dhost', V), ('ddev', C.c_uint64), ('darr', V), ('r1', V), ('dpitch', Z), ('dheight', Z), ('extent', Z * 3)]
class Texture(C.Structure): _fields_ = [('address', U * 3), ('filter', U), ('flags', U), ('anisotropy', U), ('mip_filter', U), ('bias', C.c_float), ('min', C.c_float), ('max', C.c_float), ('border', C.c_float * 4), ('reserved', C.c_int * 12)]
FORMATS = {'u1': 1, 'u2': 2, 'u4': 3, 'i1': 8, 'i2': 9, 'i4': 10, 'f2': 0x10, 'f4': 0x20}
ADDRESS = {'wrap': 0, 'clamp': 1, 'mirror': 2, 'border': 3}
def ck(r, what):
    if r: raise RuntimeError(f'{what}: {r}')

class Memory:
    def __init__(s, a):
        s.like = np.ascontiguousarray(a); s.p = C.c_uint64(); ck(L.cuMemAlloc_v2(C.byref(s.p), Z(max(a.nbytes, 16))), 'cuMemAlloc')
        ck(L.cuMemcpyHtoD_v2(s.p, s.like.ctypes.data_as(V), Z(s.like.nbytes)), 'cuMemcpyHtoD')
    def numpy(s):
        ck(L.cuCtxSynchronize(), 'cuCtxSynchronize'); a = np.empty_like(s.like); ck(L.cuMemcpyDtoH_v2(a.ctypes.data_as(V), s.p, Z(a.nbytes)), 'cuMemcpyDtoH'); return a

class Image:
    """A CUarray of texels of this shape, or a level of a mipmapped one."""
    def __init__(s, shape, dtype, flags, handle=None, make=None):
        s.shape, s.dtype, s.handle = shape, np.dtype(dtype), handle or V()
        if make: make(s)
    def copy(s, a, to):
        *outer, w, c = s.shape; row = w * c * s.dtype.itemsize; h = outer[-1] if outer else 1; d = outer[0] if len(outer) == 2 else 1; k = Copy3D()
        if s.flat: h, d = 1, outer[0]
        k.stype, k.dtype = (1, 3) if to else (3, 1); k.extent = (Z * 3)(row, h, d)
        if to: k.shost, k.spitch, k.sheight, k.darr = a.ctypes.data, row, h, s.handle
        else: k.dhost, k.dpitch, k.dheight, k.sarr = a.ctypes.data, row, h, s.handle
        ck(L.cuMemcpy3D_v2(C.byref(k)), 'cuMemcpy3D')
    flat = False
    def put(s, texels): s.copy(np.ascontiguousarray(texels, s.dtype), True); return s
    def numpy(s):
        ck(L.cuCtxSynchronize(), 'cuCtxSynchronize'); a = np.empty(s.shape, s.dtype); s.copy(a, False); return a
    def resource(s): return 0, [s.handle.value]

def descriptor(shape, dtype, layered, cube, surface, gather):
    *outer, w, c = shape; flat = layered and len(outer) == 1
    h = 0 if flat or not outer else outer[-1]; d = outer[0] if len(outer) == 2 or flat else 0
    return Array3D(w, h, d, FORMATS[np.dtype(dtype).str[1:]], c, layered * 1 | surface * 2 | cube * 4 | gather * 8), flat

class Mipmapped:
    def __init__(s, shape, dtype, levels, surface):
        s.shape, s.dtype, s.handle = shape, dtype, V(); a, _ = descriptor(shape, dtype, False, False, surface, False)
        ck(L.cuMipmappedArrayCreate(C.byref(s.handle), C.byref(a), U(levels)), 'cuMipmappedArrayCreate')
    def level(s, n):
        h = V(); ck(L.cuMipmappedArrayGetLevel(C.byref(h), s.handle, U(n)), 'cuMipmappedArrayGetLevel')
        return Image(tuple(max(1, x >> n) for x in s.shape[:-1]) + s.shape[-1:], s.dtype, 0, h)
    def resource(s): return 1, [s.handle.value]

class Plain:
    def __init__(s, kind, words): s.kind, s.words = kind, words
    def resource(s): return s.kind, s.words

class Gpu:
    def __init__(s, ptx):
        ck(L.cuInit(0), 'cuInit'); c = V(); ck(L.cuDevicePrimaryCtxRetain(C.byref(c), 0), 'retain'); ck(L.cuCtxSetCurrent(c), 'current')
        s.module = V(); ck(L.cuModuleLoadData(C.byref(s.module), ptx.encode() + b'\0'), 'cuModuleLoadData'); s.kept = []
    def memory(s, a): return Memory(a)
    def array(s, texels, layered=False, cube=False, surface=False, gather=False):
        a, flat = descriptor(texels.shape, texels.dtype, layered, cube, surface, gather); image = Image(texels.shape, texels.dtype, 0); image.flat = flat
        ck(L.cuArray3DCreate_v2(C.byref(image.handle), C.byref(a)), 'cuArray3DCreate'); return image.put(texels)
    def mipmapped(s, shape, dtype, levels, surface=False): return Mipmapped(shape, dtype, levels, surface)
    def linear(s, texels):
        m = Memory(texels); s.kept.append(m); return Plain(2, [m.p.value, FORMATS[texels.dtype.str[1:]] | texels.shape[-1] << 32, texels.nbytes])
    def pitched(s, texels, pitch):
        h, w, c = texels.shape; rows = np.zeros((h, pitch), np.uint8); rows[:, :w * c * texels.itemsize] = texels.reshape(h, -1).view(np.uint8)
        m = Memory(rows); s.kept.append(m); return Plain(3, [m.p.value, FORMATS[texels.dtype.str[1:]] | c << 32, w, h, pitch])
    def describe(s, source):
        kind, words = source.resource(); r = np.zeros(144, np.uint8); r[:4].view(np.uint32)[0] = kind; r[8:8 + 8 * len(words)].view(np.uint64)[:] = words; s.kept += [source, r]; return r.ctypes.data_as(V)
    def texture(s, source, address='clamp', smooth=False, normalized=False, unit=False, srgb=False, seamless=False, level_smooth=False, bias=0.0, least=0.0, most=0.0, anisotropy=0, border=(0, 0, 0, 0)):
        integer = getattr(source, 'dtype', None); flags = (0 if unit else 1) | normalized * 2 | srgb * 0x10 | seamless * 0x40
        t = Texture((U * 3)(*[ADDRESS[address]] * 3), int(smooth), flags, anisotropy, int(level_smooth), bias, least, most, (C.c_float * 4)(*border)); h = C.c_uint64()
        ck(L.cuTexObjectCreate(C.byref(h), s.describe(source), C.byref(t), None), 'cuTexObjectCreate'); return h.value
    def surface(s, image):
        h = C.c_uint64(); ck(L.cuSurfObjectCreate(C.byref(h), s.describe(image)), 'cuSurfObjectCreate'); return h.value
    def launch(s, name, grid, block, *args):
        f = V(); ck(L.cuModuleGetFunction(C.byref(f), s.module, name.encode()), 'cuModuleGetFunction ' + name); vals = []
        for a in args:
            if isinstance(a, Memory): vals.append(C.c_uint64(a.p.value))
            else: vals.append((C.c_ubyte * a.nbytes).from_buffer_copy(a.tobytes()))
        ps = (V * len(vals))(*[C.addressof(v) for v in vals])
        ck(L.cuLaunchKernel(f, *[U(int(x)) for x in tuple(grid) + tuple(block)], U(0), None, ps, None), 'cuLaunchKernel ' + name)

def scene(gpu):
    """The picture of examples/clients/textures.py, with more and more samples on the floor."""
    import textures
    levels = textures.floor_levels(); chain = gpu.mipmapped((128, 128, 4), np.uint8, len(levels)); result = {}
    for number, level in enumerate(levels): chain.level(number).put(level)
    sky = gpu.texture(gpu.array(textures.sky_faces(), cube=True), smooth=True, normalized=True, unit=True, seamless=True)
    for samples in (1, 4, 16):
        floor = gpu.texture(chain, address='wrap', smooth=True, level_smooth=True, normalized=True, unit=True, srgb=True, anisotropy=samples, most=float(len(levels) - 1))
        out = gpu.memory(np.zeros((textures.HEIGHT, textures.WIDTH, 4), np.uint8))
        gpu.launch('scene', (textures.WIDTH // 16, textures.HEIGHT // 16, 1), (16, 16, 1), np.uint64(floor), np.uint64(sky), out, np.int32(textures.WIDTH), np.int32(textures.HEIGHT)); result[str(samples)] = out.numpy()
    return result

if __name__ == '__main__':
    from pictures import PICTURES
    gpu, stage = Gpu(open(sys.argv[1]).read()), Gpu(open(sys.argv[2]).read()); kept = {}
    for name, draw in [*PICTURES.items(), ('scene', scene)]:
        gpu = stage if name == 'scene' else gpu
        began = time.time()
        try:
            first, again = draw(gpu), draw(gpu)
            for part in first:
                if first[part].tobytes() != again[part].tobytes(): print(name, part, 'differs from run to run', flush=True)
                kept[f'{name}/{part}'] = first[part]
            print(f'{name}: {len(first)} pictures, {time.time() - began:.2f} s', flush=True)
        except Exception as error: print(name, 'failed:', repr(error), traceback.format_exc()[-400:], flush=True)
    np.savez_compressed(sys.argv[3], **kept); print(len(kept), 'pictures,', os.path.getsize(sys.argv[3]), 'bytes')
