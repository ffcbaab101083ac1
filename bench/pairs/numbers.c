// Floating point: linear algebra, images, simulation, statistics. Each kernel is one text for CUDA and for OpenCL.

KERNEL gemv_thread(G const float *a, G const float *x, G float *y, int n) {
    int r = BX * DX + TX;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[r * n + k] * x[k];
    y[r] = s;
}

KERNEL gemv_cta(G const float *a, G const float *x, G float *y, int n) {
    S float t[128];
    float s = 0;
    for (int k = TX; k < n; k += 128) s += a[BX * n + k] * x[k];
    t[TX] = s;
    BAR;
    for (int d = 64; d > 0; d >>= 1) {
        if (TX < d)
            t[TX] += t[TX + d];
        BAR;
    }
    if (TX == 0)
        y[BX] = t[0];
}

KERNEL conv5(G const float *in, G float *out, G const float *w, int W, int H) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    float s = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int xx = min(max(x + i, 0), W - 1), yy = min(max(y + j, 0), H - 1);
            s += in[yy * W + xx] * w[(j + 2) * 5 + i + 2];
        }
    out[y * W + x] = s;
}

FN float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * (d < 0 ? -d : d));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float r = 0.39894228f * EXP(-0.5f * d * d) * p;
    return d > 0 ? 1.0f - r : r;
}

KERNEL blackscholes(G const float *s, G const float *x, G const float *t, G float *c, G float *p) {
    int i = BX * DX + TX;
    float q = SQRT(t[i]);
    float d1 = (LOG(s[i] / x[i]) + (0.02f + 0.5f * 0.09f) * t[i]) / (0.3f * q);
    float d2 = d1 - 0.3f * q;
    float a = cnd(d1), b = cnd(d2);
    float e = EXP(-0.02f * t[i]);
    c[i] = s[i] * a - x[i] * e * b;
    p[i] = x[i] * e * (1.0f - b) - s[i] * (1.0f - a);
}

KERNEL kmeans(G const float *p, G const float *c, G int *out, int n, int K) {
    int i = BX * DX + TX;
    float best = 1e30f;
    int bi = 0;
    for (int k = 0; k < K; k++) {
        float s = 0;
        for (int d = 0; d < 8; d++) {
            float e = p[d * n + i] - c[k * 8 + d];
            s += e * e;
        }
        if (s < best) {
            best = s;
            bi = k;
        }
    }
    out[i] = bi;
}

KERNEL jacobi3d(G const float *a, G float *b, int N) {
    int x = BX * 32 + TX, y = BY * 8 + TY;
    if (x < 1 || y < 1 || x >= N - 1 || y >= N - 1)
        return;
    for (int z = 1; z < N - 1; z++) {
        int i = (z * N + y) * N + x;
        b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - N] + a[i + N] + a[i - N * N] + a[i + N * N]);
    }
}

KERNEL gauss(G float *a, int n, int k) {
    int j = BX * 16 + TX, i = BY * 16 + TY;
    if (i > k && j >= k && i < n && j < n) {
        float f = a[i * n + k] / a[k * n + k];
        if (j > k)
            a[i * n + j] -= f * a[k * n + j];
    }
}

#define SW(i, j)                                                                                                       \
    {                                                                                                                  \
        float q = FMIN(v[i], v[j]);                                                                                    \
        v[j] = FMAX(v[i], v[j]);                                                                                       \
        v[i] = q;                                                                                                      \
    }

KERNEL median(G const float *a, G float *b, int W, int H) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    if (x < 1 || y < 1 || x >= W - 1 || y >= H - 1)
        return;
    float v[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) v[j * 3 + i] = a[(y + j - 1) * W + x + i - 1];
    SW(1, 2)
    SW(4, 5)
    SW(7, 8) SW(0, 1) SW(3, 4) SW(6, 7) SW(1, 2) SW(4, 5) SW(7, 8) SW(0, 3) SW(5, 8) SW(4, 7) SW(3, 6) SW(1, 4) SW(2, 5)
        SW(4, 7) SW(4, 2) SW(6, 4) SW(4, 2) b[y * W + x] = v[4];
}

KERNEL dct8(G const float *a, G float *b, G const float *c, int W) {
    S float t[64], u[64];
    int x = TX & 7, y = TX >> 3;
    t[TX] = a[(BY * 8 + y) * W + BX * 8 + x];
    BAR;
    float s = 0;
    for (int k = 0; k < 8; k++) s += c[x * 8 + k] * t[y * 8 + k];
    u[TX] = s;
    BAR;
    s = 0;
    for (int k = 0; k < 8; k++) s += c[y * 8 + k] * u[k * 8 + x];
    b[(BY * 8 + y) * W + BX * 8 + x] = s;
}

