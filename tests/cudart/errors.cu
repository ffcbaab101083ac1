// Wrong calls, and what is remembered of them: the codes, the last error of each thread, sticky errors.
#include "check.h"
#include <thread>

__global__ void nothing() {}
__global__ void wild(int* out) { *out = 1; }
static int of_the_host;

int main() {
    void* p = nullptr;
    int value = 0;
    SAY(cudaMalloc(nullptr, 10));
    SAY(cudaMalloc(&p, size_t(1) << 60));
    SAY(cudaFree(&value));
    SAY(cudaMemcpy(nullptr, &value, 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy(&value, &value, 4, static_cast<cudaMemcpyKind>(17)));
    SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    OK(cudaMalloc(&p, 1000));
    SAY(cudaMemcpy2D(p, 10, p, 10, 20, 2, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy(nullptr, nullptr, 0, static_cast<cudaMemcpyKind>(17)));
    SAY(cudaMemset(p, 0, 0));
    SAY(cudaFreeAsync(nullptr, 0));
    SAY(cudaMallocManaged(&p, 0));
    SAY(cudaIpcCloseMemHandle(nullptr));
    SAY(cudaSetDevice(99));
    SAY(cudaSetDevice(-1));
    SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    SAY(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
    SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    cudaDeviceProp properties;
    SAY(cudaGetDeviceProperties(&properties, 99));
    SAY(cudaGetDeviceCount(nullptr));
    SAY(cudaEventQuery(nullptr));
    SAY(cudaEventRecord(nullptr, 0));
    SAY(cudaEventDestroy(nullptr));
    SAY(cudaEventCreateWithFlags(nullptr, 0));
    cudaEvent_t event;
    SAY(cudaEventCreateWithFlags(&event, 0x40));
    OK(cudaEventCreate(&event));
    float time;
    SAY(cudaEventElapsedTime(&time, event, event));
    SAY(cudaEventElapsedTime(nullptr, event, event));
    cudaStream_t stream;
    SAY(cudaStreamCreateWithFlags(&stream, 0x40));
    SAY(cudaStreamCreate(nullptr));
    SAY(cudaStreamDestroy(nullptr));
    SAY(cudaGetSymbolAddress(&p, &of_the_host));
    SAY(cudaMemcpyToSymbol(&of_the_host, &value, 4));
    cudaFuncAttributes attributes;
    SAY(cudaFuncGetAttributes(&attributes, reinterpret_cast<void*>(&of_the_host)));
    SAY(cudaFuncGetAttributes(&attributes, static_cast<void*>(nullptr)));
    SAY(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 20));
    SAY(cudaFuncSetAttribute(nothing, static_cast<cudaFuncAttribute>(1), 1));
    SAY(cudaLaunchKernel(static_cast<void*>(nullptr), dim3(1), dim3(1), nullptr, 0, 0));
    SAY(cudaLaunchKernel(reinterpret_cast<void*>(&of_the_host), dim3(1), dim3(1), nullptr, 0, 0));
    SAY(cudaLaunchKernel(reinterpret_cast<void*>(nothing), dim3(0), dim3(1), nullptr, 0, 0));
    SAY(cudaLaunchKernel(reinterpret_cast<void*>(nothing), dim3(1), dim3(2048), nullptr, 0, 0));
    SAY(cudaLaunchKernel(reinterpret_cast<void*>(nothing), dim3(1), dim3(1), nullptr, 1 << 20, 0));
    SAY(cudaLaunchKernel(reinterpret_cast<void*>(nothing), dim3(1, 70000), dim3(1), nullptr, 0, 0));
    nothing<<<0, 1>>>();
    SAY(cudaPeekAtLastError());
    nothing<<<1, 1025>>>();
    std::printf("peek %s, again %s\n", cudaGetErrorName(cudaPeekAtLastError()), cudaGetErrorName(cudaPeekAtLastError()));
    cudaError_t other = cudaErrorUnknown;
    std::thread([&] { other = cudaPeekAtLastError(); }).join();
    std::printf("another thread: %s\n", cudaGetErrorName(other));
    OK(cudaDeviceSynchronize());
    std::printf("after success: %s", cudaGetErrorName(cudaGetLastError()));
    std::printf(", then %s\n", cudaGetErrorName(cudaGetLastError()));
    SAY(cudaHostRegister(nullptr, 10, 0));
    SAY(cudaHostUnregister(&value));
    SAY(cudaHostGetDevicePointer(&p, &value, 0));
    unsigned flags;
    SAY(cudaHostGetFlags(&flags, &value));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceEnablePeerAccess(5, 0));
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaDeviceCanAccessPeer(&value, 0, 0));
    size_t limit;
    SAY(cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(77)));
    SAY(cudaSetDeviceFlags(0x1000));
    SAY(cudaGraphInstantiate(nullptr, nullptr, 0));
    SAY(cudaGraphLaunch(nullptr, 0));
    SAY(cudaStreamEndCapture(0, nullptr));
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaCreateTextureObject(nullptr, nullptr, nullptr, nullptr));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaFreeArray(nullptr));
    int blocks;
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 0, 0));
    SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 128, 0));
    SAY(cudaMemPoolTrimTo(nullptr, 0));
    SAY(cudaPointerGetAttributes(nullptr, p));
    std::printf("%s, %s, %s\n", cudaGetErrorName(static_cast<cudaError_t>(12345)),
                cudaGetErrorString(cudaErrorInvalidConfiguration), cudaGetErrorString(cudaErrorIllegalAddress));

    // A sticky error: told again by every call, and as the last error once for each.
    wild<<<1, 1>>>(reinterpret_cast<int*>(16));
    SAY(cudaDeviceSynchronize());
    SAY(cudaMalloc(&p, 10));
    SAY(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    nothing<<<1, 1>>>();
    SAY(cudaPeekAtLastError());
    SAY(cudaGetDeviceCount(&value));
    SAY(cudaGetDevice(&value));
    SAY(cudaSetDevice(0));
    SAY(cudaDeviceReset());
}
