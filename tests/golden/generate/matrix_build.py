"""Writes what `matrix_run.py` measures: FOLDER/mma.{json,inputs} (every warp-level form) and FOLDER/wgmma_more.{json,inputs}. Usage: matrix_build.py FOLDER"""
import json, sys
import numpy as np
import matrix_forms as F, matrix_inputs as I, matrix_wgmma as W

# How many of a case's 16 warps are in which regime.
SHARE = [('ordinary', 2), ('raw', 2), ('wide', 2), ('over', 2), ('under', 2), ('floor', 2), ('zeros', 1), ('zerohuge', 1), ('special', 2)]

class Pack:
    """A set of cases and the input sets they share."""
    def __init__(s): s.inputs, s.cases, s.bytes, s.index = [], [], bytearray(), {}
    def set(s, key, types, classes, arrays):
        if key not in s.index:
            s.index[key] = len(s.inputs); n = len(arrays[0])
            s.inputs.append({'id': len(s.inputs), 'types': types, 'classes': classes, 'n': n, 'offset': len(s.bytes)})
            for t, a in zip(types, arrays): s.bytes += a.astype('<u8' if t == 'b64' else '<u4').tobytes()
        return s.index[key]
    def case(s, form, key, arrays, note=None):
        n = len(arrays[0]) if arrays is not None else s.inputs[s.index[key]]['n']
        i = s.set(key, form['ins'], form['classes'], arrays)
        s.cases.append({'group': form['group'], 'name': form['name'] + (f' {note}' if note else ''), 'body': form['body'], 'ins': form['ins'], 'outs': form['outs'], 'shared': form['shared'], 'scratch': form['scratch'], 'block': 32, 'n': n, 'inputs': i})
    def write(s, path):
        at = 0
        for c in s.cases:
            c['offset'] = at; at += c['n'] * sum(8 if t == 'b64' else 4 for t in c['outs'])
        json.dump({'gpu': 'NVIDIA H200', 'driver': '580.159.04', 'ptx': '9.0', 'target': 'sm_90a', 'inputs': s.inputs, 'cases': s.cases}, open(path + '.json', 'w'))
        open(path + '.inputs', 'wb').write(s.bytes); print(path, len(s.cases), 'cases', len(s.bytes), 'bytes in', at, 'bytes out')

def shared_inputs(rng, f, share):
    parts = [I.registers(rng, f['classes'], f.get('roles', 'r' * len(f['classes'])), regime, warps) for regime, warps in share]
    return [np.concatenate(x) for x in zip(*parts)]

def warp_level(path):
    rng = np.random.default_rng(6); p = Pack()
    for f in F.everything():
        share = SHARE if f['group'] in ('mma', 'mma.sp', 'wmma') else [('raw', 4 if 'wmma' in f['group'] else 8)]
        if f['group'] in ('mma', 'mma.sp', 'wmma') and f['dclass'] == 's32': share = [('ordinary', 2), ('raw', 2), ('over', 3), ('floor', 1)]
        key = (tuple(f['classes']), f.get('roles'), tuple(share))
        p.case(f, key, None if key in p.index else shared_inputs(rng, f, share))
    targeted(p); p.write(path)

def fragment(matrix, width, registers, b=False):
    """A matrix [rows, K] of element bits in the registers of an m16n8 fragment of A (16 rows) or B (8): [registers][32]."""
    per = 32 // width; out = np.zeros((registers, 32), np.uint64)
    for r in range(registers):
        for lane in range(32):
            row, k = (lane >> 2) + (0 if b else 8 * (r & 1)), per * (lane & 3) + (r if b else r >> 1) * 4 * per
            for i in range(per): out[r, lane] |= np.uint64(int(matrix[row, k + i]) << (width * i))
    return out

def half(x): return int(np.float16(x).view(np.uint16))

def ties(rng, rows, columns, k, fmt):
    """A and B whose products are, for each output, an odd multiple of 2^-25 and one number below 2^-26, beside zeros: f16 results that lie
    on a tie unless the small product counts. What is dropped tells the least exponent of the sum."""
    number = half if fmt == 'f16' else lambda x: half(x) >> 8
    least, odd = (24, [1, 3, 5, 7, 9, 17, 33]) if fmt == 'f16' else (16, [1, 3, 5, 7])
    A, B = np.zeros((rows, k), np.int64), np.zeros((columns, k), np.int64); u, v = rng.choice(k, 2, replace=False)
    for i in range(rows): A[i, u] = number(rng.choice(odd) * 2.**-12 * rng.choice([1, -1])); A[i, v] = number(2.**-least * rng.choice([1, -1]))
    low = 36 if fmt == 'f16' else 26
    for j in range(columns): B[j, u] = number(2.**-13); B[j, v] = number(2.**-(rng.integers(low, 2 * least + 1) - least))
    return A, B

def ties_c(rng, shape): return rng.choice(np.array([0, 0, 0, 0x8000, 1, 2, 3, 0x8001, 0x8002, 0x0400, 0x0401, 0x8400, 0x0800]), shape)

