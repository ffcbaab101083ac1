// CUB, Thrust and libcu++: device-wide reduce, scan, sort, select, histogram, segmented forms; atomics and barriers.
#include "check.h"
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <algorithm>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

struct IsEven {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

// Asks how much memory is needed, takes it, and runs.
template <typename Call> void twice(Call call) {
    size_t bytes = 0;
    OK(call(nullptr, bytes));
    void* memory;
    OK(cudaMalloc(&memory, bytes));
    OK(call(memory, bytes));
    OK(cudaDeviceSynchronize());
    OK(cudaFree(memory));
}

__global__ void tickets(cuda::atomic<int, cuda::thread_scope_device>* counter, int* taken) {
    taken[counter->fetch_add(1, cuda::std::memory_order_relaxed)] = 1;
}
__global__ void meet(int* out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&barrier, blockDim.x);
        sum = 0;
    }
    __syncthreads();
    atomicAdd(&sum, int(threadIdx.x));
    barrier.arrive_and_wait();
    out[threadIdx.x] = sum;
}
__global__ void staged(const int* in, int* out) {
    __shared__ int stage[64];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&stage[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    out[threadIdx.x] = stage[threadIdx.x] * 2;
    pipe.consumer_release();
}

int main() {
    const int n = 3000;
    std::vector<int> host(n);
    unsigned state = 1;
    for (int& x : host) x = (state = state * 1664525 + 1013904223) >> 20;
    int *in, *out, *count;
    OK(cudaMalloc(&in, n * sizeof(int)));
    OK(cudaMalloc(&out, n * sizeof(int)));
    OK(cudaMalloc(&count, 300 * sizeof(int)));
    OK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    std::vector<int> back(n);
    auto fetch = [&](const int* from, int items) {
        OK(cudaMemcpy(back.data(), from, items * sizeof(int), cudaMemcpyDeviceToHost));
    };

    twice([&](void* m, size_t& b) { return cub::DeviceReduce::Sum(m, b, in, out, n); });
    fetch(out, 1);
    std::printf("sum: %s\n", back[0] == std::accumulate(host.begin(), host.end(), 0) ? "right" : "wrong");
    twice([&](void* m, size_t& b) { return cub::DeviceScan::InclusiveSum(m, b, in, out, n); });
    fetch(out, n);
    std::vector<int> expected(n);
    std::partial_sum(host.begin(), host.end(), expected.begin());
    std::printf("scan: %s\n", back == expected ? "right" : "wrong");
    twice([&](void* m, size_t& b) { return cub::DeviceRadixSort::SortKeys(m, b, in, out, n); });
    fetch(out, n);
    expected = host;
    std::sort(expected.begin(), expected.end());
    std::printf("sort: %s\n", back == expected ? "right" : "wrong");
    twice([&](void* m, size_t& b) { return cub::DeviceSelect::If(m, b, in, out, count, n, IsEven()); });
    fetch(count, 1);
    int even = back[0];
    fetch(out, even);
    expected.clear();
    std::copy_if(host.begin(), host.end(), std::back_inserter(expected), IsEven());
    std::printf("select: %s\n", even == int(expected.size()) && std::equal(expected.begin(), expected.end(), back.begin()) ? "right" : "wrong");
    twice([&](void* m, size_t& b) { return cub::DeviceHistogram::HistogramEven(m, b, in, count, 17, 0, 4096, n); });
    fetch(count, 16);
    expected.assign(16, 0);
    for (int x : host) expected[x / 256]++;
    std::printf("histogram: %s\n", std::equal(expected.begin(), expected.end(), back.begin()) ? "right" : "wrong");
    int ends[4] = {0, 1000, 1500, n}, *segments;
    OK(cudaMalloc(&segments, sizeof ends));
    OK(cudaMemcpy(segments, ends, sizeof ends, cudaMemcpyHostToDevice));
    twice([&](void* m, size_t& b) { return cub::DeviceSegmentedReduce::Max(m, b, in, out, 3, segments, segments + 1); });
    fetch(out, 3);
    bool right = true;
    for (int s = 0; s < 3; s++) right &= back[s] == *std::max_element(host.begin() + ends[s], host.begin() + ends[s + 1]);
    std::printf("segmented: %s\n", right ? "right" : "wrong");

    thrust::device_vector<int> numbers(n);
    thrust::sequence(numbers.begin(), numbers.end());
    thrust::transform(numbers.begin(), numbers.end(), numbers.begin(), thrust::negate<int>());
    thrust::sort(numbers.begin(), numbers.end());
    std::printf("thrust: %d, sum %d\n", int(numbers[0]), thrust::reduce(numbers.begin(), numbers.end()));

    OK(cudaMemset(out, 0, n * sizeof(int)));
    cuda::atomic<int, cuda::thread_scope_device>* counter;
    OK(cudaMalloc(&counter, sizeof *counter));
    OK(cudaMemset(counter, 0, sizeof *counter));
    tickets<<<8, 64>>>(counter, out);
    fetch(out, 513);
    std::printf("tickets: %d of 512\n", std::accumulate(back.begin(), back.begin() + 513, 0));
    meet<<<1, 64>>>(out);
    fetch(out, 64);
    std::printf("barrier: %d %d\n", back[0], back[63]);
    staged<<<1, 64>>>(in, out);
    fetch(out, 64);
    std::printf("pipeline: %s\n", back[63] == 2 * host[63] ? "right" : "wrong");
}
