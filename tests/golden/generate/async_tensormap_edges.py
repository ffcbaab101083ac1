"""Asks a driver what its tensor-map encoders answer: one argument wrong at a time, and every field of tensormap.replace.

Writes $OUT/tensormap.json (encodings) and $OUT/replace.json. Seconds on an H200."""
import ctypes as C, json, os, random, sys
from cu import L, init, ck, Buf, Mod, launch, sync
import numpy as np
OUT = os.environ.get('OUT', '.')
U32, U64, I32, P = C.c_uint32, C.c_uint64, C.c_int, C.c_void_p

def array(ty, xs):
    return None if xs is None else (ty * max(1, len(xs)))(*xs)

BACK = (C.c_ubyte * 512)()
def place(skew):
    base = (C.addressof(BACK) + 127) & ~127
    C.memset(base, 0xEE, 256)
    return base + skew

BASE = dict(mode='tile', address=0x7f0000000000, dtype=7, rank=2, dims=[64, 64], strides=[256], elem_strides=[1, 1], box=[32, 8],
            interleave=0, swizzle=0, l2=0, oob=0, skew=0, null=None)
IM = dict(BASE, mode='im2col', rank=4, dims=[64, 16, 12, 4], strides=[256, 4096, 49152], elem_strides=[1] * 4, lower=[-1, -1], upper=[-1, 0],
          channels=16, pixels=32)
WIDE = dict(IM, mode='im2col_wide', lower=-1, upper=-1, wide=0, swizzle=3)

def encode(c):
    p = place(c['skew']); n = c['null']
    pick = lambda name, v: None if n == name else v
    tm = None if n == 'map' else P(p)
    head = [tm, I32(c['dtype']), U32(c['rank']), P(c['address']), pick('dims', array(U64, c['dims'])), pick('strides', array(U64, c['strides']))]
    es = pick('elem_strides', array(U32, c['elem_strides']))
    tail = [I32(c['swizzle']), I32(c['l2']), I32(c['oob'])]
    if c['mode'] == 'tile':
        r = L.cuTensorMapEncodeTiled(*head, pick('box', array(U32, c['box'])), es, I32(c['interleave']), *tail)
    elif c['mode'] == 'im2col':
        r = L.cuTensorMapEncodeIm2col(*head, pick('lower', array(I32, c['lower'])), pick('upper', array(I32, c['upper'])), U32(c['channels']), U32(c['pixels']),
                                      es, I32(c['interleave']), *tail)
    else:
        r = L.cuTensorMapEncodeIm2colWide(*head, I32(c['lower']), I32(c['upper']), U32(c['channels']), U32(c['pixels']), es, I32(c['interleave']),
                                          I32(c['wide']), *tail)
    return r, bytes((C.c_ubyte * 128).from_address(p))

cases = []
def ask(base, **change):
    c = dict(base, **change)
    r, b = encode(c)
    c['result'] = r
    if r == 0: c['map'] = b.hex()
    elif b != b'\xee' * 128: c['written'] = b.hex()
    cases.append(c)

def t(**k): ask(BASE, **k)
def i(**k): ask(IM, **k)
def w(**k): ask(WIDE, **k)

