"""Measures on an H200 what the golden vectors leave open about IEEE arithmetic. `probe_h200.py OUTDIR` on the GPU
machine (cu.py beside it); `probe_h200.py --assemble PTXAS` here only checks that ptxas takes every kernel.
Writes float.json, float.inputs, float.outputs in the format of shared/golden/scalar.* (group "float") and prints answers."""
import sys, json, itertools, subprocess, os
import numpy as np
W = {'b16': ('<u2', 2), 'b32': ('<u4', 4), 'b64': ('<u8', 8)}
rng = np.random.default_rng(7)
SETS, CASES = [], []
def inputs(types, arrays):
    n = -(-len(arrays[0]) // 256) * 256
    arrays = [np.resize(np.array(a, dtype=W[t][0]), n) for t, a in zip(types, arrays)]
    SETS.append((types, n, arrays)); return len(SETS) - 1
def case(name, body, s, outs):
    CASES.append((name, body, s, outs))
def ptx(body, ins, outs, n):
    r = {'b16': '.b16', 'b32': '.b32', 'b64': '.b64'}
    t = '.version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 pin, .param .u64 pout, .param .u64 pscr)\n{\n.reg .b64 %in,%out,%scr,%o; .reg .b32 %t,%c,%m,%s<4>; .reg .pred %q<4>; .reg .b16 %h<8>; .reg .b32 %w<8>; .shared .align 128 .b8 sm[4096];\n'
    for k, x in enumerate(ins): t += f'.reg {r[x]} %a{k};\n'
    for k, x in enumerate(outs): t += f'.reg {r[x]} %d{k};\n'
    t += 'ld.param.u64 %in,[pin]; ld.param.u64 %out,[pout]; ld.param.u64 %scr,[pscr]; mov.u32 %t,%ctaid.x; mov.u32 %c,%ntid.x; mov.u32 %m,%tid.x; mad.lo.u32 %t,%t,%c,%m; mul.wide.u32 %o,%t,8; add.u64 %in,%in,%o; add.u64 %out,%out,%o; add.u64 %scr,%scr,%o;\n'
    for k, x in enumerate(ins): t += f'ld.global.{x} %a{k},[%in+{k*n*8}];\n'
    t += body + '\n'
    for k, x in enumerate(outs): t += f'st.global.{x} [%out+{k*n*8}],%d{k};\n'
    return t + 'ret;\n}\n'

# 1. f64: which NaN comes out of fma, and how; and of all others once more with distinct payloads.
tags = lambda k: [0x7ff8000000000000 | 0x100 * k + 1, 0xfff8000000000000 | 0x100 * k + 2, 0x7ff0000000000000 | 0x100 * k + 3, 0xfff0000000000000 | 0x100 * k + 4]
plain = [0, 1 << 63, 0x3ff0000000000000, 0xbff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 1, 0x7fefffffffffffff]
abc = list(itertools.product(tags(1) + plain, tags(2) + plain, tags(3) + plain))
s3 = inputs(['b64'] * 3, list(zip(*abc)))
for m in ['fma.rn', 'fma.rz', 'fma.rm', 'fma.rp', 'mad.rn']: case(f'{m}.f64', f'{m}.f64 %d0,%a0,%a1,%a2;', s3, ['b64'])
ab = list(itertools.product(tags(1) + plain, tags(2) + plain)); s2 = inputs(['b64'] * 2, list(zip(*ab)))
for m in ['add.rn', 'sub.rn', 'mul.rn', 'div.rn', 'div.rz', 'min', 'max', 'add', 'sub', 'mul']: case(f'{m}.f64', f'{m}.f64 %d0,%a0,%a1;', s2, ['b64'])
for m in ['rcp.rn', 'sqrt.rn', 'abs', 'neg', 'rcp.rp', 'sqrt.rm']: case(f'{m}.f64', f'{m}.f64 %d0,%a0;', s2, ['b64'])
for sp, op in [('global', 'add')]:
    case(f'atom.global.add.f64', 'st.global.b64 [%scr],%a0; atom.global.add.f64 %d0,[%scr],%a1; ld.global.b64 %d1,[%scr];', s2, ['b64', 'b64'])
case('atom.shared.add.f64', 'mov.u32 %s0,%tid.x; shl.b32 %s0,%s0,3; mov.u32 %s1,sm; add.u32 %s0,%s0,%s1; st.shared.b64 [%s0],%a0; atom.shared.add.f64 %d0,[%s0],%a1; ld.shared.b64 %d1,[%s0];', s2, ['b64', 'b64'])
case('red.shared.add.f64', 'mov.u32 %s0,%tid.x; shl.b32 %s0,%s0,3; mov.u32 %s1,sm; add.u32 %s0,%s0,%s1; st.shared.b64 [%s0],%a0; red.shared.add.f64 [%s0],%a1; ld.shared.b64 %d0,[%s0];', s2, ['b64'])

# 2. .ftz: is a result that rounds up to the least normal number flushed? Products and fused sums just below 2^-126.
f = lambda x: int(np.float32(x).view(np.uint32))
A, B, Cc = [], [], []
for k in range(1, 24):
    for e in (-63, -40):
        for sg in (1, -1):
            A.append(f(sg * (1 + 2.0**-k) * 2.0**e)); B.append(f((1 - 2.0**-k) * 2.0**(-126 - e))); Cc.append(0)
            A.append(f(sg * 2.0**-30)); B.append(f(-2.0**(-96 - k))); Cc.append(f(sg * 2.0**-126))       # c = 2^-126, product -2^-(126+k)
            A.append(f(sg * 2.0**-100)); B.append(f(-2.0**(-80 - k))); Cc.append(f(sg * 2.0**-126))
            A.append(f(sg * (2 - 2.0**-23) * 2.0**-2)); B.append(f(2.0**-125)); Cc.append(f(sg * 2.0**-126 if k % 2 else -sg * 2.0**-126))
sf = inputs(['b32'] * 3, [A, B, Cc])
for rnd in ['rn', 'rz', 'rm', 'rp']:
    case(f'mul.{rnd}.ftz.f32', f'mul.{rnd}.ftz.f32 %d0,%a0,%a1;', sf, ['b32'])
    case(f'fma.{rnd}.ftz.f32', f'fma.{rnd}.ftz.f32 %d0,%a0,%a1,%a2;', sf, ['b32'])
Q = [(f(sg * (2 - 2.0**-23) * 2.0**-2), f(2.0**125)) for sg in (1, -1)] + [(f(2.0**-126), f(1 + 2.0**-23)), (f(2.0**-100 * (1 - 2.0**-24)), f(2.0**26))]
sq = inputs(['b32'] * 2, list(zip(*Q)))
for rnd in ['rn', 'rz', 'rm', 'rp']: case(f'div.{rnd}.ftz.f32', f'div.{rnd}.ftz.f32 %d0,%a0,%a1;', sq, ['b32'])
h = lambda x: int(np.float16(x).view(np.uint16))
HA, HB, HC = [], [], []
for k in range(1, 11):
    for e in (-7, -4):
        for sg in (1, -1):
            HA.append(h(sg * (1 + 2.0**-k) * 2.0**e)); HB.append(h((1 - 2.0**-k) * 2.0**(-14 - e))); HC.append(0)
            HA.append(h(sg * 2.0**-7)); HB.append(h(-2.0**(-7 - k + 5))); HC.append(h(sg * 2.0**-14))
            HA.append(h(sg * 2.0**-13)); HB.append(h(-2.0**(-3 - k))); HC.append(h(sg * 2.0**-14))
HA += list(rng.integers(0x1000, 0x2800, 4000)); HB += list(rng.integers(0x1000, 0x2800, 4000)); HC += list(rng.choice([0x400, 0x8400, 0x401, 0x8401, 0x3ff], 4000))
sh = inputs(['b16'] * 3, [HA, HB, HC])
case('mul.ftz.f16', 'mul.ftz.f16 %d0,%a0,%a1;', sh, ['b16']); case('fma.rn.ftz.f16', 'fma.rn.ftz.f16 %d0,%a0,%a1,%a2;', sh, ['b16'])

# 3. .oob: which bit patterns, in which operand, make zero.
every = np.arange(65536); one16 = {'f16': 0x3c00, 'bf16': 0x3f80}
for t in ['f16', 'bf16']:
    o = np.full(65536, one16[t])
    for k in range(3):
        ops = [o, o, o]; ops[k] = every; s = inputs(['b16'] * 3, ops)
        for m in ['', '.relu'] + (['.sat'] if t == 'f16' else []): case(f'fma.rn.oob{m}.{t} {"abc"[k]}', f'fma.rn.oob{m}.{t} %d0,%a0,%a1,%a2;', s, ['b16'])
    ops = [o, np.full(65536, 0x7ff7), every]; case(f'fma.rn.oob.{t} b=oob', f'fma.rn.oob.{t} %d0,%a0,%a1,%a2;', inputs(['b16'] * 3, ops), ['b16'])

# 4. fma of bf16 with roundings that only ptxas knows of.
r3 = [rng.integers(0, 65536, 8192) for _ in range(3)]
r3[0][:4096] = (r3[0][:4096] & 0x80ff) | rng.integers(0x7a, 0x84, 4096) * 128; r3[1][:4096] = (r3[1][:4096] & 0x80ff) | rng.integers(0x7a, 0x84, 4096) * 128; r3[2][:4096] = (r3[2][:4096] & 0x80ff) | rng.integers(0x74, 0x88, 4096) * 128
sb = inputs(['b16'] * 3, r3)
for rnd in ['rn', 'rz', 'rm', 'rp']:
    for m in ['', '.relu', '.oob']: case(f'fma.{rnd}{m}.bf16', f'fma.{rnd}{m}.bf16 %d0,%a0,%a1,%a2;', sb, ['b16'])

# 5. atomics of halves: min and max with NaN and zeros, and add.
for t, vals in [('f16', [0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e01, 0xfe02, 0x7c03, 0xfc04, 0x7fff]), ('bf16', [0, 0x8000, 1, 0x8001, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc1, 0xffc2, 0x7f83, 0xff84, 0x7fff])]:
    s = inputs(['b16'] * 2, list(zip(*itertools.product(vals, vals))))
    for op in ['add', 'min', 'max']:
        case(f'atom.global.v2.{t}.{op}', f'mov.b32 %w0,{{%a0,%a0}}; st.global.b32 [%scr],%w0; atom.global.{op}.noftz.v2.{t} {{%h0,%h1}},[%scr],{{%a1,%a1}}; ld.global.b16 %d0,[%scr]; ld.global.b16 %d1,[%scr+2];', s, ['b16', 'b16'])
        case(f'atom.global.v2.{t}x2.{op}', f'mov.b32 %w0,{{%a0,%a0}}; st.global.v2.b32 [%scr],{{%w0,%w0}}; mov.b32 %w1,{{%a1,%a1}}; atom.global.{op}.noftz.v2.{t}x2 {{%w2,%w3}},[%scr],{{%w1,%w1}}; ld.global.b16 %d0,[%scr]; ld.global.b16 %d1,[%scr+6];', s, ['b16', 'b16'])

def show(res):
    g = lambda n: res[n]
    nan = lambda x: (x & 0x7fffffffffffffff) > 0x7ff0000000000000
    def orders(name, k, arrs, out):
        # for each set of NaN operands, which one came out and whether it was quieted
        seen = {}
        for t in range(len(out)):
            v = [int(a[t]) for a in arrs[:k]]; r = int(out[t])
            w = ''.join('abc'[i] for i in range(k) if nan(v[i]))
            if not w: continue
            who = [('abc'[i], 'same' if r == v[i] else 'quiet') for i in range(k) if nan(v[i]) and r | 1 << 51 == v[i] | 1 << 51]
            kind = 's' if any(nan(x) and not x >> 51 & 1 for x in v) else 'q'
            seen.setdefault((w, kind), set()).add(str(who) if who else hex(r))
        print(name, {k: sorted(v) for k, v in sorted(seen.items())})
    for n, body, s, outs in CASES:
        arrs = SETS[s][2]
        if n.endswith('.f64'): orders(n, len([x for x in ('%a0', '%a1', '%a2') if x in body]), arrs, res[n][-1])
    for n in [c[0] for c in CASES if '.ftz.f32' in c[0] and ('mul' in c[0] or 'fma' in c[0])] + ['mul.ftz.f16', 'fma.rn.ftz.f16']:
        o = res[n][0]; least = 0x00800000 if 'f32' in n else 0x0400; mag = o & (0x7fffffff if 'f32' in n else 0x7fff)
        arrs = SETS[[c for c in CASES if c[0] == n][0][2]][2]; dt = np.float32 if 'f32' in n else np.float16; it = np.uint32 if 'f32' in n else np.uint16
        a, b, c = [x.astype(it).view(dt).astype(np.longdouble) for x in arrs]
        ex = a * b + (c if 'fma' in n else 0); thr = np.longdouble(2.0) ** (-126 if 'f32' in n else -14)
        p = 24 if 'f32' in n else 11
        up = (abs(ex) < thr) & (abs(ex) > thr * (1 - np.longdouble(2.0) ** -(p + 1)))
        print(n, 'results just below the least normal that round up to it:', int(up.sum()), 'kept', int((mag[up] == least).sum()), 'flushed', int((mag[up] == 0).sum()))
    for n in ['div.rn.ftz.f32', 'div.rz.ftz.f32', 'div.rm.ftz.f32', 'div.rp.ftz.f32']: print(n, [hex(int(x)) for x in res[n][0][:4]])
    for n in res:
        if '.oob' in n and n[-1] in 'abc' and ' ' in n:
            s = [c for c in CASES if c[0] == n][0]; k = 'abc'.index(n[-1]); v = SETS[s[2]][2][k]; t = 'bf16' if 'bf16' in n else 'f16'
            isn = (v & 0x7fff) > (0x7f80 if t == 'bf16' else 0x7c00); z = isn & (res[n][0] == (0))
            print(n, 'NaN that give zero:', [hex(int(x)) for x in np.unique(v[z])][:20])
        if n.endswith('b=oob'): print(n, 'all zero:', bool((res[n][0] == 0).all()))
    for n in res:
        if n.startswith('atom.global.v2'):
            s = [c for c in CASES if c[0] == n][0]; a, b = SETS[s[2]][2]
            print(n, 'halves agree:', bool((res[n][0] == res[n][1]).all()), [(hex(int(x)), hex(int(y)), hex(int(r))) for x, y, r in zip(a, b, res[n][0])][:169])

if __name__ == '__main__':
    if sys.argv[1] == '--assemble':
        bad = 0
        for n, body, s, outs in CASES:
            open('probe.ptx', 'w').write(ptx(body, SETS[s][0], outs, SETS[s][1]))
            r = subprocess.run([sys.argv[2], '-arch=sm_90a', 'probe.ptx', '-o', 'probe.cubin'], capture_output=True, text=True)
            if r.returncode: bad += 1; print(n, r.stderr.strip()[:300])
        print(len(CASES), 'kernels,', bad, 'refused'); sys.exit(bad)
    import cu
    cu.init(); out = sys.argv[1]; ib = b''; ob = b''; sets = []; cases = []; res = {}
    for i, (types, n, arrays) in enumerate(SETS):
        sets.append({'id': i, 'offset': len(ib), 'types': types, 'n': n}); ib += b''.join(a.tobytes() for a in arrays)
    for n_, body, s, outs in CASES:
        types, n, arrays = SETS[s]
        m = cu.Mod(ptx(body, types, outs, n)); f_ = m.fn('k')
        i8 = np.zeros((len(types), n), '<u8')
        for k, a in enumerate(arrays): i8[k] = a
        bi = cu.Buf(i8.nbytes).put(i8); bo = cu.Buf(8 * n * len(outs)).fill(0); bs = cu.Buf(8 * n).fill(0)
        cu.launch(f_, (n // 256,), (256,), [bi, bo, bs]); cu.sync()
        raw = bo.get('<u8').reshape(len(outs), n)
        r = [raw[k].astype(W[x][0]) for k, x in enumerate(outs)]; res[n_] = r
        cases.append({'group': 'float', 'name': n_, 'body': body, 'ins': types, 'outs': outs, 'shared': 4096 if 'sm;' in body else 0, 'scratch': '.reg .b16 %h<8>; .reg .b32 %w<8>;', 'block': 256, 'n': n, 'inputs': s, 'offset': len(ob)})
        ob += b''.join(x.tobytes() for x in r); bi.free(); bo.free(); bs.free(); m.unload()
    os.makedirs(out, exist_ok=True)
    json.dump({'gpu': 'NVIDIA H200', 'ptx': '9.0', 'target': 'sm_90a', 'inputs': sets, 'cases': cases}, open(out + '/float.json', 'w'))
    open(out + '/float.inputs', 'wb').write(ib); open(out + '/float.outputs', 'wb').write(ob)
    show(res)
