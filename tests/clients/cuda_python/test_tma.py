"""The copy engine as CUDA C++ reaches it: bulk and tensor copies in inline assembly, mbarriers, and libcu++ on top of them."""

import numpy as np
import pytest
from cuda.core import LaunchConfig, launch
from cuda.core._tensor_map import TensorMapSwizzle as Swizzle
from cuda.core.utils import StridedMemoryView


@pytest.fixture(autouse=True)
def copy_engine_is_there(device):
    if device.compute_capability.major < 9:
        pytest.skip("this device has no bulk copies")


ASSEMBLY = """
typedef unsigned long long u64;
__device__ unsigned shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ void barrier_init(u64 *b, unsigned count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(shared(b)), "r"(count) : "memory");
}
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void expect(u64 *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(shared(b)), "r"(bytes) : "memory");
}
__device__ void arrive(u64 *b) { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(shared(b)) : "memory"); }
__device__ void arrive_remote(u64 *b, unsigned rank) {
    asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1;"
                 " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [a]; }" :: "r"(shared(b)), "r"(rank) : "memory");
}
__device__ void wait(u64 *b, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again; }"
                 :: "r"(shared(b)), "r"(parity) : "memory");
}
__device__ void wait_cluster(u64 *b, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @!p bra again; }"
                 :: "r"(shared(b)), "r"(parity) : "memory");
}
__device__ void proxy_fence() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void bulk_load(void *to, const void *from, unsigned bytes, u64 *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(shared(to)), "l"(from), "r"(bytes), "r"(shared(b)) : "memory");
}
__device__ void bulk_store(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(to), "r"(shared(from)), "r"(bytes) : "memory");
}
__device__ void bulk_add(unsigned *to, const void *from, unsigned bytes) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;"
                 :: "l"(to), "r"(shared(from)), "r"(bytes) : "memory");
}
__device__ void commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
__device__ void wait_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
__device__ void wait_all() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
struct alignas(64) Map { u64 words[16]; };
__device__ void tensor_load(void *to, const Map *map, int x, int y, u64 *b) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(shared(to)), "l"(map), "r"(x), "r"(y), "r"(shared(b)) : "memory");
}
__device__ void tensor_load_multicast(void *to, const Map *map, int x, int y, u64 *b, unsigned short mask) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
                 " [%0], [%1, {%2, %3}], [%4], %5;"
                 :: "r"(shared(to)), "l"(map), "r"(x), "r"(y), "r"(shared(b)), "h"(mask) : "memory");
}
__device__ void tensor_store(const Map *map, int x, int y, const void *from) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                 :: "l"(map), "r"(x), "r"(y), "r"(shared(from)) : "memory");
}
"""

BULK = ASSEMBLY + """
// Every block takes a piece, adds one to each word of it, and puts it elsewhere.
extern "C" __global__ void copy(const unsigned *from, unsigned *to) {
    __shared__ alignas(128) unsigned piece[512];
    __shared__ u64 full;
    if (threadIdx.x == 0) { barrier_init(&full, 1); fence_init(); }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof(piece));
        bulk_load(piece, from + blockIdx.x * 512, sizeof(piece), &full);
    }
    wait(&full, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) piece[i] += 1;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) { bulk_store(to + blockIdx.x * 512, piece, sizeof(piece)); commit(); wait_all(); }
}
// All blocks add their numbers to the same words.
extern "C" __global__ void sum(unsigned *to) {
    __shared__ alignas(128) unsigned piece[256];
    piece[threadIdx.x] = (blockIdx.x + 1) * threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) { bulk_add(to, piece, sizeof(piece)); commit(); wait_read(); }
}
"""


def test_bulk_copies(stream, compile, memory):
    source = np.random.default_rng(1).integers(0, 1 << 32, 7 * 512, dtype=np.uint32)
    a, b = memory(source), memory(np.zeros_like(source))
    launch(stream, LaunchConfig(grid=7, block=128), compile(BULK).get_kernel("copy"), a.buffer, b.buffer)
    np.testing.assert_array_equal(b.numpy(), source + np.uint32(1))