def everything():
    t(); i(); w()
    t(null='strides', rank=1, dims=[64], strides=[], elem_strides=[1], box=[32])
    for s in [8, 16, 32, 64]: t(skew=s)
    for a in [0, 8, 16, 32, 0x10, 0x7f0000000010, 0x7f0000000008, 1 << 47, 1 << 48, 1 << 56, 1 << 57, (1 << 64) - 16]: t(address=a); i(address=a)
    for r in [0, 1, 3, 5, 6]: t(rank=r, dims=[64, 8, 8, 4, 4, 2], strides=[256, 2048, 16384, 65536, 1 << 18], elem_strides=[1] * 6, box=[32, 2, 2, 2, 2, 2])
    for r in [0, 1, 2, 3, 5, 6]: i(rank=r, dims=[64, 8, 8, 4, 4, 2], strides=[256, 2048, 16384, 65536, 1 << 18], elem_strides=[1] * 6, lower=[-1] * 4, upper=[-1] * 4)
    for r in [2, 3, 4, 5, 6]: w(rank=r, dims=[64, 8, 8, 4, 4, 2], strides=[256, 2048, 16384, 65536, 1 << 18], elem_strides=[1] * 6)
    for d in [-1, 13, 14, 15, 16, 17]: t(dtype=d); i(dtype=d)
    for d in range(16): w(dtype=d, channels=16 if d < 13 else 128, pixels=32, dims=[128, 16, 12, 4], strides=[1024, 16384, 196608])
    for d in range(13): t(dtype=d, dims=[16, 64], box=[16, 8]); t(dtype=d, oob=1, dims=[16, 64], box=[16, 8])
    for d in [13, 14, 15]:
        for s in range(8):
            for b in [64, 128, 256]: t(dtype=d, dims=[256, 64], strides=[256], box=[b, 8], swizzle=s)
        i(dtype=d, dims=[128, 16, 12, 4], strides=[128, 2048, 24576], channels=128)
    for x in [0, 1, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 1, 1 << 40]: t(dims=[64, x]); t(dims=[x, 64])
    for x in [0, 8, 16, 24, 32, 128, 1 << 32, 1 << 36, (1 << 36) + 16, (1 << 40) - 16, 1 << 40, (1 << 40) + 16, 1 << 44]: t(strides=[x])
    t(rank=3, dims=[64, 64, 2], strides=[256, 16], elem_strides=[1] * 3, box=[32, 8, 1])
    for x in [0, 1, 3, 4, 5, 8, 255, 256, 257]: t(box=[x, 8]); t(box=[32, x])
    for x in [0, 1, 2, 3, 4, 7, 8, 9]: t(elem_strides=[x, 1]); t(elem_strides=[1, x])
    t(elem_strides=[1, 8], box=[32, 7]); t(elem_strides=[1, 8], box=[32, 256])
    for s in range(-1, 9):
        for b in [4, 8, 16, 24, 32, 36, 64]: t(swizzle=s, box=[b, 8])
    R3 = dict(rank=3, dims=[64, 64, 8], strides=[256, 16384], elem_strides=[1] * 3)
    for il in range(-1, 4):
        for s in range(5):
            for b in [1, 2, 3, 4, 5, 8, 16]: t(**R3, interleave=il, swizzle=s, box=[b, 8, 2])
    for il in [1, 2]:
        s = il - 1
        t(interleave=il, swizzle=s, box=[4 * il, 8])
        t(**dict(R3, strides=[240, 15360]), interleave=il, swizzle=s, box=[4 * il, 8, 2])
        t(**R3, interleave=il, swizzle=s, box=[4 * il, 8, 2], address=0x7f0000000010)
        for e in [0, 1, 2, 3, 8, 9]: t(**dict(R3, elem_strides=[e, 1, 1]), interleave=il, swizzle=s, box=[4 * il, 8, 2])
        for d in [0, 1, 3, 6, 8]: t(**R3, interleave=il, swizzle=s, dtype=d, box=[16 * il // [1, 2, 4, 4, 8, 8, 2, 4, 8][d], 8, 2])
    for x in range(-1, 5): t(l2=x); i(l2=x)
    for x in range(-1, 3): t(oob=x); i(oob=x)
    # how large a box may be
    B3 = dict(dtype=0, rank=3, dims=[256, 256, 256], strides=[256, 65536], elem_strides=[1] * 3)
    for b in [[16, 64, 48], [16, 64, 64], [16, 128, 64], [16, 128, 100], [16, 64, 227], [16, 87, 167], [16, 256, 57], [16, 105, 139], [16, 128, 128], [16, 128, 129],
              [16, 130, 127], [256, 64, 3], [256, 227, 4], [256, 228, 4], [256, 256, 1], [256, 256, 3], [256, 256, 4], [256, 256, 16]]:
        for s in [0, 3]: t(**B3, box=b, swizzle=s)
    for e in [2, 4, 8]: t(**dict(B3, elem_strides=[1, e, e]), box=[256, 256, 256])
    t(**dict(B3, elem_strides=[1, 8, 8]), box=[16, 256, 256]); t(**dict(B3, elem_strides=[1, 4, 4]), box=[64, 256, 256])
    t(**dict(B3, elem_strides=[1, 7, 3]), box=[64, 20, 230]); t(**dict(B3, elem_strides=[1, 1, 1]), box=[16, 200, 256], interleave=1)
    # im2col
    for x in [0, 1, 4, 5, 256, 257]: i(channels=x)
    for x in [0, 1, 256, 1024, 1025]: i(pixels=x); w(pixels=x); w(pixels=x, wide=1)
    i(dtype=0, dims=[256, 64, 64, 4], strides=[256, 16384, 1 << 20], channels=256, pixels=908); i(dtype=0, dims=[256, 64, 64, 4], strides=[256, 16384, 1 << 20], channels=256, pixels=1024)
    for x in [-129, -128, 127, 128]:
        i(lower=[x, 0], upper=[0, 0]); i(lower=[0, x], upper=[0, 0]); i(lower=[0, 0], upper=[x, 0]); i(lower=[0, 0], upper=[0, x])
    for x in [-17, -16, 15, 16]:
        k = dict(rank=5, dims=[64, 40, 40, 40, 4], strides=[256, 10240, 409600, 16384000], elem_strides=[1] * 5)
        i(**k, lower=[x, 0, 0], upper=[0, 0, 0]); i(**k, lower=[0, 0, 0], upper=[0, 0, x])
    for x in [-32769, -32768, 32767, 32768]:
        k = dict(rank=3, dims=[64, 40, 4], strides=[256, 10240], elem_strides=[1] * 3)
        i(**k, lower=[x], upper=[0]); i(**k, lower=[0], upper=[x]); w(**k, lower=x, upper=0); w(**k, lower=0, upper=x)
    for lo, up in [([0, 0], [-15, 0]), ([0, 0], [-16, 0]), ([0, 0], [-17, 0]), ([0, 0], [0, -11]), ([0, 0], [0, -12]), ([0, 0], [0, -13]), ([0, 0], [-17, -13]),
                   ([16, 0], [0, 0]), ([17, 0], [0, 0]), ([20, 20], [0, 0])]: i(lower=lo, upper=up)
    for e in [[2, 1, 1, 1], [1, 2, 1, 1], [1, 1, 8, 1], [1, 1, 1, 2], [1, 1, 1, 8], [1, 9, 1, 1], [1, 0, 1, 1], [0, 1, 1, 1], [9, 1, 1, 1]]: i(elem_strides=e); w(elem_strides=e)
    for s in range(-1, 9): i(swizzle=s); w(swizzle=s); i(swizzle=s, channels=64); w(swizzle=s, wide=1)
    for il in [1, 2, 3]:
        for s in range(4):
            for ch in [2, 4, 8, 16]: i(interleave=il, swizzle=s, channels=ch)
        w(interleave=il)
    for x in [-1, 2]: w(wide=x)

def replace_address():
    out = []
    for base, change in [(BASE, {}), (dict(BASE, rank=3, dims=[64, 64, 8], strides=[256, 16384], elem_strides=[1] * 3, interleave=2, swizzle=1, box=[8, 8, 2]), {})]:
        for a in [0, 8, 16, 32, 0x7f1234567800, 1 << 57]:
            r, b = encode(base)
            p = place(0); C.memmove(p, b, 128)
            q = L.cuTensorMapReplaceAddress(P(p), P(a))
            out.append(dict(before=b.hex(), address=a, skew=0, result=q, after=bytes((C.c_ubyte * 128).from_address(p)).hex()))
    r, b = encode(BASE)
    for skew in [8, 16, 32, 64]:
        p = place(skew); C.memmove(p, b, 128)
        q = L.cuTensorMapReplaceAddress(P(p), P(0x7f1234567800))
        out.append(dict(before=b.hex(), address=0x7f1234567800, skew=skew, result=q, after=bytes((C.c_ubyte * 128).from_address(p)).hex()))
    p = place(0); C.memset(p, 0, 128)
    q = L.cuTensorMapReplaceAddress(P(p), P(0x7f1234567800))
    out.append(dict(before='00' * 128, address=0x7f1234567800, skew=0, result=q, after=bytes((C.c_ubyte * 128).from_address(p)).hex()))
    p = place(0); C.memset(p, 0xff, 128)
    q = L.cuTensorMapReplaceAddress(P(p), P(0x7f1234567800))
    out.append(dict(before='ff' * 128, address=0x7f1234567800, skew=0, result=q, after=bytes((C.c_ubyte * 128).from_address(p)).hex()))
    return out

def replace_fields():
    """tensormap.replace on bytes of noise: which bits change."""
    asks = []
    for v in [0, 1, 4, 5, 7, 9]: asks.append(('rank', None, v))
    for o in range(5):
        for v in [0, 1, 2, 255, 256, 257, 300]: asks.append(('box_dim', o, v))
        for v in [0, 1, 77, 0xffffffff]: asks.append(('global_dim', o, v))
        for v in [0, 1, 8, 9, 15]: asks.append(('element_stride', o, v))
        for v in [0, 8, 16, 0x12345678f0, 0xfffffffff0, 0x123456789abcdef0]: asks.append(('global_stride', o, v))
    for v in [0, 8, 0x7f1234567800, 0xffffffffffffffff]: asks.append(('global_address', None, v))
    for v in range(13): asks.append(('elemtype', 'imm', v))
    for v in range(3): asks.append(('interleave_layout', 'imm', v))
    for v in range(4): asks.append(('swizzle_mode', 'imm', v))
    for v in range(2): asks.append(('fill_mode', 'imm', v))
    random.seed(5)
    out = []
    for k, (field, o, v) in enumerate(asks):
        before = [bytes(random.randrange(256) for _ in range(128)), b'\0' * 128, b'\xff' * 128][k % 3]
        wide = field in ('global_address', 'global_stride')
        ty = 'b64' if wide else 'b32'
        new = str(v) if o == 'imm' else ('%w' if wide else '%v')
        ordinal = f'{o}, ' if isinstance(o, int) else ''
        ptx = f'''.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p,.param .u64 w){{
.reg .b64 %p,%w; .reg .b32 %v;
ld.param.u64 %p,[p]; ld.param.u64 %w,[w]; cvt.u32.u64 %v,%w; cvta.to.global.u64 %p,%p;
tensormap.replace.tile.{field}.global.b1024.{ty} [%p], {ordinal}{new};
ret;
}}'''
        m = Mod(ptx); b = Buf(128); b.put(np.frombuffer(before, np.uint8))
        launch(m.fn('k'), (1,), (1,), [b, np.uint64(v)]); sync()
        out.append(dict(field=field, ord=o if isinstance(o, int) else None, value=v, before=before.hex(), after=b.get().tobytes().hex()))
        m.unload(); b.free()
    return out

NULLS = [(b, n) for b, ns in [('tile', ['map', 'dims', 'strides', 'elem_strides', 'box']), ('im2col', ['map', 'dims', 'strides', 'elem_strides', 'lower', 'upper']),
                              ('im2col_wide', ['map', 'dims', 'strides', 'elem_strides'])] for n in ns]
if len(sys.argv) > 1:
    # A process of its own, since a driver may die of it.
    what = sys.argv[1]
    if what != 'uninitialised': ck(L.cuInit(0))
    if what not in ('uninitialised', 'no_context'): init()
    base = {'tile': BASE, 'im2col': IM, 'im2col_wide': WIDE}[sys.argv[2]]
    if what == 'replace_null': print('ANSWER', L.cuTensorMapReplaceAddress(None, P(0x7f0000000000)))
    else: print('ANSWER', encode(dict(base, null=None if what.endswith(('ed', 'context')) else what))[0])
    sys.exit()
def apart(*words):
    import subprocess
    r = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True, timeout=60)
    return int(r.stdout.split()[1]) if r.stdout.startswith('ANSWER') else 'crash'
init()
everything()
nulls = [dict(mode=b, null=n, result=apart(n, b)) for b, n in NULLS]
json.dump(dict(uninitialised={m: apart('uninitialised', m) for m in ('tile', 'im2col', 'im2col_wide')}, no_context={m: apart('no_context', m) for m in ('tile', 'im2col', 'im2col_wide')},
               replace_null=apart('replace_null', 'tile'), nulls=nulls, replace_address=replace_address(), cases=cases), open(OUT + '/tensormap.json', 'w'))
print(len(cases), 'encodings')
json.dump(replace_fields(), open(OUT + '/replace.json', 'w'))
print('done')
