// NVIDIA's management library, as nvml.h declares it, beside the runtime: both speak of one device.
#include "check.h"
#include <nvml.h>
#include <string>

#define NV(call) std::printf("%s: %s\n", #call, nvmlErrorString(call))

int main() {
    nvmlDevice_t device;
    unsigned count;
    NV(nvmlDeviceGetCount(&count));
    NV(nvmlShutdown());
    NV(nvmlInit());
    NV(nvmlInit());
    NV(nvmlDeviceGetCount(&count));
    NV(nvmlDeviceGetCount(nullptr));
    NV(nvmlDeviceGetHandleByIndex(1, &device));
    NV(nvmlDeviceGetHandleByIndex(0, &device));
    cudaDeviceProp properties;
    OK(cudaGetDeviceProperties(&properties, 0));
    char text[96];
    NV(nvmlDeviceGetName(device, text, 5));
    NV(nvmlDeviceGetName(device, text, sizeof text));
    std::printf("the same name: %d\n", text == std::string(properties.name));
    nvmlPciInfo_t place;
    NV(nvmlDeviceGetPciInfo(device, &place));
    std::printf("the same place: %d\n", int(place.domain) == properties.pciDomainID && int(place.bus) == properties.pciBusID &&
                                            int(place.device) == properties.pciDeviceID);
    nvmlDevice_t again = nullptr;
    NV(nvmlDeviceGetHandleByPciBusId(place.busId, &again));
    std::printf("the same handle: %d\n", again == device);
    NV(nvmlDeviceGetUUID(device, text, sizeof text));
    NV(nvmlDeviceGetHandleByUUID(text, &again));
    unsigned char bytes[16];
    for (int i = 0, at = 4; i < 16; ++i, at += 2) {
        at += text[at] == '-';
        bytes[i] = std::stoi(std::string(text + at, 2), nullptr, 16);
    }
    std::printf("the same UUID: %d\n", !std::memcmp(bytes, &properties.uuid, 16));
    int major, minor;
    NV(nvmlDeviceGetCudaComputeCapability(device, &major, &minor));
    std::printf("the same capability: %d\n", major == properties.major && minor == properties.minor);
    void* memory;
    OK(cudaMalloc(&memory, 1 << 20));
    size_t unused, total;
    OK(cudaMemGetInfo(&unused, &total));
    nvmlMemory_t first;
    NV(nvmlDeviceGetMemoryInfo(device, &first));
    std::printf("the same memory: %d\n", first.total == total && first.free == unused && first.used == total - unused);
    nvmlMemory_v2_t second = {1};
    NV(nvmlDeviceGetMemoryInfo_v2(device, &second));
    second.version = nvmlMemory_v2;
    NV(nvmlDeviceGetMemoryInfo_v2(device, &second));
    nvmlProcessInfo_t process;
    count = 0;
    NV(nvmlDeviceGetComputeRunningProcesses(device, &count, nullptr));
    NV(nvmlDeviceGetComputeRunningProcesses(device, &count, &process));
    std::printf("%u process, %d\n", count, process.usedGpuMemory >= 1 << 20);
    unsigned value;
    NV(nvmlDeviceGetFanSpeed(device, &value));
    NV(nvmlDeviceGetPowerUsage(device, &value));
    NV(nvmlDeviceSetPersistenceMode(device, NVML_FEATURE_ENABLED));
    NV(nvmlDeviceGetName(nullptr, text, sizeof text));
    NV(nvmlDeviceGetName(reinterpret_cast<nvmlDevice_t>(&count), text, sizeof text));
    NV(nvmlShutdown());
    NV(nvmlDeviceGetCount(&count));
    NV(nvmlShutdown());
    NV(nvmlDeviceGetCount(&count));
    std::printf("%s\n", nvmlErrorString(static_cast<nvmlReturn_t>(777)));
}
