// Launches: configurations, constants, variables, managed variables, templates, dynamic shared memory, clusters,
// cooperative grids, function pointers, streams' callbacks.
#include "check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__constant__ int factors[4];
__device__ int counter;
__device__ float table[16];
__managed__ int total = 5;

template <typename T> __global__ void scale(T* data, int n, T by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= by;
}

__global__ void constants(int* out) {
    out[threadIdx.x] = factors[threadIdx.x % 4] * int(threadIdx.x);
    atomicAdd(&counter, 1);
    if (threadIdx.x == 0) total += 37;
}

__global__ void reverse(int* data) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

__global__ void three_dimensions(int* out) {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}

__global__ void grid_sum(int* data, int* sum, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int i = grid.thread_rank(); i < n; i += grid.size()) data[i] = i;
    grid.sync();
    if (grid.thread_rank() == 0)
        for (int i = 0; i < n; i++) *sum += data[i];
}

__global__ void __cluster_dims__(2, 1, 1) neighbours(int* out) {
    __shared__ int own;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) own = 100 + blockIdx.x;
    cluster.sync();
    int* other = cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
    if (threadIdx.x == 0) out[blockIdx.x] = *other;
    cluster.sync();
}

__global__ void cluster_at_launch(int* out) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) out[blockIdx.x] = cluster.num_blocks() * 10 + cluster.block_rank();
}

typedef float (*Function)(float);
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ Function functions[2] = {twice, square};
__global__ void indirect(float* out) { out[threadIdx.x] = functions[threadIdx.x % 2](threadIdx.x); }

static void told(void* data) { ++*static_cast<int*>(data); }
static void CUDART_CB finished(cudaStream_t, cudaError_t error, void* data) {
    *static_cast<int*>(data) += error == cudaSuccess ? 10 : 1000;
}

int main() {
    const int n = 1000;
    std::vector<float> floats(n, 1.5f);
    std::vector<double> doubles(n, 2.5);
    float* f;
    double* d;
    OK(cudaMalloc(&f, n * sizeof *f));
    OK(cudaMalloc(&d, n * sizeof *d));
    OK(cudaMemcpy(f, floats.data(), n * sizeof *f, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(d, doubles.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    scale<<<(n + 127) / 128, 128>>>(f, n, 4.0f);
    scale<<<(n + 127) / 128, 128>>>(d, n, 4.0);
    OK(cudaMemcpy(floats.data(), f, n * sizeof *f, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(doubles.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    std::printf("scaled: %g %g\n", floats[n - 1], doubles[n - 1]);

    int* ints;
    int host[512], four[4] = {1, 2, 3, 5};
    OK(cudaMalloc(&ints, sizeof host));
    OK(cudaMemcpyToSymbol(factors, four, sizeof four));
    constants<<<1, 64>>>(ints);
    OK(cudaMemcpy(host, ints, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    int count = 0;
    OK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    std::printf("constants: %d %d, %d threads, total %d\n", host[62], host[63], count, total);
    int five = 7;
    OK(cudaMemcpyToSymbol(factors, &five, sizeof five, 2 * sizeof(int)));
    OK(cudaMemcpyFromSymbol(four, factors, sizeof four));
    size_t size = 0;
    OK(cudaGetSymbolSize(&size, table));
    std::printf("factors: %d %d %d %d, table of %zu bytes\n", four[0], four[1], four[2], four[3], size);

    reverse<<<1, 64, 64 * sizeof(int)>>>(ints);
    OK(cudaMemcpy(host, ints, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("reversed: %d %d\n", host[0], host[1]);
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    reverse<<<1, 64, 100000>>>(ints);
    OK(cudaGetLastError());

    three_dimensions<<<dim3(2, 2, 2), dim3(4, 4, 4)>>>(ints);
    OK(cudaMemcpy(host, ints, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("three dimensions: %d %d\n", host[0], host[511]);

    int *sum, numbers = 500;
    OK(cudaMalloc(&sum, sizeof *sum));
    OK(cudaMemset(sum, 0, sizeof *sum));
    void* arguments[] = {&ints, &sum, &numbers};
    OK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sum), dim3(4), dim3(64), arguments, 0, 0));
    OK(cudaMemcpy(host, sum, sizeof *sum, cudaMemcpyDeviceToHost));
    std::printf("cooperative: %d\n", host[0]);

    neighbours<<<4, 32>>>(ints);
    OK(cudaMemcpy(host, ints, 4 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("clusters: %d %d %d %d\n", host[0], host[1], host[2], host[3]);
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    OK(cudaLaunchKernelEx(&config, cluster_at_launch, ints));
    OK(cudaMemcpy(host, ints, 8 * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("clusters of four: %d %d %d\n", host[0], host[3], host[6]);
    int clusters = 0;
    OK(cudaOccupancyMaxPotentialClusterSize(&clusters, cluster_at_launch, &config));
    std::printf("largest cluster: %d\n", clusters);

    indirect<<<1, 8>>>(f);
    OK(cudaMemcpy(floats.data(), f, 8 * sizeof *f, cudaMemcpyDeviceToHost));
    std::printf("indirect: %g %g\n", floats[6], floats[7]);

    cudaStream_t stream;
    int calls = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaLaunchHostFunc(stream, told, &calls));
    OK(cudaStreamAddCallback(stream, finished, &calls, 0));
    OK(cudaStreamSynchronize(stream));
    std::printf("told: %d\n", calls);
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceReset());
    std::printf("after reset: %s\n", cudaGetErrorName(cudaMalloc(&ints, 100)));
    scale<<<1, 32>>>(ints, 0, 1);
    OK(cudaDeviceSynchronize());
}
