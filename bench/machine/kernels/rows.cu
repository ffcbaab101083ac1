// One row of a matrix after the other: what networks do to activations, and a sparse matrix.

// exp(x - max) over the sum of all, one CTA of 256 threads a row; maximum and sum by a tree in shared memory.
extern "C" __global__ void softmax(const float *in, float *out, int n) {
    __shared__ float s[256];
    int t = threadIdx.x;
    const float *row = in + (long)blockIdx.x * n;
    float most = __int_as_float(0xff800000); // minus infinity
    for (int i = t; i < n; i += 256) most = fmaxf(most, row[i]);
    s[t] = most;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] = fmaxf(s[t], s[t + k]);
        __syncthreads();
    }
    most = s[0];
    __syncthreads();
    float sum = 0;
    for (int i = t; i < n; i += 256) sum += expf(row[i] - most);
    s[t] = sum;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        __syncthreads();
    }
    float scale = 1.0f / s[0];
    for (int i = t; i < n; i += 256) out[(long)blockIdx.x * n + i] = expf(row[i] - most) * scale;
}

// The sum over a warp, by shuffles.
__device__ float over_warp(float v) {
    for (int k = 16; k > 0; k >>= 1) v += __shfl_xor_sync(0xffffffff, v, k);
    return v;
}

// (x - mean) / deviation * gain + shift, one CTA of 256 threads a row; sums by shuffles, then over the eight warps.
extern "C" __global__ void layernorm(const float *in, float *out, const float *gain, const float *shift, int n) {
    __shared__ float sums[8], squares[8];
    int t = threadIdx.x;
    const float *row = in + (long)blockIdx.x * n;
    float sum = 0, square = 0;
    for (int i = t; i < n; i += 256) {
        float v = row[i];
        sum += v;
        square += v * v;
    }
    sum = over_warp(sum);
    square = over_warp(square);
    if (t % 32 == 0) {
        sums[t / 32] = sum;
        squares[t / 32] = square;
    }
    __syncthreads();
    sum = square = 0;
    for (int k = 0; k < 8; k++) {
        sum += sums[k];
        square += squares[k];
    }
    float mean = sum / n, scale = rsqrtf(square / n - mean * mean + 1e-5f);
    for (int i = t; i < n; i += 256) out[(long)blockIdx.x * n + i] = (row[i] - mean) * scale * gain[i] + shift[i];
}

// A sparse matrix in compressed rows, times a vector; a thread a row, so that lanes wait for the longest of 32.
extern "C" __global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int k = start[r]; k < start[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}
