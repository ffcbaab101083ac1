"""The instructions of whole.py's random programs: groups of texts with holes, each group with its share.

A hole is `$` and a letter. Capital: a destination; small: a source. `r` 32 bits, `d` 64 bits, `h` 16 bits, `x` 32 bits
of two halves, `f` f32, `g` f64, `p` a predicate. `i` is an immediate of 32 bits, `b` of 8, `s` of 5, `k` a float.
`%t0` to `%t3` (32 bits), `%w0` and `%w1` (64 bits) are free inside of one text. Every rounding is written out, so that
ptxas may not fuse a product with a sum; divisors are made odd, since a division by zero has no defined result."""

RND, RINT = ['rn', 'rz', 'rm', 'rp'], ['rni', 'rzi', 'rmi', 'rpi']
REG = {'u16': 'h', 's16': 'h', 'b16': 'h', 'u32': 'r', 's32': 'r', 'b32': 'r', 'u64': 'd', 's64': 'd', 'b64': 'd',
       'f16': 'h', 'bf16': 'h', 'f16x2': 'x', 'bf16x2': 'x', 'f32': 'f', 'f64': 'g', 'u8': 'r', 's8': 'r'}
INTS = ['u16', 's16', 'u32', 's32', 'u64', 's64']
COMPARE = ['eq', 'ne', 'lt', 'le', 'gt', 'ge']
FLOAT_COMPARE = COMPARE + ['equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']

def plain(op, t, sources):
    """An instruction whose operands all have the type `t`."""
    c = REG[t]
    return f'{op}.{t} ${c.upper()}, ' + ', '.join(['$' + c] * sources)

def integers():
    out = []
    for t in INTS:
        for op in ['add', 'sub', 'mul.lo', 'mul.hi', 'min', 'max']: out.append(plain(op, t, 2))
        out += [plain('mad.lo', t, 3), plain('mad.hi', t, 3), plain('sad', t, 3)]
        if t[0] == 's': out += [plain('abs', t, 1), plain('neg', t, 1)]
    for s in 'us':
        out += [f'mul.wide.{s}16 $R, $h, $h', f'mul.wide.{s}32 $D, $r, $r', f'mad.wide.{s}16 $R, $h, $h, $r',
                f'mad.wide.{s}32 $D, $r, $r, $d', f'mul24.lo.{s}32 $R, $r, $r', f'mul24.hi.{s}32 $R, $r, $r',
                f'mad24.lo.{s}32 $R, $r, $r, $r', f'mad24.hi.{s}32 $R, $r, $r, $r']
    out += ['add.sat.s32 $R, $r, $r', 'sub.sat.s32 $R, $r, $r', 'mad.hi.sat.s32 $R, $r, $r, $r', 'add.u32 $R, $r, $i', 'mul.lo.u32 $R, $r, $i',
            'add.u16x2 $X, $x, $x', 'min.s16x2 $X, $x, $x', 'max.u16x2 $X, $x, $x', 'min.relu.s32 $R, $r, $r', 'max.relu.s16x2 $X, $x, $x']
    return out

def divisions():
    out = []
    for s in 'us':
        for op in ['div', 'rem']:
            out += [f'or.b32 %t0, $r, 1; {op}.{s}32 $R, $r, %t0', f'or.b64 %w0, $d, 1; {op}.{s}64 $D, $d, %w0',
                    f'or.b16 %s0, $h, 1; {op}.{s}16 $H, $h, %s0', f'and.b32 %t0, $r, 255; or.b32 %t0, %t0, 1; {op}.{s}32 $R, $r, %t0']
    return out

def carries():
    out = []
    for w, c in [('32', 'r'), ('64', 'd')]:
        C = c.upper()
        for t in 'us':
            out += [f'add.cc.{t}{w} ${C}, ${c}, ${c}; addc.cc.{t}{w} ${C}, ${c}, ${c}; addc.{t}{w} ${C}, ${c}, ${c}',
                    f'sub.cc.{t}{w} ${C}, ${c}, ${c}; subc.cc.{t}{w} ${C}, ${c}, ${c}; subc.{t}{w} ${C}, ${c}, ${c}']
            out.append(f'mad.lo.cc.{t}{w} ${C}, ${c}, ${c}, ${c}; madc.hi.cc.{t}{w} ${C}, ${c}, ${c}, ${c}; addc.{t}{w} ${C}, ${c}, 0')
    return out

