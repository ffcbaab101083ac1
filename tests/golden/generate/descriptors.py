"""Asks an H200 which 16 bytes each row of A is read from, for descriptors of every swizzle, base offset, start and stride.

A's shared memory holds in every f16 the number of its 16-byte chunk, B is the identity, so D[m][k] is the chunk that
A[m][k] came from.

    python3 descriptors.py OUT

writes OUT/descriptors.cases and OUT/descriptors.chunks (tests/golden/README.md)."""
import itertools, sys
import numpy as np
import cu

PTX = """.version 9.0
.target sm_90a
.address_size 64
.visible .entry probe(.param .u64 fields, .param .u64 out)
{
    .shared .align 1024 .b8 a[32768];
    .shared .align 1024 .b8 b[512];
    .reg .b32 %t, %i, %at, %v, %low, %x; .reg .b16 %h, %z; .reg .b64 %f, %da, %db, %o; .reg .f32 %d<8>; .reg .pred %p, %q;
    mov.u32 %t, %tid.x;
    mov.u32 %i, %t;
fill:
    cvt.rn.f16.u32 %h, %i; mov.b32 %v, {%h, %h};
    mov.u32 %at, a; mad.lo.u32 %at, %i, 16, %at;
    st.shared.v4.b32 [%at], {%v, %v, %v, %v};
    add.u32 %i, %i, 128; setp.lt.u32 %p, %i, 2048; @%p bra fill;
    // B, K-major without swizzle: element (n, k) at (n%8)*16 + (n/8)*256 + (k/8)*128 + (k%8)*2; thread t writes two.
    shr.u32 %i, %t, 3; and.b32 %x, %t, 7; shl.b32 %x, %x, 1;      // n = t/8, k = 2*(t%8) and the next
    setp.eq.u32 %p, %i, %x; selp.b16 %h, 0x3c00, 0, %p;
    add.u32 %v, %x, 1; setp.eq.u32 %p, %i, %v; selp.b16 %z, 0x3c00, 0, %p;
    mov.b32 %low, {%h, %z};
    and.b32 %at, %i, 7; shl.b32 %at, %at, 4;
    shr.u32 %v, %i, 3; mad.lo.u32 %at, %v, 256, %at;
    shr.u32 %v, %x, 3; mad.lo.u32 %at, %v, 128, %at;
    and.b32 %v, %x, 7; mad.lo.u32 %at, %v, 2, %at;
    mov.u32 %v, b; add.u32 %at, %at, %v; st.shared.b32 [%at], %low;
    fence.proxy.async.shared::cta; bar.sync 0;
    mov.u32 %v, b; and.b32 %v, %v, 0x3ffff; shr.u32 %v, %v, 4; or.b32 %v, %v, 0x00080000; mov.b64 %db, {%v, 0x10};
    mov.u32 %v, a; and.b32 %v, %v, 0x3ffff; shr.u32 %v, %v, 4; cvt.u64.u32 %da, %v; ld.param.u64 %f, [fields]; add.u64 %da, %da, %f;
    setp.ne.u32 %q, 0, 0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, %da, %db, %q, 1, 1, TRANS, 0;
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
    // Row 16w + g + 8*(i>>1&1), column 8*(i>>2) + 2q + (i&1) of 64 by 16.
    ld.param.u64 %o, [out];
    shr.u32 %i, %t, 5; shl.b32 %i, %i, 4; and.b32 %x, %t, 31; shr.u32 %v, %x, 2; add.u32 %i, %i, %v;
    and.b32 %x, %t, 3; shl.b32 %x, %x, 1; mad.lo.u32 %i, %i, 16, %x; mad.wide.u32 %o, %i, 4, %o;
    st.global.v2.f32 [%o], {%d0, %d1}; st.global.v2.f32 [%o+512], {%d2, %d3};
    st.global.v2.f32 [%o+32], {%d4, %d5}; st.global.v2.f32 [%o+544], {%d6, %d7};
    ret;
}
"""

def encode(swizzle, base, start, lbo, sbo, reserved=0):
    return np.uint64((start >> 4) | (lbo >> 4) << 16 | (sbo >> 4) << 32 | base << 49 | swizzle << 62 | reserved)

cu.init()
kernels = [cu.Mod(PTX.replace('TRANS', str(t))).fn('probe') for t in (0, 1)]
D = cu.Buf(64 * 16 * 4)
def ask(trans, fields):
    D.fill(0xff)
    cu.launch(kernels[trans], (1,), (128,), [fields, D])
    cu.sync()
    chunks = D.get(np.float32).astype(np.uint16).reshape(64, 16)
    # Eight elements that lie together come from one chunk: those of k, or of m in a transposed A.
    return chunks[::8, :] if trans else chunks[:, ::8]

cases, results = [], []
starts = [0, 16, 32, 64, 96, 128, 256, 384, 512, 640, 896, 1024, 1152]
strides = [(16, 1024), (2048, 1024), (1024, 2048), (128, 256), (256, 128), (512, 512)]
for trans, swizzle, base in itertools.product((0, 1), range(4), range(8)):
    for start, (lbo, sbo) in itertools.product(starts, strides):
        cases.append((trans, swizzle, base, start, lbo, sbo, 0))
        results.append(ask(trans, encode(swizzle, base, start, lbo, sbo)))
# Bits that the format does not name: are they looked at?
for bit in [14, 15, 30, 31, 46, 47, 48] + list(range(52, 62)):
    for trans, swizzle in itertools.product((0, 1), range(4)):
        cases.append((trans, swizzle, 0, 0, 1024, 1024, bit))
        results.append(ask(trans, encode(swizzle, 0, 0, 1024, 1024, 1 << bit)))
np.array(cases, dtype=np.uint16).tofile(f'{sys.argv[1]}/descriptors.cases')
np.array([r.reshape(-1) for r in results], dtype=np.uint16).tofile(f'{sys.argv[1]}/descriptors.chunks')