def targeted(p):
    rng = np.random.default_rng(67); forms = {f['name']: f for f in F.everything()}
    for name in ('mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16', 'mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16'):
        f = forms[name]; na, nb = f['roles'].count('a'), f['roles'].count('b'); parts = []
        for _ in range(16):
            A, B = ties(rng, 16, 8, nb * 8, 'f16'); c = ties_c(rng, (2, 32)) | ties_c(rng, (2, 32)) << 16
            parts.append(np.concatenate([fragment(A, 16, na), fragment(B, 16, nb, True), c.astype(np.uint64)]))
        p.case(f, 'ties ' + name, list(np.concatenate(parts, 1)), 'ties')
    # C alone: every product is zero, so that only C's own way through the sum shows.
    for f in forms.values():
        if f['group'] == 'mma' and f['dclass'] in ('f32', 'f16x2'):
            x = I.registers(rng, f['classes'], f['roles'], 'zeros', 4)
            x = [np.where(np.arange(128) % 2, 0, 0x80008000).astype(np.uint64) if r == 'a' else rng.integers(0, 1 << 32, 128, dtype=np.uint64) & np.uint64(0x80ffffff if np.ndim(v) and f['dclass'] == 'f32' and i % 2 else 0xffffffff) if r == 'c' else v for i, (r, v) in enumerate(zip(f['roles'], x))]
            if f['classes'][0] == 'tf32': x = [v & np.uint64(0x80000000) if r == 'a' else v for r, v in zip(f['roles'], x)]
            if f['classes'][0][0] == 'e': x = [v & np.uint64(0x80808080) | np.uint64(0) if r == 'a' else v for r, v in zip(f['roles'], x)]
            p.case(f, 'c ' + f['name'], x, 'C alone')
    # Metadata that the manual forbids: any bits.
    for f in forms.values():
        if f['group'] == 'mma.sp' and 'satfinite' not in f['name']:
            x = shared_inputs(rng, f, [('ordinary', 2), ('wide' if f['dclass'] != 's32' else 'raw', 2)]); x[-1] = rng.integers(0, 1 << 32, 128, dtype=np.uint64)
            p.case(f, 'any ' + f['name'], x, 'any metadata')

