"""Records what an H200 answers for the approximate functions that mufu.* does not cover.

Run on the GPU's machine, with cu.py (the ctypes client of the driver API) beside it: `python3 approx.py OUT`.
Writes OUT/approx.json and OUT/approx.bin, which `zstd -19` then makes smaller. README.md of the folder above
describes them.
"""
import json, sys
import numpy as np
import cu

HEAD = """.version 9.0
.target sm_90a
.address_size 64
"""
# The mixing function of mufu.hash, on a register, with %m as scratch.
def mix(r):
    return f"""
    shr.u32 %m, {r}, 16; xor.b32 {r}, {r}, %m; mul.lo.u32 {r}, {r}, 0x85ebca6b;
    shr.u32 %m, {r}, 13; xor.b32 {r}, {r}, %m; mul.lo.u32 {r}, {r}, 0xc2b2ae35;
    shr.u32 %m, {r}, 16; xor.b32 {r}, {r}, %m;"""

# A body turns %x (the input's number) into %y (32 result bits). %flag collects what must stay zero.
def unary(op): return f"{op} %y, %x;"
def half(op): return f"cvt.u16.u32 %h, %x; {op} %h, %h; cvt.u32.u16 %y, %h;"
# Both halves of the packed form, each with another partner, must agree with the scalar form.
def packed(scalar, op): return f"""cvt.u16.u32 %h, %x; {scalar} %h, %h; cvt.u32.u16 %y, %h;
    mul.lo.u32 %t, %x, 40503; add.u32 %t, %t, 12345; and.b32 %t, %t, 0xffff; and.b32 %u, %x, 0xffff;
    shl.b32 %v, %t, 16; or.b32 %v, %v, %u; {op} %v, %v; and.b32 %v, %v, 0xffff; xor.b32 %v, %v, %y; or.b32 %flag, %flag, %v;
    shl.b32 %v, %u, 16; or.b32 %v, %v, %t; {op} %v, %v; shr.u32 %v, %v, 16; xor.b32 %v, %v, %y; or.b32 %flag, %flag, %v;"""
# The upper word is the number, the lower words are 0, all ones and noise; the result's lower word must be 0.
def double(op): return f"""mov.u32 %t, 0; mov.b64 %d, {{%t, %x}}; {op} %d, %d; mov.b64 {{%u, %y}}, %d; or.b32 %flag, %flag, %u;
    mov.u32 %t, -1; mov.b64 %d, {{%t, %x}}; {op} %d, %d; mov.b64 {{%u, %v}}, %d; xor.b32 %v, %v, %y; or.b32 %flag, %flag, %u; or.b32 %flag, %flag, %v;
    add.u32 %t, %x, 77;{mix('%t')} mov.b64 %d, {{%t, %x}}; {op} %d, %d; mov.b64 {{%u, %v}}, %d; xor.b32 %v, %v, %y; or.b32 %flag, %flag, %u; or.b32 %flag, %flag, %v;"""

# A number of single precision from a counter in register r: one of eight kinds, so that every corner is met often.
def number(r, e):
    bits, kind = '%g', '%k'
    return f"""
    mov.u32 {bits}, {r}; add.u32 {bits}, {bits}, 0x9e3779b9;{mix(bits)}
    add.u32 {kind}, {bits}, 1;{mix(kind)}
    and.b32 %k0, {kind}, 7; shr.u32 %k1, {kind}, 8; and.b32 %k1, %k1, 31;
    mov.u32 {e}, {bits};
    and.b32 %k2, {bits}, 0x807fffff;
    shl.b32 %k3, %k1, 23; add.u32 %k4, %k3, 0x38000000; or.b32 %k4, %k4, %k2; setp.eq.u32 %p, %k0, 1; selp.b32 {e}, %k4, {e}, %p;
    and.b32 %k4, %k3, 0x01800000; or.b32 %k4, %k4, %k2; setp.eq.u32 %p, %k0, 2; selp.b32 {e}, %k4, {e}, %p;
    and.b32 %k4, %k3, 0x01800000; or.b32 %k4, %k4, 0x7e000000; or.b32 %k4, %k4, %k2; setp.eq.u32 %p, %k0, 3; selp.b32 {e}, %k4, {e}, %p;
    setp.eq.u32 %p, %k0, 4; selp.b32 {e}, %k2, {e}, %p;
    and.b32 %k4, {bits}, 0xff800000; setp.eq.u32 %p, %k0, 5; selp.b32 {e}, %k4, {e}, %p;
    and.b32 %k4, {bits}, 0x80000000; shl.b32 %k5, %k1, 26; or.b32 %k4, %k4, %k5; setp.eq.u32 %p, %k0, 6; selp.b32 {e}, %k4, {e}, %p;
    and.b32 %k4, {bits}, 0xff800003; add.u32 %k4, %k4, -2; setp.eq.u32 %p, %k0, 7; selp.b32 {e}, %k4, {e}, %p;"""
