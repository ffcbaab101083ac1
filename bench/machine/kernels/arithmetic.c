// The kernels of arithmetic.cu in C, sixteen threads in a vector where gcc does not find that by itself.
#include <math.h>

#include "../twin.h"

// glibc has vectors of these; its header says so only with -ffast-math.
#pragma omp declare simd notinbranch
extern double exp(double);
#pragma omp declare simd notinbranch
extern double log(double);

static inline double below(double x) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(x));
    double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.3989422804014327 * exp(-0.5 * x * x) * p;
    return x > 0 ? 1.0 - tail : tail;
}

TWIN(options64) {
    const double *price = arg[0].at, *strike = arg[1].at, *years = arg[2].at;
    double *call = arg[3].at, *put = arg[4].at, rate = arg[5].d, volatility = arg[6].d;
#pragma omp parallel for simd
    for (size_t i = 0; i < ctas * 256; i++) {
        double s = price[i], x = strike[i], t = years[i], root = volatility * sqrt(t);
        double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / root, d2 = d1 - root;
        double later = x * exp(-rate * t), c1 = below(d1), c2 = below(d2);
        call[i] = s * c1 - later * c2;
        put[i] = later * (1.0 - c2) - s * (1.0 - c1);
    }
}

TWIN(nbody64) {
    enum { MOST = 4096 };
    static double px[MOST], py[MOST], pz[MOST], pm[MOST];
    const double *p = arg[0].at;
    double *a = arg[1].at;
    int n = arg[2].i;
    for (int i = 0; i < n; i++) px[i] = p[4 * i], py[i] = p[4 * i + 1], pz[i] = p[4 * i + 2], pm[i] = p[4 * i + 3];
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        double x = 0, y = 0, z = 0, qx = px[i], qy = py[i], qz = pz[i];
#pragma omp simd reduction(+ : x, y, z)
        for (int j = 0; j < n; j++) {
            double dx = px[j] - qx, dy = py[j] - qy, dz = pz[j] - qz, d = dx * dx + dy * dy + dz * dz + 0.01;
            double f = pm[j] / (d * sqrt(d));
            x += f * dx, y += f * dy, z += f * dz;
        }
        a[4 * i] = x, a[4 * i + 1] = y, a[4 * i + 2] = z, a[4 * i + 3] = 0;
    }
}

typedef uint32_t vector __attribute__((vector_size(64)));

static const vector LANE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static inline vector select(vector mask, vector a, vector b) { return (mask & a) | (~mask & b); }

static inline int any(vector v) {
    uint32_t all = 0;
    for (int l = 0; l < 16; l++) all |= v[l];
    return all != 0;
}

TWIN(collatz) {
    vector *out = arg[0].at;
    uint32_t seed = arg[1].i;
#pragma omp parallel for schedule(static, 16)
    for (size_t g = 0; g < ctas * 16; g++) {
        vector state = (LANE + (uint32_t)(g * 16 + 1)) * seed, steps = {0};
        for (int k = 0; k < 4; k++) {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            vector n = (state & 0xffff) | 1;
            do
                for (int i = 0; i < 8; i++) {
                    vector live = (vector)(n != 1);
                    n = select(live, select((vector)((n & 1) != 0), 2 * n + n + 1, n >> 1), n);
                    steps -= live;
                }
            while (any((vector)(n != 1)));
        }
        out[g] = steps;
    }
}

static const uint32_t K[64] = {
#include "sha256.inc"
};

static inline vector rotate(vector x, int by) { return x >> by | x << (32 - by); }

TWIN(sha256) {
    const uint32_t *in = arg[0].at;
    uint32_t *out = arg[1].at;
    int n = arg[2].i;
    static const uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
#pragma omp parallel for
    for (int t = 0; t < n; t += 16) {
        vector w[16], zero = {0};
        vector a = zero + h[0], b = zero + h[1], c = zero + h[2], d = zero + h[3];
        vector e = zero + h[4], f = zero + h[5], g = zero + h[6], last = zero + h[7];
        for (int i = 0; i < 16; i++) w[i] = *(const vector *)&in[i * n + t];
        for (int round = 0; round < 64; round += 16)
#pragma GCC unroll 16
            for (int i = 0; i < 16; i++) {
                vector s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25), choice = (e & f) ^ (~e & g);
                vector t1 = last + s1 + choice + K[round + i] + w[i];
                vector s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22), majority = (a & b) ^ (a & c) ^ (b & c);
                last = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + s0 + majority;
                vector x = w[(i + 1) % 16], y = w[(i + 14) % 16];
                w[i] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
            }
        vector r[8] = {a, b, c, d, e, f, g, last};
        for (int i = 0; i < 8; i++) *(vector *)&out[i * n + t] = h[i] + r[i];
    }
}

static inline void cubic(float x, float a, float b, float *value, float *slope) {
    *value = x * x * x - a * x - b;
    *slope = 3.0f * x * x - a;
}

static inline float newton(float x, float a, float b) {
    float value, slope;
    cubic(x, a, b, &value, &slope);
    float step = value / slope;
    step = step < -1.0f ? -1.0f : step;
    return x - (step > 1.0f ? 1.0f : step);
}

// gcc may inline what the kernel must call.
TWIN(calls) {
    const float *a = arg[0].at, *b = arg[1].at;
    float *out = arg[2].at;
#pragma omp parallel for
    for (size_t g = 0; g < ctas * 256; g += 16) {
        float x[16];
        for (int l = 0; l < 16; l++) x[l] = 4.0f;
        for (int k = 0; k < 24; k++)
#pragma omp simd
            for (int l = 0; l < 16; l++) x[l] = newton(x[l], a[g + l], b[g + l]);
        for (int l = 0; l < 16; l++) out[g + l] = x[l];
    }
}
