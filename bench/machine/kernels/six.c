// The kernels of six.cu in C, for gcc to vectorise.
#include <math.h>

#include "../twin.h"

TWIN(vadd) {
    const float *a = arg[0].at, *b = arg[1].at;
    float *c = arg[2].at;
    int n = arg[3].i;
#pragma omp parallel for
    for (int i = 0; i < n; i++) c[i] = a[i] + b[i];
}

// The loops in the order that reads rows.
TWIN(sgemm_naive) {
    const float *a = arg[0].at, *b = arg[1].at;
    float *c = arg[2].at;
    int n = arg[3].i;
#pragma omp parallel for
    for (int y = 0; y < n; y++) {
        float *row = c + y * n;
        for (int x = 0; x < n; x++) row[x] = 0;
        for (int k = 0; k < n; k++) {
            float s = a[y * n + k];
            for (int x = 0; x < n; x++) row[x] += s * b[k * n + x];
        }
    }
}

typedef float vector __attribute__((vector_size(64)));

// Tiles of 16 by 16, which stay in registers.
TWIN(sgemm_tiled) {
    const float *a = arg[0].at, *b = arg[1].at;
    float *c = arg[2].at;
    int n = arg[3].i;
#pragma omp parallel for collapse(2)
    for (int by = 0; by < n; by += 16)
        for (int bx = 0; bx < n; bx += 16) {
            vector s[16] = {{0}};
            for (int k = 0; k < n; k++) {
                vector row = *(const vector *)&b[k * n + bx];
#pragma GCC unroll 16
                for (int y = 0; y < 16; y++) s[y] += a[(by + y) * n + k] * row;
            }
            for (int y = 0; y < 16; y++) *(vector *)&c[(by + y) * n + bx] = s[y];
        }
}

// The same tree, whose upper steps are vectors.
TWIN(reduce) {
    const float *a = arg[0].at;
    float *out = arg[1].at;
#pragma omp parallel for
    for (size_t g = 0; g < ctas; g++) {
        float s[256];
        for (int i = 0; i < 256; i++) s[i] = a[g * 256 + i];
        for (int k = 128; k > 0; k >>= 1)
            for (int i = 0; i < k; i++) s[i] += s[i + k];
        out[g] = s[0];
    }
}

// Coordinates in arrays of their own, so that they are loaded as vectors.
TWIN(nbody) {
    enum { MOST = 8192 };
    static float px[MOST], py[MOST], pz[MOST], pm[MOST];
    const float *p = arg[0].at;
    float *v = arg[1].at, dt = arg[3].f;
    int n = arg[2].i;
    for (int i = 0; i < n; i++) px[i] = p[4 * i], py[i] = p[4 * i + 1], pz[i] = p[4 * i + 2], pm[i] = p[4 * i + 3];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0, qx = px[i], qy = py[i], qz = pz[i];
#pragma omp simd reduction(+ : ax, ay, az)
        for (int j = 0; j < n; j++) {
            float dx = px[j] - qx, dy = py[j] - qy, dz = pz[j] - qz;
            float d = dx * dx + dy * dy + dz * dz + 0.01f, inv = 1.0f / sqrtf(d), f = pm[j] * inv * inv * inv;
            ax += f * dx, ay += f * dy, az += f * dz;
        }
        v[4 * i] += ax * dt, v[4 * i + 1] += ay * dt, v[4 * i + 2] += az * dt;
    }
}

// Sixteen points in lockstep, until the last has left.
TWIN(mandel) {
    int *out = arg[0].at, w = arg[1].i, most = arg[2].i;
#pragma omp parallel for schedule(dynamic, 8)
    for (int y = 0; y < w; y++)
        for (int x0 = 0; x0 < w; x0 += 16) {
            float zr[16] = {0}, zi[16] = {0}, cr[16], ci = -1.5f + 3.f * y / w;
            int n[16] = {0};
            for (int l = 0; l < 16; l++) cr[l] = -2.f + 3.f * (x0 + l) / w;
            for (int it = 0; it < most; it++) {
                int any = 0;
#pragma omp simd reduction(| : any)
                for (int l = 0; l < 16; l++) {
                    int live = zr[l] * zr[l] + zi[l] * zi[l] <= 4.f;
                    float re = zr[l] * zr[l] - zi[l] * zi[l] + cr[l], im = 2.f * zr[l] * zi[l] + ci;
                    zi[l] = live ? im : zi[l];
                    zr[l] = live ? re : zr[l];
                    n[l] += live;
                    any |= live;
                }
                if (!any) break;
            }
            for (int l = 0; l < 16; l++) out[y * w + x0 + l] = n[l];
        }
}
