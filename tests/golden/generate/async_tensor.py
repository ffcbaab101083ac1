"""Cases of tensor copies from shared memory (stores and reductions), multicast loads, and loads through replaced maps."""
import random, struct
import numpy as np
from async_case import *

COORD = [f'%x{i}' for i in range(5)]
def params(*xs): return [{'u32': x} for x in list(xs) + [0] * (6 - len(xs))]
OPS = ['add', 'min', 'max', 'inc', 'dec', 'and', 'or', 'xor']

def store_kernel(rank, mode, op=None, n=32768):
    ins = f'cp.async.bulk.tensor.{rank}d.global.shared::cta.{mode}.bulk_group' if op is None else f'cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{op}.{mode}.bulk_group'
    body = f'@!%one bra SKIP; add.u32 %a0,%sm,%x5; {ins} [%map,{{{",".join(COORD[:rank])}}}],[%a0]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; SKIP:'
    return skeleton(body, n=n, map_=True, dump=False)

def shape(r, rank, ty, interleave, limit):
    """Dimensions and strides of a small tensor that passes the encoder's rules."""
    es = SIZES[ty]; unit = 32 if interleave == 2 else 16
    while True:
        dims = [r.randint(1, 96)] + [r.choice([1, 2, 3, 5, 8, 12, 21, 37]) for _ in range(rank - 1)]
        if interleave: dims[0] = r.randint(1, 64)
        strides = []; s = (dims[0] * es + unit - 1) // unit * unit + unit * r.choice([0, 0, 0, 1, 3])
        for i in range(1, rank): strides.append(s); s = s * dims[i] + unit * r.choice([0, 0, 0, 2])
        if s <= limit: return dims, strides

