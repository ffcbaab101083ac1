// Integers and bytes: search, sorting, hashing, strings, pictures, graphs. Each kernel is one text for CUDA and for
// OpenCL.

KERNEL pi(G uint *out, int n) {
    uint s = (uint)(BX * DX + TX) * 2654435761u + 1u;
    uint c = 0;
    for (int i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        float a = (s & 0xffff) * (1.0f / 65536);
        float b = (s >> 16) * (1.0f / 65536);
        if (a * a + b * b < 1.0f)
            c++;
    }
    out[BX * DX + TX] = c;
}

KERNEL life(G const uchar *a, G uchar *b, int W, int H) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    int n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j)
                n += a[((y + j + H) % H) * W + (x + i + W) % W];
    b[y * W + x] = (n == 3 || (n == 2 && a[y * W + x]));
}

KERNEL sobel(G const uchar *a, G uchar *b, int W, int H) {
    int x = BX * 16 + TX, y = BY * 16 + TY;
    if (x < 1 || y < 1 || x >= W - 1 || y >= H - 1)
        return;
    int p00 = a[(y - 1) * W + x - 1], p01 = a[(y - 1) * W + x], p02 = a[(y - 1) * W + x + 1], p10 = a[y * W + x - 1],
        p12 = a[y * W + x + 1], p20 = a[(y + 1) * W + x - 1], p21 = a[(y + 1) * W + x], p22 = a[(y + 1) * W + x + 1];
    int gx = p02 + 2 * p12 + p22 - p00 - 2 * p10 - p20, gy = p20 + 2 * p21 + p22 - p00 - 2 * p01 - p02;
    int m = (int)SQRT((float)(gx * gx + gy * gy));
    b[y * W + x] = m > 255 ? 255 : m;
}

KERNEL floyd(G int *d, int n, int k) {
    int j = BX * 16 + TX, i = BY * 16 + TY;
    int v = d[i * n + k] + d[k * n + j];
    if (v < d[i * n + j])
        d[i * n + j] = v;
}

KERNEL hist_shared(G const uint *a, G int *h, int n) {
    S int t[256];
    t[TX] = 0;
    BAR;
    for (int i = BX * 256 + TX; i < n; i += NX * 256) AADD(&t[a[i] & 255], 1);
    BAR;
    AADD(&h[TX], t[TX]);
}

KERNEL nw(G const int *s1, G const int *s2, G int *out) {
    S int d[65 * 65];
    int t = TX;
    d[t + 1] = -(t + 1);
    d[(t + 1) * 65] = -(t + 1);
    if (t == 0)
        d[0] = 0;
    BAR;
    for (int m = 0; m < 127; m++) {
        int i = t, j = m - t;
        if (j >= 0 && j < 64) {
            int sc = (s1[BX * 64 + i] == s2[BX * 64 + j]) ? 2 : -1;
            int v = d[i * 65 + j] + sc;
            int u = d[i * 65 + j + 1] - 1;
            int l = d[(i + 1) * 65 + j] - 1;
            v = max(v, max(u, l));
            d[(i + 1) * 65 + j + 1] = v;
        }
        BAR;
    }
    out[BX * 64 + t] = d[(t + 1) * 65 + 64];
}

KERNEL sort_rows(G const int *a, G int *b) {
    int v[32];
    int o = (BX * DX + TX) * 32;
    for (int i = 0; i < 32; i++) {
        int x = a[o + i];
        int j = i - 1;
        while (j >= 0 && v[j] > x) {
            v[j + 1] = v[j];
            j--;
        }
        v[j + 1] = x;
    }
    for (int i = 0; i < 32; i++) b[o + i] = v[i];
}

KERNEL crc(G const uint *tab, G const uchar *data, G uint *out, int len) {
    int i = BX * DX + TX;
    uint c = 0xffffffffu;
    for (int k = 0; k < len; k++) c = tab[(c ^ data[i * len + k]) & 255] ^ (c >> 8);
    out[i] = ~c;
}

KERNEL aes(G const uint *tab, G const uint *in, G uint *out) {
    S uint t[256];
    t[TX] = tab[TX];
    BAR;
    int i = BX * 256 + TX;
    uint a = in[i * 4], b = in[i * 4 + 1], c = in[i * 4 + 2], d = in[i * 4 + 3];
    for (int r = 0; r < 10; r++) {
        uint e = t[a & 255] ^ (t[(b >> 8) & 255] << 8) ^ (t[(c >> 16) & 255] << 16) ^ (t[d >> 24] << 24) ^ (uint)r;
        uint f = t[b & 255] ^ (t[(c >> 8) & 255] << 8) ^ (t[(d >> 16) & 255] << 16) ^ (t[a >> 24] << 24);
        uint g = t[c & 255] ^ (t[(d >> 8) & 255] << 8) ^ (t[(a >> 16) & 255] << 16) ^ (t[b >> 24] << 24);
        uint h = t[d & 255] ^ (t[(a >> 8) & 255] << 8) ^ (t[(b >> 16) & 255] << 16) ^ (t[c >> 24] << 24);
        a = e;
        b = f;
        c = g;
        d = h;
    }
    out[i * 4] = a;
    out[i * 4 + 1] = b;
    out[i * 4 + 2] = c;
    out[i * 4 + 3] = d;
}

