//! What a structure of properties is made of: who the device is, and its attributes.

use ptxvm_abi::OutAny;

use crate::driver::{
    cuDeviceGetAttribute, cuDeviceGetLuid, cuDeviceGetName, cuDeviceGetUuid, cuDeviceTotalMem,
};
use crate::error::Answer;

const _: () = assert!(size_of::<Identity>() == NAME + 16 + 8 + 4 + 4 + 8);

/// The length of a device's name.
const NAME: usize = 256;

/// What stands before the attributes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Identity {
    name: [u8; NAME],
    uuid: [u8; 16],
    luid: [u8; 8],
    luid_mask: u32,
    gap: Gap,
    total_memory: usize,
}

impl Identity {
    /// The device's.
    ///
    /// # Errors
    /// There is no such device.
    pub fn of(device: i32) -> Answer<Self> {
        let mut own =
            Self { name: [0; NAME], uuid: [0; 16], luid: [0; 8], luid_mask: 0, gap: Gap(0), total_memory: 0 };
        cuDeviceGetName(OutAny::bytes(&mut own.name), NAME as i32, device)?;
        cuDeviceGetUuid(&mut own.uuid, device)?;
        // Only Windows has such numbers.
        if cuDeviceGetLuid(&mut own.luid, &mut own.luid_mask, device).is_err() {
            (own.luid, own.luid_mask) = ([0; 8], 0);
        }
        cuDeviceTotalMem(&mut own.total_memory, device)?;
        Ok(own)
    }
}

/// Bytes between two fields, which are zero: what a compiler leaves there is not.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Gap(u32);

impl Field<()> for Gap {
    fn read(_: i32, (): ()) -> Answer<Self> {
        Ok(Self(0))
    }
}

/// A field's type: its value is made of the attribute's, or of each of several.
pub trait Field<A> {
    /// The field's value.
    ///
    /// # Errors
    /// There is no such attribute.
    fn read(device: i32, attributes: A) -> Answer<Self>
    where
        Self: Sized;
}

impl Field<u32> for i32 {
    fn read(device: i32, attribute: u32) -> Answer<Self> {
        let mut value = 0;
        cuDeviceGetAttribute(&mut value, attribute, device)?;
        Ok(value)
    }
}

impl Field<u32> for usize {
    fn read(device: i32, attribute: u32) -> Answer<Self> {
        i32::read(device, attribute).map(|value| value as u32 as usize)
    }
}

impl<const N: usize> Field<[u32; N]> for [i32; N] {
    fn read(device: i32, attributes: [u32; N]) -> Answer<Self> {
        let mut values = [0; N];
        for (value, attribute) in values.iter_mut().zip(attributes) {
            *value = i32::read(device, attribute)?;
        }
        Ok(values)
    }
}

/// A structure of properties: each field with the number of the attribute that it has, or the numbers.
macro_rules! properties {
    ($(#[$about:meta])* $name:ident, $reserved:literal, $($field:ident: $ty:ty = $attribute:expr,)*) => {
        $(#[$about])*
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name {
            identity: $crate::device::field::Identity,
            $($field: $ty,)*
            reserved: [i32; $reserved],
        }

        // Every byte is some field's.
        const _: () = assert!(
            size_of::<$name>()
                == size_of::<$crate::device::field::Identity>() $(+ size_of::<$ty>())* + size_of::<[i32; $reserved]>()
        );

        impl $name {
            /// The device's.
            ///
            /// # Errors
            /// There is no such device.
            pub fn of(device: i32) -> $crate::error::Answer<Self> {
                Ok(Self {
                    identity: $crate::device::field::Identity::of(device)?,
                    $($field: $crate::device::field::Field::read(device, $attribute)?,)*
                    reserved: [0; $reserved],
                })
            }
        }
    };
}
pub(crate) use properties;
