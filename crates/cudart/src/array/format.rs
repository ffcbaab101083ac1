//! The formats of texels: the runtime says how many bits each channel has and of what kind they are, the driver has a number
//! for each kind and width.

use crate::driver::cuArray3DGetDescriptor;
use crate::error::{Answer, CudaError};
use crate::layout::{Array, ArrayDescriptor, ChannelFormatDesc};

/// `cudaChannelFormatKind`
pub mod kind {
    pub const SIGNED: u32 = 0;
    pub const UNSIGNED: u32 = 1;
    pub const FLOAT: u32 = 2;
    pub const NV12: u32 = 4;
    pub const NORMALIZED: u32 = 5;
    pub const NORMALIZED_END: u32 = 16;
    pub const BLOCKS: u32 = 17;
    pub const BLOCKS_END: u32 = 30;
    pub const PACKED: u32 = 31;
    pub const PACKED_END: u32 = 45;
}

/// `CUarray_format`, where a row of them begins as a row of kinds does.
mod driver {
    pub const NV12: u32 = 0xb0;
    pub const NORMALIZED: u32 = 0xc0;
    pub const BLOCKS: u32 = 0x91;
    pub const PACKED: u32 = 0x50;
}

/// The integers and floats: kind, bits, and the driver's number.
const PLAIN: [(u32, i32, u32); 8] = [
    (kind::UNSIGNED, 8, 1),
    (kind::UNSIGNED, 16, 2),
    (kind::UNSIGNED, 32, 3),
    (kind::SIGNED, 8, 8),
    (kind::SIGNED, 16, 9),
    (kind::SIGNED, 32, 10),
    (kind::FLOAT, 16, 16),
    (kind::FLOAT, 32, 32),
];

/// The driver's number of a format, and how many channels it has.
///
/// # Errors
/// There is no such format.
pub fn driver_format(format: &ChannelFormatDesc) -> Answer<(u32, u32)> {
    let bits = [format.x, format.y, format.z, format.w];
    let channels = bits.iter().take_while(|bits| **bits != 0).count();
    let number = match format.kind {
        kind::NV12 => driver::NV12,
        kind::NORMALIZED..=kind::NORMALIZED_END => {
            // The kind says how many channels there are and how wide.
            let number = driver::NORMALIZED + (format.kind - kind::NORMALIZED);
            let of_kind = 1 << ((format.kind - kind::NORMALIZED) % 3);
            if *format != channel_format(number, of_kind)? {
                return Err(CudaError::INVALID_CHANNEL_DESCRIPTOR);
            }
            number
        }
        kind::BLOCKS..=kind::BLOCKS_END => driver::BLOCKS + (format.kind - kind::BLOCKS),
        kind::PACKED..=kind::PACKED_END => driver::PACKED + (format.kind - kind::PACKED),
        plain => {
            // Channels are as wide as the first, none follows one that is missing, and there are never three.
            let even = channels != 3
                && bits
                    .iter()
                    .enumerate()
                    .all(|(at, bits)| *bits == if at < channels { format.x } else { 0 });
            let known = PLAIN.iter().find(|(kind, bits, _)| (*kind, *bits) == (plain, format.x));
            let (.., number) = known.filter(|_| even).ok_or(CudaError::INVALID_CHANNEL_DESCRIPTOR)?;
            *number
        }
    };
    Ok((number, channels as u32))
}

/// The runtime's description of a format of the driver's.
///
/// # Errors
/// There is no such format.
pub fn channel_format(number: u32, channels: u32) -> Answer<ChannelFormatDesc> {
    let (kind, bits) = match number {
        driver::NV12 => (kind::NV12, 8),
        driver::NORMALIZED..=0xcb => {
            let kind = number - driver::NORMALIZED + kind::NORMALIZED;
            (kind, if matches!(kind, 5..=7 | 11..=13) { 8 } else { 16 })
        }
        driver::BLOCKS..=0x9e => (number - driver::BLOCKS + kind::BLOCKS, 8),
        driver::PACKED..=0x5e => (number - driver::PACKED + kind::PACKED, 8),
        plain => {
            let known = PLAIN.iter().find(|(.., number)| *number == plain);
            let (kind, bits, _) = known.ok_or(CudaError::INVALID_CHANNEL_DESCRIPTOR)?;
            (*kind, *bits)
        }
    };
    let of = |channel: u32| if channel < channels { bits } else { 0 };
    Ok(ChannelFormatDesc { x: of(0), y: of(1), z: of(2), w: of(3), kind })
}

/// What an array is like.
///
/// # Errors
/// It is none.
pub fn descriptor(array: Array) -> Answer<ArrayDescriptor> {
    let mut descriptor = ArrayDescriptor::default();
    cuArray3DGetDescriptor(&mut descriptor, array)?;
    Ok(descriptor)
}

/// How many bytes of a row a texel takes. Blocks of four by four texels are told as a quarter of a block.
///
/// # Errors
/// It is no array.
pub fn element_bytes(array: Array) -> Answer<usize> {
    let ArrayDescriptor { format, channels, .. } = descriptor(array)?;
    Ok(match format {
        0x91 | 0x92 | 0x97 | 0x98 => 2,
        0x93..=0x96 | 0x99..=0x9e | driver::PACKED => 4,
        _ => channel_format(format, channels)?.x as usize / 8 * channels as usize,
    })
}

/// How many bytes a row has.
///
/// # Errors
/// It is no array.
pub fn row_bytes(array: Array) -> Answer<usize> {
    Ok(descriptor(array)?.width * element_bytes(array)?)
}
