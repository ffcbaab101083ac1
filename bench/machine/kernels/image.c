// The kernels of image.cu in C.
#include <string.h>

#include "../twin.h"

TWIN(stencil) {
    const float *in = arg[0].at;
    float *out = arg[1].at;
    int w = arg[2].i, h = arg[3].i;
#pragma omp parallel for
    for (int y = 0; y < h; y++) {
        const float *row = in + (size_t)y * w, *up = row - w, *down = row + w;
        float *to = out + (size_t)y * w;
        if (y == 0 || y == h - 1) {
            memcpy(to, row, w * sizeof *to);
            continue;
        }
        to[0] = row[0];
        to[w - 1] = row[w - 1];
        for (int x = 1; x < w - 1; x++) to[x] = 0.5f * row[x] + 0.125f * (row[x - 1] + row[x + 1] + up[x] + down[x]);
    }
}

// Tiles that fit the first cache, through an array of their own as in the kernel.
TWIN(transpose) {
    const float *in = arg[0].at;
    float *out = arg[1].at;
    int n = arg[2].i;
#pragma omp parallel for collapse(2)
    for (int by = 0; by < n; by += 32)
        for (int bx = 0; bx < n; bx += 32) {
            float tile[32][33];
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++) tile[y][x] = in[(size_t)(by + y) * n + bx + x];
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++) out[(size_t)(bx + y) * n + by + x] = tile[x][y];
        }
}
