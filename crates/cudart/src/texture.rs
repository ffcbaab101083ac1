//! Texture and surface objects.

use ptxvm_abi::{In, Out};

use crate::array::{FLOAT, SIGNED, UNSIGNED, channel_format, descriptor, driver_format};
use crate::driver::{
    cuMipmappedArrayGetLevel, cuSurfObjectCreate, cuSurfObjectDestroy, cuSurfObjectGetResourceDesc,
    cuTexObjectCreate, cuTexObjectDestroy, cuTexObjectGetResourceDesc, cuTexObjectGetResourceViewDesc,
    cuTexObjectGetTextureDesc,
};
use crate::entry::{entry, of_13};
use crate::error::{Answer, CudaError};
use crate::layout::{
    ChannelFormatDesc, DriverMemory, ResourceDescriptor, RuntimeMemory, RuntimeResource, RuntimeTexture,
    RuntimeView, TextureDescriptor, ViewDescriptor, resource,
};

/// `CU_TRSF_…`: the flags of a texture.
mod flag {
    pub const READ_AS_INTEGER: u32 = 1;
    pub const NORMALIZED_COORDINATES: u32 = 2;
    pub const SRGB: u32 = 0x10;
    pub const NO_TRILINEAR_OPTIMIZATION: u32 = 0x20;
    pub const SEAMLESS_CUBEMAP: u32 = 0x40;
}

/// `cudaReadModeElementType` and `cudaReadModeNormalizedFloat`
const AS_ELEMENT: u32 = 0;
const AS_NORMALIZED: u32 = 1;
/// `cudaChannelFormatKindNone`
const NO_FORMAT: u32 = 3;
/// `cudaFilterModeLinear`
const LINEAR_FILTER: u32 = 1;

/// The resource as the driver describes it.
fn resource_for_driver(from: &RuntimeResource) -> Answer<ResourceDescriptor> {
    let RuntimeMemory { object, format, width, height, pitch } = from.what;
    if matches!(from.kind, resource::ARRAY | resource::MIPMAPPED) && object == 0 {
        return Err(CudaError::INVALID_RESOURCE_HANDLE);
    }
    let (format, channels) = match from.kind {
        resource::ARRAY | resource::MIPMAPPED => (0, 0),
        resource::LINEAR | resource::PITCHED => driver_format(&format)?,
        _ => return Err(CudaError::INVALID_VALUE),
    };
    let what = match from.kind {
        resource::ARRAY | resource::MIPMAPPED => {
            DriverMemory { object, format, channels, width: 0, height: 0, pitch: 0 }
        }
        resource::LINEAR => DriverMemory { object, format, channels, width, height: 0, pitch: 0 },
        _ => DriverMemory { object, format, channels, width, height, pitch },
    };
    Ok(ResourceDescriptor::new(from.kind, what, 0))
}

/// The resource as the runtime describes it.
fn resource_for_program(from: &ResourceDescriptor) -> Answer<RuntimeResource> {
    let DriverMemory { object, format, channels, width, height, pitch } = from.what;
    let format = match from.kind {
        resource::ARRAY | resource::MIPMAPPED => ChannelFormatDesc::default(),
        _ => channel_format(format, channels)?,
    };
    Ok(RuntimeResource::new(from.kind, RuntimeMemory { object, format, width, height, pitch }, from.flags))
}

/// What the texels of a resource are.
fn texels(from: &RuntimeResource) -> Answer<ChannelFormatDesc> {
    let array = match from.kind {
        resource::ARRAY => from.what.object,
        resource::MIPMAPPED => {
            let mut level = 0u64;
            cuMipmappedArrayGetLevel(&mut level, from.what.object, 0)?;
            level
        }
        _ => return Ok(from.what.format),
    };
    let descriptor = descriptor(array)?;
    // An array that the driver has made may have a format for which the runtime has no words.
    let unknown = ChannelFormatDesc { kind: NO_FORMAT, ..ChannelFormatDesc::default() };
    Ok(channel_format(descriptor.format, descriptor.channels).unwrap_or(unknown))
}

/// Checks that texels can be read as the texture says: integers of at most 16 bits, and no others, become floats between
/// -1 and 1, and integers that stay what they are have nothing between them.
fn check_reads(texels: &ChannelFormatDesc, texture: &RuntimeTexture) -> Answer {
    let integers = matches!(texels.kind, SIGNED | UNSIGNED);
    let plain = integers || texels.kind == FLOAT;
    let normalized = texture.read_mode == AS_NORMALIZED;
    if normalized && plain && !(integers && texels.x <= 16) {
        return Err(CudaError::INVALID_NORM_SETTING);
    }
    if texture.filter == LINEAR_FILTER && integers && !normalized {
        return Err(CudaError::INVALID_FILTER_SETTING);
    }
    Ok(())
}

