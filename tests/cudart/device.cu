// What the device is like: properties, attributes, occupancy, functions, versions, limits.
#include "check.h"

__global__ void __launch_bounds__(256) bounded(int* out, double factor) {
    __shared__ int some[64];
    some[threadIdx.x % 64] = threadIdx.x;
    __syncthreads();
    *out = int(some[0] * factor);
}
__global__ void cluster_kernel() {}

int main() {
    int count, device, runtime, driver;
    OK(cudaGetDeviceCount(&count));
    OK(cudaGetDevice(&device));
    OK(cudaRuntimeGetVersion(&runtime));
    OK(cudaDriverGetVersion(&driver));
    std::printf("%d device, %d used, driver %s\n", count, device, driver >= 13000 ? "13 or newer" : "old");
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    std::printf("%s: %d.%d, %d SMs, warp %d, %zu bytes shared, %d registers\n", p.name, p.major, p.minor,
                p.multiProcessorCount, p.warpSize, p.sharedMemPerBlock, p.regsPerBlock);
    std::printf("threads %d, %d %d %d, grid %d %d %d\n", p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1],
                p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    std::printf("textures %d, %d %d, %d %d %d, layered %d %d, cubemap %d, surface %d\n", p.maxTexture1D, p.maxTexture2D[0],
                p.maxTexture2D[1], p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2], p.maxTexture1DLayered[0],
                p.maxTexture1DLayered[1], p.maxTextureCubemap, p.maxSurface1D);
    std::printf("per SM: %d threads, %zu shared, %d registers, %d blocks; opt-in %zu, reserved %zu\n",
                p.maxThreadsPerMultiProcessor, p.sharedMemPerMultiprocessor, p.regsPerMultiprocessor,
                p.maxBlocksPerMultiProcessor, p.sharedMemPerBlockOptin, p.reservedSharedMemPerBlock);
    std::printf("cache %d, bus %d, constant %zu, managed %d, cooperative %d, clusters %d, pools %d, pitch %zu, alignment %zu\n",
                p.l2CacheSize, p.memoryBusWidth, p.totalConstMem, p.managedMemory, p.cooperativeLaunch, p.clusterLaunch,
                p.memoryPoolsSupported, p.memPitch, p.textureAlignment);
    int value;
    OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    std::printf("attribute: %d\n", value);
    cudaFuncAttributes a;
    OK(cudaFuncGetAttributes(&a, bounded));
    std::printf("bounded: shared %zu, constant %zu, local %zu, most threads %d, PTX %d, binary %d, dynamic %d\n",
                a.sharedSizeBytes, a.constSizeBytes, a.localSizeBytes, a.maxThreadsPerBlock, a.ptxVersion, a.binaryVersion,
                a.maxDynamicSharedSizeBytes);
    int blocks, least, best;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 0));
    OK(cudaOccupancyMaxPotentialBlockSize(&least, &best, bounded, 0, 0));
    std::printf("occupancy: %d blocks, block size %d, grid %d\n", blocks, best, least);
    size_t bytes;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 4, 256));
    std::printf("shared memory left for each of four: %zu\n", bytes);
    const char* name;
    size_t offset, size;
    OK(cudaFuncGetName(&name, reinterpret_cast<void*>(bounded)));
    OK(cudaFuncGetParamInfo(reinterpret_cast<void*>(bounded), 1, &offset, &size));
    std::printf("name %s, second parameter at %zu of %zu bytes\n", name, offset, size);
    size_t stack, heap;
    OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
    OK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    std::printf("stack %zu, heap %zu", stack, heap);
    OK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    std::printf(", stack now %zu\n", stack);
    unsigned flags;
    OK(cudaGetDeviceFlags(&flags));
    cudaFuncCache config;
    OK(cudaDeviceGetCacheConfig(&config));
    std::printf("flags %u, cache %d\n", flags, config);
    void* function = nullptr;
    cudaDriverEntryPointQueryResult status;
    OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 13000, cudaEnableDefault, &status));
    std::printf("cuMemAlloc: %s, status %d\n", function ? "found" : "none", status);
    SAY(cudaGetDriverEntryPointByVersion("cuNoSuchThing", &function, 13000, cudaEnableDefault, &status));
    std::printf("cuNoSuchThing: %s, status %d\n", function ? "found" : "none", status);
    char bus[20];
    OK(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    OK(cudaDeviceGetByPCIBusId(&device, bus));
    std::printf("by its bus: %d\n", device);
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, cluster_kernel));
    OK(cudaLaunchKernel(reinterpret_cast<void*>(kernel), dim3(1), dim3(1), nullptr, 0, 0));
    OK(cudaDeviceSynchronize());
}
