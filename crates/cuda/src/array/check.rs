//! Checks the description of an array as the driver does. `tests/golden/driver/textures.json` has an H200's answers.

use ptxvm_texture::Format;

use super::descriptor::{ArrayDescriptor, flag};
use super::format::{format, is_video};
use crate::abi::{Answer, CUresult};

/// The greatest width, height, and depth or number of layers.
type Extents = [usize; 3];

/// `MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH` and its kin.
const MIPMAPPED: usize = 32_768;

/// Checks the description of an array.
///
/// # Errors
/// What the driver answers to it.
pub fn array(described: &ArrayDescriptor) -> Answer<Format> {
    let format = format(described)?;
    let block = format.block_side() > 1;
    let sizes = [described.width, described.height, described.depth];
    let within = |limits: &Extents| sizes.iter().zip(limits).all(|(size, most)| size <= most);
    let flat = block && described.height == 0;
    let is_video = described.has(flag::VIDEO_ENCODE_DECODE) && is_video(described.format);
    if flat
        || (is_video && !may_be_video(described))
        || !is_shaped(described)
        || !may_be(described)
        || !limits(described).iter().any(within)
    {
        return Err(CUresult::INVALID_VALUE);
    }
    if block && described.has(flag::SURFACE_LDST) {
        return Err(CUresult::NOT_SUPPORTED);
    }
    Ok(format)
}

/// Checks the description of a mipmapped array, and gives how many levels it gets.
///
/// # Errors
/// What the driver answers to it.
pub fn mipmapped(described: &ArrayDescriptor, levels: u32) -> Answer<(Format, u32)> {
    let format = array(described)?;
    let is_video = described.has(flag::VIDEO_ENCODE_DECODE) && is_video(described.format);
    if described.width.max(described.height) > MIPMAPPED || (is_video && levels > 1) {
        return Err(CUresult::INVALID_VALUE);
    }
    let depth = if described.has(flag::LAYERED | flag::CUBEMAP) { 0 } else { described.depth };
    let longest = described.width.max(described.height).max(depth).max(1);
    Ok((format, levels.clamp(1, longest.ilog2() + 1)))
}

/// Whether sizes and flags describe one of the shapes that there are.
fn is_shaped(described: &ArrayDescriptor) -> bool {
    let ArrayDescriptor { width, height, depth, .. } = *described;
    let shaped = match (described.has(flag::LAYERED), described.has(flag::CUBEMAP)) {
        (false, false) => height > 0 || depth == 0,
        (true, false) => depth > 0,
        (false, true) => width == height && depth == 6,
        (true, true) => width == height && depth > 0 && depth.is_multiple_of(6),
    };
    shaped && width > 0
}

/// Whether flags go together, and with the shape.
fn may_be(described: &ArrayDescriptor) -> bool {
    let planar = described.height > 0;
    let gather = described.has(flag::TEXTURE_GATHER);
    let sparse = described.has(flag::SPARSE);
    let with_sparse = flag::SURFACE_LDST | flag::CUBEMAP | flag::DEFERRED_MAPPING;
    // Depth textures and colour attachments come from graphics interfaces only.
    described.flags & !flag::TAKEN == 0
        && (!gather || (planar && described.depth == 0))
        && (!sparse || (planar && !described.has(with_sparse)))
}

/// Whether an array of video can have such sizes: planes with an even number of rows and columns.
fn may_be_video(described: &ArrayDescriptor) -> bool {
    let even = described.width.is_multiple_of(2) && described.height.is_multiple_of(2);
    let flat = described.depth == 0 || described.has(flag::LAYERED);
    even && described.height > 0 && flat && !described.has(flag::CUBEMAP)
}

/// What the device attributes say. Boxes may have one of two sets of sizes.
fn limits(described: &ArrayDescriptor) -> &'static [Extents] {
    let surface = described.has(flag::SURFACE_LDST);
    match (described.has(flag::LAYERED), described.has(flag::CUBEMAP)) {
        (true, true) => &[[32_768, 32_768, 2046]],
        (false, true) => &[[32_768, 32_768, 6]],
        (true, false) => &[[32_768, 32_768, 2048]],
        _ if described.depth > 0 && surface => &[[16_384; 3]],
        _ if described.depth > 0 => &[[16_384; 3], [8192, 8192, 32_768]],
        _ if described.has(flag::TEXTURE_GATHER) => &[[32_768, 32_768, 0]],
        _ if described.height > 0 => &[[131_072, 65_536, 0]],
        _ if surface => &[[32_768, 0, 0]],
        _ => &[[131_072, 0, 0]],
    }
}
