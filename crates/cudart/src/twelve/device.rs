//! The structures of devices, pointers and resources, which are longer or shorter in CUDA 13.

use ptxvm_abi::{Host, Out};

use super::properties::Properties;
use crate::context;
use crate::driver::{cuSurfObjectGetResourceDesc, cuTexObjectGetResourceDesc};
use crate::entry::{of_12, only_12};
use crate::error::CudaError;
use crate::layout::RuntimeMemory;
use crate::memory::pointer;
use crate::texture::driver_resource;

/// `cudaPointerAttributes`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PointerAttributes {
    kind: u32,
    device: i32,
    device_pointer: Host,
    host_pointer: Host,
}

/// `cudaResourceDesc`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    kind: u32,
    what: RuntimeMemory,
    rest: [u64; 9],
}

const _: () = assert!(size_of::<PointerAttributes>() == 24);
const _: () = assert!(size_of::<Resource>() == 136);

of_12! {
    /// The structure of CUDA 11 and before.
    fn cudaGetDeviceProperties(_place: Host, _device: i32) {
        ptxvm_host::say(format_args!("ptxvm: cudaGetDeviceProperties is supported as cudaGetDeviceProperties_v2\n"));
        Err(CudaError::NOT_SUPPORTED)
    }

    fn cudaPointerGetAttributes(place: Out<PointerAttributes>, address: Host) {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        let known = pointer::attributes(address)?;
        Ok(place.set(PointerAttributes {
            kind: known.kind,
            device: known.device,
            device_pointer: known.device_pointer,
            host_pointer: known.host_pointer,
        })?)
    }

    fn cudaGetTextureObjectResourceDesc(place: Out<Resource>, object: u64) {
        let known = driver_resource(object, |place, object| cuTexObjectGetResourceDesc(place, object))?;
        Ok(place.set(Resource { kind: known.kind, what: known.what, rest: [0; 9] })?)
    }

    fn cudaGetSurfaceObjectResourceDesc(place: Out<Resource>, object: u64) {
        let known = driver_resource(object, |place, object| cuSurfObjectGetResourceDesc(place, object))?;
        Ok(place.set(Resource { kind: known.kind, what: known.what, rest: [0; 9] })?)
    }
}

only_12! {
    fn cudaGetDeviceProperties_v2(place: Out<Properties>, device: i32) {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        if device != context::DEVICE {
            return Err(CudaError::INVALID_DEVICE);
        }
        Ok(place.set(Properties::of(device)?)?)
    }
}