def test_bulk_reduction(stream, compile, memory):
    total = memory(np.full(256, 5, np.uint32))
    launch(stream, LaunchConfig(grid=6, block=256), compile(BULK).get_kernel("sum"), total.buffer)
    np.testing.assert_array_equal(total.numpy(), 5 + 21 * np.arange(256, dtype=np.uint32))


PIPELINE = ASSEMBLY + """
// One thread fetches, all others add up: four stages, whose phases wrap as often as there are rounds.
extern "C" __global__ void stages(const float *from, float *out, unsigned tiles) {
    constexpr int STAGES = 4, TILE = 256;
    __shared__ alignas(128) float tile[STAGES][TILE];
    __shared__ u64 full[STAGES], empty[STAGES];
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) { barrier_init(&full[s], 1); barrier_init(&empty[s], TILE); }
        fence_init();
    }
    __syncthreads();
    if (threadIdx.x >= TILE) {
        if (threadIdx.x == TILE)
            for (unsigned t = 0; t < tiles; t++) {
                unsigned s = t % STAGES, round = t / STAGES;
                wait(&empty[s], (round & 1) ^ 1);
                expect(&full[s], sizeof(tile[s]));
                bulk_load(tile[s], from + (blockIdx.x * tiles + t) * TILE, sizeof(tile[s]), &full[s]);
            }
    } else {
        float total = 0;
        for (unsigned t = 0; t < tiles; t++) {
            unsigned s = t % STAGES, round = t / STAGES;
            wait(&full[s], round & 1);
            total += tile[s][threadIdx.x] * (t + 1);
            arrive(&empty[s]);
        }
        out[blockIdx.x * TILE + threadIdx.x] = total;
    }
}
"""


def test_a_pipeline_of_four_stages(stream, compile, memory):
    tiles, blocks = 37, 3
    source = np.random.default_rng(2).integers(-100, 100, (blocks, tiles, 256)).astype(np.float32)
    a, out = memory(source), memory(np.zeros((blocks, 256), np.float32))
    kernel = compile(PIPELINE).get_kernel("stages")
    launch(stream, LaunchConfig(grid=blocks, block=256 + 32), kernel, a.buffer, out.buffer, np.uint32(tiles))
    weights = np.arange(1, tiles + 1, dtype=np.float32)[None, :, None]
    np.testing.assert_array_equal(out.numpy(), (source * weights).sum(axis=1))


TENSOR = ASSEMBLY + """
// A tile of 32 by 32 words comes in, swizzled by 128 bytes, is transposed without conflicts, and goes out as rows.
extern "C" __global__ void transpose(const __grid_constant__ Map from, const __grid_constant__ Map to) {
    __shared__ alignas(1024) unsigned in[32][32];
    __shared__ alignas(1024) unsigned out[32][32];
    __shared__ u64 full;
    if (threadIdx.x == 0) { barrier_init(&full, 1); fence_init(); }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof(in));
        tensor_load(in, &from, blockIdx.x * 32, blockIdx.y * 32, &full);
    }
    wait(&full, 0);
    int x = threadIdx.x % 32;
    for (int y = threadIdx.x / 32; y < 32; y += blockDim.x / 32) {
        int chunk = (x / 4) ^ (y % 8);
        out[x][y] = in[y][chunk * 4 + x % 4];
    }
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) { tensor_store(&to, blockIdx.y * 32, blockIdx.x * 32, out); commit(); wait_all(); }
}
// Tiles that reach over the edges: what is outside comes in as zero and does not go out.
extern "C" __global__ void shift(const __grid_constant__ Map from, const __grid_constant__ Map to, int dx, int dy) {
    __shared__ alignas(128) unsigned tile[16][16];
    __shared__ u64 full;
    if (threadIdx.x == 0) { barrier_init(&full, 1); fence_init(); }
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof(tile));
        tensor_load(tile, &from, blockIdx.x * 16 + dx, blockIdx.y * 16 + dy, &full);
    }
    wait(&full, 0);
    if (threadIdx.x == 0) { tensor_store(&to, blockIdx.x * 16, blockIdx.y * 16, tile); commit(); wait_all(); }
}
// One block fetches for all of its cluster: each takes half a tile and both halves come to both.
extern "C" __global__ void multicast(const __grid_constant__ Map from, unsigned *out) {
    __shared__ alignas(128) unsigned tile[2][8][32];
    __shared__ u64 full;
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) { barrier_init(&full, 1); fence_init(); }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) {
        expect(&full, sizeof(tile));
        tensor_load_multicast(tile[rank], &from, 0, (blockIdx.x / 2 * 2 + rank) * 8, &full, 3);
    }
    wait_cluster(&full, 0);
    for (int i = threadIdx.x; i < 512; i += blockDim.x) out[blockIdx.x * 512 + i] = ((unsigned *)tile)[i];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
"""


