// The kernels of search.cu in OpenCL C.

#define EMPTY 0xffffffffu

uint place_of(uint key) {
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ key >> 16;
}

__kernel void hash_insert(__global const uint *in, __global uint *keys, __global uint *count, uint mask) {
    uint key = in[get_global_id(0)], place = place_of(key) & mask;
    for (;;) {
        uint was = atomic_cmpxchg(&keys[place], EMPTY, key);
        if (was == EMPTY || was == key) break;
        place = (place + 1) & mask;
    }
    atomic_add(&count[place], 1u);
}

__kernel void hash_lookup(__global const uint *in, __global const uint *keys, __global const uint *count, __global uint *out,
                          uint mask) {
    int i = get_global_id(0);
    uint key = in[i], place = place_of(key) & mask, found = 0;
    for (uint there; (there = keys[place]) != EMPTY; place = (place + 1) & mask)
        if (there == key) {
            found = count[place];
            break;
        }
    out[i] = found;
}

__kernel void bsearch(__global const uint *sorted, __global const uint *query, __global uint *out, int n) {
    int i = get_global_id(0), low = 0, high = n;
    uint want = query[i];
    while (low < high) {
        int middle = (low + high) >> 1;
        uint v = sorted[middle];
        if (v == want) {
            low = middle;
            break;
        }
        if (v < want)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

__kernel void bfs(__global const int *start, __global const int *edge, __global int *level, __global int *now,
                  __global int *next, int depth, int n) {
    int v = get_global_id(0);
    if (v >= n || !now[v]) return;
    now[v] = 0;
    for (int k = start[v]; k < start[v + 1]; k++) {
        int u = edge[k];
        if (atomic_cmpxchg(&level[u], -1, depth) == -1) next[u] = 1;
    }
}

__kernel void match(__global const char *text, __global const char *pattern, __global uint *count, int patterns, int n) {
    int i = get_global_id(0);
    if (i >= n) return;
    for (int p = 0; p < patterns; p++) {
        int k = 0;
        while (k < 12 && text[i + k] == pattern[p * 12 + k]) k++;
        if (k == 12) atomic_add(&count[p], 1u);
    }
}
