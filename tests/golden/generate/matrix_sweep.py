"""The sweep: millions of products with inputs from a hash, recorded as hashes of the results. Usage: matrix_sweep.py FOLDER (on the GPU's machine, with nvcc).

Everything that the other side must do alike is in `mix`, `word`, `shape`, `META` and `CASES`, and in the README's section on matrix/sweep.
"""
import json, subprocess, sys
MASK = (1 << 64) - 1
REGIMES = ['narrow', 'wide', 'over', 'under']
WARPS, BLOCK = 8192, 32          # warps a case and regime, warps a hash
GROUPS = 256                     # warpgroups a case and regime; each has a hash of its own

def mix(z):
    """The finaliser of splitmix64."""
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK; z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK; return z ^ z >> 31

def word(case, regime, warp, register, lane):
    """The 64 bits from which a register's value is made: the lower half are its bits, the upper half shape them."""
    return mix((case << 48 | regime << 44 | warp << 16 | register << 8 | lane) + 0x9e3779b97f4a7c15 & MASK)

# Element kinds: bits of an element, of its exponent and of its fraction; then (base, span, zeros) in each regime.
KINDS = {
    'f16':  (16, 5, 10, [(13, 5, 0), (0, 31, 0), (24, 7, 0), (0, 8, 1)]),
    'bf16': (16, 8, 7, [(125, 5, 0), (92, 70, 0), (182, 12, 0), (37, 36, 1)]),
    'tf32': (32, 8, 23, [(125, 5, 0), (92, 70, 0), (182, 12, 0), (37, 36, 1)]),
    'e4m3': (8, 4, 3, [(5, 5, 0), (0, 16, 0), (11, 5, 0), (0, 4, 1)]),
    'e5m2': (8, 5, 2, [(13, 5, 0), (0, 31, 0), (24, 7, 0), (0, 8, 1)]),
    'c32':  (32, 8, 23, [(125, 7, 0), (80, 80, 0), (148, 20, 0), (70, 50, 1)]),      # C of f16 and 8-bit products
    'c32b': (32, 8, 23, [(125, 7, 0), (72, 110, 0), (247, 8, 0), (0, 24, 1)]),       # C of bf16 and tf32 products
}
META = [4, 8, 9, 12, 13, 14]