def tensor_map(memory, box, **options):
    view = StridedMemoryView.from_buffer(memory.buffer, shape=memory.shape, dtype=memory.dtype)
    return view.as_tensor_map(box, **options)


def test_a_swizzled_transpose(stream, compile, memory):
    source = np.random.default_rng(3).integers(0, 1 << 32, (64, 96), dtype=np.uint32)
    a, b = memory(source), memory(np.zeros((96, 64), np.uint32))
    maps = tensor_map(a, (32, 32), swizzle=Swizzle.SWIZZLE_128B), tensor_map(b, (32, 32))
    launch(stream, LaunchConfig(grid=(3, 2), block=128), compile(TENSOR).get_kernel("transpose"), *maps)
    np.testing.assert_array_equal(b.numpy(), source.T)


# Rows begin at multiples of 16 bytes: elsewhere an H200 stops.
@pytest.mark.parametrize("dx, dy", [(0, 0), (4, -3), (-16, 16), (-40, 2)])
def test_tiles_over_the_edges(stream, compile, memory, dx, dy):
    height, width = 37, 44
    source = np.random.default_rng(4).integers(1, 1 << 32, (height, width), dtype=np.uint32)
    a, b = memory(source), memory(np.zeros_like(source))
    launch(stream, LaunchConfig(grid=(3, 3), block=32), compile(TENSOR).get_kernel("shift"), tensor_map(a, (16, 16)), tensor_map(b, (16, 16)),
           np.int32(dx), np.int32(dy))
    wide = np.zeros((height + 128, width + 128), np.uint32)
    wide[64:64 + height, 64:64 + width] = source
    np.testing.assert_array_equal(b.numpy(), wide[64 + dy:64 + dy + height, 64 + dx:64 + dx + width])


def test_multicast(stream, compile, memory):
    source = np.random.default_rng(6).integers(0, 1 << 32, (48, 32), dtype=np.uint32)
    a, out = memory(source), memory(np.zeros((6, 16, 32), np.uint32))
    launch(stream, LaunchConfig(grid=3, cluster=2, block=64), compile(TENSOR).get_kernel("multicast"), tensor_map(a, (8, 32)), out.buffer)
    np.testing.assert_array_equal(out.numpy(), np.repeat(source.reshape(3, 16, 32), 2, axis=0))


REMOTE = ASSEMBLY + """
// Every block writes to its right neighbour's shared memory, and the neighbour's mbarrier counts the bytes.
extern "C" __global__ void pass_on(unsigned *out, unsigned rounds) {
    __shared__ alignas(16) unsigned inbox[2][32];
    __shared__ u64 full[2];
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) { barrier_init(&full[0], 1); barrier_init(&full[1], 1); fence_init(); }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    unsigned value = rank * 100 + threadIdx.x, next = (rank + 1) % size;
    for (unsigned r = 0; r < rounds; r++) {
        unsigned slot = r & 1;
        if (threadIdx.x == 0) expect(&full[slot], 128);
        __syncwarp();
        asm volatile("{ .reg .b32 a, b; mapa.shared::cluster.u32 a, %0, %2; mapa.shared::cluster.u32 b, %1, %2;"
                     " st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [a], %3, [b]; }"
                     :: "r"(shared(&inbox[slot][threadIdx.x])), "r"(shared(&full[slot])), "r"(next), "r"(value) : "memory");
        wait_cluster(&full[slot], (r >> 1) & 1);
        value = inbox[slot][threadIdx.x] * 3 + rank;
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }
    out[blockIdx.x * 32 + threadIdx.x] = value;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
// A block waits until all blocks of its cluster have arrived at its mbarrier from afar.
extern "C" __global__ void arrive_afar(unsigned *out) {
    __shared__ u64 all;
    __shared__ unsigned sum;
    unsigned rank, size;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0) { sum = 0; barrier_init(&all, size); fence_init(); }
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x < size) {
        asm volatile("{ .reg .b32 a; mapa.shared::cluster.u32 a, %0, %1; red.relaxed.cluster.shared::cluster.add.u32 [a], %2; }"
                     :: "r"(shared(&sum)), "r"(threadIdx.x), "r"(rank + 1) : "memory");
        arrive_remote(&all, threadIdx.x);
    }
    wait_cluster(&all, 0);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
"""


