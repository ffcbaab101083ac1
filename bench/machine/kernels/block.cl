// The kernels of block.cu in OpenCL C.

__kernel void scan(__global const uint *in, __global uint *out) {
    __local uint row[2][256];
    int t = get_local_id(0), i = get_global_id(0), from = 0;
    row[0][t] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d <<= 1) {
        uint v = row[from][t];
        if (t >= d) v += row[from][t - d];
        from ^= 1;
        row[from][t] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = row[from][t];
}

__kernel void bitonic(__global uint *keys) {
    __local uint s[1024];
    int t = get_local_id(0);
    __global uint *block = keys + get_group_id(0) * 1024;
    s[t] = block[t];
    s[t + 512] = block[t + 512];
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int i = 2 * t - (t & (j - 1));
            uint a = s[i], b = s[i + j];
            if ((a > b) == ((i & k) == 0)) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    block[t] = s[t];
    block[t + 512] = s[t + 512];
}

// OpenCL C has no function that reverses bits.
uint reversed(uint i) {
    i = (i >> 1 & 0x55555555) | (i & 0x55555555) << 1;
    i = (i >> 2 & 0x33333333) | (i & 0x33333333) << 2;
    i = (i >> 4 & 0x0f0f0f0f) | (i & 0x0f0f0f0f) << 4;
    i = (i >> 8 & 0x00ff00ff) | (i & 0x00ff00ff) << 8;
    return i >> 16 | i << 16;
}

__kernel void fft(__global const float2 *in, __global float2 *out, __global const float2 *roots) {
    __local float2 s[1024];
    int t = get_local_id(0);
    long first = (long)get_group_id(0) * 1024;
    s[reversed(t) >> 22] = in[first + t];
    s[reversed(t + 512) >> 22] = in[first + t + 512];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 1; half_ < 1024; half_ <<= 1) {
        int k = t & (half_ - 1), i = 2 * t - k;
        float2 w = roots[k * (512 / half_)], a = s[i], b = s[i + half_];
        float2 v = (float2)(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        s[i] = a + v;
        s[i + half_] = a - v;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[first + t] = s[t];
    out[first + t + 512] = s[t + 512];
}

__kernel void histogram(__global const uint *words, __global uint *count) {
    __local uint bin[256];
    int t = get_local_id(0);
    bin[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const uint *mine = words + get_group_id(0) * 4096;
    for (int k = 0; k < 16; k++) {
        uint w = mine[k * 256 + t];
        atomic_add(&bin[w & 255], 1u);
        atomic_add(&bin[w >> 8 & 255], 1u);
        atomic_add(&bin[w >> 16 & 255], 1u);
        atomic_add(&bin[w >> 24], 1u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&count[t], bin[t]);
}
