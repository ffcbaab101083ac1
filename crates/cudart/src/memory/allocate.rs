//! Memory of the device, and of the host where the device can reach it.

use ptxvm_abi::{Host, Out};

use crate::driver::{
    cuMemAlloc, cuMemAllocManaged, cuMemAllocPitch, cuMemFree, cuMemFreeHost, cuMemGetInfo, cuMemHostAlloc,
    cuMemHostGetDevicePointer, cuMemHostGetFlags, cuMemHostRegister, cuMemHostUnregister,
};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Extent, PitchedPtr};

/// The widest element of a row that a pitch is made for.
const ELEMENT: u32 = 4;

/// Rows of memory: the address and the pitch. No rows are a null pointer.
fn pitched(width: usize, height: usize) -> Answer<(u64, usize)> {
    let (mut address, mut pitch) = (0, 0);
    if width == 0 || height == 0 {
        return Ok((address, pitch));
    }
    cuMemAllocPitch(&mut address, &mut pitch, width, height, ELEMENT)?;
    Ok((address, pitch))
}

/// Memory of the host that the device can reach.
fn pinned(place: Out<Host>, bytes: usize, flags: u32) -> Answer {
    if bytes == 0 {
        return Ok(place.set(Host::NULL)?);
    }
    cuMemHostAlloc(place, bytes, flags)
}

entry! {
    /// No bytes are a null pointer here, and an error for the driver.
    fn cudaMalloc(place: Out<u64>, bytes: usize) {
        if bytes == 0 { Ok(place.set(0)?) } else { cuMemAlloc(place, bytes) }
    }

    fn cudaMallocPitch(place: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        if place.is_null() || pitch.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let (address, bytes) = pitched(width, height)?;
        place.set(address)?;
        Ok(pitch.set(bytes)?)
    }

    fn cudaMalloc3D(place: Out<PitchedPtr>, extent: Extent) {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let rows = extent.height.checked_mul(extent.depth).ok_or(CudaError::INVALID_VALUE)?;
        let (address, pitch) = pitched(extent.width, rows)?;
        Ok(place.set(PitchedPtr {
            ptr: Host::at(address),
            pitch,
            xsize: extent.width,
            ysize: extent.height,
        })?)
    }

    fn cudaMallocManaged(place: Out<u64>, bytes: usize, flags: u32) {
        if bytes == 0 { Ok(place.set(0)?) } else { cuMemAllocManaged(place, bytes, flags) }
    }

    fn cudaMallocHost(place: Out<Host>, bytes: usize) {
        pinned(place, bytes, 0)
    }

    fn cudaHostAlloc(place: Out<Host>, bytes: usize, flags: u32) {
        pinned(place, bytes, flags)
    }

    fn cudaFree(address: Host) {
        if address.is_null() { Ok(()) } else { cuMemFree(address) }
    }

    fn cudaFreeHost(address: Host) {
        if address.is_null() { Ok(()) } else { cuMemFreeHost(address) }
    }

    fn cudaHostRegister(address: Host, bytes: usize, flags: u32) {
        cuMemHostRegister(address, bytes, flags)
    }

    fn cudaHostUnregister(address: Host) {
        cuMemHostUnregister(address)
    }

    fn cudaHostGetDevicePointer(place: Out<u64>, address: Host, flags: u32) {
        cuMemHostGetDevicePointer(place, address, flags)
    }

    fn cudaHostGetFlags(flags: Out<u32>, address: Host) {
        cuMemHostGetFlags(flags, address)
    }

    fn cudaMemGetInfo(free: Out<usize>, total: Out<usize>) {
        cuMemGetInfo(free, total)
    }
}