def tile_map(r, rank, ty, interleave, swizzle, strided, limit=60000, most=16384):
    es = SIZES[ty]; span = [1 << 30, 32, 64, 128][swizzle]
    while True:
        dims, strides = shape(r, rank, ty, interleave, limit)
        quantum = max(1, 16 // es); top = min(256, span // es)
        if interleave: box = [max(1, (16 * interleave) // es)]
        else: box = [r.choice([quantum * k for k in range(1, top // quantum + 1)])]
        if not interleave and box[0] > 2 * dims[0] + 64: continue
        box += [r.choice([1, 2, 3, 4, 8, min(256, d), min(256, d + 2)]) for d in dims[1:]]
        estr = [1] + [r.choice([1, 1, 2, 3]) if strided else 1 for _ in range(rank - 1)]
        if strided and r.random() < .3: estr[0] = 2
        count = 1
        for b in box[1:]: count *= b
        if count * (span if swizzle else box[0] * es) <= most: break
    return {'mode': 'tile', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'box': box, 'elem_strides': estr, 'interleave': interleave, 'swizzle': swizzle, 'l2': r.choice([0, 2]), 'oob': 0}

def coords(r, m, aligned=True):
    out = []
    for i, d in enumerate(m['dims']):
        c = r.choice([0, 0, r.randint(0, d), r.randint(0, d), -r.randint(1, 4), d - 1, d - r.randint(0, 3)])
        if i == 0 and m['interleave'] == 0 and aligned: q = max(1, 16 // SIZES[m['type']]); c = c // q * q
        if i == 0 and m['interleave']: c = r.choice([0, 0, 1, -1, 2])
        out.append(c)
    return out

def stores():
    r = random.Random(905); n = 0
    for mode, count in (('tile', 190), ('im2col_no_offs', 70)):
        for k in range(count):
            ty = r.choice(range(13)) if k >= 13 else k
            interleave = r.choice([0, 0, 0, 0, 1, 2]); swizzle = r.choice([0, 1, 2, 3]) if interleave < 2 else 1
            if mode == 'tile':
                rank = r.randint(3 if interleave else 1, 5); m = tile_map(r, rank, ty, interleave, swizzle, r.random() < .25)
            else:
                rank = r.randint(3, 5); es = SIZES[ty]; dims, strides = shape(r, rank, ty, interleave, 60000); span = [256, 32, 64, 128][swizzle]
                q = max(1, 16 // es); ch = (16 * interleave) // es if interleave else r.choice([q * j for j in range(1, max(2, min(256, span // es) // q + 1))])
                if ch < 1: ch = 1
                lim = {3: 60, 4: 6, 5: 2}[rank]
                m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': [r.randint(-min(3, lim), min(2, lim)) for _ in range(rank - 2)], 'upper': [r.randint(-min(3, lim), min(2, lim)) for _ in range(rank - 2)],
                     'channels': ch, 'pixels': r.choice([1, 2, 7, 16, 31, 64]), 'elem_strides': [1] + [r.choice([1, 1, 1, 2]) for _ in range(rank - 1)], 'interleave': interleave, 'swizzle': swizzle, 'l2': 0, 'oob': 0}
            m['buffer'] = 1; m['offset'] = 32768
            c = coords(r, m, aligned=(k % 30 != 29)); at = r.choice([0, 0, 128, 256, 512, 1024, 384])
            yield case('tma_store', f'{mode} {k}', store_kernel(rank, mode), [{'map': m}, {'buffer': 131072, 'fill': 0xee, 'record': True}, {'u64': 0}, {'u64': 0}] + params(*(c + [0] * (5 - rank)), at))

def more_stores():
    """Stores whose coordinates are not negative (a negative one is a fault), and im2col stores within their bounding box."""
    r = random.Random(910)
    for k in range(90):
        ty = r.choice(range(13)) if k >= 13 else k; interleave = r.choice([0, 0, 0, 1, 2]); swizzle = r.choice([0, 0, 1, 2, 3]) if interleave < 2 else 1; rank = r.randint(3 if interleave else 1, 5)
        m = tile_map(r, rank, ty, interleave, swizzle, r.random() < .3) | {'buffer': 1, 'offset': 32768}; c = [max(0, x) for x in coords(r, m)]
        yield case('tma_store', f'tile, not negative {k}', store_kernel(rank, 'tile'), [{'map': m}, {'buffer': 131072, 'fill': 0xee, 'record': True}, {'u64': 0}, {'u64': 0}] + params(*(c + [0] * (5 - rank)), r.choice([0, 0, 128, 256, 512, 1024, 384])))
    one = {'inside': {}, 'lower -1': {'lower': -1}, 'upper 1': {'upper': 1}, 'lower 1, start 0': {'lower': 1, 'c': 0}, 'lower 1, start 1': {'lower': 1, 'c': 1}, 'start at the end': {'upper': -1, 'c': 5}, 'start past the end': {'upper': -1, 'c': 6}, 'last image': {'n': 2}, 'past the last image': {'n': 3}, 'channel 8 of 12': {'c0': 8}, 'channel past the end': {'c0': 16}, 'channel negative': {'c0': -8}, 'image negative': {'n': -1}, 'stride 2': {'s': 2}, 'stride 2, one lower': {'s': 2, 'lower': 1, 'c': 2}}
    for name, o in one.items():
        m = {'mode': 'im2col', 'type': 6, 'rank': 4, 'dims': [12, 7, 5, 3], 'strides': [32, 224, 1120], 'lower': [o.get('lower', 0), 0], 'upper': [o.get('upper', 0), 0], 'channels': 8, 'pixels': 20, 'elem_strides': [1, o.get('s', 1), 1, 1], 'interleave': 0, 'swizzle': 0, 'l2': 0, 'oob': 0, 'buffer': 1, 'offset': 32768}
        yield case('tma_store', f'im2col_no_offs one thing: {name}', store_kernel(4, 'im2col_no_offs'), [{'map': m}, {'buffer': 131072, 'fill': 0xee, 'record': True}, {'u64': 0}, {'u64': 0}] + params(o.get('c0', 0), o.get('c', 2), 1, o.get('n', 1), 0, 0))
    for k in range(45):
        ty = r.choice(range(13)) if k >= 13 else k; interleave = r.choice([0, 0, 0, 1, 2]); swizzle = r.choice([0, 0, 1, 2, 3]) if interleave < 2 else 1; rank = r.randint(3, 5); es = SIZES[ty]; span = [256, 32, 64, 128][swizzle]
        while True:
            dims, strides = shape(r, rank, ty, interleave, 60000)
            if all(d >= 3 for d in dims[1:-1]): break
        q = max(1, 16 // es); ch = max(1, (16 * interleave) // es) if interleave else r.choice([q * j for j in range(1, max(2, min(256, span // es) // q + 1))])
        lower = [r.choice([0, 0, 1]) for _ in range(rank - 2)]; upper = [r.choice([0, 0, -1]) for _ in range(rank - 2)]
        m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': lower, 'upper': upper, 'channels': ch, 'pixels': r.choice([1, 2, 7, 16, 31, 64]), 'elem_strides': [1] + [r.choice([1, 1, 1, 2]) if i < rank - 2 else 1 for i in range(rank - 1)], 'interleave': interleave, 'swizzle': swizzle, 'l2': 0, 'oob': 0, 'buffer': 1, 'offset': 32768}
        c = [r.choice([0, 0, r.randrange(dims[0]) // q * q]) if not interleave else 0] + [r.randint(lower[i], dims[1 + i] - 1 + upper[i]) for i in range(rank - 2)] + [r.randrange(dims[-1])]
        yield case('tma_store', f'im2col_no_offs inside {k}', store_kernel(rank, 'im2col_no_offs'), [{'map': m}, {'buffer': 131072, 'fill': 0xee, 'record': True}, {'u64': 0}, {'u64': 0}] + params(*(c + [0] * (5 - rank)), r.choice([0, 0, 128, 512])))

def arrange(cs):
    """The skeleton's order is map, src, dst, out: the tensor's buffer is `dst`, the shared memory's image `src`."""
    out = []
    for c in cs:
        a = c['args']
        if len(a) == 10 and 'map' in a[0] and a[0]['map'].get('buffer') == 1 and 'buffer' in a[1] and not c.get('arranged'):
            m = dict(a[0]['map'], buffer=2); src = c.pop('src', {'buffer': 32768, 'data': 0})
            c['args'] = [{'map': m}, src, a[1], {'u64': 0}] + a[4:]
        out.append(c)
    return out

# ---- the operands of reductions: 32 values of each type, crossed
def specials(ty):
    f16 = [0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3c01, 0x3555, 0xb555, 0x4900, 0x7bff, 0xfbff, 0x7bfe, 0x7800, 0x7c00, 0xfc00, 0x7e00, 0xfe00, 0x7c01, 0x7fff, 0xfdff, 0x1000, 0x9000, 0x2e66, 0x57a1, 0xd7a2, 0x0200, 0x4248]
    bf = [0, 0x8000, 1, 0x8001, 0x7f, 0x807f, 0x80, 0x8080, 0x3f80, 0xbf80, 0x3f81, 0x3eab, 0xbeab, 0x4120, 0x7f7f, 0xff7f, 0x7f7e, 0x7f00, 0x7f80, 0xff80, 0x7fc0, 0xffc0, 0x7f81, 0x7fff, 0xffbf, 0x3c00, 0xbc00, 0x3dcc, 0x477a, 0xc77b, 0x0040, 0x4049]
    f32 = [0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3f800001, 0x3eaaaaab, 0xbeaaaaab, 0x41200000, 0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fffffff, 0xffbfffff, 0x00ffffff, 0x80c00000, 0x33800000, 0x33800001, 0xb3800000, 0x4b800000, 0x40490fdb]
    f64 = [0, 1 << 63, 1, (1 << 63) + 1, 0xfffffffffffff, 0x10000000000000, 0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fd5555555555555, 0xbfd5555555555555, 0x4024000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7feffffffffffffe, 0x7fe0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001, 0x7fffffffffffffff, 0xfff7ffffffffffff, 0x001fffffffffffff, 0x3ca0000000000000, 0x3ca0000000000001, 0xbca0000000000000, 0x4340000000000000, 0x400921fb54442d18, 0x36a0000000000000, 0x47efffffe0000000]
    def ints(bits):
        t = (1 << bits) - 1; h = 1 << (bits - 1)
        base = [0, 1, 2, 3, 7, 8, 100, h - 1, h, h + 1, h - 2, t, t - 1, t - 2, t >> 2, 0x55 * (t // 255), 0xaa * (t // 255), 0x0f * (t // 255), 5, 6, 9, 10, 11, 16, 31, 32, 63, 64, 127, 12, 13, 14]
        return [x & t for x in base]
    return {0: ints(8), 1: ints(16), 2: ints(32), 3: ints(32), 4: ints(64), 5: ints(64), 6: f16, 7: f32, 8: f64, 9: bf, 10: f32, 11: f32, 12: f32}[ty]
def crossed(ty):
    v = specials(ty); assert len(v) == 32; d = {1: 'u1', 2: '<u2', 4: '<u4', 8: '<u8'}[SIZES[ty]]
    a = np.repeat(np.array(v, dtype=np.uint64), 32).astype(d); b = np.tile(np.array(v, dtype=np.uint64), 32).astype(d)
    return a.tobytes(), b.tobytes()
def pair_args(ty, n):
    a, b = crossed(ty); return {'buffer': len(a), 'input': f'{NAMES[ty]} destinations', 'hex': a.hex()}, {'buffer': n, 'input': f'{NAMES[ty]} sources', 'hex': b.hex()}

LAWFUL = {'add': (2, 3, 4, 6, 7, 9), 'min': (2, 3, 4, 5, 6, 9), 'max': (2, 3, 4, 5, 6, 9), 'inc': (2,), 'dec': (2,), 'and': (2, 3, 4, 5), 'or': (2, 3, 4, 5), 'xor': (2, 3, 4, 5)}
OTHER = [('add', 8), ('add', 5), ('add', 10), ('add', 11), ('add', 12), ('min', 7), ('inc', 3), ('and', 7), ('add', 0), ('add', 1), ('xor', 0), ('or', 6), ('max', 8), ('dec', 4), ('and', 1), ('min', 10), ('max', 11)]
def reduction(op, ty):
    es = SIZES[ty]; m = {'mode': 'tile', 'type': ty, 'rank': 2, 'dims': [64, 16], 'strides': [64 * es], 'box': [64, 16], 'elem_strides': [1, 1], 'interleave': 0, 'swizzle': 0, 'l2': 0, 'oob': 0, 'buffer': 2}; a, b = pair_args(ty, 8192)
    return case('tma_reduce', f'{op} {NAMES[ty]}', store_kernel(2, 'tile', op, 8192), [{'map': m}, b, dict(a, record=True), {'u64': 0}] + params(), arranged=True)
def reductions():
    for op in OPS:
        for ty in LAWFUL[op]: yield reduction(op, ty)
def reductions_of_other_types():
    for op, ty in OTHER: yield reduction(op, ty)
def reductions_of_shapes():
    r = random.Random(906)
    for k in range(44):
        ty = r.choice([2, 3, 4, 6, 7, 9]); op = r.choice(OPS)
        if ty not in LAWFUL[op]: op = 'add'
        if k < 34: rank = r.randint(1, 5); mode = 'tile'; m = tile_map(r, rank, ty, 0, r.choice([0, 1, 2, 3]), k % 5 == 0); c = [max(0, x) for x in coords(r, m)]
        else:
            rank = r.randint(3, 5); es = SIZES[ty]; mode = 'im2col_no_offs'
            while True:
                dims, strides = shape(r, rank, ty, 0, 60000)
                if all(d >= 3 for d in dims[1:-1]): break
            m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': [0] * (rank - 2), 'upper': [0] * (rank - 2), 'channels': 16 // es * r.choice([1, 2]), 'pixels': r.choice([7, 16, 31]), 'elem_strides': [1] * rank, 'interleave': 0, 'swizzle': r.choice([0, 1]), 'l2': 0, 'oob': 0}
            c = [0] + [r.randrange(d) for d in dims[1:]]
        m |= {'buffer': 2, 'offset': 32768}
        yield case('tma_reduce', f'{mode} {k} {op} {NAMES[ty]}', store_kernel(rank, mode, op), [{'map': m}, {'buffer': 32768, 'data': 0}, {'buffer': 131072, 'data': 777, 'record': True}, {'u64': 0}] + params(*(c + [0] * (5 - rank)), r.choice([0, 128, 512])), arranged=True)

def box_bytes(m):
    n = SIZES[m['type']]
    if m['mode'] == 'im2col': return n * m['channels'] * m['pixels']
    for b, e in zip(m['box'], m['elem_strides']): n *= -(-b // e)
    return n

BOUNDED = 'mov.u32 %r20,0; WAIT: mbarrier.test_wait.parity.shared.b64 %p6,[%mb],0; @%p6 bra WAITED; nanosleep.u32 1000; add.u32 %r20,%r20,1; setp.lt.u32 %p6,%r20,300; @%p6 bra WAIT; WAITED:'
def load_kernel(rank, mode, multicast, cluster, n=16384, dst='shared::cluster', bounded=False):
    """Parameters: coordinates in x0…x4, in x5 the bytes; the mask is in `dst` (low 16 bits), the issuing rank in bits 16–23, the offset of the image from bit 32."""
    off = '' if mode == 'tile' else ',{' + ','.join(['%h1', '%h2', '%h3'][:rank - 2]) + '}'
    ins = f'cp.async.bulk.tensor.{rank}d.{dst}.global.{mode}.mbarrier::complete_tx::bytes' + ('.multicast::cluster' if multicast else '')
    body = f'''cvt.u32.u64 %r0,%dst; and.b32 %r1,%r0,0xffff; cvt.u16.u32 %h0,%r1; shr.u32 %r2,%r0,16; and.b32 %r2,%r2,0xff; shr.u64 %d1,%dst,32; cvt.u32.u64 %a0,%d1; add.u32 %a0,%a0,%sm; mov.b16 %h1,1; mov.b16 %h2,0; mov.b16 %h3,2;
shr.u32 %r3,%r1,%rank; and.b32 %r3,%r3,1; setp.ne.u32 %p0,%r3,0; and.pred %p1,%p0,%one; @%p1 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x5;
{"barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" if cluster > 1 else ""}
setp.eq.u32 %p2,%rank,%r2; and.pred %p2,%p2,%one; @%p2 {ins} [%a0],[%map,{{{",".join(COORD[:rank])}}}],[%mb]{off}{",%h0" if multicast else ""};
@!%p0 bra NOWAIT;'''
    return skeleton(body, n=n, cluster=cluster, map_=True, fill=False, wait=(BOUNDED if bounded else WAIT0) + ' NOWAIT:')

def multicasts():
    r = random.Random(907); k = 0
    for mask, issuer in [(m, (m * 7) % 4) for m in range(1, 16)] + [(15, 0), (15, 3), (8, 0), (1, 3), (6, 1), (9, 2)] * 2:
        mode = 'im2col' if k % 7 == 6 else 'tile'; ty = r.choice(range(13))
        if mode == 'tile': rank = r.randint(1, 5); m = tile_map(r, rank, ty, 0, r.choice([0, 1, 2, 3]), k % 5 == 0, most=8192)
        else:
            rank = r.randint(3, 5); es = SIZES[ty]; dims, strides = shape(r, rank, ty, 0, 60000)
            m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': [r.randint(-2, 1) for _ in range(rank - 2)], 'upper': [r.randint(-2, 1) for _ in range(rank - 2)], 'channels': max(1, 16 // es) * r.choice([1, 2]), 'pixels': r.choice([7, 16, 31]), 'elem_strides': [1] * rank, 'interleave': 0, 'swizzle': r.choice([0, 1]), 'l2': 0, 'oob': 0}
        m['elem_strides'][0] = 1; m['oob'] = r.choice([0, 1]) if ty in (6, 7, 8, 9, 10, 11, 12) else 0
        m['buffer'] = 1; m['offset'] = 32768; word = mask | issuer << 16 | r.choice([0, 128, 1024, 4096]) << 32
        yield case('tma_multicast', f'{mode} {k} mask {mask:#x} by {issuer}', load_kernel(rank, mode, True, 4), [{'map': m}, {'buffer': 131072, 'data': 0}, {'u64': word}, {'buffer': 4 * 16384 + 128, 'fill': 0xdd, 'record': True}] + params(*(coords(r, m) + [0] * (5 - rank)), box_bytes(m)), grid=4, cluster=[4, 1, 1])
        k += 1
    # interleaved loads and a stride of the innermost dimension: how many bytes they count shows in what is left of the tx-count
    for k in range(28):
        ty = r.choice(range(13)); il = 0 if k >= 24 else 1 + k % 2; sw = 1 if il == 2 else k // 2 % 4; rank = r.randint(3, 5) if il else 2
        if k < 18 or k >= 24: m = tile_map(r, rank, ty, il, sw, k % 3 == 0, most=8192); mode = 'tile'
        else:
            dims, strides = shape(r, rank, ty, il, 60000); es = SIZES[ty]; mode = 'im2col'
            m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': [r.randint(-2, 1) for _ in range(rank - 2)], 'upper': [r.randint(-2, 1) for _ in range(rank - 2)], 'channels': max(1, 16 * il // es), 'pixels': r.choice([7, 16, 31]), 'elem_strides': [1] * rank, 'interleave': il, 'swizzle': sw, 'l2': 0, 'oob': 0}
        if k >= 24: m['elem_strides'][0] = 2
        m['buffer'] = 1; m['offset'] = 32768
        yield case('tma_multicast', f'{mode} interleave {il} {k}', load_kernel(rank, mode, False, 1, bounded=True), [{'map': m}, {'buffer': 262144, 'data': 0}, {'u64': 1}, {'buffer': 16384 + 32, 'fill': 0xdd, 'record': True}] + params(*(coords(r, m) + [0] * (5 - rank)), 1048560))
    # a load without multicast whose destination and mbarrier are another CTA's: shared::cluster addresses of rank 2, issued by rank 1
    body = '''setp.eq.u32 %p0,%rank,2; and.pred %p0,%p0,%one; @%p0 mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x5; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
setp.eq.u32 %p1,%rank,1; and.pred %p1,%p1,%one; mapa.shared::cluster.u32 %a0,%sm,2; mapa.shared::cluster.u32 %a1,%mb,2; @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%a0],[%map,{%x0,%x1}],[%a1];
setp.ne.u32 %p3,%rank,2; @%p3 bra NOWAIT;'''
    m = {'mode': 'tile', 'type': 2, 'rank': 2, 'dims': [32, 16], 'strides': [128], 'box': [32, 8], 'elem_strides': [1, 1], 'interleave': 0, 'swizzle': 3, 'l2': 0, 'oob': 0, 'buffer': 1, 'offset': 0}
    yield case('tma_multicast', 'load into another CTA', skeleton(body, n=16384, cluster=4, map_=True, fill=False, wait=WAIT0 + ' NOWAIT:'), [{'map': m}, {'buffer': 131072, 'data': 0}, {'u64': 0}, {'buffer': 4 * 16384 + 128, 'fill': 0xdd, 'record': True}] + params(0, 2, 0, 0, 0, 1024), grid=4, cluster=[4, 1, 1])
    for dst in ('shared::cta', 'shared::cluster'):
        yield case('tma_multicast', f'plain {dst}', load_kernel(2, 'tile', False, 1, dst=dst), [{'map': dict(m)}, {'buffer': 131072, 'data': 0}, {'u64': 1 | 1024 << 32}, {'buffer': 16384 + 32, 'fill': 0xdd, 'record': True}] + params(0, 3, 0, 0, 0, 1024))
    for name, word in {'mask 0': 0 | 1 << 16, 'mask beyond the cluster': 0x10 | 1 << 16, 'mask within and beyond': 0x31 | 1 << 16}.items():
        yield case('faults', f'tensor multicast {name}', load_kernel(2, 'tile', True, 4), [{'map': dict(m)}, {'buffer': 131072, 'data': 0}, {'u64': word}, {'buffer': 4 * 16384 + 128, 'fill': 0xdd, 'record': True}] + params(0, 3, 0, 0, 0, 1024), grid=4, cluster=[4, 1, 1])

def im2col_multicasts():
    """im2col loads that start within the bounding box (outside it they fault)."""
    r = random.Random(911)
    for k, (mask, issuer) in enumerate([(15, 0), (5, 1), (8, 2), (6, 3), (15, 2), (1, 0), (10, 3), (12, 1)]):
        ty = r.choice(range(13)); rank = r.randint(3, 5); es = SIZES[ty]
        while True:
            dims, strides = shape(r, rank, ty, 0, 60000)
            if all(d >= 3 for d in dims[1:-1]): break
        lower = [r.choice([-1, 0, -2]) for _ in range(rank - 2)]; upper = [r.choice([0, -1, 1]) for _ in range(rank - 2)]; q = max(1, 16 // es)
        m = {'mode': 'im2col', 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'lower': lower, 'upper': upper, 'channels': q * r.choice([1, 2]), 'pixels': r.choice([7, 16, 31]), 'elem_strides': [1] * rank, 'interleave': 0, 'swizzle': r.choice([0, 1]), 'l2': 0, 'oob': r.choice([0, 1]) if ty in (6, 7, 8, 9, 10, 11, 12) else 0, 'buffer': 1, 'offset': 32768}
        c = [0] + [r.randint(lower[i], dims[1 + i] - 1 + upper[i]) for i in range(rank - 2)] + [r.randrange(dims[-1])]
        yield case('tma_multicast', f'im2col inside {k} mask {mask:#x} by {issuer}', load_kernel(rank, 'im2col', True, 4), [{'map': m}, {'buffer': 131072, 'data': 0}, {'u64': mask | issuer << 16}, {'buffer': 4 * 16384 + 128, 'fill': 0xdd, 'record': True}] + params(*(c + [0] * (5 - rank)), box_bytes(m)), grid=4, cluster=[4, 1, 1])

# ---- tensormap.replace
def replace_list():
    F = []
    for v in (0, 0x10, 0x7fffffffffff0, 0x123, 2**64 - 1, 0x7f5500000000): F.append(('global_address', None, v, 'b64'))
    for v in (0, 1, 2, 3, 4, 5, 7, 8, 15): F.append(('rank', None, v, 'b32'))
    for o in range(5):
        for v in (0, 1, 8, 255, 256, 257, 65536, 2**32 - 1): F.append(('box_dim', o, v, 'b32'))
        for v in (0, 1, 100, 2**31, 2**32 - 1): F.append(('global_dim', o, v, 'b32'))
        for v in (0, 1, 2, 7, 8, 9, 255, 2**32 - 1): F.append(('element_stride', o, v, 'b32'))
    for o in range(5):
        for v in (0, 16, 32, 48, 40, 0x1230, 2**36, 2**40 - 16, 2**40, 2**64 - 1): F.append(('global_stride', o, v, 'b64'))
    for v in range(13): F.append(('elemtype', None, v, 'imm'))
    for v in range(3): F.append(('interleave_layout', None, v, 'imm'))
    for v in range(4): F.append(('swizzle_mode', None, v, 'imm'))
    for v in range(2): F.append(('fill_mode', None, v, 'imm'))
    return F
def replace_kernel(group, space):
    body = ''
    for i, (f, o, v, t) in enumerate(group):
        reg = str(v) if t == 'imm' else ('%d2' if t == 'b64' else '%r2'); load = '' if t == 'imm' else f'ld.global.{t} {reg},[%src+{8*i}];'
        at = f'[%d3+{128*i}]' if space == 'global' else '[%r3]'
        copy_in = ''.join(f'ld.global.v2.b64 {{%d4,%d5}},[%dst+{16*j}]; ' + (f'st.global.v2.b64 [%d3+{128*i+16*j}],{{%d4,%d5}};' if space == 'global' else f'st.shared.v2.b64 [%r3+{16*j}],{{%d4,%d5}};') + '\n' for j in range(8))
        copy_out = '' if space == 'global' else ''.join(f'ld.shared.v2.b64 {{%d4,%d5}},[%r3+{16*j}]; st.global.v2.b64 [%d3+{128*i+16*j}],{{%d4,%d5}};\n' for j in range(8))
        body += f'{load} {copy_in} tensormap.replace.tile.{f}.{space}.b1024.{"b64" if t == "b64" else "b32"} {at},{"" if o is None else str(o)+","}{reg};\n{copy_out}'
    return HEAD + f'.visible .entry k(.param .u64 src, .param .u64 dst, .param .u64 out) {{ .shared .align 128 .b8 m[128]; .reg .b64 %src,%dst,%d<8>; .reg .b32 %r<8>; ld.param.u64 %src,[src]; ld.param.u64 %dst,[dst]; ld.param.u64 %d3,[out]; mov.u32 %r3,m;\n{body} ret; }}\n'
BASES = {'rank 5': {'mode': 'tile', 'type': 2, 'rank': 5, 'dims': [60, 12, 7, 5, 3], 'strides': [256, 4096, 32768, 262144], 'box': [16, 3, 2, 2, 1], 'elem_strides': [1, 2, 1, 1, 3], 'interleave': 0, 'swizzle': 0, 'l2': 2, 'oob': 0, 'address': 0x7f1234567000},
         'rank 2': {'mode': 'tile', 'type': 6, 'rank': 2, 'dims': [4096, 4096], 'strides': [8192], 'box': [64, 128], 'elem_strides': [1, 1], 'interleave': 0, 'swizzle': 3, 'l2': 3, 'oob': 1, 'address': 0x7f1234567000},
         'im2col': {'mode': 'im2col', 'type': 9, 'rank': 4, 'dims': [64, 14, 14, 8], 'strides': [128, 1792, 25088], 'lower': [-1, -1], 'upper': [1, 1], 'channels': 64, 'pixels': 32, 'elem_strides': [1, 1, 1, 1], 'interleave': 0, 'swizzle': 3, 'l2': 1, 'oob': 0, 'address': 0x7f1234567000}}
def replaces(refused=()):
    F = [f for f in replace_list() if f not in refused]; groups = {}
    for f in F: groups.setdefault(f[0], []).append(f)
    for name, g in groups.items():
        for space in ('global', 'shared::cta'):
            for base, m in BASES.items():
                yield case('tensormap_replace', f'{name} {space} {base}', replace_kernel(g, space), [{'buffer': 8 * len(g), 'bytes': b''.join(struct.pack('<Q', v) for _, _, v, _ in g).hex()}, {'encoded': m}, {'buffer': 128 * len(g), 'fill': 0xee, 'record': True}], block=1, fields=[[f, o, str(v)] for f, o, v, _ in g])

def replaced_loads():
    base = {'mode': 'tile', 'type': 2, 'rank': 2, 'dims': [32, 16], 'strides': [128], 'box': [32, 8], 'elem_strides': [1, 1], 'interleave': 0, 'swizzle': 0, 'l2': 0, 'oob': 0, 'buffer': 1, 'offset': 0}
    R = {'nothing': ('', 2, 1024), 'address': ('tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r20],%d9;', 2, 1024), 'dims': ('tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20],0,20; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20],1,5;', 2, 1024),
         'stride': ('tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r20],0,144;', 2, 1024), 'box': ('tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20],0,16; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20],1,3;', 2, 192), 'swizzle 3': ('tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r20],3;', 2, 1024),
         'swizzle 1, box 8': ('tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%r20],1; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20],0,8;', 2, 256), 'type f16': ('tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20],6;', 2, 512), 'type u64': ('tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20],4;', 2, 2048),
         'type tf32': ('tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20],11;', 2, 1024), 'type f32, NaN fill': ('tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%r20],7; tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%r20],1;', 2, 1024), 'element stride': ('tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r20],1,2;', 2, 512),
         'rank 3': ('tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r20],2; tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%r20],2,3; tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%r20],1,2048; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%r20],2,2; tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%r20],2,1;', 3, 2048),
         'rank 1': ('tensormap.replace.tile.rank.shared::cta.b1024.b32 [%r20],0;', 1, 128)}
    for name, (rep, rank, bytes_) in R.items():
        for c in ((0, 0, 0), (8, 12, 1), (-4, -2, 0)):
            body = f'''setp.ge.u32 %p0,%thr,32; @%p0 bra SKIP; add.u32 %r20,%sm,12288; add.u64 %d9,%src,4096; @!%one bra COPIED;
''' + ''.join(f'ld.param.v2.b64 {{%d4,%d5}},[map+{16*j}]; st.shared.v2.b64 [%r20+{16*j}],{{%d4,%d5}};\n' for j in range(8)) + rep + '''
COPIED: bar.warp.sync 0xffffffff; tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%dst],[%r20],128; fence.proxy.tensormap::generic.acquire.gpu [%dst],128;
@!%one bra SKIP; mbarrier.arrive.expect_tx.shared.b64 _,[%mb],%x5; ''' + f'cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%sm],[%dst,{{{",".join(COORD[:rank])}}}],[%mb];\nSKIP:'
            k = skeleton(body, n=16384, map_=True, fill=False, wait=WAIT0)
            yield case('tensormap_load', f'{name} at {c}', k, [{'map': base}, {'buffer': 65536, 'data': 0}, {'buffer': 128, 'fill': 0}, {'buffer': 16384 + 32, 'fill': 0xdd, 'record': True}] + params(*c, 0, 0, bytes_))

# ---- encodings alone
def encodings():
    r = random.Random(908); out = []; A = 0x7f1234567000
    def good(mode):
        ty = r.randrange(13); il = r.choice([0, 0, 0, 1, 2]); sw = r.choice([0, 1, 2, 3]) if il < 2 else 1
        if mode == 'tile': m = tile_map(r, r.randint(3 if il else 1, 5), ty, il, sw, r.random() < .3)
        else:
            rank = r.randint(3, 5); dims, strides = shape(r, rank, ty, il, 60000); es = SIZES[ty]
            m = {'mode': mode, 'type': ty, 'rank': rank, 'dims': dims, 'strides': strides, 'channels': max(1, (16 if il < 2 else 32) // es), 'pixels': r.choice([1, 16, 256]), 'elem_strides': [1] * rank, 'interleave': il, 'swizzle': sw, 'l2': 0, 'oob': 0}
            if mode == 'im2col': m |= {'lower': [r.randint(-2, 1) for _ in range(rank - 2)], 'upper': [r.randint(-2, 1) for _ in range(rank - 2)]}
            else: m |= {'lower': r.randint(-2, 1), 'upper': r.randint(-2, 1), 'wide': r.choice([0, 1])}
        m['address'] = A; return m
    def mutate(m):
        w = r.choice(['type', 'rank', 'dims', 'dims', 'strides', 'strides', 'strides', 'box', 'box', 'box', 'elem_strides', 'interleave', 'swizzle', 'l2', 'oob', 'address', 'lower', 'upper', 'channels', 'pixels'])
        es = SIZES[m['type']] if m['type'] < 13 else 1
        def one(key, values):
            if m.get(key) and isinstance(m[key], list): i = r.randrange(len(m[key])); m[key] = list(m[key]); m[key][i] = r.choice(values)
        if w == 'type': m['type'] = r.choice([13, 14, 15, 16, 255])
        elif w == 'rank':
            n = r.choice([0, 1, 2, 3, 6]); m['rank'] = n
            for k, v in (('dims', 1), ('strides', 4096), ('box', 1), ('elem_strides', 1)):
                if k in m: m[k] = (list(m[k]) + [v] * 6)[:6]
            if isinstance(m.get('lower'), list): m['lower'] = (m['lower'] + [0] * 4)[:4]; m['upper'] = (m['upper'] + [0] * 4)[:4]
        elif w == 'dims': one('dims', [0, 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**33])
        elif w == 'strides': one('strides', [0, 8, 16, 24, 32, 48, 2**36, 2**40 - 16, 2**40 - 32, 2**40, 2**40 + 16, 2**41])
        elif w == 'box': one('box', [0, 1, 3, 16 // es or 1, 32 // es, 64 // es, 128 // es, 128 // es + 16 // es, 255, 256, 257, 512])
        elif w == 'elem_strides': one('elem_strides', [0, 1, 7, 8, 9, 16])
        elif w == 'interleave': m['interleave'] = r.choice([0, 1, 2, 3])
        elif w == 'swizzle': m['swizzle'] = r.choice([0, 1, 2, 3, 4, 5, 6, 7])
        elif w == 'l2': m['l2'] = r.choice([1, 3, 4])
        elif w == 'oob': m['oob'] = r.choice([1, 2])
        elif w == 'address': m['address'] = A + r.choice([1, 4, 8, 16, 32, 48])
        elif w in ('lower', 'upper') and w in m:
            v = [-129, -128, 127, 128, -32769, -32768, 32767, 32768, -9, -8, 7, 8, -17, -16, 15, 16]
            if isinstance(m[w], list): one(w, v)
            else: m[w] = r.choice(v)
        elif w == 'channels' and 'channels' in m: m['channels'] = r.choice([0, 1, 8, 16, 64, 256, 257])
        elif w == 'pixels' and 'pixels' in m: m['pixels'] = r.choice([0, 1, 255, 256, 512, 1024, 1025])
        return m
    for mode, n in (('tile', 330), ('im2col', 150), ('wide', 60)):
        for k in range(n):
            m = good(mode)
            for _ in range(r.choice([0, 1, 1, 1, 2])): m = mutate(m)
            out.append(m)
    for ty in range(17):
        for sw in range(8):
            es = SIZES[ty] if ty < 13 else 1
            out.append({'mode': 'tile', 'type': ty, 'rank': 2, 'dims': [256, 64], 'strides': [256 * 8], 'box': [128 if ty > 12 else 16 // es, 8], 'elem_strides': [1, 1], 'interleave': 0, 'swizzle': sw, 'l2': 0, 'oob': 0, 'address': A})
    return out
def encode_all(ms):
    out = []
    for m in ms:
        r, raw = encode(m, m['address']); out.append([r, raw.hex()])
    return out
