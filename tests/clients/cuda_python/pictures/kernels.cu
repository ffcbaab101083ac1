// Kernels that look at textures and surfaces in every way CUDA C++ has for it. Threads are pixels; what a pixel looks at
// comes from an affine map, so that nothing but additions and multiplications stands between the test and the texture.

struct Affine { float xx, xy, x0, yx, yy, y0; };

// The map as arguments, which cuda-core cannot pass as a structure, and as a structure again.
#define MAP float xx, float xy, float x0, float yx, float yy, float y0
#define THE_MAP Affine{xx, xy, x0, yx, yy, y0}

struct Pixel {
    int x, y, w, h;
    __device__ Pixel(int w, int h) : x(blockIdx.x * blockDim.x + threadIdx.x), y(blockIdx.y * blockDim.y + threadIdx.y), w(w), h(h) {}
    __device__ bool inside() const { return x < w && y < h; }
    __device__ int index() const { return y * w + x; }
    __device__ float2 at(const Affine &m) const {
        float px = x + 0.5f, py = y + 0.5f;
        return make_float2(m.xx * px + m.xy * py + m.x0, m.yx * px + m.yy * py + m.y0);
    }
};

// Samples. --------------------------------------------------------------------------------------------------------

template <typename T> __device__ void sample(cudaTextureObject_t t, T *out, int w, int h, const Affine &m) {
    Pixel p(w, h);
    if (p.inside()) { float2 c = p.at(m); out[p.index()] = tex2D<T>(t, c.x, c.y); }
}
#define SAMPLE(T) extern "C" __global__ void sample_##T(cudaTextureObject_t t, T *out, int w, int h, MAP) { sample<T>(t, out, w, h, THE_MAP); }
SAMPLE(float) SAMPLE(float2) SAMPLE(float4)
SAMPLE(uchar4) SAMPLE(char2) SAMPLE(ushort2) SAMPLE(short4) SAMPLE(uint4) SAMPLE(int)

extern "C" __global__ void sample_1d(cudaTextureObject_t t, float *out, int n, float scale, float start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, (i + 0.5f) * scale + start);
}
template <typename T> __device__ void fetch(cudaTextureObject_t t, T *out, int n, int start) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(t, i + start);
}
extern "C" __global__ void fetch_float4(cudaTextureObject_t t, float4 *out, int n, int start) { fetch(t, out, n, start); }
extern "C" __global__ void fetch_uchar2(cudaTextureObject_t t, uchar2 *out, int n, int start) { fetch(t, out, n, start); }
extern "C" __global__ void fetch_float(cudaTextureObject_t t, float *out, int n, int start) { fetch(t, out, n, start); }

extern "C" __global__ void sample_level(cudaTextureObject_t t, float4 *out, int w, int h, MAP, float first, float last) {
    Pixel p(w, h);
    if (p.inside()) { float2 c = p.at(THE_MAP); out[p.index()] = tex2DLod<float4>(t, c.x, c.y, first + (last - first) * (p.y + 0.5f) / h); }
}
extern "C" __global__ void sample_gradients(cudaTextureObject_t t, float4 *out, int w, int h, float horizon) {
    // A floor that goes to the horizon: each row is further away, and its footprint longer than wide.
    Pixel p(w, h);
    if (!p.inside()) return;
    float depth = 1.0f / (horizon + (h - p.y)), u = (p.x + 0.5f - w * 0.5f) * depth, v = h * depth;
    float2 dx = make_float2(depth, 0.0f), dy = make_float2(u * depth, v * depth);
    out[p.index()] = tex2DGrad<float4>(t, u, v, dx, dy);
}
extern "C" __global__ void sample_layer_1d(cudaTextureObject_t t, float2 *out, int w, int h, MAP) {
    Pixel p(w, h);
    if (p.inside()) out[p.index()] = tex1DLayered<float2>(t, p.at(THE_MAP).x, p.y - 1);
}
extern "C" __global__ void sample_layer_2d(cudaTextureObject_t t, float4 *out, int w, int h, MAP, int layer) {
    Pixel p(w, h);
    if (p.inside()) { float2 c = p.at(THE_MAP); out[p.index()] = tex2DLayered<float4>(t, c.x, c.y, layer); }
}
extern "C" __global__ void sample_volume(cudaTextureObject_t t, float *out, int w, int h, MAP, float z) {
    Pixel p(w, h);
    if (p.inside()) { float2 c = p.at(THE_MAP); out[p.index()] = tex3D<float>(t, c.x, c.y, z + c.x * 0.25f); }
}
extern "C" __global__ void gather(cudaTextureObject_t t, float4 *out, int w, int h, MAP) {
    Pixel p(w, h);
    if (!p.inside()) return;
    float2 c = p.at(THE_MAP);
    float4 *o = out + 4 * p.index();
    o[0] = tex2Dgather<float4>(t, c.x, c.y, 0); o[1] = tex2Dgather<float4>(t, c.x, c.y, 1);
    o[2] = tex2Dgather<float4>(t, c.x, c.y, 2); o[3] = tex2Dgather<float4>(t, c.x, c.y, 3);
}
extern "C" __global__ void sizes(cudaTextureObject_t t, unsigned *out) {
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t)); asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
}

