// Arrays, textures and surfaces: filters, address modes, layers, mipmaps, linear and pitched memory, copies.
#include "check.h"

__global__ void sample(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.5f + 0.25f, 1.5f);
}
__global__ void normalized(cudaTextureObject_t t, float* out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x / 8.0f - 0.5f, 0.5f);
}
__global__ void fetch(cudaTextureObject_t t, int* out) { out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); }
__global__ void layers(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex1DLayered<float>(t, 0.5f, threadIdx.x); }
__global__ void levels(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x * 0.5f); }
__global__ void store(cudaSurfaceObject_t s) {
    surf2Dwrite<uchar4>(make_uchar4(threadIdx.x, threadIdx.y, 7, 9), s, threadIdx.x * 4, threadIdx.y);
}
__global__ void volume(cudaTextureObject_t t, float* out) { out[threadIdx.x] = tex3D<float>(t, 1.0f, 1.0f, threadIdx.x + 0.5f); }

int main() {
    float *out, host[32];
    int *ints, numbers[32];
    OK(cudaMalloc(&out, sizeof host));
    OK(cudaMalloc(&ints, sizeof numbers));
    float picture[4][8];
    for (int y = 0; y < 4; y++) for (int x = 0; x < 8; x++) picture[y][x] = x + 10 * y;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &format, 8, 4));
    OK(cudaMemcpy2DToArray(array, 0, 0, picture, sizeof picture[0], sizeof picture[0], 4, cudaMemcpyHostToDevice));
    cudaExtent extent;
    unsigned flags;
    OK(cudaArrayGetInfo(&format, &extent, &flags, array));
    std::printf("array: %d bits, kind %d, %zu by %zu, flags %u\n", format.x, format.f, extent.width, extent.height, flags);

    cudaResourceDesc resource = {};
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    description.filterMode = cudaFilterModeLinear;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    sample<<<1, 16>>>(texture, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("linear: %g %g %g\n", host[0], host[3], host[15]);
    OK(cudaDestroyTextureObject(texture));
    description.addressMode[0] = cudaAddressModeWrap;
    description.normalizedCoords = 1;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    normalized<<<1, 16>>>(texture, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("wrapped: %g %g %g\n", host[0], host[5], host[12]);
    cudaTextureDesc asked;
    OK(cudaGetTextureObjectTextureDesc(&asked, texture));
    std::printf("described: filter %d, mode %d, normalized %d\n", asked.filterMode, asked.addressMode[0], asked.normalizedCoords);
    OK(cudaDestroyTextureObject(texture));

    for (int i = 0; i < 32; i++) numbers[i] = i * i;
    OK(cudaMemcpy(ints, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = ints;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = sizeof numbers;
    description = {};
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    int* fetched;
    OK(cudaMalloc(&fetched, sizeof numbers));
    fetch<<<1, 32>>>(texture, fetched);
    OK(cudaMemcpy(numbers, fetched, sizeof numbers, cudaMemcpyDeviceToHost));
    std::printf("fetched: %d\n", numbers[31]);
    OK(cudaDestroyTextureObject(texture));

    cudaArray_t layered;
    OK(cudaMalloc3DArray(&layered, &format, make_cudaExtent(2, 0, 3), cudaArrayLayered));
    float values[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(values, sizeof values[0], 2, 1);
    copy.dstArray = layered;
    copy.extent = make_cudaExtent(2, 1, 3);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = layered;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    layers<<<1, 3>>>(texture, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("layers: %g %g %g\n", host[0], host[1], host[2]);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(layered));

    cudaMipmappedArray_t mipmapped;
    OK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(4, 4, 0), 3));
    for (unsigned level = 0; level < 3; level++) {
        cudaArray_t at;
        OK(cudaGetMipmappedArrayLevel(&at, mipmapped, level));
        float same[16];
        for (float& value : same) value = 100.0f * (level + 1);
        int side = 4 >> level;
        OK(cudaMemcpy2DToArray(at, 0, 0, same, side * 4, side * 4, side, cudaMemcpyHostToDevice));
    }
    resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmapped;
    description = {};
    description.normalizedCoords = 1;
    description.filterMode = description.mipmapFilterMode = cudaFilterModeLinear;
    description.maxMipmapLevelClamp = 2;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    levels<<<1, 5>>>(texture, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("levels: %g %g %g %g %g\n", host[0], host[1], host[2], host[3], host[4]);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeMipmappedArray(mipmapped));

    cudaArray_t drawn;
    cudaSurfaceObject_t surface;
    cudaChannelFormatDesc pixels = cudaCreateChannelDesc<uchar4>();
    OK(cudaMallocArray(&drawn, &pixels, 8, 8, cudaArraySurfaceLoadStore));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = drawn;
    OK(cudaCreateSurfaceObject(&surface, &resource));
    store<<<1, dim3(8, 8)>>>(surface);
    uchar4 back[8][8];
    OK(cudaMemcpy2DFromArray(back, sizeof back[0], drawn, 0, 0, sizeof back[0], 8, cudaMemcpyDeviceToHost));
    std::printf("surface: %d %d %d %d\n", back[5][3].x, back[5][3].y, back[5][3].z, back[5][3].w);
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(drawn));

    cudaArray_t solid;
    float voxels[2][2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    OK(cudaMalloc3DArray(&solid, &format, make_cudaExtent(2, 2, 2)));
    copy = {};
    copy.srcPtr = make_cudaPitchedPtr(voxels, 8, 2, 2);
    copy.dstArray = solid;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&copy));
    resource.res.array.array = solid;
    description = {};
    description.filterMode = cudaFilterModeLinear;
    OK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    volume<<<1, 2>>>(texture, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("volume: %g %g\n", host[0], host[1]);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(solid));
    OK(cudaFreeArray(array));
    cudaChannelFormatDesc odd = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
    SAY(cudaMallocArray(&array, &odd, 8, 4));
    odd = {7, 0, 0, 0, cudaChannelFormatKindUnsigned};
    SAY(cudaMallocArray(&array, &odd, 8, 4));
}