def pair(op): return f"""shl.b32 %t, %x, 1;{number('%t', '%u')} add.u32 %t, %t, 1;{number('%t', '%v')} {op} %y, %u, %v;"""
# A double from a counter: noise below, and above a number of single precision moved over three exponent bits or noise.
def doubles(op): return f"""shl.b32 %t, %x, 1;{number('%t', '%u')} add.u32 %t, %t, 1; mov.u32 %v, %t;{mix('%v')}
    and.b32 %k0, %v, 3; setp.eq.u32 %p, %k0, 0; @%p mov.u32 %u, %v;
    setp.eq.u32 %p, %k0, 1; @%p and.b32 %u, %u, 0x800fffff; setp.eq.u32 %p, %k0, 2; @%p or.b32 %u, %u, 0x7f800000;
    xor.b32 %v, %v, %x;{mix('%v')} shr.u32 %k1, %v, 28; setp.eq.u32 %p, %k1, 0; @%p mov.u32 %v, 0;
    mov.b64 %d, {{%v, %u}}; {op} %d, %d; mov.b64 {{%u, %v}}, %d;{mix('%u')} xor.b32 %y, %u, %v;"""

REGS = """.reg .b64 %out, %d, %a; .reg .b32 %x, %y, %t, %u, %v, %m, %g, %k, %k<6>, %flag, %i, %n, %s, %b, %c, %first, %sum; .reg .b16 %h;
    .reg .pred %p, %q;"""
def program(body):
    return HEAD + f"""
.visible .entry dump(.param .u64 out, .param .u32 first, .param .u32 stride, .param .u32 n, .param .u64 bad) {{
    {REGS}
    mov.u32 %flag, 0;
    mov.u32 %b, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %i, %tid.x; mad.lo.u32 %i, %b, %c, %i;
    ld.param.u32 %n, [n]; setp.ge.u32 %q, %i, %n; @%q bra end;
    ld.param.u32 %first, [first]; ld.param.u32 %s, [stride]; mad.lo.u32 %x, %i, %s, %first;
    {body}
    ld.param.u64 %out, [out]; mul.wide.u32 %a, %i, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %y;
    setp.ne.u32 %q, %flag, 0; ld.param.u64 %a, [bad]; @%q atom.global.add.u32 %t, [%a], 1;
end: ret;
}}
.visible .entry hash(.param .u64 out, .param .u32 log, .param .u64 bad) {{
    {REGS}
    mov.u32 %flag, 0; mov.u32 %sum, 0;
    ld.param.u32 %s, [log]; mov.u32 %b, %ctaid.x; mov.u32 %c, %ntid.x; mov.u32 %i, %tid.x; mov.u32 %n, 1; shl.b32 %n, %n, %s;
more:
    shl.b32 %x, %b, %s; or.b32 %x, %x, %i;
    {body}
    mov.u32 %t, %i;{mix('%t')} xor.b32 %y, %y, %t;{mix('%y')} add.u32 %sum, %sum, %y;
    add.u32 %i, %i, %c; setp.lt.u32 %q, %i, %n; @%q bra more;
    ld.param.u64 %out, [out]; mul.wide.u32 %a, %b, 4; add.u64 %a, %a, %out; red.global.add.u32 [%a], %sum;
    setp.ne.u32 %q, %flag, 0; ld.param.u64 %a, [bad]; @%q atom.global.add.u32 %t, [%a], 1;
    ret;
}}
"""