KERNEL levenshtein(G const uchar *p, G const uchar *q, G int *out, int n) {
    int i = BX * DX + TX;
    int row[33];
    for (int j = 0; j <= 32; j++) row[j] = j;
    for (int r = 0; r < n; r++) {
        int d = row[0];
        row[0] = r + 1;
        uchar c = p[r];
        for (int j = 1; j <= 32; j++) {
            int t = row[j];
            int v = d + (c != q[i * 32 + j - 1]);
            v = min(v, row[j] + 1);
            v = min(v, row[j - 1] + 1);
            row[j] = v;
            d = t;
        }
    }
    out[i] = row[32];
}

KERNEL forest(G const int *l, G const int *r, G const float *th, G const int *ft, G const float *x, G float *out,
              int nf, int nt) {
    int i = BX * DX + TX;
    float s = 0;
    for (int t = 0; t < nt; t++) {
        int n = t;
        while (l[n] >= 0) {
            n = x[i * nf + ft[n]] < th[n] ? l[n] : r[n];
        }
        s += th[n];
    }
    out[i] = s;
}

KERNEL dfa(G const uchar *tab, G const uchar *text, G int *out, int len) {
    int i = BX * DX + TX;
    int s = 0, c = 0;
    for (int k = 0; k < len; k++) {
        s = tab[s * 256 + text[i * len + k]];
        c += (s == 7);
    }
    out[i] = c;
}

KERNEL hamming(G const uint *a, G const uint *b, G int *out, int n) {
    int i = BX * DX + TX;
    int m = 9999;
    for (int k = 0; k < n; k++) {
        int d = POPC(a[i] ^ b[k]) + POPC(a[i + BX] ^ b[k + 1]);
        m = min(m, d);
    }
    out[i] = m;
}

KERNEL multiply_64(G const ulong *a, G ulong *out, int n) {
    int i = BX * DX + TX;
    ulong b = a[i], r = 1;
    for (int k = 0; k < n; k++) {
        ulong lo = r * b, hi = MULHI(r, b);
        r = (lo ^ hi) + k;
        b = b * b + 1;
    }
    out[i] = r;
}

KERNEL gcd(G const uint *a, G const uint *b, G uint *out) {
    int i = BX * DX + TX;
    uint x = a[i], y = b[i];
    while (y) {
        uint t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}

KERNEL scan_blelloch(G const int *a, G int *b) {
    S int t[512];
    int o = BX * 512;
    t[TX] = a[o + TX];
    t[TX + 256] = a[o + TX + 256];
    int off = 1;
    for (int d = 256; d > 0; d >>= 1) {
        BAR;
        if (TX < d) {
            int i = off * (2 * TX + 1) - 1, j = off * (2 * TX + 2) - 1;
            t[j] += t[i];
        }
        off *= 2;
    }
    if (TX == 0)
        t[511] = 0;
    for (int d = 1; d < 512; d *= 2) {
        off >>= 1;
        BAR;
        if (TX < d) {
            int i = off * (2 * TX + 1) - 1, j = off * (2 * TX + 2) - 1;
            int q = t[i];
            t[i] = t[j];
            t[j] += q;
        }
    }
    BAR;
    b[o + TX] = t[TX];
    b[o + TX + 256] = t[TX + 256];
}

KERNEL walk_tree(G const int *a, G int *out, int n) {
    int st[16];
    int i = BX * DX + TX;
    int sp = 0, acc = 0;
    st[sp++] = i % n;
    while (sp > 0) {
        int v = st[--sp];
        acc += a[v];
        if (v * 2 + 1 < n && sp < 15 && ((a[v] >> 3) & 1))
            st[sp++] = v * 2 + 1;
        if (v * 2 + 2 < n && sp < 15 && ((a[v] >> 4) & 1))
            st[sp++] = v * 2 + 2;
    }
    out[i] = acc;
}

KERNEL rgb2gray(G const uchar *p, G uchar *q, int n) {
    int i = BX * DX + TX;
    q[i] = (uchar)((p[i * 3] * 77 + p[i * 3 + 1] * 151 + p[i * 3 + 2] * 28) >> 8);
}

KERNEL strsearch(G const uchar *t, G const uchar *p, G int *out, int n, int m) {
    int i = BX * DX + TX;
    int ok = 1;
    for (int k = 0; k < m; k++)
        if (t[i + k] != p[k]) {
            ok = 0;
            break;
        }
    out[i] = ok;
}

KERNEL radix_count(G const uint *a, G int *h, int n, int sh) {
    S int t[16 * 64];
    for (int k = 0; k < 16; k++) t[k * 64 + TX] = 0;
    BAR;
    for (int k = 0; k < 16; k++) {
        uint d = (a[(BX * 16 + k) * 64 + TX] >> sh) & 15;
        t[d * 64 + TX]++;
    }
    BAR;
    if (TX < 16) {
        int s = 0;
        for (int k = 0; k < 64; k++) s += t[TX * 64 + k];
        h[TX * NX + BX] = s;
    }
}