def bits():
    out = []
    for w, c in [('b16', 'h'), ('b32', 'r'), ('b64', 'd')]:
        C = c.upper()
        out += [f'{op}.{w} ${C}, ${c}, ${c}' for op in ['and', 'or', 'xor']] + [f'not.{w} ${C}, ${c}', f'cnot.{w} ${C}, ${c}']
        mask = {'b16': 31, 'b32': 63, 'b64': 127}[w]
        for op in [f'shl.{w}', f'shr.u{w[1:]}', f'shr.s{w[1:]}']:
            out += [f'and.b32 %t0, $r, {mask}; {op} ${C}, ${c}, %t0', f'{op} ${C}, ${c}, $s']
        if c != 'h':
            out += [f'popc.{w} $R, ${c}', f'clz.{w} $R, ${c}', f'brev.{w} ${C}, ${c}', f'bfi.{w} ${C}, ${c}, ${c}, $r, $r', f'bfi.{w} ${C}, ${c}, ${c}, $s, $b']
            for s in 'us':
                out += [f'bfe.{s}{w[1:]} ${C}, ${c}, $r, $r', f'bfe.{s}{w[1:]} ${C}, ${c}, $s, $s', f'bfind.{s}{w[1:]} $R, ${c}', f'bfind.shiftamt.{s}{w[1:]} $R, ${c}']
    out += [f'shf.{side}.{mode}.b32 $R, $r, $r, {by}' for side in 'lr' for mode in ['clamp', 'wrap'] for by in ['$r', '$s']]
    out += ['prmt.b32 $R, $r, $r, $r', 'prmt.b32 $R, $r, $r, $i'] + [f'prmt.b32.{m} $R, $r, $r, $r' for m in ['f4e', 'b4e', 'rc8', 'ecl', 'ecr', 'rc16']]
    out += ['lop3.b32 $R, $r, $r, $r, $b'] * 6 + ['lop3.or.b32 $R|$P, $r, $r, $r, $b, $p', 'lop3.and.b32 $R|$P, $r, $r, $r, $b, $p']
    out += [f'dp4a.{a}32.{b}32 $R, $r, $r, $r' for a in 'us' for b in 'us'] + [f'dp2a.{m}.{a}32.{b}32 $R, $r, $r, $r' for m in ['lo', 'hi'] for a in 'us' for b in 'us']
    out += [f'bmsk.{m}.b32 $R, $r, $r' for m in ['clamp', 'wrap']] + [f'szext.{m}.{s}32 $R, $r, $r' for m in ['clamp', 'wrap'] for s in 'us']
    return out

def moves():
    return ['mov.b64 $D, {$r, $r}', 'mov.b64 {%t0, $R}, $d', 'mov.b32 {$H, %s0}, $r', 'mov.b32 $R, {$h, $h}', 'mov.b32 $R, $r', 'mov.b32 $F, $r',
            'mov.b32 $R, $f', 'mov.b64 $D, $g', 'mov.b64 $G, $d', 'mov.b64 {%t0, $R}, $g', 'mov.b32 $X, {$h, $h}', 'mov.b32 {$H, %s0}, $x', 'mov.b32 {%s0, $H}, $x',
            'mov.u32 $R, $i', 'mov.b32 $F, $k', 'selp.b32 $R, $r, $r, $p', 'selp.b64 $D, $d, $d, $p', 'selp.b16 $H, $h, $h, $p', 'selp.f32 $F, $f, $f, $p',
            'selp.f64 $G, $g, $g, $p', 'slct.b32.s32 $R, $r, $r, $r', 'slct.s64.s32 $D, $d, $d, $r', 'slct.u32.f32 $R, $r, $r, $f', 'slct.ftz.f32.f32 $F, $f, $f, $f',
            'slct.u16.s32 $H, $h, $h, $r', 'slct.f64.f32 $G, $g, $g, $f'] + [f'mov.u32 $R, %{s}' for s in
            ['tid.x', 'tid.y', 'tid.z', 'ntid.x', 'ntid.y', 'ctaid.x', 'nctaid.x', 'ctaid.y', 'laneid', 'lanemask_lt', 'lanemask_eq', 'lanemask_ge']]