def wgmma_more(path):
    rng = np.random.default_rng(66); cases, blocks, lengths, index = [], bytearray(), [], {}
    def add(c, regime):
        nd = max(c['nd'], 16); meta = 'meta1' if c['a'] == 'tf32' else 'meta2'
        key = (c['a'], c['b'], c['d'], regime, nd, c['smem']) if regime != 'raw' else (meta, nd, c['smem'])
        if key not in index:
            x = W.inputs(rng, c['a'], c['b'], c['d'], regime, nd, c['smem'], c['smem'] // 2, meta)
            index[key] = len(lengths); lengths.append(len(x)); blocks.extend(x)
        cases.append(c | {'input': index[key], 'style': regime})
    for d, a, b in W.TYPES:
        floats = d != 's32'
        for regime in (I.REGIMES if floats else ['ordinary', 'raw', 'over']): add(W.case(32, d, a, b, smem=4096, off=(0, 2048)), regime)
        sat = ['', '.satfinite'] if a in ('s8', 'u8') else ['']
        regimes = ['wide', 'raw', 'special'] if floats else ['over', 'raw']; turn = 0
        def some():
            nonlocal turn; turn += 1; return regimes[turn % len(regimes)]
        for t in sat:
            for sw in (1, 2, 3): add(W.case(16, d, a, b, sw=(sw, sw), sat=t), some())
            add(W.case(24, d, a, b, sw=(1, 3), sat=t), some()); add(W.case(8, d, a, b, sw=(0, 2), sat=t), some())
            add(W.case(256 if (d, a) == ('f32', 'bf16') or a == b == 's8' and not t else 96, d, a, b, sw=(3, 1), sat=t), some())
            add(W.case(16, d, a, b, areg=True, sat=t), some()); add(W.case(32, d, a, b, sw=(0, 3), areg=True, sat=t), some())
            add(W.case(16, d, a, b, scale_d=0, sat=t), 'special'); add(W.case(16, d, a, b, scale_d=0, sat=t), 'raw')
            add(W.case(16, d, a, b, sw=(3, 3), off=(32, W.BOFF + 64), sat=t), some())
            if floats:
                for neg in ((-1, 1), (1, -1), (-1, -1)):
                    add(W.case(16, d, a, b, neg=neg), 'special'); add(W.case(8, d, a, b, neg=neg), 'raw'); add(W.case(8, d, a, b, neg=neg, areg=True), 'zeros')
            if a in ('f16', 'bf16'):
                for ta, tb in ((0, 1), (1, 0), (1, 1)):
                    for sw in (0, 1, 2, 3): add(W.case(64 if tb and sw == 1 else 16, d, a, b, sw=(sw, sw), trans=(ta, tb)), some())
            if a != 'b1':
                for f in ((0, 1) if a in ('f16', 'bf16', 'tf32') else (0,)):
                    for sw in (0, 3):
                        add(W.case(16, d, a, b, sw=(sw, sw), sp=f, sat=t), 'wide' if floats else 'over'); add(W.case(32, d, a, b, sw=(1, sw or 2), sp=f, sat=t), 'raw')
                    add(W.case(16, d, a, b, sw=(0, 3), sp=f, areg=True, sat=t), 'wide' if floats else 'raw')
                    if floats: add(W.case(16, d, a, b, sp=f), 'special'); add(W.case(16, d, a, b, sp=f), 'floor'); add(W.case(16, d, a, b, sp=f), 'zerohuge'); add(W.case(8, d, a, b, sp=f, scale_d=0, neg=(-1, 1)), 'raw')
                    if a in ('f16', 'bf16'):
                        for ta, tb in ((0, 1), (1, 0), (1, 1)): add(W.case(16, d, a, b, sw=(2, 2), trans=(ta, tb), sp=f), 'wide')
    def special(c, x, regime): lengths.append(len(x)); blocks.extend(x); cases.append(c | {'input': len(lengths) - 1, 'style': regime})
    for d, a, b in W.TYPES:
        if d == 's32': continue
        c = W.case(32, d, a, b, smem=4096, off=(0, 2048)); meta = 'meta1' if a == 'tf32' else 'meta2'
        x = bytearray(W.inputs(rng, a, b, d, 'zeros', 16, 4096, 2048, meta)); x[:2048] = bytes(2048); x[6656:] = rng.bytes(len(x) - 6656)
        if d == 'f32': x[6656:] = (np.frombuffer(bytes(x[6656:]), '<u4') & np.tile(np.array([0x80ffffff, 0xffffffff], '<u4'), (len(x) - 6656) // 8)).tobytes()
        special(c, x, 'C alone')
        if d == 'f16' and a == b and a in ('f16', 'e5m2'):
            es = 2 if a == 'f16' else 1; x = bytearray(W.inputs(rng, a, b, d, 'zeros', 16, 4096, 2048, meta)); x[:4096] = bytes(4096)
            A, B = ties(rng, 64, 32, 32 // es, a)
            for X, off, ext in ((A, 0, 64), (B, 2048, 32)):
                for mn in range(ext):
                    for k in range(32 // es):
                        at = off + (mn % 8) * 16 + (mn // 8) * 128 + (k * es // 16) * ext * 16 + k * es % 16
                        x[at:at + es] = int(X[mn, k]).to_bytes(es, 'little')
            x[6656:] = ties_c(rng, ((len(x) - 6656) // 2,)).astype('<u2').tobytes(); special(c, x, 'ties')
        # Metadata that the manual forbids.
        for f in ((0, 1) if a in ('f16', 'bf16', 'tf32') else (0,)):
            c = W.case(16, d, a, b, sp=f, smem=4096, off=(0, 2048)); x = bytearray(W.inputs(rng, a, b, d, 'ordinary', 16, 4096, 2048, meta)); x[6144:6656] = rng.bytes(512); special(c, x, 'any metadata')
    # Descriptors: base offsets, starts within the pattern, strides of no pattern, bits that mean nothing, sparse B wider than its swizzle.
    for sw in (1, 2, 3):
        for base in range(1, 8): t = base & 1; add(W.case(16, 'f32', 'f16', 'f16', sw=(sw, sw), trans=(t, t), off=(128 * base, W.BOFF + 128 * base), extra=(base << 49, base << 49)), 'raw')
        add(W.case(16, 's32', 's8', 'u8', sw=(sw, sw), off=(112, W.BOFF + 48), extra=(5 << 49, 3 << 49)), 'raw')
    for sw in (0, 1, 2, 3):
        for t in ((0, 0), (1, 1)): add(W.case(24, 'f16', 'f16', 'f16', sw=(sw, sw), trans=t, off=(16, W.BOFF - 16), lbo=(1072, 496), sbo=(592, 272)), 'raw')
        add(W.case(16, 's32', 'u8', 's8', sw=(sw, sw), off=(96, W.BOFF + 80), lbo=(272, 80), sbo=(336, 1040)), 'raw')
        add(W.case(16, 'f32', 'f16', 'f16', sw=(0, sw), sp=1, lbo=(None, 1040), sbo=(None, 304)), 'raw'); add(W.case(16, 'f32', 'tf32', 'tf32', sw=(0, sw), sp=0, lbo=(None, 1040), sbo=(None, 304)), 'wide')
        add(W.case(16, 'f32', 'bf16', 'bf16', sw=(sw, sw), extra=(0x3ff1c000c000c000, 0x3ff1c000c000c000)), 'raw')
    at = 0
    for c in cases: c['offset'] = at; c['length'] = c['nd'] * 512; at += c['length']
    json.dump({'gpu': 'NVIDIA H200', 'input_bytes': lengths, 'cases': cases}, open(path + '.json', 'w')); open(path + '.inputs', 'wb').write(blocks)
    print(path, len(cases), 'cases', len(blocks), 'bytes in', at, 'bytes out')

if __name__ == '__main__':
    warp_level(sys.argv[1] + '/mma'); wgmma_more(sys.argv[1] + '/wgmma_more')