def shape(kind, regime, x):
    """The register that `x` stands for."""
    r, s = x & 0xffffffff, x >> 32
    if kind == 'raw': return r
    if kind == 's32':
        return [(r & 0xffff) - 0x8000 & 0xffffffff, r, 0x7fffffff - (r & 0x3ffff), 0x80000000 + (r & 0x3ffff)][regime]
    if kind == 'meta2': return sum(META[(r >> 4 * i & 15) * 6 >> 4] << 4 * i for i in range(8))
    if kind == 'meta1': return sum((14 if r >> 4 * i & 1 else 4) << 4 * i for i in range(8))
    w, e, m, table = KINDS[kind]; base, span, zeros = table[regime]; out = 0
    for i in range(32 // w):
        v = r >> w * i & (1 << w) - 1; frac = v & (1 << m) - 1; exponent = base + ((s >> 8 * i & 255) * span >> 8)
        if kind == 'e4m3' and exponent == 15 and frac == 7: frac = 6
        magnitude = 0 if zeros and v >> m & 7 == 0 else exponent << m | frac
        out |= (v >> w - 1 << w - 1 | magnitude) << w * i
    return out

def case(ptx, d, a, b, k, c, d_registers, a_registers, b_registers, meta=None, tail=''):
    return {'ptx': ptx, 'd': d, 'a': a, 'b': b, 'k': k, 'c': c, 'registers': [d_registers, a_registers, b_registers], 'meta': meta, 'tail': tail, 'groups': ptx.startswith('wgmma')}

def cases():
    out = []; M = 'mma.sync.aligned.m16n8'
    c32 = lambda t: 'c32b' if t in ('bf16', 'tf32') else 'c32'
    for k, d, t in ((16, 'f32', 'f16'), (16, 'f16', 'f16'), (16, 'f32', 'bf16'), (8, 'f32', 'tf32'), (8, 'f32', 'f16'), (8, 'f16', 'f16'), (8, 'f32', 'bf16'), (4, 'f32', 'tf32')):
        h = 2 if t == 'tf32' else 1
        out.append(case(f'{M}k{k}.row.col.{d}.{t}.{t}.{d}', d, t, t, k, c32(t) if d == 'f32' else 'f16', 4 if d == 'f32' else 2, k * h // 4, k * h // 8))
    for k in (32, 16):
        for d in ('f32', 'f16'):
            for a in ('e4m3', 'e5m2'):
                for b in ('e4m3', 'e5m2'): out.append(case(f'{M}k{k}.row.col.{d}.{a}.{b}.{d}', d, a, b, k, 'c32' if d == 'f32' else 'f16', 4 if d == 'f32' else 2, k // 8, k // 16))
    for k, d, t, sel in ((32, 'f32', 'f16', 0), (32, 'f16', 'f16', 1), (32, 'f32', 'bf16', 1), (16, 'f32', 'f16', 2), (16, 'f32', 'tf32', 1), (8, 'f32', 'tf32', 3)):
        h = 2 if t == 'tf32' else 1
        out.append(case(f'mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col.{d}.{t}.{t}.{d}', d, t, t, k, c32(t) if d == 'f32' else 'f16', 4 if d == 'f32' else 2, k * h // 8, k * h // 8, 'meta1' if t == 'tf32' else 'meta2', f',{sel}'))
    out.append(case('mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e5m2.f32', 'f32', 'e4m3', 'e5m2', 64, 'c32', 4, 4, 4, 'meta2', ',0'))
    for sat in ('', '.satfinite'):
        out.append(case(f'{M}k32.row.col{sat}.s32.s8.s8.s32', 's32', 'raw', 'raw', 32, 's32', 4, 4, 2)); out.append(case(f'{M}k16.row.col{sat}.s32.u8.s8.s32', 's32', 'raw', 'raw', 16, 's32', 4, 2, 1))
    G = 'wgmma.mma_async.sync.aligned.m64n64'
    for k, d, t in ((16, 'f32', 'f16'), (16, 'f16', 'f16'), (16, 'f32', 'bf16'), (8, 'f32', 'tf32')):
        out.append(case(f'{G}k{k}.{d}.{t}.{t}', d, t, t, k, c32(t) if d == 'f32' else 'f16', 32 if d == 'f32' else 16, 4, 4, tail=',1,1' + (',0,0' if t != 'tf32' else '')))
    for d in ('f32', 'f16'):
        for a in ('e4m3', 'e5m2'):
            for b in ('e4m3', 'e5m2'): out.append(case(f'{G}k32.{d}.{a}.{b}', d, a, b, 32, 'c32' if d == 'f32' else 'f16', 32 if d == 'f32' else 16, 4, 4, tail=',1,1'))
    out.append(case(f'{G}k32.s32.s8.s8', 's32', 'raw', 'raw', 32, 's32', 32, 4, 4)); out.append(case(f'{G}k32.satfinite.s32.u8.u8', 's32', 'raw', 'raw', 32, 's32', 32, 4, 4))
    S = 'wgmma.mma_async.sp.sync.aligned.m64n64'
    out.append(case(f'{S}k32.f32.f16.f16', 'f32', 'f16', 'f16', 32, 'c32', 32, 4, 8, 'meta2', ',1,1,0,0')); out.append(case(f'{S}k64.f16.e4m3.e5m2', 'f16', 'e4m3', 'e5m2', 64, 'f16', 16, 4, 8, 'meta2', ',1,1'))
    return out
CASES = cases()

def source():
    """The kernels in CUDA C++. Registers are numbered: A from 0, B from 16, C from 32, the metadata is 160."""
    t = '''typedef unsigned long long u64; typedef unsigned u32;
__device__ u64 mix(u64 z) { z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; z = (z ^ z >> 27) * 0x94d049bb133111ebull; return z ^ z >> 31; }
__device__ u64 word(u64 c, u64 g, u64 w, u64 r, u64 l) { return mix((c << 48 | g << 44 | w << 16 | r << 8 | l) + 0x9e3779b97f4a7c15ull); }
template<int W, int E, int M, bool E4> __device__ u32 shaped(u64 x, u32 base, u32 span, bool zeros) {
    u32 r = (u32)x, s = (u32)(x >> 32), out = 0;
    for (int i = 0; i < 32 / W; i++) {
        u32 v = W == 32 ? r : r >> (W * i) & ((1u << W % 32) - 1), frac = v & ((1u << M) - 1), e = base + ((s >> 8 * i & 255) * span >> 8);
        if (E4 && e == 15 && frac == 7) frac = 6;
        u32 magnitude = zeros && (v >> M & 7) == 0 ? 0 : e << M | frac;
        out |= (v >> (W - 1) << (W - 1) | magnitude) << (W * i) % 32;
    }
    return out;
}
__device__ u32 of_raw(u64 x, int g) { return (u32)x; }
__device__ u32 of_s32(u64 x, int g) { u32 r = (u32)x; return g == 0 ? (r & 0xffff) - 0x8000 : g == 1 ? r : g == 2 ? 0x7fffffff - (r & 0x3ffff) : 0x80000000 + (r & 0x3ffff); }
__device__ u32 of_meta2(u64 x, int g) { u32 r = (u32)x, o = 0; for (int i = 0; i < 8; i++) o |= (0xedc984u >> 4 * ((r >> 4 * i & 15) * 6 >> 4) & 15) << 4 * i; return o; }
__device__ u32 of_meta1(u64 x, int g) { u32 r = (u32)x, o = 0; for (int i = 0; i < 8; i++) o |= (r >> 4 * i & 1 ? 14u : 4u) << 4 * i; return o; }
'''
    for k, (w, e, m, table) in KINDS.items():
        t += f'__device__ u32 of_{k}(u64 x, int g) {{ const u32 b[4] = {{{",".join(str(x[0]) for x in table)}}}, s[4] = {{{",".join(str(x[1]) for x in table)}}}; return shaped<{w},{e},{m},{str(k == "e4m3").lower()}>(x, b[g], s[g], {"||".join(f"g=={i}" for i, x in enumerate(table) if x[2]) or "false"}); }}\n'
    for i, c in enumerate(CASES):
        nd, na, nb = c['registers']
        t += f'extern "C" __global__ void k{i}(u64* out, int g) {{\n    u32 a[{na}], b[{nb}], d[{nd}], e = 0; int l = threadIdx.x {"" if c["groups"] else "% 32"}; u64 w = {"blockIdx.x" if c["groups"] else "blockIdx.x * 4 + threadIdx.x / 32"};\n'
        for n, v, kind, first in ((na, 'a', c['a'], 0), (nb, 'b', c['b'], 16), (nd, 'd', c['c'], 32)): t += f'    for (int j = 0; j < {n}; j++) {v}[j] = of_{kind}(word({i}, g, w, {first} + j, l), g);\n'
        if c['meta']: t += f'    e = of_{c["meta"]}(word({i}, g, w, 160, l), g);\n'
        def ops(n, first): return '{' + ','.join(f'%{first + j}' for j in range(n)) + '}'
        if not c['groups']:
            text = f'{c["ptx"]} {ops(nd, 0)},{ops(na, nd)},{ops(nb, nd + na)},{ops(nd, 0)}' + (f',%{nd + na + nb}{c["tail"]}' if c['meta'] else '') + ';'
            ins = [f'"r"(a[{j}])' for j in range(na)] + [f'"r"(b[{j}])' for j in range(nb)] + (['"r"(e)'] if c['meta'] else [])
            if c['d'] == 'f32':
                t += f'    float f[{nd}]; for (int j = 0; j < {nd}; j++) f[j] = __uint_as_float(d[j]);\n'
                t += f'    asm volatile("{text}" : ' + ', '.join(f'"+f"(f[{j}])' for j in range(nd)) + ' : ' + ', '.join(ins) + f');\n    for (int j = 0; j < {nd}; j++) d[j] = __float_as_uint(f[j]);\n'
            else: t += f'    asm volatile("{text}" : ' + ', '.join(f'"+r"(d[{j}])' for j in range(nd)) + ' : ' + ', '.join(ins) + ');\n'
        else:
            # Word j·128 + thread of A (512 words) and B is 4 bytes of a row of 32 (sparse B: 64) bytes; in shared memory K-major without swizzle.
            row = nb * 2
            t += f'''    __shared__ __align__(1024) unsigned char sm[{2048 + nb * 512}];
    for (int j = 0; j < 4; j++) {{ int q = j * 128 + l, r = q / 8, o = q % 8 * 4; *(u32*)(sm + r % 8 * 16 + r / 8 * 128 + o / 16 * 1024 + o % 16) = a[j]; }}
    for (int j = 0; j < {nb}; j++) {{ int q = j * 128 + l, r = q / {row}, o = q % {row} * 4; *(u32*)(sm + 2048 + r % 8 * 16 + r / 8 * 128 + o / 16 * 1024 + o % 16) = b[j]; }}
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
    u32 at = (u32)__cvta_generic_to_shared(sm); u64 A = (at & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32, B = ((at + 2048) & 0x3ffff) >> 4 | 64ull << 16 | 8ull << 32;
'''
            meta = f',%{nd + 2},0' if c['meta'] else ''
            dd = ops(nd, 0); con = 'f' if c['d'] == 'f32' else 'r'
            if con == 'f': t += f'    float f[{nd}]; for (int j = 0; j < {nd}; j++) f[j] = __uint_as_float(d[j]);\n'
            var = 'f' if con == 'f' else 'd'
            t += '    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");\n    asm volatile("{ .reg .pred p; setp.ne.b32 p,1,0; ' + f'{c["ptx"]} {dd},%{nd},%{nd + 1}{meta},p{c["tail"]};' + ' }" : ' + ', '.join(f'"+{con}"({var}[{j}])' for j in range(nd)) + ' : "l"(A), "l"(B)' + (', "r"(e)' if c['meta'] else '') + ');\n'
            t += '    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");\n    asm volatile("" : ' + ', '.join(f'"+{con}"({var}[{j}])' for j in range(nd)) + ' :: "memory");\n'
            if con == 'f': t += f'    for (int j = 0; j < {nd}; j++) d[j] = __float_as_uint(f[j]);\n'
        t += f'    u64 h = 0; for (int j = 0; j < {nd}; j++) h += mix(d[j] ^ mix(w << 16 | j << 8 | l));\n    atomicAdd(out + {"w" if c["groups"] else f"w / {BLOCK}"}, h);\n}}\n'
    return t

def run(folder):
    import numpy as np, cu
    open('/tmp/sweep.cu', 'w').write(source()); subprocess.run(['nvcc', '-arch=sm_90a', '-cubin', '/tmp/sweep.cu', '-o', '/tmp/sweep.cubin'], check=True)
    cu.init(); m = cu.Mod(open('/tmp/sweep.cubin', 'rb').read()); data = bytearray(); rows = []
    for i, c in enumerate(CASES):
        n = GROUPS if c['groups'] else WARPS // BLOCK; f = m.fn(f'k{i}')
        for g in range(4):
            seen = []
            for _ in range(2):
                out = cu.Buf(n * 8).fill(0); cu.launch(f, (GROUPS if c['groups'] else WARPS // 4,), (128,), (out, np.int32(g))); cu.sync(); seen.append(out.get(np.uint8).tobytes()); out.free()
            assert seen[0] == seen[1], c['ptx']
            data += seen[0]
        rows.append({k: c[k] for k in ('ptx', 'd', 'a', 'b', 'c', 'k', 'registers', 'meta', 'tail', 'groups')} | {'case': i, 'hashes': n, 'offset': len(data) - 4 * n * 8})
    open(folder + '/sweep.bin', 'wb').write(data)
    json.dump({'gpu': 'NVIDIA H200', 'regimes': REGIMES, 'warps': WARPS, 'block': BLOCK, 'groups': GROUPS, 'kinds': KINDS, 'cases': rows}, open(folder + '/sweep.json', 'w'))
    print('sweep', len(rows), 'cases', len(data), 'bytes')

if __name__ == '__main__': run(sys.argv[1])
