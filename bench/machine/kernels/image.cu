// Arrays of two dimensions: neighbours that overlap, and rows that become columns. CTAs of 32 by 8 threads.

// One step of the heat equation: each cell and its four neighbours; the border stays.
extern "C" __global__ void stencil(const float *in, float *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int i = y * w + x;
    float c = in[i];
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        c = 0.5f * c + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    out[i] = c;
}

// Through a tile of shared memory, so that reads and writes are both of whole rows; the odd pitch avoids bank conflicts.
extern "C" __global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = in[(by + ty + k) * n + bx + tx];
    __syncthreads();
    for (int k = 0; k < 32; k += 8) out[(bx + ty + k) * n + by + tx] = tile[tx][ty + k];
}
