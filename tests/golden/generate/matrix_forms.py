"""Every form of mma, mma.sp, wmma, ldmatrix, stmatrix and movmatrix that ptxas 13.0 takes for sm_90a, as a case's body over %a… and %d….

Left out: mma.m8n8k4 on bf16 and tf32 and wmma.mma on f64 in m16n16k8 and m16n16k16. ptxas takes them and makes no code for them.
So is mma.sp.m16n8k32.f32.f16 with selector 2 or 3: ptxas takes it and the GPU faults (illegal instruction).

A form is `{group, name, body, ins, outs, classes, shared}`: `ins` and `outs` are register types, `classes` says what each
input register packs (`matrix_inputs.py` fills it), `shared` how many bytes of shared memory `sm` the body uses.
"""
FP8 = ['e4m3', 'e5m2']
LAYOUTS = ['row', 'col']

def vec(names): return '{' + ','.join(names) + '}'

def multiply(name, d, a, b, c, extra=(), suffix='', group='mma'):
    """An instruction over fragments: `d`, `a`, `b`, `c` are (register type, class, count)."""
    ins, classes, roles, at, parts = [], [], '', 0, []
    for role, (t, k, n) in zip('abc', (a, b, c)):
        parts.append(vec([f'%a{at + i}' for i in range(n)])); ins += [t] * n; classes += [k] * n; roles += role * n; at += n
    for t, k in extra: parts.append(f'%a{at}'); ins.append(t); classes.append(k); roles += 'e'; at += 1
    outs = [d[0]] * d[2]
    body = f"{name} {vec([f'%d{i}' for i in range(d[2])])},{','.join(parts)}{suffix};"
    return {'group': group, 'name': name, 'body': body, 'ins': ins, 'outs': outs, 'classes': classes, 'roles': roles, 'shared': 0, 'dclass': d[1]}

def r(n, k): return ('b32', k, n)

