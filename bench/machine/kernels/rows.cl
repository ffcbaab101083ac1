// The kernels of rows.cu in OpenCL C. `layernorm` sums by a tree in local memory, since OpenCL C 1.2 has no shuffles.

__kernel void softmax(__global const float *in, __global float *out, int n) {
    __local float s[256];
    int t = get_local_id(0);
    __global const float *row = in + (long)get_group_id(0) * n;
    float most = -INFINITY;
    for (int i = t; i < n; i += 256) most = fmax(most, row[i]);
    s[t] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] = fmax(s[t], s[t + k]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int i = t; i < n; i += 256) sum += exp(row[i] - most);
    s[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) s[t] += s[t + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float scale = 1.0f / s[0];
    for (int i = t; i < n; i += 256) out[(long)get_group_id(0) * n + i] = exp(row[i] - most) * scale;
}

__kernel void layernorm(__global const float *in, __global float *out, __global const float *gain, __global const float *shift,
                        int n) {
    __local float sums[256], squares[256];
    int t = get_local_id(0);
    __global const float *row = in + (long)get_group_id(0) * n;
    float sum = 0, square = 0;
    for (int i = t; i < n; i += 256) {
        float v = row[i];
        sum += v;
        square += v * v;
    }
    sums[t] = sum;
    squares[t] = square;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) {
            sums[t] += sums[t + k];
            squares[t] += squares[t + k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float mean = sums[0] / n, scale = rsqrt(squares[0] / n - mean * mean + 1e-5f);
    for (int i = t; i < n; i += 256) out[(long)get_group_id(0) * n + i] = (row[i] - mean) * scale * gain[i] + shift[i];
}

__kernel void spmv(__global const int *start, __global const int *column, __global const float *value, __global const float *x,
                   __global float *y, int n) {
    int r = get_global_id(0);
    if (r >= n) return;
    float s = 0;
    for (int k = start[r]; k < start[r + 1]; k++) s += value[k] * x[column[k]];
    y[r] = s;
}
