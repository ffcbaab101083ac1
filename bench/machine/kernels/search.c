// The kernels of search.cu in C.
#include <string.h>

#include "../twin.h"

#define EMPTY UINT32_MAX

static inline uint32_t place_of(uint32_t key) {
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ key >> 16;
}

// A place is looked at before it is taken: most tries need no exchange then.
TWIN(hash_insert) {
    const uint32_t *in = arg[0].at;
    uint32_t *keys = arg[1].at, *count = arg[2].at, mask = arg[3].i;
#pragma omp parallel for
    for (size_t i = 0; i < ctas * 256; i++) {
        uint32_t key = in[i], place = place_of(key) & mask;
        for (;; place = (place + 1) & mask) {
            uint32_t was = __atomic_load_n(&keys[place], __ATOMIC_RELAXED);
            if (was == EMPTY)
                __atomic_compare_exchange_n(&keys[place], &was, key, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
            if (was == EMPTY || was == key) break;
        }
        __atomic_fetch_add(&count[place], 1, __ATOMIC_RELAXED);
    }
}

TWIN(hash_lookup) {
    const uint32_t *in = arg[0].at, *keys = arg[1].at, *count = arg[2].at;
    uint32_t *out = arg[3].at, mask = arg[4].i;
#pragma omp parallel for
    for (size_t i = 0; i < ctas * 256; i++) {
        uint32_t key = in[i], place = place_of(key) & mask, there;
        while ((there = keys[place]) != EMPTY && there != key) place = (place + 1) & mask;
        out[i] = there == EMPTY ? 0 : count[place];
    }
}

// Sixteen searches that wait for memory together; without the early end, since elements differ and the place is the same.
// Plain loads are faster here than gathers.
static __attribute__((optimize("no-tree-vectorize"))) void search(const uint32_t *sorted, int n, const uint32_t *want, uint32_t *out) {
    uint32_t base[16] = {0};
    for (int length = n; length > 1; length -= length / 2)
        for (int l = 0; l < 16; l++) base[l] += sorted[base[l] + length / 2 - 1] < want[l] ? length / 2 : 0;
    for (int l = 0; l < 16; l++) out[l] = base[l] + (sorted[base[l]] < want[l]);
}

TWIN(bsearch) {
    const uint32_t *sorted = arg[0].at, *query = arg[1].at;
    uint32_t *out = arg[2].at;
#pragma omp parallel for
    for (size_t g = 0; g < ctas * 256; g += 16) search(sorted, arg[3].i, query + g, out + g);
}

TWIN(bfs) {
    const int *start = arg[0].at, *edge = arg[1].at;
    int *level = arg[2].at, *now = arg[3].at, *next = arg[4].at, depth = arg[5].i, n = arg[6].i;
#pragma omp parallel for schedule(dynamic, 4096)
    for (int v = 0; v < n; v++) {
        if (!now[v]) continue;
        now[v] = 0;
        for (int k = start[v]; k < start[v + 1]; k++) {
            int u = edge[k], was = __atomic_load_n(&level[u], __ATOMIC_RELAXED);
            if (was == -1 && __atomic_compare_exchange_n(&level[u], &was, depth, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
                next[u] = 1;
        }
    }
}

// gcc compares twelve bytes as two numbers.
TWIN(match) {
    const char *text = arg[0].at, *pattern = arg[1].at;
    uint32_t *count = arg[2].at;
    int patterns = arg[3].i, n = arg[4].i;
    for (int p = 0; p < patterns; p++) {
        uint32_t found = 0;
#pragma omp parallel for reduction(+ : found)
        for (int i = 0; i < n; i++) found += memcmp(text + i, pattern + p * 12, 12) == 0;
        count[p] += found;
    }
}