def test_stores_to_a_neighbour(stream, compile, memory):
    blocks, rounds = 4, 9
    out = memory(np.zeros((blocks, 32), np.uint32))
    launch(stream, LaunchConfig(grid=1, cluster=blocks, block=32), compile(REMOTE).get_kernel("pass_on"), out.buffer, np.uint32(rounds))
    rank = np.arange(blocks, dtype=np.uint32)[:, None]
    value = rank * np.uint32(100) + np.arange(32, dtype=np.uint32)
    for _ in range(rounds):
        value = np.roll(value, 1, axis=0) * np.uint32(3) + rank
    np.testing.assert_array_equal(out.numpy(), value)


def test_arrivals_from_afar(stream, compile, memory):
    out = memory(np.zeros(8, np.uint32))
    launch(stream, LaunchConfig(grid=1, cluster=8, block=32), compile(REMOTE).get_kernel("arrive_afar"), out.buffer)
    np.testing.assert_array_equal(out.numpy(), np.full(8, 36))


LIBCUXX = """
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
using barrier_t = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void with_barrier(const int *from, int *to, int rounds) {
    __shared__ alignas(16) int tile[256];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier_t ready;
    if (threadIdx.x == 0) { init(&ready, blockDim.x); cuda::device::barrier_native_handle(ready); }
    __syncthreads();
    int total = 0;
    for (int r = 0; r < rounds; r++) {
        barrier_t::arrival_token token;
        if (threadIdx.x == 0) {
            cuda::device::memcpy_async_tx(tile, from + r * 256, cuda::aligned_size_t<16>(sizeof(tile)), ready);
            token = cuda::device::barrier_arrive_tx(ready, 1, sizeof(tile));
        } else token = ready.arrive();
        ready.wait(std::move(token));
        total += tile[255 - threadIdx.x];
        ready.arrive_and_wait();
    }
    to[threadIdx.x] = total;
}
extern "C" __global__ void with_pipeline(const int *from, int *to, int rounds) {
    constexpr int STAGES = 3;
    __shared__ alignas(16) int tile[STAGES][256];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int total = 0;
    for (int fetch = 0, r = 0; r < rounds; r++) {
        for (; fetch < rounds && fetch < r + STAGES; fetch++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, tile[fetch % STAGES], from + fetch * 256, cuda::aligned_size_t<16>(sizeof(tile[0])), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        total += tile[r % STAGES][255 - threadIdx.x];
        pipe.consumer_release();
    }
    to[threadIdx.x] = total;
}
extern "C" __global__ void with_groups(const int *from, int *to, int rounds) {
    __shared__ alignas(16) int tile[256];
    auto block = cg::this_thread_block();
    int total = 0;
    for (int r = 0; r < rounds; r++) {
        cg::memcpy_async(block, tile, from + r * 256, sizeof(tile));
        cg::wait(block);
        total += tile[255 - threadIdx.x];
        block.sync();
    }
    to[threadIdx.x] = total;
}
"""


@pytest.mark.parametrize("kernel", ["with_barrier", "with_pipeline", "with_groups"])
def test_libcudacxx(stream, compile, memory, kernel):
    source = np.random.default_rng(7).integers(-1000, 1000, (10, 256), dtype=np.int32)
    a, out = memory(source), memory(np.zeros(256, np.int32))
    launch(stream, LaunchConfig(grid=1, block=256), compile(LIBCUXX).get_kernel(kernel), a.buffer, out.buffer, np.int32(10))
    np.testing.assert_array_equal(out.numpy(), source.sum(axis=0)[::-1])
