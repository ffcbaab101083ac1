// The kernels of image.cu in OpenCL C.

__kernel void stencil(__global const float *in, __global float *out, int w, int h) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h) return;
    int i = y * w + x;
    float c = in[i];
    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        c = 0.5f * c + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    out[i] = c;
}

__kernel void transpose(__global const float *in, __global float *out, int n) {
    __local float tile[32][33];
    int tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0) * 32, by = get_group_id(1) * 32;
    for (int k = 0; k < 32; k += 8) tile[ty + k][tx] = in[(by + ty + k) * n + bx + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 32; k += 8) out[(bx + ty + k) * n + by + tx] = tile[tx][ty + k];
}