KERNEL spheres(G const float *sp, G float *out, int W, int ns) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    float dx = (x - W / 2) / (float)W, dy = (y - W / 2) / (float)W, dz = 1.0f;
    float il = 1.0f / SQRT(dx * dx + dy * dy + dz * dz);
    dx *= il;
    dy *= il;
    dz *= il;
    float best = 1e20f;
    int hit = -1;
    for (int k = 0; k < ns; k++) {
        float cx = sp[k * 4], cy = sp[k * 4 + 1], cz = sp[k * 4 + 2], r = sp[k * 4 + 3];
        float b = dx * cx + dy * cy + dz * cz;
        float c = cx * cx + cy * cy + cz * cz - r * r;
        float D = b * b - c;
        if (D > 0) {
            float t = b - SQRT(D);
            if (t > 0.001f && t < best) {
                best = t;
                hit = k;
            }
        }
    }
    out[y * W + x] = hit < 0 ? 0 : best + hit;
}

KERNEL boxmuller(G float *out, int n) {
    uint s = (uint)(BX * DX + TX) * 747796405u + 1u;
    float acc = 0;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + 1013904223u;
        float u = ((s >> 8) + 1) * (1.0f / 16777217.0f);
        s = s * 1664525u + 1013904223u;
        float v = (s >> 8) * (1.0f / 16777216.0f);
        acc += SQRT(-2.0f * LOG(u)) * COS(6.2831853f * v);
    }
    out[BX * DX + TX] = acc;
}

KERNEL heat64(G const double *a, G double *b, int W) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    if (x < 1 || y < 1 || x >= W - 1 || y >= W - 1)
        return;
    int i = y * W + x;
    b[i] = a[i] + 0.1 * (a[i - 1] + a[i + 1] + a[i - W] + a[i + W] - 4 * a[i]);
}

KERNEL gemm64(G const double *a, G const double *b, G double *c, int n) {
    S double s[16][16], t[16][16];
    int x = BX * 16 + TX, y = BY * 16 + TY;
    double v = 0;
    for (int k = 0; k < n; k += 16) {
        s[TY][TX] = a[y * n + k + TX];
        t[TY][TX] = b[(k + TY) * n + x];
        BAR;
        for (int q = 0; q < 16; q++) v += s[TY][q] * t[q][TX];
        BAR;
    }
    c[y * n + x] = v;
}

KERNEL pagerank(G const int *st, G const int *col, G const float *pr, G const int *deg, G float *out) {
    int i = BX * DX + TX;
    float s = 0;
    for (int k = st[i]; k < st[i + 1]; k++) {
        int c = col[k];
        s += pr[c] / deg[c];
    }
    out[i] = 0.15f + 0.85f * s;
}

KERNEL normalise(G const float *p, G float *q, int n) {
    int i = BX * DX + TX;
    float x = p[i * 3], y = p[i * 3 + 1], z = p[i * 3 + 2];
    float l = 1.0f / SQRT(x * x + y * y + z * z);
    q[i * 3] = x * l;
    q[i * 3 + 1] = y * l;
    q[i * 3 + 2] = z * l;
}

KERNEL attention(G const float *q, G const float *k, G const float *v, G float *o, int n) {
    int i = BX * DX + TX;
    float qq[16], acc[16];
    for (int d = 0; d < 16; d++) {
        qq[d] = q[i * 16 + d];
        acc[d] = 0;
    }
    float m = -1e30f, l = 0;
    for (int j = 0; j < n; j++) {
        float s = 0;
        for (int d = 0; d < 16; d++) s += qq[d] * k[j * 16 + d];
        float mn = FMAX(m, s);
        float c = EXP(m - mn), e = EXP(s - mn);
        l = l * c + e;
        for (int d = 0; d < 16; d++) acc[d] = acc[d] * c + e * v[j * 16 + d];
        m = mn;
    }
    for (int d = 0; d < 16; d++) o[i * 16 + d] = acc[d] / l;
}

KERNEL bilateral(G const float *a, G float *b, int W, int H) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    float c = a[y * W + x], s = 0, w = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            int xx = min(max(x + i, 0), W - 1), yy = min(max(y + j, 0), H - 1);
            float v = a[yy * W + xx];
            float g = EXP(-(i * i + j * j) * 0.1f - (v - c) * (v - c) * 0.5f);
            s += g * v;
            w += g;
        }
    b[y * W + x] = s / w;
}

KERNEL spmv(G const int *st, G const int *col, G const float *va, G const float *x, G float *y) {
    int i = BX * DX + TX;
    float s = 0;
    for (int k = st[i]; k < st[i + 1]; k++) s += va[k] * x[col[k]];
    y[i] = s;
}