def predicates():
    out = []
    for t in INTS:
        c = REG[t]
        for k in COMPARE + (['lo', 'ls', 'hi', 'hs'] if t[0] == 'u' else []): out.append(f'setp.{k}.{t} $P, ${c}, ${c}')
        out += [f'setp.{k}.{b}.{t} $P, ${c}, ${c}, {n}$p' for k, b, n in [('lt', 'and', ''), ('ne', 'or', '!'), ('ge', 'xor', '')]] + [f'set.gt.u32.{t} $R, ${c}, ${c}', f'set.le.f32.{t} $F, ${c}, ${c}']
    for t in ['f32', 'f64', 'f16', 'bf16']:
        c = REG[t]
        for k in FLOAT_COMPARE: out.append(f'setp.{k}.{t} $P, ${c}, ${c}')
        out += [f'setp.ltu.and.{t} $P, ${c}, ${c}, !$p', f'setp.geu.or.{t} $P, ${c}, ${c}, $p', f'set.gtu.u32.{t} $R, ${c}, ${c}' if c in 'fg' else f'set.gtu.{t}.{t} $H, ${c}, ${c}']
    for k in FLOAT_COMPARE: out.append(f'setp.{k}.ftz.f32 $P, $f, $f')
    out += ['setp.lt.f16x2 $P|$Q, $x, $x', 'setp.geu.and.bf16x2 $P|$Q, $x, $x, $p', 'set.neu.f16x2.f16x2 $X, $x, $x', 'set.lt.ftz.u32.f16 $R, $h, $h']
    out += ['setp.lt.and.s32 $P|$Q, $r, $r, $p', 'setp.eq.xor.u64 $P|$Q, $d, $d, !$p', 'setp.gt.or.f32 $P|$Q, $f, $f, $p']
    out += [f'testp.{k}.{t} $P, ${REG[t]}' for k in ['finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal'] for t in ['f32', 'f64']]
    out += ['and.pred $P, $p, $p', 'or.pred $P, $p, $p', 'xor.pred $P, $p, $p', 'not.pred $P, $p'] * 2
    return out

def singles():
    out = []
    for z in ['', '.ftz']:
        for r in RND:
            for s in ['', '.sat']:
                out += [f'{op}.{r}{z}{s}.f32 $F, $f, $f' for op in ['add', 'sub', 'mul']] + [f'fma.{r}{z}{s}.f32 $F, $f, $f, $f']
            out += [f'div.{r}{z}.f32 $F, $f, $f', f'rcp.{r}{z}.f32 $F, $f', f'sqrt.{r}{z}.f32 $F, $f', f'fma.{r}{z}.f32 $F, $f, $k, $f', f'add.{r}{z}.f32 $F, $f, $k']
        out += [f'{op}{z}{n}.f32 $F, $f, $f' for op in ['min', 'max'] for n in ['', '.NaN', '.xorsign.abs', '.NaN.xorsign.abs']]
        out += [f'{op}{z}.f32 $F, $f' for op in ['abs', 'neg']] + [f'mul.rn{z}.f32 $F, $f, $k'] * 3
    return out + ['copysign.f32 $F, $f, $f'] * 3

def approximations():
    out = [f'{op}.approx{z}.f32 $F, $f' for op in ['rcp', 'sqrt', 'rsqrt', 'ex2', 'lg2', 'sin', 'cos'] for z in ['', '.ftz']] + ['tanh.approx.f32 $F, $f'] * 2
    out += [f'div.{m}{z}.f32 $F, $f, $f' for m in ['approx', 'full'] for z in ['', '.ftz']]
    return out + ['rcp.approx.ftz.f64 $G, $g', 'rsqrt.approx.f64 $G, $g', 'rsqrt.approx.ftz.f64 $G, $g', 'tanh.approx.f16 $H, $h', 'tanh.approx.bf16x2 $X, $x',
                  'tanh.approx.f16x2 $X, $x', 'ex2.approx.f16 $H, $h', 'ex2.approx.f16x2 $X, $x', 'ex2.approx.ftz.bf16 $H, $h', 'ex2.approx.ftz.bf16x2 $X, $x']

def doubles():
    out = [f'{op}.{r}.f64 $G, $g, $g' for op in ['add', 'sub', 'mul', 'div'] for r in RND] + [f'fma.{r}.f64 $G, $g, $g, $g' for r in RND]
    out += [f'{op}.{r}.f64 $G, $g' for op in ['rcp', 'sqrt'] for r in RND]
    return out + ['min.f64 $G, $g, $g', 'max.f64 $G, $g, $g', 'abs.f64 $G, $g', 'neg.f64 $G, $g', 'copysign.f64 $G, $g, $g']

def halves():
    out = []
    for t in ['f16', 'f16x2', 'bf16', 'bf16x2']:
        z = ['', '.ftz'] if t[0] == 'f' else ['']
        s = ['', '.sat'] if t[0] == 'f' else ['']
        for a in z:
            out += [plain(f'{op}.rn{a}{b}', t, 2) for op in ['add', 'sub', 'mul'] for b in s] + [plain(f'fma.rn{a}{b}', t, 3) for b in s + ['.relu']]
            out += [plain(f'{op}{a}{n}', t, 2) for op in ['min', 'max'] for n in ['', '.NaN', '.xorsign.abs']]
            out += [plain(f'{op}{a}', t, 1) for op in ['abs', 'neg']]
    return out

def holds(a, b):
    """Whether the type `a` has all numbers of `b`, so that there is nothing to saturate."""
    least = lambda t: -(1 << int(t[1:]) - 1) if t[0] == 's' else 0
    most = lambda t: (1 << int(t[1:]) - (t[0] == 's')) - 1
    return least(a) <= least(b) and most(a) >= most(b)

