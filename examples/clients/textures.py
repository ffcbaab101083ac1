"""A mirror ball on a chequered floor under a painted sky: textures, as cuda-core and NVRTC use them.

    ptxvm exec -- python examples/clients/textures.py scene.png

The floor is a chain of levels in sRGB, looked at with gradients, trilinearly and with up to 16 samples along the longer
axis; the sky is a cube of half floats, filtered over its edges. Both are painted here with additions, multiplications,
divisions and square roots, so that every machine paints the same.
"""

import struct
import sys
import zlib

import numpy as np

WIDTH, HEIGHT = 480, 288

KERNEL = r"""
struct Ray { float3 from, to; };
struct Seen { bool floor, ball; float u, v, far; float3 to; };

__device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
__device__ float dot(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ float3 unit(float3 a) { return (1.0f / sqrtf(dot(a, a))) * a; }

__device__ const float3 BALL = {0.35f, 1.0f, 5.2f}, SUN = {0.48f, 0.6f, 0.64f};

// Where a ray enters a ball of radius 1, or a negative number.
__device__ float enters(const Ray &ray, float3 ball) {
    float3 way = ball - ray.from;
    float along = dot(way, ray.to), inside = 1.0f - (dot(way, way) - along * along);
    return inside < 0.0f || along < 0.0f ? -1.0f : along - sqrtf(inside);
}

// What is seen through a point of the picture.
__device__ Seen look(float x, float y, int width, int height) {
    Ray ray = {{-0.4f, 1.45f, 0.0f}, unit({(x - 0.5f * width) / height, (0.46f * height - y) / height, 0.9f})};
    Seen seen = {};
    float at = enters(ray, BALL);
    if (at > 0.0f) {
        seen.ball = true;
        ray.from = ray.from + at * ray.to;
        float3 out = ray.from - BALL;
        ray.to = ray.to - (2.0f * dot(ray.to, out)) * out;
    }
    seen.to = ray.to;
    if (ray.to.y < -0.0005f) {
        seen.floor = true;
        seen.far = -ray.from.y / ray.to.y;
        seen.u = ray.from.x + seen.far * ray.to.x;
        seen.v = ray.from.z + seen.far * ray.to.z;
    }
    return seen;
}

__device__ unsigned char byte(float x) { return (unsigned char)(sqrtf(fminf(fmaxf(x, 0.0f), 1.0f)) * 255.0f + 0.5f); }

extern "C" __global__ void scene(cudaTextureObject_t floor, cudaTextureObject_t sky, uchar4 *picture, int width, int height) {
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) return;
    float x = px + 0.5f, y = py + 0.5f;
    Seen seen = look(x, y, width, height);
    float4 air = texCubemap<float4>(sky, seen.to.x, seen.to.y, seen.to.z);
    float3 colour = {air.x, air.y, air.z};
    if (seen.floor) {
        // How the place on the floor moves with the pixel says how much of the texture the pixel covers.
        Seen right = look(x + 1.0f, y, width, height), below = look(x, y + 1.0f, width, height);
        const float scale = 0.25f;
        float2 dx = {(right.u - seen.u) * scale, (right.v - seen.v) * scale}, dy = {(below.u - seen.u) * scale, (below.v - seen.v) * scale};
        float4 tile = tex2DGrad<float4>(floor, seen.u * scale, seen.v * scale, dx, dy);
        float light = enters({{seen.u, 0.0f, seen.v}, SUN}, BALL) > 0.0f ? 0.25f : 1.0f;
        float haze = seen.far * 0.02f, clear = 1.0f / (1.0f + haze * haze);
        float4 rim = texCubemap<float4>(sky, seen.to.x, 0.02f, seen.to.z);
        colour = (clear * light) * make_float3(tile.x, tile.y, tile.z) + (1.0f - clear) * make_float3(rim.x, rim.y, rim.z);
    }
    if (seen.ball) colour = make_float3(colour.x * 0.9f, colour.y * 0.86f, colour.z * 0.78f);
    picture[py * width + px] = make_uchar4(byte(colour.x), byte(colour.y), byte(colour.z), 255);
}
"""


