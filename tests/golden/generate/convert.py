"""What the golden vectors leave open about cvt, for an H200: run beside shared/tools/cu.py; prints one JSON object
{form: [[input bits, output bits], ...]} in hex."""
import json, random, sys
sys.path.insert(0, 'shared/tools')
import numpy as np, cu
random.seed(1)
F64NAN = [0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000abc, 0x7fffffffffffffff, 0xfff1234567890abc,
          0x7ff0000020000000, 0x7ff000001fffffff, 0x7ff4000000000000, 0xfff0000000000001, 0x7ff0040000000000, 0x7ff0020000000000] \
         + [random.getrandbits(1) << 63 | 0x7ff << 52 | random.getrandbits(52) | 1 for _ in range(117)]
TINY = []                                    # around 2^-126 = 0x3810000000000000 in f64
for e in range(0, 31):
    for x in (0x3810000000000000 - (1 << e), 0x3810000000000000 - 3 * (1 << e), 0x3810000000000000 + (1 << e), 0x380fffffe0000000 + (1 << e), 0x380fffffe0000000 - (1 << e)):
        TINY += [x, x | 1 << 63]
BYTES = list(range(256))
HALF = list(range(0, 65536, 7)) + [0x7f80, 0xff80, 0x7f81, 0xffff, 0x4300, 0x437f, 0x4380]
FORMS = []
for to in ('f32', 'f16', 'bf16'):
    FORMS += [(f'cvt.rn.{to}.f64', 'b64', 64, {'f32': 'b32'}.get(to, 'b16'), F64NAN + (TINY if to == 'f32' else []))]
for r in ('rn', 'rz', 'rm', 'rp'):
    FORMS += [(f'cvt.{r}.ftz.f32.f64', 'b64', 64, 'b32', TINY)] + ([] if r == 'rn' else [(f'cvt.{r}.f32.f64', 'b64', 64, 'b32', TINY)])
    for s in 'us': FORMS += [(f'cvt.{r}.bf16.{s}8', 'b8', 8, 'b16', BYTES)]
for r in ('rni', 'rzi', 'rmi', 'rpi'):
    FORMS += [(f'cvt.{r}.f64.f64', 'b64', 64, 'b64', F64NAN)]
    for s in 'us': FORMS += [(f'cvt.{r}.{s}8.bf16', 'b16', 16, 'b8', HALF)]
cu.init()
out = {}
for form, a, bits, d, xs in FORMS:
    n = len(xs); N = (n + 127) // 128 * 128
    src = f'''.version 9.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 pi, .param .u64 po) {{
.reg .b64 %rd<8>; .reg .b32 %r<4>; .reg .{a} %a; .reg .{d} %d;
mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;
mul.wide.u32 %rd2, %r0, 8; ld.param.u64 %rd0, [pi]; ld.param.u64 %rd1, [po]; add.u64 %rd0, %rd0, %rd2; add.u64 %rd1, %rd1, %rd2;
ld.global.{a} %a, [%rd0]; {form} %d, %a; st.global.{d} [%rd1], %d; ret; }}
'''
    m = cu.Mod(src); x = np.zeros(N, np.uint64); x[:n] = np.array(xs, np.uint64)
    i, o = cu.Buf(8 * N).put(x), cu.Buf(8 * N).fill(0)
    cu.launch(m.fn('k'), (N // 128,), (128,), [i, o]); cu.sync()
    y = o.get(np.uint64)[:n]; out[form] = [[hex(int(p)), hex(int(q))] for p, q in zip(xs, y)]
    i.free(); o.free(); m.unload()
print(json.dumps(out))
