"""A GPU for the pictures: cuda-core's textures and surfaces, and cuda-bindings for the arrays that it has no class for."""

import numpy as np
from cuda.bindings import driver
from cuda.core import LaunchConfig, launch
from cuda.core.texture import MipmappedArrayOptions, OpaqueArrayOptions, ResourceDescriptor, TextureObjectOptions

from conftest import Memory, ask

FORMATS = {"u1": "UNSIGNED_INT8", "u2": "UNSIGNED_INT16", "u4": "UNSIGNED_INT32", "i1": "SIGNED_INT8", "i2": "SIGNED_INT16",
           "i4": "SIGNED_INT32", "f2": "HALF", "f4": "FLOAT"}


def format_of(dtype):
    return getattr(driver.CUarray_format, f"CU_AD_FORMAT_{FORMATS[np.dtype(dtype).str[1:]]}")


class Plain:
    """An array of one, two or three dimensions, as cuda-core makes it."""

    def __init__(self, array, shape, dtype, stream):
        self.array, self.shape, self.dtype, self.stream = array, shape, dtype, stream

    def put(self, texels):
        self.array.copy_from(np.ascontiguousarray(texels, self.dtype), stream=self.stream)
        self.stream.sync()
        return self

    def numpy(self):
        texels = np.empty(self.shape, self.dtype)
        self.array.copy_to(texels, stream=self.stream)
        self.stream.sync()
        return texels

    def resource(self):
        return ResourceDescriptor.from_opaque_array(self.array)


class Layered:
    """An array of layers or faces, or one to gather from, which the driver itself is asked for."""

    def __init__(self, shape, dtype, flags, flat, stream):
        self.shape, self.dtype, self.stream, (*outer, width, channels) = shape, np.dtype(dtype), stream, shape
        self.rows = 1 if flat else outer[-1]
        self.planes = outer[0] if flat or len(outer) == 2 else 1
        described = driver.CUDA_ARRAY3D_DESCRIPTOR()
        described.Width, described.Height = width, 0 if flat else self.rows
        described.Depth = self.planes if flat or len(outer) == 2 else 0
        described.Format, described.NumChannels, described.Flags = format_of(dtype), channels, flags
        self.handle = ask(driver.cuArray3DCreate(described))

    def __del__(self):
        driver.cuArrayDestroy(self.handle)

    def copy(self, texels, to):
        copy, host, array = driver.CUDA_MEMCPY3D(), driver.CUmemorytype.CU_MEMORYTYPE_HOST, driver.CUmemorytype.CU_MEMORYTYPE_ARRAY
        row = self.shape[-2] * self.shape[-1] * self.dtype.itemsize
        copy.WidthInBytes, copy.Height, copy.Depth = row, self.rows, self.planes
        if to:
            copy.srcMemoryType, copy.srcHost, copy.srcPitch, copy.srcHeight = host, texels.ctypes.data, row, self.rows
            copy.dstMemoryType, copy.dstArray = array, self.handle
        else:
            copy.dstMemoryType, copy.dstHost, copy.dstPitch, copy.dstHeight = host, texels.ctypes.data, row, self.rows
            copy.srcMemoryType, copy.srcArray = array, self.handle
        self.stream.sync()
        ask(driver.cuMemcpy3D(copy))

    def put(self, texels):
        self.copy(np.ascontiguousarray(texels, self.dtype), True)
        return self

    def numpy(self):
        texels = np.empty(self.shape, self.dtype)
        self.copy(texels, False)
        return texels

    def resource(self):
        described = driver.CUDA_RESOURCE_DESC()
        described.resType, described.res.array.hArray = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY, self.handle
        return described


class Chain:
    """A chain of levels."""

    def __init__(self, array, shape, dtype, stream):
        self.array, self.shape, self.dtype, self.stream = array, shape, dtype, stream

    def level(self, number):
        shape = tuple(max(n >> number, 1) for n in self.shape[:-1]) + self.shape[-1:]
        return Plain(self.array.get_level(number), shape, self.dtype, self.stream)

    def resource(self):
        return ResourceDescriptor.from_mipmapped_array(self.array)


class Described:
    """Memory that is looked at as texels."""

    def __init__(self, memory, resource):
        self.memory, self.described = memory, resource

    def resource(self):
        return self.described