def floor_levels():
    """Tiles with joints between them, in bytes, and each coarser level: the mean of four texels."""
    n = 128
    y, x = np.mgrid[0:n, 0:n]
    dark = (x // 32 + y // 32) % 2 == 0
    joint = (x % 32 < 1) | (y % 32 < 1)
    grain = ((x * 7919 + y * 104729) ^ (x * y)) % 23
    colour = np.where(dark[..., None], [52, 44, 58], [214, 196, 160]) + grain[..., None] - 11
    colour = np.where(joint[..., None], [120, 116, 110], colour)
    level = np.concatenate([colour, np.full((n, n, 1), 255)], axis=-1).astype(np.uint8)
    levels = [level]
    while n > 1:
        n //= 2
        level = ((level.astype(np.uint32).reshape(n, 2, n, 2, 4).sum(axis=(1, 3)) + 2) // 4).astype(np.uint8)
        levels.append(level)
    return levels


def noise(x, y, z):
    """A smooth function of the place with bumps of size 1."""
    whole = [np.floor(a).astype(np.int64) for a in (x, y, z)]
    part = [a - w for a, w in zip((x, y, z), whole)]
    part = [p * p * (3 - 2 * p) for p in part]
    total = 0
    for corner in range(8):
        at = [w + (corner >> k & 1) for k, w in enumerate(whole)]
        h = (at[0] * 374761393 + at[1] * 668265263 + at[2] * 2147483647) & 0xFFFFFFFF
        h = ((h ^ (h >> 13)) * 1274126177) & 0xFFFFFFFF
        weight = 1
        for k, p in enumerate(part):
            weight = weight * (p if corner >> k & 1 else 1 - p)
        total = total + weight * ((h >> 16) / 65535.0)
    return total


def sky_faces():
    """Six faces of 128 by 128 half floats: blue above, pale below, clouds, and a sun brighter than white."""
    n = 128
    t, s = np.mgrid[0:n, 0:n]
    s, t = (s + 0.5) / n * 2 - 1, (t + 0.5) / n * 2 - 1
    one = np.ones_like(s)
    faces = []
    for x, y, z in ((one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one)):
        length = np.sqrt(x * x + y * y + z * z)
        x, y, z = x / length, y / length, z / length
        up = np.clip(y, 0, 1)[..., None]
        colour = (1 - up) * np.array([0.72, 0.8, 0.88]) + up * np.array([0.08, 0.22, 0.55])
        cloud = sum(noise(x * f + 7, y * f * 2, z * f) / f for f in (3, 6, 12, 24)) * 1.7
        cloud = np.clip((cloud - 0.52) * 4, 0, 1)[..., None] * np.clip(up * 4, 0, 1)
        colour = colour * (1 - cloud) + np.array([0.95, 0.93, 0.9]) * cloud
        near = x * 0.48 + y * 0.6 + z * 0.64
        sun = np.clip((near - 0.988) * 250, 0, 1)[..., None] + (np.clip((near - 0.8) * 2, 0, 1) ** 2)[..., None] * 0.25
        colour = colour + sun * np.array([6.0, 5.0, 3.5])
        colour = np.where(y[..., None] < 0, colour * 0.6, colour)
        faces.append(np.concatenate([colour, np.ones((n, n, 1))], axis=-1))
    return np.stack(faces).astype(np.float16)


def png(picture):
    """The bytes of a PNG file of a picture of bytes; the same everywhere, since nothing is left to a library's taste but zlib's."""
    height, width, channels = picture.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], axis=1)
    # Each byte less the one of the pixel before it, which compresses better than the bytes themselves.
    rows[:, 1 + channels:] -= picture.reshape(height, -1)[:, :-channels]
    rows[:, 0] = 1

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)) + chunk(b"IEND", b"")


