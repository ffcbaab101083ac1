// The kernels of block.cu in C.
#include <string.h>

#include "../twin.h"

typedef uint32_t vector __attribute__((vector_size(64)));

// A running sum: what a tree saves in steps, a core does not need.
TWIN(scan) {
    const uint32_t *in = arg[0].at;
    uint32_t *out = arg[1].at;
#pragma omp parallel for
    for (size_t g = 0; g < ctas; g++) {
        uint32_t sum = 0;
        for (int i = 0; i < 256; i++) out[g * 256 + i] = sum += in[g * 256 + i];
    }
}

// Where the mask is set, a; else b.
static inline vector select(vector mask, vector a, vector b) { return (mask & a) | (~mask & b); }

// A step of the network whose distance j stays within a vector: its keys beside themselves, in another order.
static inline __attribute__((always_inline)) void within(vector *s, int k, int j) {
    vector lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    vector first = (vector)((lane & j) == 0), down = (vector)((lane & k) != 0);
    for (int i = 0; i < 64; i++) {
        vector a = s[i], b = __builtin_shuffle(a, lane ^ j), smaller = first ^ down ^ ((vector){} - ((16 * i & k) != 0));
        s[i] = select((vector)(a < b) ^ ~smaller, a, b);
    }
}

// A step between vectors; k and j count them.
static inline void across(vector *s, int k, int j) {
    for (int top = 0; top < 64; top += 2 * j) {
        int down = (top & k) != 0;
        vector *low = s + top + (down ? j : 0), *high = s + top + (down ? 0 : j);
        for (int i = 0; i < j; i++) {
            vector a = low[i], b = high[i], less = (vector)(a < b);
            low[i] = select(less, a, b);
            high[i] = select(less, b, a);
        }
    }
}

TWIN(bitonic) {
    uint32_t *keys = arg[0].at;
#pragma omp parallel for
    for (size_t g = 0; g < ctas; g++) {
        vector s[64];
        memcpy(s, keys + g * 1024, sizeof s);
        for (int k = 2; k <= 1024; k <<= 1) {
            for (int j = k >> 5; j > 0; j >>= 1) across(s, k / 16, j);
            // Each with a distance that gcc knows.
            if (k > 8) within(s, k, 8);
            if (k > 4) within(s, k, 4);
            if (k > 2) within(s, k, 2);
            within(s, k, 1);
        }
        memcpy(keys + g * 1024, s, sizeof s);
    }
}

// One pass over 1024 numbers, whose roots lie one after the other.
static inline __attribute__((always_inline)) void pass(float *re, float *im, const float *wr, const float *wi, int half) {
    for (int i = 0; i < 1024; i += 2 * half)
#pragma omp simd
        for (int k = 0; k < half; k++) {
            float *ar = re + i + k, *ai = im + i + k;
            float br = ar[half] * wr[k] - ai[half] * wi[k], bi = ar[half] * wi[k] + ai[half] * wr[k];
            ar[half] = ar[0] - br, ai[half] = ai[0] - bi;
            ar[0] += br, ai[0] += bi;
        }
}

// Real and imaginary parts in arrays of their own; each pass is compiled for its distance.
TWIN(fft) {
    const float *in = arg[0].at, *roots = arg[2].at;
    float *out = arg[1].at;
    float wr[1024], wi[1024];
    int order[1024];
    for (int half = 1; half < 1024; half <<= 1)
        for (int k = 0; k < half; k++) wr[half + k] = roots[k * (512 / half) * 2], wi[half + k] = roots[k * (512 / half) * 2 + 1];
    for (int i = 0; i < 1024; i++) {
        int r = 0;
        for (int b = 0; b < 10; b++) r |= (i >> b & 1) << (9 - b);
        order[i] = r;
    }
#pragma omp parallel for
    for (size_t g = 0; g < ctas; g++) {
        float re[1024], im[1024];
        const float *from = in + g * 2048;
        float *to = out + g * 2048;
        for (int i = 0; i < 1024; i++) re[i] = from[2 * order[i]], im[i] = from[2 * order[i] + 1];
#define PASS(half) pass(re, im, wr + half, wi + half, half)
        PASS(1), PASS(2), PASS(4), PASS(8), PASS(16), PASS(32), PASS(64), PASS(128), PASS(256), PASS(512);
        for (int i = 0; i < 1024; i++) to[2 * i] = re[i], to[2 * i + 1] = im[i];
    }
}

// Four tables a thread, so that equal bytes in a row do not wait for each other.
TWIN(histogram) {
    const uint32_t *words = arg[0].at;
    uint32_t *count = arg[1].at;
#pragma omp parallel
    {
        uint32_t bin[4][256] = {{0}};
#pragma omp for
        for (size_t i = 0; i < ctas * 4096; i++) {
            uint32_t w = words[i];
            bin[0][w & 255]++, bin[1][w >> 8 & 255]++, bin[2][w >> 16 & 255]++, bin[3][w >> 24]++;
        }
#pragma omp critical
        for (int b = 0; b < 256; b++) count[b] += bin[0][b] + bin[1][b] + bin[2][b] + bin[3][b];
    }
}