def dense():
    for al in LAYOUTS:
        for bl in LAYOUTS:
            m = f'mma.sync.aligned.m8n8k4.{al}.{bl}'
            yield multiply(m + '.f16.f16.f16.f16', r(4, 'f16x2'), r(2, 'f16x2'), r(2, 'f16x2'), r(4, 'f16x2'))
            yield multiply(m + '.f32.f16.f16.f16', r(8, 'f32'), r(2, 'f16x2'), r(2, 'f16x2'), r(4, 'f16x2'))
            yield multiply(m + '.f32.f16.f16.f32', r(8, 'f32'), r(2, 'f16x2'), r(2, 'f16x2'), r(8, 'f32'))
    for k in (8, 16):
        m = f'mma.sync.aligned.m16n8k{k}.row.col'
        yield multiply(m + '.f16.f16.f16.f16', r(2, 'f16x2'), r(k // 4, 'f16x2'), r(k // 8, 'f16x2'), r(2, 'f16x2'))
        yield multiply(m + '.f32.f16.f16.f32', r(4, 'f32'), r(k // 4, 'f16x2'), r(k // 8, 'f16x2'), r(4, 'f32'))
        yield multiply(m + '.f32.bf16.bf16.f32', r(4, 'f32'), r(k // 4, 'bf16x2'), r(k // 8, 'bf16x2'), r(4, 'f32'))
    for k in (4, 8):
        yield multiply(f'mma.sync.aligned.m16n8k{k}.row.col.f32.tf32.tf32.f32', r(4, 'f32'), r(k // 2, 'tf32'), r(k // 4, 'tf32'), r(4, 'f32'))
    for k in (16, 32):
        for a in FP8:
            for b in FP8:
                m = f'mma.sync.aligned.m16n8k{k}.row.col'
                yield multiply(f'{m}.f32.{a}.{b}.f32', r(4, 'f32'), r(k // 8, a + 'x4'), r(k // 16, b + 'x4'), r(4, 'f32'))
                yield multiply(f'{m}.f16.{a}.{b}.f16', r(2, 'f16x2'), r(k // 8, a + 'x4'), r(k // 16, b + 'x4'), r(2, 'f16x2'))
    q = lambda n: ('b64', 'f64', n)
    for rnd in ('', '.rn', '.rz', '.rm', '.rp'):
        yield multiply(f'mma.sync.aligned.m8n8k4.row.col{rnd}.f64.f64.f64.f64', q(2), q(1), q(1), q(2))
        for k in (4, 8, 16):
            yield multiply(f'mma.sync.aligned.m16n8k{k}.row.col{rnd}.f64.f64.f64.f64', q(4), q(k // 2), q(k // 4), q(4))
    for sat in ('', '.satfinite'):
        for a in ('u8', 's8'):
            for b in ('u8', 's8'):
                yield multiply(f'mma.sync.aligned.m8n8k16.row.col{sat}.s32.{a}.{b}.s32', r(2, 's32'), r(1, 'i8x4'), r(1, 'i8x4'), r(2, 's32'))
                for k in (16, 32):
                    yield multiply(f'mma.sync.aligned.m16n8k{k}.row.col{sat}.s32.{a}.{b}.s32', r(4, 's32'), r(k // 8, 'i8x4'), r(k // 16, 'i8x4'), r(4, 's32'))
        for a in ('u4', 's4'):
            for b in ('u4', 's4'):
                yield multiply(f'mma.sync.aligned.m8n8k32.row.col{sat}.s32.{a}.{b}.s32', r(2, 's32'), r(1, 'i4x8'), r(1, 'i4x8'), r(2, 's32'))
                for k in (32, 64):
                    yield multiply(f'mma.sync.aligned.m16n8k{k}.row.col{sat}.s32.{a}.{b}.s32', r(4, 's32'), r(k // 16, 'i4x8'), r(k // 32, 'i4x8'), r(4, 's32'))
    for op in ('xor', 'and'):
        yield multiply(f'mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{op}.popc', r(2, 's32'), r(1, 'b1x32'), r(1, 'b1x32'), r(2, 's32'))
        for k in (128, 256):
            yield multiply(f'mma.sync.aligned.m16n8k{k}.row.col.s32.b1.b1.s32.{op}.popc', r(4, 's32'), r(k // 64, 'b1x32'), r(k // 128, 'b1x32'), r(4, 's32'))

def sparse():
    def all_of(name, d, a, b, c, meta, selectors):
        for sp in ('sp', 'sp::ordered_metadata'):
            for f in selectors:
                m = multiply(f'mma.{sp}.{name}', d, a, b, c, (('b32', meta),), f',{f}', 'mma.sp')
                m['name'] += f' sel{f}'; yield m
    for k in (16, 32):
        s = range(4) if k == 16 else range(2)
        p = f'sync.aligned.m16n8k{k}.row.col'
        yield from all_of(p + '.f16.f16.f16.f16', r(2, 'f16x2'), r(k // 8, 'f16x2'), r(k // 8, 'f16x2'), r(2, 'f16x2'), 'meta2', s)
        yield from all_of(p + '.f32.f16.f16.f32', r(4, 'f32'), r(k // 8, 'f16x2'), r(k // 8, 'f16x2'), r(4, 'f32'), 'meta2', s)
        yield from all_of(p + '.f32.bf16.bf16.f32', r(4, 'f32'), r(k // 8, 'bf16x2'), r(k // 8, 'bf16x2'), r(4, 'f32'), 'meta2', s)
    for k in (8, 16):
        yield from all_of(f'sync.aligned.m16n8k{k}.row.col.f32.tf32.tf32.f32', r(4, 'f32'), r(k // 4, 'tf32'), r(k // 4, 'tf32'), r(4, 'f32'), 'meta1', range(4) if k == 8 else range(2))
    for a in FP8:
        for b in FP8:
            yield from all_of(f'sync.aligned.m16n8k64.row.col.f32.{a}.{b}.f32', r(4, 'f32'), r(4, a + 'x4'), r(4, b + 'x4'), r(4, 'f32'), 'meta2', (0,))
    for sat in ('', '.satfinite'):
        for a in 'us':
            for b in 'us':
                for k in (32, 64):
                    yield from all_of(f'sync.aligned.m16n8k{k}.row.col{sat}.s32.{a}8.{b}8.s32', r(4, 's32'), r(k // 16, 'i8x4'), r(k // 16, 'i8x4'), r(4, 's32'), 'meta2', (0, 1) if k == 32 else (0,))
                for k in (64, 128):
                    yield from all_of(f'sync.aligned.m16n8k{k}.row.col{sat}.s32.{a}4.{b}4.s32', r(4, 's32'), r(k // 32, 'i4x8'), r(k // 32, 'i4x8'), r(4, 's32'), 'meta2', (0, 1) if k == 64 else (0,))

WMMA16 = {'m16n16k16': (16, 16, 16), 'm8n32k16': (8, 32, 16), 'm32n8k16': (32, 8, 16)}

def wmma_multiplies():
    for shape, (m, n, k) in WMMA16.items():
        for al in LAYOUTS:
            for bl in LAYOUTS:
                p = f'wmma.mma.sync.aligned.{al}.{bl}.{shape}'
                h, f = r(4, 'f16x2'), r(8, 'f32')
                for d in ('f16', 'f32'):
                    for c in ('f16', 'f32'):
                        yield multiply(f'{p}.{d}.{c}', h if d == 'f16' else f, r(8, 'f16x2'), r(8, 'f16x2'), h if c == 'f16' else f, group='wmma')
                yield multiply(f'{p}.f32.bf16.bf16.f32', f, r(m // 4, 'bf16x2'), r(n // 4, 'bf16x2'), f, group='wmma')
                for t in ('s8', 'u8'):
                    for sat in ('', '.satfinite'):
                        yield multiply(f'{p}.s32.{t}.{t}.s32{sat}', r(8, 's32'), r(m // 8, 'i8x4'), r(n // 8, 'i8x4'), r(8, 's32'), group='wmma')
    q = lambda n: ('b64', 'f64', n)
    for al in LAYOUTS:
        for bl in LAYOUTS:
            yield multiply(f'wmma.mma.sync.aligned.{al}.{bl}.m16n16k8.f32.tf32.tf32.f32', r(8, 'f32'), r(4, 'tf32'), r(4, 'tf32'), r(8, 'f32'), group='wmma')
            for rnd in ('', '.rn', '.rz', '.rm', '.rp'):
                yield multiply(f'wmma.mma.sync.aligned.{al}.{bl}.m8n8k4{rnd}.f64.f64.f64.f64', q(2), q(1), q(1), q(2), group='wmma')
    for t in ('s4', 'u4'):
        for sat in ('', '.satfinite'):
            yield multiply(f'wmma.mma.sync.aligned.row.col.m8n8k32.s32.{t}.{t}.s32{sat}', r(2, 's32'), r(1, 'i4x8'), r(1, 'i4x8'), r(2, 's32'), group='wmma')
    for op in ('xor', 'and'):
        yield multiply(f'wmma.mma.{op}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32', r(2, 's32'), r(1, 'b1x32'), r(1, 'b1x32'), r(2, 's32'), group='wmma')

BITS = {'f16': 16, 'bf16': 16, 'tf32': 32, 'f32': 32, 's32': 32, 'f64': 64, 's8': 8, 'u8': 8, 's4': 4, 'u4': 4, 'b1': 1}

def wmma_parts():
    """(part, layout, shape, type, rows, columns, registers, register type) of every wmma.load and wmma.store."""
    for shape, (m, n, k) in WMMA16.items():
        for lay in LAYOUTS:
            for t in ('f16', 'bf16', 's8', 'u8'):
                na, nb = {'f16': (8, 8), 'bf16': (m // 4, n // 4)}.get(t, (m // 8, n // 8))
                yield 'a', lay, shape, t, m, k, na, 'b32'
                yield 'b', lay, shape, t, k, n, nb, 'b32'
            for t, c in (('f16', 4), ('f32', 8), ('s32', 8)):
                yield 'c', lay, shape, t, m, n, c, 'b32'; yield 'd', lay, shape, t, m, n, c, 'b32'
    for lay in LAYOUTS:
        yield 'a', lay, 'm16n16k8', 'tf32', 16, 8, 4, 'b32'; yield 'b', lay, 'm16n16k8', 'tf32', 8, 16, 4, 'b32'
        yield 'c', lay, 'm16n16k8', 'f32', 16, 16, 8, 'b32'; yield 'd', lay, 'm16n16k8', 'f32', 16, 16, 8, 'b32'
        yield 'a', lay, 'm8n8k4', 'f64', 8, 4, 1, 'b64'; yield 'b', lay, 'm8n8k4', 'f64', 4, 8, 1, 'b64'
        yield 'c', lay, 'm8n8k4', 'f64', 8, 8, 2, 'b64'; yield 'd', lay, 'm8n8k4', 'f64', 8, 8, 2, 'b64'
        for shape in ('m8n8k32', 'm8n8k128'):
            for t in ('s32', 'f32'): yield 'c', lay, shape, t, 8, 8, 2, 'b32'; yield 'd', lay, shape, t, 8, 8, 2, 'b32'
    for t in ('s4', 'u4'): yield 'a', 'row', 'm8n8k32', t, 8, 32, 1, 'b32'; yield 'b', 'col', 'm8n8k32', t, 32, 8, 1, 'b32'
    yield 'a', 'row', 'm8n8k128', 'b1', 8, 128, 1, 'b32'; yield 'b', 'col', 'm8n8k128', 'b1', 128, 8, 1, 'b32'

def place(registers, types, each):
    """Stores registers to the lane's own piece of `sm`, `each` bytes a lane."""
    s, at = f'mov.u32 %s0,sm; mov.u32 %s1,%laneid; mad.lo.u32 %s1,%s1,{each},%s0;', 0
    for x, t in zip(registers, types):
        s += f' st.shared.{t} [%s1+{at}],{x};'; at += 8 if t == 'b64' else 4
    return s + ' bar.warp.sync 0xffffffff;'

def wmma_memory():
    """Loads and stores through shared memory. 256 bytes a lane (8 KiB) hold the matrix: it is poisoned or filled with the inputs first."""
    for part, lay, shape, t, rows, cols, n, reg in wmma_parts():
        bits = BITS[t]; line = cols if lay == 'row' else rows; lines = rows if lay == 'row' else cols
        step = 128 // bits if bits >= 8 else 32 * (8 // bits if bits == 4 else 4)
        for stride in (None, line, line + max(16 * 8 // bits, 32 if bits < 8 else 0)):
            used = (lines * (stride or line) * bits + 7) // 8
            text = '' if stride is None else f',{stride}'
            for ss in ('.shared', ''):
                if ss == '' and stride != line: continue
                addr = '%s0' if ss else '%g0'
                gen = '' if ss else ' cvt.u64.u32 %g0,%s0; cvta.shared.u64 %g0,%g0;'
                label = f'{lay}.{shape}{ss}.{t}' + ('' if stride is None else f' stride {stride}')
                if part != 'd':
                    words = -(-used // 4); per = -(-words // 32); per += per & 1
                    ins = ['b32'] * per
                    body = place([f'%a{i}' for i in range(per)], ins, per * 4) + gen
                    body += f" wmma.load.{part}.sync.aligned.{lay}.{shape}{ss}.{t} {vec([f'%d{i}' for i in range(n)])},[{addr}]{text};"
                    yield {'group': 'wmma.load', 'name': f'wmma.load.{part}.sync.aligned.{label}', 'body': body, 'ins': ins, 'outs': [reg] * n, 'classes': ['raw'] * per, 'shared': per * 128, 'dclass': 'bits'}
                else:
                    words = -(-used // 4); per = -(-words // 32); per += per & 1
                    body = place(['%s2'] * per, ['b32'] * per, per * 4).replace('mov.u32 %s0,sm;', 'mov.u32 %s0,sm; mov.u32 %s2,0xEEEEEEEE;') + gen
                    body += f" wmma.store.d.sync.aligned.{lay}.{shape}{ss}.{t} [{addr}],{vec([f'%a{i}' for i in range(n)])}{text}; bar.warp.sync 0xffffffff;"
                    body += ''.join(f' ld.shared.b32 %d{i},[%s1+{4 * i}];' for i in range(per))
                    yield {'group': 'wmma.store', 'name': f'wmma.store.d.sync.aligned.{label}', 'body': body, 'ins': [reg] * n, 'outs': ['b32'] * per, 'classes': ['raw'] * n, 'shared': per * 128, 'dclass': 'bits'}

def matrices():
    """ldmatrix, stmatrix and movmatrix. The rows lie 16 bytes apart in an order that the second input chooses: row = (lane·5 + %a) mod 32 or mod 64."""
    for num in (1, 2, 4):
        for tr in ('', '.trans'):
            for ss in ('.shared', '.shared::cta', ''):
                gen = '' if ss else ' cvt.u64.u32 %g0,%s3; cvta.shared.u64 %g0,%g0;'; addr = '%s3' if ss else '%g0'
                # Any multiple of 16 within the 1 KiB that the warp filled may be a row's address.
                row = ' and.b32 %s3,%aR,63; mad.lo.u32 %s3,%s3,16,%s0;'
                d = vec([f'%d{i}' for i in range(num)])
                body = place([f'%a{i}' for i in range(8)], ['b32'] * 8, 32) + row.replace('%aR', '%a8') + gen + f' ldmatrix.sync.aligned.m8n8.x{num}{tr}{ss}.b16 {d},[{addr}];'
                yield {'group': 'matrix', 'name': f'ldmatrix.sync.aligned.m8n8.x{num}{tr}{ss}.b16', 'body': body, 'ins': ['b32'] * 9, 'outs': ['b32'] * num, 'classes': ['raw'] * 9, 'shared': 1024, 'dclass': 'bits'}
                # Each lane's row is one of its own, so that no two stores meet: a permutation of 32 rows of 64.
                row = ' mov.u32 %s3,%laneid; mad.lo.u32 %s3,%s3,11,%aR; and.b32 %s3,%s3,63; mad.lo.u32 %s3,%s3,16,%s0;'
                body = place(['%s2'] * 8, ['b32'] * 8, 32).replace('mov.u32 %s0,sm;', 'mov.u32 %s0,sm; mov.u32 %s2,0xEEEEEEEE;') + f' shfl.sync.idx.b32 %s4,%a{num},0,31,0xffffffff;' + row.replace('%aR', '%s4') + gen
                body += f" stmatrix.sync.aligned.m8n8.x{num}{tr}{ss}.b16 [{addr}],{vec([f'%a{i}' for i in range(num)])}; bar.warp.sync 0xffffffff;" + ''.join(f' ld.shared.b32 %d{i},[%s1+{4 * i}];' for i in range(8))
                yield {'group': 'matrix', 'name': f'stmatrix.sync.aligned.m8n8.x{num}{tr}{ss}.b16', 'body': body, 'ins': ['b32'] * (num + 1), 'outs': ['b32'] * 8, 'classes': ['raw'] * (num + 1), 'shared': 1024, 'dclass': 'bits'}
    yield {'group': 'matrix', 'name': 'movmatrix.sync.aligned.m8n8.trans.b16', 'body': 'movmatrix.sync.aligned.m8n8.trans.b16 %d0,%a0;', 'ins': ['b32'], 'outs': ['b32'], 'classes': ['raw'], 'shared': 0, 'dclass': 'bits'}

SCRATCH = '.reg .b32 %s<8>; .reg .b64 %g<4>;'

def everything():
    for g in (dense, sparse, wmma_multiplies, wmma_memory, matrices):
        for f in g(): yield f | {'scratch': SCRATCH}

def kernel(case, name, n):
    """The kernel that the README's format puts around a body."""
    s = f'.visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n.reg .b32 %t<4>; .reg .b64 %in, %out, %at;\n'
    if case['shared']: s += f".shared .align 128 .b8 sm[{case['shared']}];\n"
    for l, p in ((case['ins'], 'a'), (case['outs'], 'd')):
        for i, t in enumerate(l): s += f'.reg .{t} %{p}{i};\n'
    s += case['scratch'] + '\nld.param.u64 %in,[in]; ld.param.u64 %out,[out]; mov.u32 %t0,%ctaid.x; mov.u32 %t1,%ntid.x; mov.u32 %t2,%tid.x; mad.lo.u32 %t0,%t0,%t1,%t2;\nmul.wide.u32 %at,%t0,8; add.u64 %in,%in,%at; add.u64 %out,%out,%at;\n'
    for i, t in enumerate(case['ins']): s += f'ld.global.{t} %a{i},[%in+{i * n * 8}];\n'
    s += case['body'] + '\n'
    for i, t in enumerate(case['outs']): s += f'st.global.{t} [%out+{i * n * 8}],%d{i};\n'
    return s + 'ret;\n}\n'
HEAD = '.version 9.0\n.target sm_90a\n.address_size 64\n'