// Pictures. -------------------------------------------------------------------------------------------------------

__device__ unsigned char byte(float x) { return (unsigned char)(fminf(fmaxf(x, 0.0f), 1.0f) * 255.0f + 0.5f); }

extern "C" __global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to, int w, int h, int radius) {
    Pixel p(w, h);
    if (!p.inside()) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int dy = -radius; dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            float4 c = tex2D<float4>(from, p.x + dx + 0.5f, p.y + dy + 0.5f);
            sum.x += c.x; sum.y += c.y; sum.z += c.z; sum.w += c.w;
        }
    float scale = 1.0f / ((2 * radius + 1) * (2 * radius + 1));
    surf2Dwrite(make_uchar4(byte(sum.x * scale), byte(sum.y * scale), byte(sum.z * scale), byte(sum.w * scale)), to, p.x * 4, p.y);
}
extern "C" __global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w, int h) {
    Pixel p(w, h);
    if (!p.inside()) return;
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 4; k++) {
        float4 c = surf2Dread<float4>(from, (2 * p.x + (k & 1)) * 16, 2 * p.y + (k >> 1), cudaBoundaryModeClamp);
        sum.x += c.x; sum.y += c.y; sum.z += c.z; sum.w += c.w;
    }
    surf2Dwrite(make_float4(sum.x * 0.25f, sum.y * 0.25f, sum.z * 0.25f, sum.w * 0.25f), to, p.x * 16, p.y);
}
extern "C" __global__ void sky(cudaTextureObject_t t, float4 *out, int w, int h, int cubes) {
    // The inside of the cube, unfolded: six squares beside one another, each a little wider than its face.
    Pixel p(w * 6 * (cubes ? cubes : 1), h);
    if (!p.inside()) return;
    int square = p.x / w, face = square % 6;
    float a = ((p.x % w) + 0.5f) / w * 2.5f - 1.25f, b = (p.y + 0.5f) / h * 2.5f - 1.25f, s = face & 1 ? -1.0f : 1.0f;
    float3 d = face < 2 ? make_float3(s, b, a) : face < 4 ? make_float3(a, s, b) : make_float3(a, b, s);
    out[p.index()] = cubes ? texCubemapLayered<float4>(t, d.x, d.y, d.z, square / 6) : texCubemap<float4>(t, d.x, d.y, d.z);
}
extern "C" __global__ void grade(cudaTextureObject_t image, cudaTextureObject_t table, uchar4 *out, int w, int h, float scale, float offset) {
    // Colours by a table of three dimensions: the middle of its first texel is 0, of its last 1.
    Pixel p(w, h);
    if (!p.inside()) return;
    float4 c = tex2D<float4>(image, p.x + 0.5f, p.y + 0.5f);
    float4 g = tex3D<float4>(table, c.x * scale + offset, c.y * scale + offset, c.z * scale + offset);
    out[p.index()] = make_uchar4(byte(g.x), byte(g.y), byte(g.z), byte(c.w));
}

