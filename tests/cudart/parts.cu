// The first part of a program whose parts are compiled apart (-rdc=true): its kernel calls a function of the other's, and
// both use the other's variable.
#include "check.h"

extern __device__ int shared_counter;
__device__ int thrice(int x);

__global__ void first(int* out) {
    out[threadIdx.x] = thrice(threadIdx.x);
    atomicAdd(&shared_counter, 1);
}
void second(int* out);

int main() {
    int *out, host[32];
    OK(cudaMalloc(&out, sizeof host));
    first<<<1, 32>>>(out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("first: %d\n", host[31]);
    second(out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("second: %d\n", host[0]);
}
