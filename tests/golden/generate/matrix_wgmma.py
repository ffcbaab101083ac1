"""wgmma.mma_async cases, each with its whole PTX: A and B in shared memory (or A in registers), D loaded before and stored after.

The input block of a case is: `smem` bytes of shared memory; then, 512 bytes (a u32 for each of 128 threads) each, four registers
of A, the metadata, and the registers of D. The output is the registers of D.
"""
import numpy as np
import matrix_inputs as I

K = {'f16': 16, 'bf16': 16, 'tf32': 8, 'e4m3': 32, 'e5m2': 32, 's8': 32, 'u8': 32, 'b1': 256}
SIZE = {'f16': 2, 'bf16': 2, 'tf32': 4, 'e4m3': 1, 'e5m2': 1, 's8': 1, 'u8': 1, 'b1': .125}
SPAN = {0: 16, 1: 32, 2: 64, 3: 128}   # bytes of a row of the swizzle pattern, by log2(span) - 4
MODE = {0: 0, 1: 3, 2: 2, 3: 1}        # the descriptor's number of it
SMEM = 16384; BOFF = 8192

def strides(sw, trans, extent, k):
    """LBO and SBO of a tight layout: `extent` is M or N. 16-bit elements where `trans`."""
    s = SPAN[sw]
    if not trans: return (extent * 16, 128) if sw == 0 else (16, 8 * s)
    if sw == 0: return (extent * 16, 128)
    return (8 * s * (k // 8), 8 * s)

def case(n, d, a, b, sw=(0, 0), trans=(0, 0), areg=False, scale_d=1, neg=(1, 1), sp=None, sat='', off=(0, BOFF), lbo=None, sbo=None, extra=(0, 0), smem=SMEM):
    k = K[a] * (2 if sp is not None else 1); half = d == 'f16'; nd = n // 4 if half else n // 2
    la, sa = strides(sw[0], trans[0], 64, K[a]); lb, sb = strides(sw[1], trans[1], n, k)
    if lbo: la, lb = (x if x is not None else y for x, y in zip(lbo, (la, lb)))
    if sbo: sa, sb = (x if x is not None else y for x, y in zip(sbo, (sa, sb)))
    name = f"wgmma.mma_async{'.sp' if sp is not None else ''}.sync.aligned.m64n{n}k{k}{sat}.{d}.{a}.{b}" + ('.and.popc' if a == 'b1' else '')
    words = smem // 4
    s = f""".version 9.0
.target sm_90a
.address_size 64
.visible .entry w(.param .u64 in, .param .u64 out)
{{
.shared .align 1024 .b8 sm[{smem}]; .reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .b32 %e<5>; .reg .pred %p<4>; .reg .b32 %d<{nd}>;
ld.param.u64 %rd1,[in]; ld.param.u64 %rd2,[out]; mov.u32 %r0,%tid.x; mov.u32 %r1,sm; mov.u32 %r3,%r0;
P:
setp.ge.u32 %p0,%r3,{words}; @%p0 bra PE; shl.b32 %r4,%r3,2; cvt.u64.u32 %rd3,%r4; add.u64 %rd3,%rd3,%rd1; ld.global.b32 %r6,[%rd3]; add.u32 %r4,%r4,%r1; st.shared.b32 [%r4],%r6; add.u32 %r3,%r3,128; bra P;
PE:
fence.proxy.async.shared::cta; bar.sync 0;
mul.wide.u32 %rd4,%r0,4; add.u64 %rd4,%rd4,%rd1;
""" + ''.join(f'ld.global.b32 %e{j},[%rd4+{smem + 512 * j}]; ' for j in range(5)) + '\n'
    s += ''.join(f'ld.global.b32 %d{j},[%rd4+{smem + 512 * (5 + j)}];\n' for j in range(nd))
    s += f'setp.ne.u32 %p3,{scale_d},0;\n'
    for reg, o, l, st, m, x in (('%rd5', off[0], la, sa, MODE[sw[0]], extra[0]), ('%rd6', off[1], lb, sb, MODE[sw[1]], extra[1])):
        high = (st >> 4 & 0x3fff) | m << 30 | (x >> 32)
        s += f'add.u32 %r5,%r1,{o}; and.b32 %r5,%r5,0x3ffff; shr.u32 %r5,%r5,4; or.b32 %r5,%r5,{hex((l >> 4 & 0x3fff) << 16 | x & 0xffffffff)}; mov.b64 {reg},{{%r5,{hex(high)}}};\n'
    dv = '{' + ','.join(f'%d{j}' for j in range(nd)) + '}'
    av = '{%e0,%e1,%e2,%e3}' if areg else '%rd5'
    tail = ',%p3'
    if a not in ('s8', 'u8', 'b1'):
        tail += f',{neg[0]},{neg[1]}'
        if a in ('f16', 'bf16'): tail += f',{trans[1]}' if areg else f',{trans[0]},{trans[1]}'
    meta = f',%e4,{sp}' if sp is not None else ''
    s += f'wgmma.fence.sync.aligned;\n{name} {dv},{av},%rd6{meta}{tail};\nwgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n'
    s += 'mul.wide.u32 %rd7,%r0,4; add.u64 %rd7,%rd7,%rd2;\n' + ''.join(f'st.global.b32 [%rd7+{512 * j}],%d{j};\n' for j in range(nd)) + 'ret;\n}\n'
    return {'name': name, 'n': n, 'd': d, 'a': a, 'b': b, 'swA': sw[0], 'swB': sw[1], 'areg': areg, 'ta': trans[0], 'tb': trans[1], 'sd': scale_d, 'ia': neg[0], 'ib': neg[1], 'sp': sp, 'sat': sat,
            'desc': {'LA': la, 'SA': sa, 'LB': lb, 'SB': sb, 'aoff': off[0], 'boff': off[1], 'extra': list(extra)}, 'nd': nd, 'smem': smem, 'ptx': s}

def fill(rng, fmt, regime, role, count):
    """`count` bytes of elements."""
    if fmt in ('s8', 'u8', 'b1'):
        c = 'b1x32' if fmt == 'b1' else 'i8x4'
        return I.registers(rng, [c], role, regime, count // 128)[0].astype('<u4').tobytes()
    w = {'tf32': 4}.get(fmt) or (1 + sum(I.FORMATS[fmt])) // 8
    return np.frombuffer(b''.join(block(rng, fmt, regime, role, w) for _ in range(count // 1024)), np.uint8).tobytes()

def block(rng, fmt, regime, role, w):
    n = 1024 // w; x = I.values(rng, fmt, regime, fmt, role, (1, n))[0]
    if fmt == 'tf32': x = x << np.uint64(13) | (rng.integers(0, 1 << 13, n, dtype=np.uint64) if regime in ('raw', 'wide') else np.uint64(0))
    return x.astype(f'<u{w}').tobytes()

def inputs(rng, a, b, d, regime, nd, smem=SMEM, boff=BOFF, meta='meta2'):
    """An input block for cases with D of `nd` registers."""
    ab = a if a in I.WINDOW else None
    out = fill(rng, a, regime, 'a', boff) + fill(rng, b, regime, 'b', smem - boff) + fill(rng, a, regime, 'a', 2048)
    out += I.registers(rng, [meta], 'e', regime, 4)[0].astype('<u4').tobytes()
    for _ in range(nd):
        if d == 's32': out += I.registers(rng, ['s32'], 'c', regime, 4)[0].astype('<u4').tobytes()
        elif d == 'f32': out += I.values(rng, 'f32', regime, ab, 'c', (1, 128))[0].astype('<u4').tobytes()
        else: out += I.values(rng, 'f16', regime, ab, 'c', (1, 256))[0].astype('<u2').tobytes()
    return out

# Every pair of types with its D.
TYPES = [('f16', 'f16', 'f16'), ('f32', 'f16', 'f16'), ('f32', 'bf16', 'bf16'), ('f32', 'tf32', 'tf32')] + [(d, a, b) for d in ('f16', 'f32') for a in ('e4m3', 'e5m2') for b in ('e4m3', 'e5m2')] \
    + [('s32', a, b) for a in ('s8', 'u8') for b in ('s8', 'u8')] + [('s32', 'b1', 'b1')]