class Gpu:
    def __init__(self, device, stream, module):
        self.device, self.stream, self.module, self.objects = device, stream, module, []

    def memory(self, array):
        return Memory(array, self.stream)

    def array(self, texels, layered=False, cube=False, surface=False, gather=False):
        shape, dtype = texels.shape, texels.dtype
        if layered or cube or gather:
            flags = layered * driver.CUDA_ARRAY3D_LAYERED | surface * driver.CUDA_ARRAY3D_SURFACE_LDST
            flags |= cube * driver.CUDA_ARRAY3D_CUBEMAP | gather * driver.CUDA_ARRAY3D_TEXTURE_GATHER
            return Layered(shape, dtype, flags, layered and len(shape) == 3, self.stream).put(texels)
        options = OpaqueArrayOptions(shape=shape[-2::-1], format=dtype, num_channels=shape[-1], is_surface_load_store=surface)
        return Plain(self.device.create_opaque_array(options), shape, dtype, self.stream).put(texels)

    def mipmapped(self, shape, dtype, levels, surface=False):
        options = MipmappedArrayOptions(shape=shape[-2::-1], format=np.dtype(dtype), num_channels=shape[-1], num_levels=levels,
                                        is_surface_load_store=surface)
        return Chain(self.device.create_mipmapped_array(options), shape, dtype, self.stream)

    def linear(self, texels):
        memory = self.memory(texels)
        resource = ResourceDescriptor.from_linear(memory.buffer, format=texels.dtype, num_channels=texels.shape[-1], size_bytes=texels.nbytes)
        return Described(memory, resource)

    def pitched(self, texels, pitch):
        height, width, channels = texels.shape
        rows = np.zeros((height, pitch), np.uint8)
        rows[:, :width * channels * texels.itemsize] = texels.reshape(height, -1).view(np.uint8)
        memory = self.memory(rows)
        return Described(memory, ResourceDescriptor.from_pitch2d(memory.buffer, format=texels.dtype, num_channels=channels, width=width,
                                                                 height=height, pitch_bytes=pitch))

    def texture(self, source, address="clamp", smooth=False, normalized=False, unit=False, srgb=False, seamless=False, level_smooth=False,
                bias=0.0, least=0.0, most=0.0, anisotropy=0, border=(0, 0, 0, 0)):
        resource, filters = source.resource(), ("point", "linear")
        if isinstance(resource, ResourceDescriptor):
            options = TextureObjectOptions(
                address_mode=address, filter_mode=filters[smooth], read_mode="normalized_float" if unit else "element_type",
                normalized_coords=normalized, srgb=srgb, seamless_cubemap=seamless, max_anisotropy=anisotropy,
                mipmap_filter_mode=filters[level_smooth], mipmap_level_bias=bias, min_mipmap_level_clamp=least,
                max_mipmap_level_clamp=most, border_color=tuple(float(c) for c in border))
            made = self.device.create_texture_object(resource=resource, options=options)
            self.objects.append(made)
            return made.handle
        how = driver.CUDA_TEXTURE_DESC()
        how.addressMode = [getattr(driver.CUaddress_mode, f"CU_TR_ADDRESS_MODE_{address.upper()}")] * 3
        how.filterMode = getattr(driver.CUfilter_mode, f"CU_TR_FILTER_MODE_{filters[smooth].upper()}")
        how.flags = (0 if unit else driver.CU_TRSF_READ_AS_INTEGER) | normalized * driver.CU_TRSF_NORMALIZED_COORDINATES
        how.flags |= srgb * driver.CU_TRSF_SRGB | seamless * driver.CU_TRSF_SEAMLESS_CUBEMAP
        how.borderColor = border
        return self.keep(source, ask(driver.cuTexObjectCreate(resource, how, None)), driver.cuTexObjectDestroy)

    def surface(self, image):
        resource = image.resource()
        if isinstance(resource, ResourceDescriptor):
            made = self.device.create_surface_object(resource=resource)
            self.objects.append(made)
            return made.handle
        return self.keep(image, ask(driver.cuSurfObjectCreate(resource)), driver.cuSurfObjectDestroy)

    def keep(self, source, handle, destroy):
        self.objects.append((source, handle, destroy))
        return int(handle)

    def close(self):
        """Destroys the objects, those of the driver by hand."""
        self.stream.sync()
        for made in self.objects:
            if isinstance(made, tuple):
                ask(made[2](made[1]))
            else:
                made.close()
        self.objects = []

    def launch(self, name, grid, block, *arguments):
        arguments = [a.buffer if isinstance(a, Memory) else a for a in arguments]
        launch(self.stream, LaunchConfig(grid=grid, block=block), self.module.get_kernel(name), *arguments)
