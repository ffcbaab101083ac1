// Arithmetic rather than memory: f64, integers, and calls of functions that are not inlined.

// The share of a normal distribution below x, by a polynomial (Abramowitz and Stegun, 26.2.17).
__device__ double below(double x) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(x));
    double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.3989422804014327 * exp(-0.5 * x * x) * p;
    return x > 0 ? 1.0 - tail : tail;
}

// Prices of European options by Black and Scholes.
extern "C" __global__ void options64(const double *price, const double *strike, const double *years, double *call, double *put,
                                     double rate, double volatility) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double s = price[i], x = strike[i], t = years[i], root = volatility * sqrt(t);
    double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / root, d2 = d1 - root;
    double later = x * exp(-rate * t), c1 = below(d1), c2 = below(d2);
    call[i] = s * c1 - later * c2;
    put[i] = later * (1.0 - c2) - s * (1.0 - c1);
}

// Accelerations of bodies by each other, four doubles a body, the last its mass.
extern "C" __global__ void nbody64(const double4 *p, double4 *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double4 q = p[i];
    double x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        double4 r = p[j];
        double dx = r.x - q.x, dy = r.y - q.y, dz = r.z - q.z, d = dx * dx + dy * dy + dz * dz + 0.01;
        double f = r.w / (d * sqrt(d));
        x += f * dx;
        y += f * dy;
        z += f * dz;
    }
    a[i] = make_double4(x, y, z, 0);
}

// Steps of four numbers to 1, by halving or 3 n + 1; the numbers come from xorshift32.
extern "C" __global__ void collatz(unsigned *out, unsigned seed) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, state = (i + 1) * seed, steps = 0;
    for (int k = 0; k < 4; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        for (unsigned n = (state & 0xffff) | 1; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n >> 1;
    }
    out[i] = steps;
}

__constant__ unsigned K[64] = {
#include "sha256.inc"
};

__device__ unsigned rotate(unsigned x, int by) { return x >> by | x << (32 - by); }

// The compression of SHA-256 over one block of 16 words a thread. Words of all threads lie together, then the next words.
extern "C" __global__ void sha256(const unsigned *in, unsigned *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
#pragma unroll
    for (int i = 0; i < 16; i++) w[i] = in[i * n + t];
    for (int round = 0; round < 64; round += 16) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            unsigned s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25), choice = (e & f) ^ (~e & g);
            unsigned t1 = last + s1 + choice + K[round + i] + w[i];
            unsigned s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22), majority = (a & b) ^ (a & c) ^ (b & c);
            last = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + s0 + majority;
            unsigned x = w[(i + 1) % 16], y = w[(i + 14) % 16];
            w[i] += (rotate(x, 7) ^ rotate(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (rotate(y, 17) ^ rotate(y, 19) ^ y >> 10);
        }
    }
    unsigned r[8] = {a, b, c, d, e, f, g, last};
#pragma unroll
    for (int i = 0; i < 8; i++) out[i * n + t] = h[i] + r[i];
}

// The cubic x^3 - a x - b and its slope, which the caller has in its stack.
__device__ __noinline__ void cubic(float x, float a, float b, float *value, float *slope) {
    *value = x * x * x - a * x - b;
    *slope = 3.0f * x * x - a;
}

// A step of Newton's method that goes no further than 1.
__device__ __noinline__ float newton(float x, float a, float b) {
    float value, slope;
    cubic(x, a, b, &value, &slope);
    float step = value / slope;
    return x - fminf(fmaxf(step, -1.0f), 1.0f);
}

// The largest root of a cubic for each thread: 24 steps from above it.
extern "C" __global__ void calls(const float *a, const float *b, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 4.0f, p = a[i], q = b[i];
#pragma unroll 1
    for (int k = 0; k < 24; k++) x = newton(x, p, q);
    out[i] = x;
}