// Surfaces: each thread reads beyond all sides and writes what it read elsewhere. ------------------------------------

extern "C" __global__ void surfaces_1d(cudaSurfaceObject_t s, unsigned *out, int n, int start) {
    int i = threadIdx.x, x = i + start;
    if (i >= n) return;
    out[i] = surf1Dread<unsigned>(s, x * 4, cudaBoundaryModeClamp);
    out[n + i] = surf1Dread<unsigned>(s, x * 4, cudaBoundaryModeZero);
}
extern "C" __global__ void surfaces_2d(cudaSurfaceObject_t s, ushort2 *out, int w, int h, int start) {
    Pixel p(w, h);
    if (!p.inside()) return;
    int x = (p.x + start) * 4, y = p.y + start;
    out[p.index()] = surf2Dread<ushort2>(s, x, y, cudaBoundaryModeClamp);
    out[w * h + p.index()] = surf2Dread<ushort2>(s, x, y, cudaBoundaryModeZero);
}
extern "C" __global__ void surfaces_3d(cudaSurfaceObject_t s, float *out, int w, int h, int start, int z) {
    Pixel p(w, h);
    if (!p.inside()) return;
    out[p.index()] = surf3Dread<float>(s, (p.x + start) * 4, p.y + start, z, cudaBoundaryModeClamp);
    out[w * h + p.index()] = surf3Dread<float>(s, (p.x + start) * 4, p.y + start, z, cudaBoundaryModeZero);
}
extern "C" __global__ void surfaces_layer(cudaSurfaceObject_t s, uchar4 *out, int w, int h, int start, int layer) {
    Pixel p(w, h);
    if (!p.inside()) return;
    out[p.index()] = surf2DLayeredread<uchar4>(s, (p.x + start) * 4, p.y + start, layer, cudaBoundaryModeClamp);
    out[w * h + p.index()] = surf2DLayeredread<uchar4>(s, (p.x + start) * 4, p.y + start, layer, cudaBoundaryModeZero);
}
extern "C" __global__ void write_zero(cudaSurfaceObject_t s, int w, int h, int start) {
    Pixel p(w, h);
    if (p.inside()) surf2Dwrite(make_ushort2(p.x, p.y), s, (p.x + start) * 4, p.y + start, cudaBoundaryModeZero);
}
extern "C" __global__ void write_clamp(cudaSurfaceObject_t s, int n, int start) {
    // One row, one thread for each texel within and one before it.
    int x = (int)threadIdx.x + start;
    if ((int)threadIdx.x < n) surf2Dwrite(make_ushort2(x + 100, 7), s, x * 4, 1, cudaBoundaryModeClamp);
}
extern "C" __global__ void write_layers(cudaSurfaceObject_t s, int w, int h) {
    Pixel p(w, h);
    if (p.inside()) surf2DLayeredwrite(make_uchar4(p.x, p.y, blockIdx.z, 255), s, p.x * 4, p.y, blockIdx.z);
}
extern "C" __global__ void write_volume(cudaSurfaceObject_t s, int w, int h) {
    Pixel p(w, h);
    if (p.inside()) surf3Dwrite(p.x + 0.5f * p.y + 100.0f * blockIdx.z, s, p.x * 4, p.y, blockIdx.z);
}
extern "C" __global__ void write_cube(cudaSurfaceObject_t s, int w) {
    Pixel p(w, w);
    if (p.inside()) surfCubemapwrite(make_float4(p.x, p.y, blockIdx.z, 1.0f), s, p.x * 16, p.y, blockIdx.z);
}
extern "C" __global__ void trap(cudaSurfaceObject_t s, float *out, int x, int y) {
    out[0] = surf2Dread<float>(s, x, y);
}
