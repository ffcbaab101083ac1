//! The colours of BC1, BC2 and BC3: two of 16 bits, and two between them.
//!
//! The formats leave the rounding of the colours between to the device. An H200 computes red and blue from their five
//! bits, with 22/8 for 255/31/3, and green from eight bits.

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
    let [first, second] = [block as i32 & 0xffff, (block >> 16) as i32 & 0xffff];
    let index = block >> (32 + 2 * texel) & 3;
    // The weights of the first colour: of red and blue in 22nds or 33rds of 8, of green in 256ths.
    let (whole, weights, green_weight) = match (index, four) {
        (0, _) => (true, [1, 0, 0], 256),
        (1, _) => (true, [0, 1, 0], 0),
        (2, true) => (false, [2, 1, 22], 80),
        (_, true) => (false, [1, 2, 22], 80),
        (2, false) => (false, [1, 1, 33], 128),
        (_, false) => return [0; 4],
    };
    let narrow = |at: i32| {
        let [a, b] = [first >> at & 31, second >> at & 31];
        let sum = a * weights[0] + b * weights[1];
        if whole { (sum << 3 | sum >> 2) as u8 } else { ((sum * weights[2]) >> 3) as u8 }
    };
    let [a, b] = [first, second].map(|color| {
        let six = color >> 5 & 63;
        six << 2 | six >> 4
    });
    let green = match index {
        0 => a,
        1 => b,
        2 => between(a, b, green_weight),
        _ => between(b, a, green_weight),
    };
    [narrow(11), green as u8, narrow(0), 255]
}

/// What lies some 256ths of the way from one byte to another, and a 1024th of it more.
#[inline]
fn between(from: i32, to: i32, weight: i32) -> i32 {
    let way = to - from;
    (256 * from + way * weight + (way >> 2) + 128) >> 8
}
