// The kernels of arithmetic.cu in OpenCL C.

double below(double x) {
    double k = 1.0 / (1.0 + 0.2316419 * fabs(x));
    double p = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    double tail = 0.3989422804014327 * exp(-0.5 * x * x) * p;
    return x > 0 ? 1.0 - tail : tail;
}

__kernel void options64(__global const double *price, __global const double *strike, __global const double *years,
                        __global double *call, __global double *put, double rate, double volatility) {
    int i = get_global_id(0);
    double s = price[i], x = strike[i], t = years[i], root = volatility * sqrt(t);
    double d1 = (log(s / x) + (rate + 0.5 * volatility * volatility) * t) / root, d2 = d1 - root;
    double later = x * exp(-rate * t), c1 = below(d1), c2 = below(d2);
    call[i] = s * c1 - later * c2;
    put[i] = later * (1.0 - c2) - s * (1.0 - c1);
}

__kernel void nbody64(__global const double4 *p, __global double4 *a, int n) {
    int i = get_global_id(0);
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
    a[i] = (double4)(x, y, z, 0);
}

__kernel void collatz(__global uint *out, uint seed) {
    uint i = get_global_id(0), state = (i + 1) * seed, steps = 0;
    for (int k = 0; k < 4; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        for (uint n = (state & 0xffff) | 1; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n >> 1;
    }
    out[i] = steps;
}

__constant uint K[64] = {
#include "sha256.inc"
};

#define ROTATE(x, by) rotate(x, 32u - by)

__kernel void sha256(__global const uint *in, __global uint *out, int n) {
    int t = get_global_id(0);
    uint w[16], h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
#pragma unroll
    for (int i = 0; i < 16; i++) w[i] = in[i * n + t];
    for (int round = 0; round < 64; round += 16) {
#pragma unroll
        for (int i = 0; i < 16; i++) {
            uint s1 = ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25), choice = (e & f) ^ (~e & g);
            uint t1 = last + s1 + choice + K[round + i] + w[i];
            uint s0 = ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22), majority = (a & b) ^ (a & c) ^ (b & c);
            last = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + s0 + majority;
            uint x = w[(i + 1) % 16], y = w[(i + 14) % 16];
            w[i] += (ROTATE(x, 7) ^ ROTATE(x, 18) ^ x >> 3) + w[(i + 9) % 16] + (ROTATE(y, 17) ^ ROTATE(y, 19) ^ y >> 10);
        }
    }
    uint r[8] = {a, b, c, d, e, f, g, last};
#pragma unroll
    for (int i = 0; i < 8; i++) out[i * n + t] = h[i] + r[i];
}

__attribute__((noinline)) void cubic(float x, float a, float b, float *value, float *slope) {
    *value = x * x * x - a * x - b;
    *slope = 3.0f * x * x - a;
}

__attribute__((noinline)) float newton(float x, float a, float b) {
    float value, slope;
    cubic(x, a, b, &value, &slope);
    float step = value / slope;
    return x - fmin(fmax(step, -1.0f), 1.0f);
}

__kernel void calls(__global const float *a, __global const float *b, __global float *out) {
    int i = get_global_id(0);
    float x = 4.0f, p = a[i], q = b[i];
    for (int k = 0; k < 24; k++) x = newton(x, p, q);
    out[i] = x;
}