class Function:
    def __init__(self, body):
        self.module = cu.Mod(program(body)); self.bad = cu.Buf(4).fill(0)
    def check(self, what):
        cu.sync(); bad = int(self.bad.get(np.uint32)[0])
        if bad: print(f'{what}: {bad} threads saw a bit that should be zero', flush=True)
    def dump(self, first, stride, n):
        out = cu.Buf(4 * n)
        cu.launch(self.module.fn('dump'), ((n + 255) // 256,), (256,), [out, np.uint32(first), np.uint32(stride), np.uint32(n), self.bad])
        self.check('dump'); values = out.get(np.uint32, 4 * n).copy(); out.free(); return values
    def hash(self, blocks, log):
        out = cu.Buf(4 * blocks).fill(0)
        cu.launch(self.module.fn('hash'), (blocks,), (256,), [out, np.uint32(log), self.bad])
        self.check('hash'); values = out.get(np.uint32, 4 * blocks).copy(); out.free(); return values

HALF = [('ex2.approx.f16', 'ex2.approx.f16x2'), ('ex2.approx.ftz.bf16', 'ex2.approx.ftz.bf16x2'),
        ('tanh.approx.f16', 'tanh.approx.f16x2'), ('tanh.approx.bf16', 'tanh.approx.bf16x2')]
DIV = ['div.approx.f32', 'div.approx.ftz.f32', 'div.full.f32', 'div.full.ftz.f32']
DOUBLE = ['rcp.approx.ftz.f64', 'rsqrt.approx.ftz.f64']
# The binades of tanh.approx.f32 that mufu.residuals.bin leaves out and in which it is neither x nor 1, each with
# the number of neighbouring inputs that the unit does not tell apart.
TANH = [(0x3b800000, 64), (0x3c000000, 64), (0x3c800000, 64), (0x3d000000, 32), (0x3d800000, 32), (0x3e000000, 16),
        (0x40800000, 8)]

def record(out):
    cu.init()
    parts, entries = [], []
    def keep(kind, name, values, **more):
        data = np.ascontiguousarray(values).tobytes()
        entries.append(dict(kind=kind, name=name, offset=sum(map(len, parts)), count=len(values), width=values.dtype.itemsize, **more))
        parts.append(data); print(kind, name, len(values), flush=True)
    for scalar, double_form in HALF:
        keep('all', scalar, Function(packed(scalar, double_form)).dump(0, 1, 65536).astype(np.uint16))
    for op in DIV: keep('pairs', op, Function(pair(op)).hash(256, 16), log=16)
    for op in DOUBLE: keep('upper', op, Function(double(op)).hash(4096, 20), log=20)
    keep('doubles', 'rsqrt.approx.f64', Function(doubles('rsqrt.approx.f64')).hash(64, 16), log=16)
    tanh = Function(unary('tanh.approx.f32'))
    for first, stride in TANH:
        n = (1 << 23) // stride
        x = np.uint32(first) + np.arange(n, dtype=np.uint32) * np.uint32(stride)
        near = np.tanh(x.view(np.float32).astype(np.float64)).astype(np.float32).view(np.uint32)
        off = tanh.dump(first, stride, n).astype(np.int64) - near.astype(np.int64)
        keep('residual', 'tanh.approx.f32', off.astype(np.int8), first=first, stride=stride)
    with open(f'{out}/approx.json', 'w') as f: json.dump(dict(gpu='NVIDIA H200', entries=entries), f, indent=1)
    with open(f'{out}/approx.bin', 'wb') as f: f.write(b''.join(parts))

if __name__ == '__main__':
    record(sys.argv[1])