def ask(answer):
    """What a driver call returned, or an exception with the error's name."""
    error, *values = answer
    if error:
        raise RuntimeError(error.name)
    return values[0] if values else None


def cube_texture(faces, stream):
    """A texture of six faces. cuda-core has no class for cubes, so the driver is asked itself."""
    from cuda.bindings import driver

    shape = driver.CUDA_ARRAY3D_DESCRIPTOR()
    shape.Width, shape.Height, shape.Depth = faces.shape[2], faces.shape[1], 6
    shape.Format, shape.NumChannels, shape.Flags = driver.CUarray_format.CU_AD_FORMAT_HALF, 4, driver.CUDA_ARRAY3D_CUBEMAP
    array = ask(driver.cuArray3DCreate(shape))
    copy = driver.CUDA_MEMCPY3D()
    copy.srcMemoryType, copy.dstMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_HOST, driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
    copy.srcHost, copy.srcPitch, copy.srcHeight, copy.dstArray = faces.ctypes.data, faces.strides[1], faces.shape[1], array
    copy.WidthInBytes, copy.Height, copy.Depth = faces.strides[1], faces.shape[1], 6
    ask(driver.cuMemcpy3D(copy))
    resource, how = driver.CUDA_RESOURCE_DESC(), driver.CUDA_TEXTURE_DESC()
    resource.resType, resource.res.array.hArray = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY, array
    how.addressMode = [driver.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP] * 3
    how.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
    how.flags = driver.CU_TRSF_NORMALIZED_COORDINATES | driver.CU_TRSF_SEAMLESS_CUBEMAP
    return ask(driver.cuTexObjectCreate(resource, how, None))


def render():
    """The picture, as bytes of red, green, blue and alpha."""
    from cuda.bindings import driver
    from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch
    from cuda.core.texture import MipmappedArrayOptions, ResourceDescriptor, TextureObjectOptions
    from cuda.pathfinder import find_nvidia_header_directory

    device = Device()
    device.set_current()
    stream = device.create_stream()
    include = [path for name in ("cudart", "cccl") if (path := find_nvidia_header_directory(name))]
    # Without fused multiplications the picture is the same whatever compiles it.
    options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", fma=False, include_path=include)
    kernel = Program(KERNEL, "c++", options=options).compile("ptx").get_kernel("scene")

    levels = floor_levels()
    chain = device.create_mipmapped_array(
        MipmappedArrayOptions(shape=(128, 128), format=np.dtype(np.uint8), num_channels=4, num_levels=len(levels)))
    for number, level in enumerate(levels):
        chain.get_level(number).copy_from(level, stream=stream)
    floor = device.create_texture_object(
        resource=ResourceDescriptor.from_mipmapped_array(chain),
        options=TextureObjectOptions(address_mode="wrap", filter_mode="linear", mipmap_filter_mode="linear", read_mode="normalized_float",
                                     normalized_coords=True, srgb=True, max_anisotropy=16, max_mipmap_level_clamp=len(levels) - 1))
    sky = cube_texture(sky_faces(), stream)

    picture = np.zeros((HEIGHT, WIDTH, 4), np.uint8)
    out = device.allocate(picture.nbytes, stream=stream)
    launch(stream, LaunchConfig(grid=(WIDTH // 16, HEIGHT // 16), block=(16, 16)), kernel, np.uint64(floor.handle), np.uint64(int(sky)), out,
           np.int32(WIDTH), np.int32(HEIGHT))
    stream.sync()
    ask(driver.cuMemcpyDtoH(picture.ctypes.data, int(out.handle), picture.nbytes))
    return picture


if __name__ == "__main__":
    path = sys.argv[1] if len(sys.argv) > 1 else "scene.png"
    with open(path, "wb") as file:
        file.write(png(render()[..., :3]))
    print(f"{path}: {WIDTH} by {HEIGHT} pixels")
