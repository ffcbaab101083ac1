//! Whether the driver makes an array that a program describes.

use ptxvm_texture::Format;

use super::descriptor::{ArrayDescriptor, flag};
use super::format::format;
use crate::abi::{Answer, CUresult};

/// The greatest sizes of an array: width, height and depth or layers.
struct Limits {
    width: usize,
    height: usize,
    depth: usize,
}

/// Checks the description of an array.
///
/// # Errors
/// What the driver answers to it.
pub fn array(described: &ArrayDescriptor) -> Answer<Format> {
    let format = format(described.format, described.channels)?;
    let ArrayDescriptor { width, height, depth, .. } = *described;
    let (layered, cube) = (described.has(flag::LAYERED), described.has(flag::CUBEMAP));
    let shaped = match (layered, cube) {
        (false, false) => height > 0 || depth == 0,
        (true, false) => depth > 0,
        (layered, true) => {
            width == height && if layered { depth > 0 && depth.is_multiple_of(6) } else { depth == 6 }
        }
    };
    let limits = limits(described);
    let within = width > 0 && width <= limits.width && height <= limits.height && depth <= limits.depth;
    let known = described.flags & !flag::ALL == 0;
    if shaped && within && known { Ok(format) } else { Err(CUresult::INVALID_VALUE) }
}

/// What the device attributes say.
fn limits(described: &ArrayDescriptor) -> Limits {
    let surface = described.has(flag::SURFACE_LDST);
    let (layered, cube) = (described.has(flag::LAYERED), described.has(flag::CUBEMAP));
    let (width, height, depth) = match (layered, cube) {
        (true, true) => (32_768, 32_768, 2046),
        (false, true) => (32_768, 32_768, 6),
        (true, false) => (32_768, 32_768, 2048),
        _ if described.depth > 0 => (16_384, 16_384, 16_384),
        _ if described.height > 0 && described.has(flag::TEXTURE_GATHER) => (32_768, 32_768, 0),
        _ if described.height > 0 => (131_072, 65_536, 0),
        _ if surface => (32_768, 0, 0),
        _ => (131_072, 0, 0),
    };
    Limits { width, height, depth }
}

/// Checks the description of a mipmapped array, and gives how many levels it gets.
///
/// # Errors
/// What the driver answers to it.
pub fn mipmapped(described: &ArrayDescriptor, levels: u32) -> Answer<(Format, u32)> {
    let format = array(described)?;
    let depth = if described.has(flag::LAYERED | flag::CUBEMAP) { 0 } else { described.depth };
    let longest = described.width.max(described.height).max(depth).max(1);
    let most = longest.ilog2() + 1;
    if levels == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok((format, levels.min(most)))
}
