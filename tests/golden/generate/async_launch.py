"""Launches with attributes and tensor maps, on top of cu.py."""
import ctypes as C, struct, numpy as np
import cu

class Config(C.Structure):
    _fields_ = [(n, C.c_uint) for n in ('gx', 'gy', 'gz', 'bx', 'by', 'bz', 'shared')] + [('stream', C.c_void_p), ('attrs', C.c_void_p), ('n', C.c_uint)]

def config(grid, block, shared=0, cluster=None, attrs=()):
    attrs = list(attrs)
    if cluster: attrs.append((4, struct.pack('3I', *cluster)))
    raw = b''.join(struct.pack('i4x', i) + v.ljust(64, b'\0') for i, v in attrs)
    mem = C.create_string_buffer(raw, max(1, len(raw)))
    g = tuple(grid) + (1,) * (3 - len(grid)); b = tuple(block) + (1,) * (3 - len(block))
    c = Config(*g, *b, shared, None, C.addressof(mem) if attrs else None, len(attrs)); c.keep = mem
    return c

def arguments(args):
    vals = []
    for a in args:
        if isinstance(a, cu.Buf): vals.append(C.c_uint64(a.p.value))
        elif isinstance(a, bytes):
            v = C.create_string_buffer(len(a) + 64); p = (C.addressof(v) + 63) & ~63; C.memmove(p, a, len(a)); v.at = p; vals.append(v)
        elif isinstance(a, np.generic): vals.append((C.c_ubyte * a.nbytes).from_buffer_copy(a.tobytes()))
        else: vals.append(a)
    return (C.c_void_p * max(1, len(vals)))(*[getattr(v, 'at', C.addressof(v)) for v in vals]), vals

def launch(f, grid, block, args, shared=0, cluster=None, attrs=(), raw=False):
    c = config(grid, block, shared, cluster, attrs); ps, keep = arguments(args)
    r = cu.L.cuLaunchKernelEx(C.byref(c), f, ps, None)
    if raw: return r
    cu.ck(r, 'launch')

def setattr_(f, a, v): return cu.L.cuFuncSetAttribute(f, C.c_int(a), C.c_int(v))

MODS = {}
def fn(ptx, name='k'):
    """The kernel `name` of a PTX text, loaded once in each child."""
    if ptx not in MODS: MODS[ptx] = cu.Mod(ptx)
    return MODS[ptx].fn(name)
