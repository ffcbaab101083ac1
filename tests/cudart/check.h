// What the programs of this folder share: calls that must succeed, and calls whose error is printed.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

// A call that must succeed.
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            std::printf("line %d: %s: %s\n", __LINE__, #call, cudaGetErrorName(error));                                \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

// A call whose answer is printed, with the thread's last error after it.
#define SAY(call)                                                                                                      \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        cudaError_t last = cudaGetLastError();                                                                         \
        std::printf("%s: %s", #call, cudaGetErrorName(error));                                                         \
        if (last != error) std::printf(", last %s", cudaGetErrorName(last));                                           \
        std::printf("\n");                                                                                             \
    } while (0)