def conversions():
    out = []
    whole = INTS + ['u8', 's8']
    for a in whole:
        for b in whole:
            if a != b: out.append(f'cvt.{a}.{b} ${REG[a].upper()}, ${REG[b]}')
            if not holds(a, b): out.append(f'cvt.sat.{a}.{b} ${REG[a].upper()}, ${REG[b]}')
        for t in ['f16', 'f32', 'f64']:
            A, T, a_, t_ = REG[a].upper(), REG[t].upper(), REG[a], REG[t]
            out += [f'cvt.{r}.{t}.{a} ${T}, ${a_}' for r in RND] + [f'cvt.{r}{s}.{a}.{t} ${A}, ${t_}' for r in RINT for s in ['', '.sat']]
            if t == 'f32': out += [f'cvt.{r}.ftz.{a}.f32 ${A}, $f' for r in RINT] + [f'cvt.rn.sat.f32.{a} $F, ${a_}']
    near = []
    for z in ['', '.ftz']:
        for s in ['', '.sat']:
            near += [f'cvt{z}{s}.f64.f32 $G, $f', f'cvt{z}{s}.f32.f16 $F, $h'] + [f'cvt.{r}{z}{s}.f32.f64 $F, $g' for r in RND] + [f'cvt.{r}{z}{s}.f16.f32 $H, $f' for r in RND]
            near += [f'cvt.{r}{z}{s}.f32.f32 $F, $f' for r in RINT]
    near += [f'cvt.{r}.f16.f64 $H, $g' for r in RND] + [f'cvt.{r}.f64.f64 $G, $g' for r in RINT] + [f'cvt.{r}.f16.f16 $H, $h' for r in RINT] + ['cvt.f64.f16 $G, $h', 'cvt.f32.bf16 $F, $h']
    for r in ['rn', 'rz']:
        for u in ['', '.relu']: near += [f'cvt.{r}{u}.{t}.f32 $H, $f' for t in ['f16', 'bf16']] + [f'cvt.{r}{u}.{t}.f32 $X, $f, $f' for t in ['f16x2', 'bf16x2']]
    near += [f'cvt.rn.satfinite{u}.{t}.f32 $H, $f, $f' for u in ['', '.relu'] for t in ['e4m3x2', 'e5m2x2']] + [f'cvt.rn.f16x2.{t} $X, $h' for t in ['e4m3x2', 'e5m2x2']]
    near += ['cvt.rna.tf32.f32 $R, $f', 'cvt.rn.tf32.f32 $R, $f', 'cvt.pack.sat.s16.s32 $R, $r, $r', 'cvt.pack.sat.u8.s32.b32 $R, $r, $r, $r']
    near += [f'cvt.rni.{a}.bf16 ${REG[a].upper()}, $h' for a in ['s32', 'u64', 's16']] + [f'cvt.rn.bf16.{a} $H, ${REG[a]}' for a in ['s32', 'u64', 's16']]
    return out + near * 3

# Between lanes that are all there: only where the whole warp comes along.
def collectives():
    out = []
    for m in ['up', 'down', 'bfly', 'idx']:
        c = ['0', '0x1800', '0x1000'] if m == 'up' else ['31', '0x181f', '0x1c1f']
        for k in c: out += [f'shfl.sync.{m}.b32 $R|$P, $r, $s, {k}, -1', f'shfl.sync.{m}.b32 $F, $f, $s, {k}, -1']
    out += ['shfl.sync.idx.b32 $R|$P, $r, $r, 31, -1', 'shfl.sync.bfly.b32 $X, $x, $r, 31, -1', 'shfl.sync.down.b32 $R|$P, $r, $r, 0x101f, 0xffffffff']
    out += [f'vote.sync.{m}.pred $P, {n}$p, -1' for m in ['all', 'any', 'uni'] for n in ['', '!']] + ['vote.sync.ballot.b32 $R, $p, -1'] * 3
    out += ['match.any.sync.b32 $R, $r, -1', 'and.b32 %t0, $r, 3; match.any.sync.b32 $R, %t0, -1', 'match.any.sync.b64 $R, $d, 0xffffffff',
            'and.b32 %t0, $r, 1; match.all.sync.b32 $R|$P, %t0, -1']
    out += [f'redux.sync.{m}.{t} $R, $r, -1' for m, t in [('add', 'u32'), ('add', 's32'), ('min', 'u32'), ('min', 's32'), ('max', 'u32'), ('max', 's32'), ('and', 'b32'), ('or', 'b32'), ('xor', 'b32')]]
    return out

SHARES = [(12, integers()), (3, divisions()), (5, carries()), (11, bits()), (7, moves()), (8, predicates()), (12, singles()), (6, approximations()), (7, doubles()), (9, halves()), (13, conversions())]
COLLECTIVES = collectives()