/// The texture as the driver describes it. Elements that are read as they are, and are no floats, are integers.
fn texture_for_driver(from: &RuntimeTexture) -> TextureDescriptor {
    let flags = [
        (from.read_mode != AS_NORMALIZED, flag::READ_AS_INTEGER),
        (from.normalized != 0, flag::NORMALIZED_COORDINATES),
        (from.srgb != 0, flag::SRGB),
        (from.no_trilinear_optimization != 0, flag::NO_TRILINEAR_OPTIMIZATION),
        (from.seamless != 0, flag::SEAMLESS_CUBEMAP),
    ];
    TextureDescriptor {
        address_modes: from.address_modes,
        filter: from.filter,
        flags: flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).sum(),
        anisotropy: from.anisotropy,
        mipmap_filter: from.mipmap_filter,
        bias: from.bias,
        least_level: from.least_level,
        most_level: from.most_level,
        border: from.border,
        reserved: [0; 12],
    }
}

/// The sampling that a program describes. That it describes none is the mistake of a wrong handle, and no other.
fn sampling(texture: In<RuntimeTexture>) -> Answer<RuntimeTexture> {
    texture.get().map_err(|_| CudaError::INVALID_RESOURCE_HANDLE)
}

/// The texture as the runtime describes it.
fn texture_for_program(from: &TextureDescriptor) -> RuntimeTexture {
    let has = |flag: u32| from.flags & flag != 0;
    RuntimeTexture {
        address_modes: from.address_modes,
        filter: from.filter,
        read_mode: if has(flag::READ_AS_INTEGER) { AS_ELEMENT } else { AS_NORMALIZED },
        srgb: has(flag::SRGB).into(),
        border: from.border,
        normalized: has(flag::NORMALIZED_COORDINATES).into(),
        anisotropy: from.anisotropy,
        mipmap_filter: from.mipmap_filter,
        bias: from.bias,
        least_level: from.least_level,
        most_level: from.most_level,
        no_trilinear_optimization: has(flag::NO_TRILINEAR_OPTIMIZATION).into(),
        seamless: has(flag::SEAMLESS_CUBEMAP).into(),
    }
}

/// What an object was made of, asked by `ask`.
///
/// # Errors
/// There is no such object.
pub fn driver_resource(
    object: u64,
    ask: impl FnOnce(&mut ResourceDescriptor, u64) -> Answer,
) -> Answer<RuntimeResource> {
    let nothing = DriverMemory { object: 0, format: 0, channels: 0, width: 0, height: 0, pitch: 0 };
    let mut descriptor = ResourceDescriptor::new(0, nothing, 0);
    ask(&mut descriptor, object)?;
    resource_for_program(&descriptor)
}

entry! {
    fn cudaCreateTextureObject(
        object: Out<u64>, resource: In<RuntimeResource>, texture: In<RuntimeTexture>, view: In<RuntimeView>,
    ) {
        let said = resource.get()?;
        let resource = resource_for_driver(&said)?;
        let texture = sampling(texture)?;
        check_reads(&texels(&said)?, &texture)?;
        let texture = texture_for_driver(&texture);
        if view.is_null() {
            return cuTexObjectCreate(object, &resource, &texture, In::<ViewDescriptor>::NULL);
        }
        let view = ViewDescriptor { view: view.get()?, reserved: [0; 16] };
        cuTexObjectCreate(object, &resource, &texture, &view)
    }

    fn cudaDestroyTextureObject(object: u64) {
        if object == 0 { Ok(()) } else { cuTexObjectDestroy(object) }
    }

    fn cudaGetTextureObjectTextureDesc(place: Out<RuntimeTexture>, object: u64) {
        if place.is_null() {
            return Err(CudaError::INVALID_RESOURCE_HANDLE);
        }
        let mut texture = TextureDescriptor::default();
        cuTexObjectGetTextureDesc(&mut texture, object)?;
        Ok(place.set(texture_for_program(&texture))?)
    }

    fn cudaGetTextureObjectResourceViewDesc(place: Out<RuntimeView>, object: u64) {
        let mut view = ViewDescriptor::default();
        cuTexObjectGetResourceViewDesc(&mut view, object)?;
        Ok(place.set(view.view)?)
    }

    fn cudaCreateSurfaceObject(object: Out<u64>, resource: In<RuntimeResource>) {
        cuSurfObjectCreate(object, &resource_for_driver(&resource.get()?)?)
    }

    fn cudaDestroySurfaceObject(object: u64) {
        if object == 0 { Ok(()) } else { cuSurfObjectDestroy(object) }
    }
}

of_13! {
    fn cudaGetTextureObjectResourceDesc(place: Out<RuntimeResource>, object: u64) {
        let resource = driver_resource(object, |place, object| cuTexObjectGetResourceDesc(place, object))?;
        Ok(place.set(resource)?)
    }

    fn cudaGetSurfaceObjectResourceDesc(place: Out<RuntimeResource>, object: u64) {
        // An H200's runtime says so of no place.
        if place.is_null() {
            return Err(CudaError::INVALID_DEVICE);
        }
        let resource = driver_resource(object, |place, object| cuSurfObjectGetResourceDesc(place, object))?;
        Ok(place.set(resource)?)
    }
}
