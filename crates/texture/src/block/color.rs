//! The colours of BC1, BC2 and BC3: two of 16 bits, and two between them.

use super::line;

/// A texel of BC1.
#[inline]
pub fn bc1(block: u64, texel: u32) -> [u8; 4] {
    let [first, second] = [block as u16, (block >> 16) as u16];
    color(block, texel, first > second)
}

/// A texel of BC2, whose first half holds four bits of alpha for each texel.
#[inline]
pub fn bc2(alpha: u64, block: u64, texel: u32) -> [u8; 4] {
    let [red, green, blue, _] = color(block, texel, true);
    [red, green, blue, (alpha >> (4 * texel) & 15) as u8 * 17]
}

/// A texel of BC3, whose first half holds alpha.
#[inline]
pub fn bc3(alpha: u64, block: u64, texel: u32) -> [u8; 4] {
    let [red, green, blue, _] = color(block, texel, true);
    [red, green, blue, line::byte(alpha, texel)]
}

/// The colour of a texel, with four colours on the line or with three and transparent black.
#[inline]
fn color(block: u64, texel: u32, four: bool) -> [u8; 4] {
    let [first, second] = [block as u32 & 0xffff, (block >> 16) as u32 & 0xffff];
    let index = block >> (32 + 2 * texel) & 3;
    let widen = |color: u32| {
        let [red, green, blue] = [color >> 11, color >> 5 & 63, color & 31];
        [red << 3 | red >> 2, green << 2 | green >> 4, blue << 3 | blue >> 2]
    };
    let [a, b] = [widen(first), widen(second)];
    let [red, green, blue] = match (index, four) {
        (0, _) => a,
        (1, _) => b,
        (2, true) => [0, 1, 2].map(|channel| (2 * a[channel] + b[channel]) / 3),
        (_, true) => [0, 1, 2].map(|channel| (a[channel] + 2 * b[channel]) / 3),
        (2, false) => [0, 1, 2].map(|channel| (a[channel] + b[channel]) / 2),
        (_, false) => return [0; 4],
    };
    [red as u8, green as u8, blue as u8, 255]
}
