//! Block compression: sixteen texels, four by four, in 8 or 16 bytes.
//!
//! A lookup decodes only the texel that it needs: with warps, successive lookups seldom need the same block.

mod bc6h;
mod bc7;
mod color;
mod line;
mod partition;

use crate::format::Block;
use crate::number::{half_to_float, unorm8};
use crate::srgb;
use crate::texel::Texel;

/// The values of one texel of a block, which is counted along the rows; alpha is as given where the block has none.
#[must_use]
#[inline]
pub fn texel(block: Block, bytes: &[u8; 16], texel: u32, alpha: u32) -> Texel {
    let whole = u128::from_le_bytes(*bytes);
    let (low, high) = (whole as u64, (whole >> 64) as u64);
    match block {
        Block::Bc1 => color::bc1(low, texel).map(unorm8),
        Block::Bc2 => color::bc2(low, high, texel).map(unorm8),
        Block::Bc3 => color::bc3(low, high, texel).map(unorm8),
        Block::Bc4Unorm => [line::unorm(low, texel), 0, 0, alpha],
        Block::Bc4Snorm => [line::snorm(low, texel), 0, 0, alpha],
        Block::Bc5Unorm => [line::unorm(low, texel), line::unorm(high, texel), 0, alpha],
        Block::Bc5Snorm => [line::snorm(low, texel), line::snorm(high, texel), 0, alpha],
        Block::Bc6hUfloat => half(bc6h::texel(whole, texel, false), alpha),
        Block::Bc6hSfloat => half(bc6h::texel(whole, texel, true), alpha),
        Block::Bc7 => bc7::texel(whole, texel).map(unorm8),
        Block::Bc1Srgb => srgb::linear(color::bc1(low, texel)),
        Block::Bc2Srgb => srgb::linear(color::bc2(low, high, texel)),
        Block::Bc3Srgb => srgb::linear(color::bc3(low, high, texel)),
        Block::Bc7Srgb => srgb::linear(bc7::texel(whole, texel)),
    }
}

#[inline]
fn half([red, green, blue]: [u16; 3], alpha: u32) -> Texel {
    [half_to_float(red), half_to_float(green), half_to_float(blue), alpha]
}
