// What the threads of a CTA do together in shared memory, with a barrier after every step.

// The sums of the first i elements of each block of 256, by doubling the distance; two rows, so that one barrier a step is enough.
extern "C" __global__ void scan(const unsigned *in, unsigned *out) {
    __shared__ unsigned row[2][256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
    row[0][t] = in[i];
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        unsigned v = row[from][t];
        if (t >= d) v += row[from][t - d];
        from ^= 1;
        row[from][t] = v;
        __syncthreads();
    }
    out[i] = row[from][t];
}

// Each block of 1024 keys is sorted by 512 threads, one comparison each in every step.
extern "C" __global__ void bitonic(unsigned *keys) {
    __shared__ unsigned s[1024];
    int t = threadIdx.x;
    unsigned *block = keys + blockIdx.x * 1024;
    s[t] = block[t];
    s[t + 512] = block[t + 512];
    for (int k = 2; k <= 1024; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int i = 2 * t - (t & (j - 1));
            unsigned a = s[i], b = s[i + j];
            if ((a > b) == ((i & k) == 0)) {
                s[i] = b;
                s[i + j] = a;
            }
        }
    __syncthreads();
    block[t] = s[t];
    block[t + 512] = s[t + 512];
}

// Each block of 1024 complex numbers is transformed by 512 threads, radix 2, decimation in time. `roots` are the first 512 of
// the 1024th roots of unity.
extern "C" __global__ void fft(const float2 *in, float2 *out, const float2 *roots) {
    __shared__ float2 s[1024];
    int t = threadIdx.x;
    long first = (long)blockIdx.x * 1024;
    s[__brev(t) >> 22] = in[first + t];
    s[__brev(t + 512) >> 22] = in[first + t + 512];
    __syncthreads();
    for (int half = 1; half < 1024; half <<= 1) {
        int k = t & (half - 1), i = 2 * t - k;
        float2 w = roots[k * (512 / half)], a = s[i], b = s[i + half];
        float re = b.x * w.x - b.y * w.y, im = b.x * w.y + b.y * w.x;
        s[i] = make_float2(a.x + re, a.y + im);
        s[i + half] = make_float2(a.x - re, a.y - im);
        __syncthreads();
    }
    out[first + t] = s[t];
    out[first + t + 512] = s[t + 512];
}

// How often each byte occurs: counted in shared memory, 64 bytes a thread, then added to the counts of all CTAs.
extern "C" __global__ void histogram(const unsigned *words, unsigned *count) {
    __shared__ unsigned bin[256];
    int t = threadIdx.x;
    bin[t] = 0;
    __syncthreads();
    const unsigned *mine = words + blockIdx.x * 4096;
    for (int k = 0; k < 16; k++) {
        unsigned w = mine[k * 256 + t];
        atomicAdd(&bin[w & 255], 1u);
        atomicAdd(&bin[w >> 8 & 255], 1u);
        atomicAdd(&bin[w >> 16 & 255], 1u);
        atomicAdd(&bin[w >> 24], 1u);
    }
    __syncthreads();
    atomicAdd(&count[t], bin[t]);
}
