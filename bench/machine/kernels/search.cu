// Lanes that go their own ways: tables, trees, graphs and text.

#define EMPTY 0xffffffffu

__device__ unsigned place_of(unsigned key) {
    key ^= key >> 16;
    key *= 0x7feb352du;
    key ^= key >> 15;
    key *= 0x846ca68bu;
    return key ^ key >> 16;
}

// Counts each key in an open table of `mask` + 1 places.
extern "C" __global__ void hash_insert(const unsigned *in, unsigned *keys, unsigned *count, unsigned mask) {
    unsigned key = in[blockIdx.x * blockDim.x + threadIdx.x], place = place_of(key) & mask;
    for (;;) {
        unsigned was = atomicCAS(&keys[place], EMPTY, key);
        if (was == EMPTY || was == key) break;
        place = (place + 1) & mask;
    }
    atomicAdd(&count[place], 1u);
}

// How often each key was inserted.
extern "C" __global__ void hash_lookup(const unsigned *in, const unsigned *keys, const unsigned *count, unsigned *out,
                                       unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned key = in[i], place = place_of(key) & mask, found = 0;
    for (unsigned there; (there = keys[place]) != EMPTY; place = (place + 1) & mask)
        if (there == key) {
            found = count[place];
            break;
        }
    out[i] = found;
}

// The place of each query in a sorted array: of the element itself, which ends the search early, or of the next greater one.
extern "C" __global__ void bsearch(const unsigned *sorted, const unsigned *query, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = 0, high = n;
    unsigned want = query[i];
    while (low < high) {
        int middle = (low + high) >> 1;
        unsigned v = sorted[middle];
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

// One level of a breadth-first search: the neighbours of the nodes in `now` that have no level yet get this one, and are in `next`.
extern "C" __global__ void bfs(const int *start, const int *edge, int *level, int *now, int *next, int depth, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || !now[v]) return;
    now[v] = 0;
    for (int k = start[v]; k < start[v + 1]; k++) {
        int u = edge[k];
        if (atomicCAS(&level[u], -1, depth) == -1) next[u] = 1;
    }
}

// How often each of `patterns` strings of 12 bytes occurs in a text; a thread a place.
extern "C" __global__ void match(const char *text, const char *pattern, unsigned *count, int patterns, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int p = 0; p < patterns; p++) {
        int k = 0;
        while (k < 12 && text[i + k] == pattern[p * 12 + k]) k++;
        if (k == 12) atomicAdd(&count[p], 1u);
    }
}
