// The kernels of rows.cu in C.
#include <math.h>

#include "../twin.h"

// glibc has vectors of `expf`; its header says so only with -ffast-math.
#pragma omp declare simd notinbranch
extern float expf(float);

TWIN(softmax) {
    const float *in = arg[0].at;
    float *out = arg[1].at;
    int n = arg[2].i;
#pragma omp parallel for
    for (size_t r = 0; r < ctas; r++) {
        const float *row = in + r * n;
        float *to = out + r * n, most = -INFINITY, sum = 0;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < n; i++) most = row[i] > most ? row[i] : most;
#pragma omp simd reduction(+ : sum)
        for (int i = 0; i < n; i++) sum += to[i] = expf(row[i] - most);
        float scale = 1.0f / sum;
        for (int i = 0; i < n; i++) to[i] *= scale;
    }
}

TWIN(layernorm) {
    const float *in = arg[0].at, *gain = arg[2].at, *shift = arg[3].at;
    float *out = arg[1].at;
    int n = arg[4].i;
#pragma omp parallel for
    for (size_t r = 0; r < ctas; r++) {
        const float *row = in + r * n;
        float *to = out + r * n, sum = 0, square = 0;
#pragma omp simd reduction(+ : sum, square)
        for (int i = 0; i < n; i++) sum += row[i], square += row[i] * row[i];
        float mean = sum / n, scale = 1.0f / sqrtf(square / n - mean * mean + 1e-5f);
        for (int i = 0; i < n; i++) to[i] = (row[i] - mean) * scale * gain[i] + shift[i];
    }
}

TWIN(spmv) {
    const int *start = arg[0].at, *column = arg[1].at;
    const float *value = arg[2].at, *x = arg[3].at;
    float *y = arg[4].at;
    int n = arg[5].i;
#pragma omp parallel for schedule(static, 256)
    for (int r = 0; r < n; r++) {
        float s = 0;
#pragma omp simd reduction(+ : s)
        for (int k = start[r]; k < start[r + 1]; k++) s += value[k] * x[column[k]];
        y[r] = s;
    }
}
