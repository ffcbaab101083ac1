//! What kind of memory an address is in.

use ptxvm_abi::{Host, Out};

use crate::driver::pointer_attribute;
use crate::entry::of_13;
use crate::error::{Answer, CudaError};
use crate::layout::PointerAttributes;

/// `CUpointer_attribute`
mod attribute {
    pub const MEMORY_TYPE: u32 = 2;
    pub const DEVICE_POINTER: u32 = 3;
    pub const HOST_POINTER: u32 = 4;
    pub const IS_MANAGED: u32 = 8;
    pub const DEVICE_ORDINAL: u32 = 9;
}

/// `cudaMemoryType`: the first two are also those of `CUmemorytype`.
const UNREGISTERED: u32 = 0;
const MANAGED: u32 = 3;
/// What is said to be the device of memory that no driver knows.
const NO_DEVICE: i32 = -2;

/// What is known of an address.
pub fn attributes(address: Host) -> Answer<PointerAttributes> {
    let unknown = PointerAttributes {
        kind: UNREGISTERED,
        device: NO_DEVICE,
        device_pointer: Host::NULL,
        host_pointer: address,
        locality: 0,
        reserved: [0; 7],
    };
    let kind = match pointer_attribute::<u32>(attribute::MEMORY_TYPE, address) {
        Err(CudaError::INVALID_VALUE) => return Ok(unknown),
        kind => kind?,
    };
    let managed = pointer_attribute::<u32>(attribute::IS_MANAGED, address)? & 0xff != 0;
    // A pointer that one side has not is null.
    let pointer = |attribute| pointer_attribute::<u64>(attribute, address).map_or(Host::NULL, Host::at);
    Ok(PointerAttributes {
        kind: if managed { MANAGED } else { kind },
        device: pointer_attribute::<u32>(attribute::DEVICE_ORDINAL, address)? as i32,
        device_pointer: pointer(attribute::DEVICE_POINTER),
        host_pointer: pointer(attribute::HOST_POINTER),
        ..unknown
    })
}

of_13! {
    fn cudaPointerGetAttributes(place: Out<PointerAttributes>, address: Host) {
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        Ok(place.set(attributes(address)?)?)
    }
}
