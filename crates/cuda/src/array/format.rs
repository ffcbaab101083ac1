//! The formats of arrays, by the driver's numbers.

use ptxvm_texture::Format;

use crate::abi::{Answer, CUresult};

/// The format of texels that an array has.
///
/// # Errors
/// There is no such format, or none with as many channels.
pub fn format(number: u32, channels: u32) -> Answer<Format> {
    Format::of_array(number, channels).map_err(|_| CUresult::INVALID_VALUE)
}
