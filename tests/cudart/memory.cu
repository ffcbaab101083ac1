// Memory of all kinds: pitched, pinned, registered, managed, copies of rectangles and boxes, fills, and what pointers are.
#include "check.h"

__global__ void increment(int* data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i]++;
}
__global__ void fill(char* memory, size_t pitch, int width, int height) {
    for (int y = threadIdx.x; y < height; y += blockDim.x)
        for (int x = 0; x < width; x++) memory[y * pitch + x] = char(x + 10 * y);
}

static void kind(const char* name, const void* pointer) {
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, pointer));
    std::printf("%s: type %d, device %d, device pointer %s, host pointer %s\n", name, a.type, a.device,
                a.devicePointer == pointer ? "same" : a.devicePointer ? "other" : "none",
                a.hostPointer == pointer ? "same" : a.hostPointer ? "other" : "none");
}

int main() {
    const int n = 100;
    int *device, *pinned, *mapped, *managed, *registered = static_cast<int*>(std::malloc(n * sizeof(int)));
    static int stays[n];
    OK(cudaMalloc(&device, n * sizeof(int)));
    OK(cudaMallocHost(&pinned, n * sizeof(int)));
    OK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    OK(cudaMallocManaged(&managed, n * sizeof(int)));
    OK(cudaHostRegister(registered, n * sizeof(int), cudaHostRegisterMapped));
    kind("device", device);
    kind("inside", device + 5);
    kind("pinned", pinned);
    kind("managed", managed);
    kind("registered", registered);
    kind("static", stays);

    for (int i = 0; i < n; i++) pinned[i] = mapped[i] = managed[i] = registered[i] = i;
    OK(cudaMemcpy(device, pinned, n * sizeof(int), cudaMemcpyDefault));
    int *mapped_there, *registered_there;
    OK(cudaHostGetDevicePointer(&mapped_there, mapped, 0));
    OK(cudaHostGetDevicePointer(&registered_there, registered, 0));
    increment<<<1, 128>>>(device, n);
    increment<<<1, 128>>>(mapped_there, n);
    increment<<<1, 128>>>(managed, n);
    increment<<<1, 128>>>(registered_there, n);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(stays, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    std::printf("incremented: %d %d %d %d\n", stays[99], mapped[99], managed[99], registered[99]);
    cudaMemLocation here = {cudaMemLocationTypeDevice, {0}};
    OK(cudaMemAdvise(managed, n * sizeof(int), cudaMemAdviseSetReadMostly, here));
    OK(cudaMemPrefetchAsync(managed, n * sizeof(int), here, 0, 0));
    int mostly = 7;
    OK(cudaMemRangeGetAttribute(&mostly, sizeof mostly, cudaMemRangeAttributeReadMostly, managed, n * sizeof(int)));
    std::printf("read mostly: %d\n", mostly);

    char *rows, image[20][30] = {};
    size_t pitch;
    OK(cudaMallocPitch(&rows, &pitch, 30, 20));
    fill<<<1, 32>>>(rows, pitch, 30, 20);
    OK(cudaMemcpy2D(image, 30, rows, pitch, 30, 20, cudaMemcpyDeviceToHost));
    std::printf("pitch %zu: %d %d\n", pitch, image[3][4], image[12][29]);
    OK(cudaMemset2D(rows, pitch, 9, 10, 5));
    OK(cudaMemcpy2D(image, 30, rows, pitch, 30, 20, cudaMemcpyDeviceToHost));
    std::printf("filled: %d %d %d\n", image[4][9], image[4][10], image[5][9]);

    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(16, 4, 3);
    OK(cudaMalloc3D(&box, extent));
    OK(cudaMemset3D(box, 1, extent));
    OK(cudaMemset3D(box, 2, make_cudaExtent(8, 2, 2)));
    char cube[3][4][16];
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(cube, 16, 16, 4);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    int sum = 0;
    for (auto& slice : cube) for (auto& row : slice) for (char c : row) sum += c;
    std::printf("box: %zu %zu %zu, sum %d\n", box.pitch, box.xsize, box.ysize, sum);

    size_t before, after, total;
    void* large;
    OK(cudaMemGetInfo(&before, &total));
    OK(cudaMalloc(&large, 64 << 20));
    OK(cudaMemGetInfo(&after, &total));
    std::printf("taken: %d MiB\n", int((before - after) >> 20));
    OK(cudaFree(large));
    OK(cudaMemcpyPeer(device, 0, managed, 0, n * sizeof(int)));
    OK(cudaHostUnregister(registered));
    OK(cudaFree(device));
    OK(cudaFree(managed));
    OK(cudaFree(rows));
    OK(cudaFree(box.ptr));
    OK(cudaFreeHost(pinned));
    OK(cudaFreeHost(mapped));
    SAY(cudaFree(nullptr));
    SAY(cudaFreeHost(nullptr));
    SAY(cudaMalloc(&large, 0));
    std::printf("nothing: %s\n", large ? "some" : "null");
    SAY(cudaMallocHost(&large, 0));
    SAY(cudaMallocManaged(&large, 0));
    std::free(registered);
}
