//! The entry points for arrays.

use ptxvm_abi::{In, Out};

use super::format::{channel_format, descriptor, driver_format};
use crate::driver::{
    cuArray3DCreate, cuArrayDestroy, cuArrayGetMemoryRequirements, cuArrayGetPlane,
    cuArrayGetSparseProperties, cuDeviceGetTexture1DLinearMaxWidth, cuMipmappedArrayCreate,
    cuMipmappedArrayDestroy, cuMipmappedArrayGetLevel, cuMipmappedArrayGetMemoryRequirements,
    cuMipmappedArrayGetSparseProperties,
};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{
    Array, ArrayDescriptor, ArrayRequirements, ChannelFormatDesc, Extent, MipmappedArray, SparseProperties,
};
use crate::symbol::export;

/// An array as the driver describes it.
fn described(format: In<ChannelFormatDesc>, extent: Extent, flags: u32) -> Answer<ArrayDescriptor> {
    let (format, channels) = driver_format(&format.get()?)?;
    let Extent { width, height, depth } = extent;
    Ok(ArrayDescriptor { width, height, depth, format, channels, flags })
}

entry! {
    fn cudaMallocArray(
        array: Out<Array>, format: In<ChannelFormatDesc>, width: usize, height: usize, flags: u32,
    ) {
        cuArray3DCreate(array, &described(format, Extent { width, height, depth: 0 }, flags)?)
    }

    fn cudaMalloc3DArray(array: Out<Array>, format: In<ChannelFormatDesc>, extent: Extent, flags: u32) {
        cuArray3DCreate(array, &described(format, extent, flags)?)
    }

    fn cudaMallocMipmappedArray(
        array: Out<MipmappedArray>, format: In<ChannelFormatDesc>, extent: Extent, levels: u32, flags: u32,
    ) {
        cuMipmappedArrayCreate(array, &described(format, extent, flags)?, levels)
    }

    fn cudaFreeArray(array: Array) {
        if array == 0 { Ok(()) } else { cuArrayDestroy(array) }
    }

    fn cudaFreeMipmappedArray(array: MipmappedArray) {
        if array == 0 { Ok(()) } else { cuMipmappedArrayDestroy(array) }
    }

    fn cudaGetMipmappedArrayLevel(level: Out<Array>, array: MipmappedArray, index: u32) {
        if array == 0 {
            return Err(CudaError::INVALID_RESOURCE_HANDLE);
        }
        cuMipmappedArrayGetLevel(level, array, index)
    }

    fn cudaGetChannelDesc(format: Out<ChannelFormatDesc>, array: Array) {
        if format.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let descriptor = descriptor(array)?;
        Ok(format.set(channel_format(descriptor.format, descriptor.channels)?)?)
    }

    fn cudaArrayGetInfo(
        format: Out<ChannelFormatDesc>, extent: Out<Extent>, flags: Out<u32>, array: Array,
    ) {
        let descriptor = descriptor(array)?;
        format.offer(channel_format(descriptor.format, descriptor.channels)?);
        let ArrayDescriptor { width, height, depth, .. } = descriptor;
        extent.offer(Extent { width, height, depth });
        flags.offer(descriptor.flags);
        Ok(())
    }

    fn cudaArrayGetPlane(plane: Out<Array>, array: Array, index: u32) {
        cuArrayGetPlane(plane, array, index)
    }

    fn cudaArrayGetMemoryRequirements(requirements: Out<ArrayRequirements>, array: Array, device: i32) {
        cuArrayGetMemoryRequirements(requirements, array, device)
    }

    fn cudaMipmappedArrayGetMemoryRequirements(
        requirements: Out<ArrayRequirements>, array: MipmappedArray, device: i32,
    ) {
        cuMipmappedArrayGetMemoryRequirements(requirements, array, device)
    }

    fn cudaArrayGetSparseProperties(properties: Out<SparseProperties>, array: Array) {
        cuArrayGetSparseProperties(properties, array)
    }

    fn cudaMipmappedArrayGetSparseProperties(properties: Out<SparseProperties>, array: MipmappedArray) {
        cuMipmappedArrayGetSparseProperties(properties, array)
    }

    fn cudaDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: In<ChannelFormatDesc>, device: i32) {
        let (format, channels) = driver_format(&format.get()?)?;
        cuDeviceGetTexture1DLinearMaxWidth(width, format, channels, device)
    }
}

/// The description itself, which is not an error code.
#[allow(non_snake_case, reason = "the name is for C programs")]
#[allow(unsafe_code, reason = "nobody else has a function of this name")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaCreateChannelDesc(x: i32, y: i32, z: i32, w: i32, kind: u32) -> ChannelFormatDesc {
    ChannelFormatDesc { x, y, z, w, kind }
}
export!(cudaCreateChannelDesc);
