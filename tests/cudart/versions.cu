// The symbol versions of both of NVIDIA's libraries: names that only one has, and functions with other arguments in CUDA 12.
#include "check.h"
#include <dlfcn.h>

template <typename Function> static Function find(const char* name, const char* version) {
    return reinterpret_cast<Function>(dlvsym(RTLD_DEFAULT, name, version));
}

int main() {
    const char *older = "libcudart.so.12", *newer = "libcudart.so.13";
    for (const char* name : {"cudaMalloc", "cudaMemAdvise", "cudaMemAdvise_v2", "cudaThreadSynchronize"})
        std::printf("%s: 12 %s, 13 %s\n", name, find<void*>(name, older) ? "yes" : "no",
                    find<void*>(name, newer) ? "yes" : "no");

    // In CUDA 12 the number of SMs is at another place of the properties, and advice has a device, not a location.
    static char properties[1032];
    auto get = find<cudaError_t (*)(void*, int)>("cudaGetDeviceProperties_v2", older);
    OK(get(properties, 0));
    int processors;
    std::memcpy(&processors, properties + 388, sizeof processors);
    std::printf("%s: %d SMs\n", properties, processors);
    int* managed;
    OK(cudaMallocManaged(&managed, 4096));
    auto advise = find<cudaError_t (*)(const void*, size_t, int, int)>("cudaMemAdvise", older);
    OK(advise(managed, 4096, cudaMemAdviseSetReadMostly, 0));
    OK(advise(managed, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId));
    struct {
        int kind, device;
        void *there, *here, *guard;
    } attributes = {0, 7, nullptr, nullptr, &attributes};
    auto ask = find<cudaError_t (*)(void*, const void*)>("cudaPointerGetAttributes", older);
    OK(ask(&attributes, managed));
    std::printf("pointer: type %d, device %d, guard %s\n", attributes.kind, attributes.device,
                attributes.guard == &attributes ? "stays" : "is gone");
}
