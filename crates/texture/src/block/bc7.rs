//! BC7: four channels of 8 bits in eight modes, which divide 128 bits between partitions, ends and indices.

use super::partition::{index_at, subset, weight};

/// How a mode shares out its bits.
struct Mode {
    subsets: u32,
    partition_bits: u32,
    /// Whether two bits name a channel that is swapped with alpha.
    rotates: bool,
    /// Whether a bit says that colour and alpha swap their indices.
    selects: bool,
    color_bits: u32,
    alpha_bits: u32,
    /// Whether each end has a lowest bit of its own for all channels; in the one mode that differs, each subset has.
    low_bits: Low,
    index_bits: u32,
    /// Bits of the second index, which alpha has in two modes.
    second_bits: u32,
}

#[derive(PartialEq)]
enum Low {
    None,
    Each,
    Shared,
}

const fn mode(
    subsets: u32,
    partition_bits: u32,
    ends: [u32; 2],
    low_bits: Low,
    index: [u32; 2],
    turns: [bool; 2],
) -> Mode {
    Mode {
        subsets,
        partition_bits,
        rotates: turns[0],
        selects: turns[1],
        color_bits: ends[0],
        alpha_bits: ends[1],
        low_bits,
        index_bits: index[0],
        second_bits: index[1],
    }
}

const MODES: [Mode; 8] = [
    mode(3, 4, [4, 0], Low::Each, [3, 0], [false, false]),
    mode(2, 6, [6, 0], Low::Shared, [3, 0], [false, false]),
    mode(3, 6, [5, 0], Low::None, [2, 0], [false, false]),
    mode(2, 6, [7, 0], Low::Each, [2, 0], [false, false]),
    mode(1, 0, [5, 6], Low::None, [2, 3], [true, true]),
    mode(1, 0, [7, 8], Low::None, [2, 2], [true, false]),
    mode(1, 0, [7, 7], Low::Each, [4, 0], [false, false]),
    mode(2, 6, [5, 5], Low::Each, [2, 0], [false, false]),
];

/// One texel of a block: its number counts along the rows. The reserved mode is transparent black.
#[inline]
pub fn texel(block: u128, texel: u32) -> [u8; 4] {
    let number = block.trailing_zeros();
    let Some(mode) = MODES.get(number as usize) else { return [0; 4] };
    let bits = |at: u32, count: u32| (block >> at) as u32 & ((1 << count) - 1);
    let mut at = number + 1;
    let mut take = |count: u32| {
        let taken = bits(at, count);
        at += count;
        taken
    };
    let partition = take(mode.partition_bits) as usize;
    let rotation = if mode.rotates { take(2) } else { 0 };
    let selected = mode.selects && take(1) == 1;
    let subset = subset(mode.subsets, partition, texel) as u32;

    let ends = 2 * mode.subsets;
    let colors = at;
    let alphas = colors + 3 * ends * mode.color_bits;
    let lows = alphas + ends * mode.alpha_bits;
    let low_count = match mode.low_bits {
        Low::None => 0,
        Low::Each => ends,
        Low::Shared => mode.subsets,
    };
    let indices = lows + low_count;
    let end = |which: u32, channel: u32| {
        let number = 2 * subset + which;
        let (from, count) = match (channel, mode.alpha_bits) {
            (3, 0) => return 255,
            (3, count) => (alphas, count),
            (_, _) => (colors + channel * ends * mode.color_bits, mode.color_bits),
        };
        let high = bits(from + number * count, count);
        let (value, count) = match mode.low_bits {
            Low::None => (high, count),
            Low::Each => (high << 1 | bits(lows + number, 1), count + 1),
            Low::Shared => (high << 1 | bits(lows + subset, 1), count + 1),
        };
        // The highest bits are repeated below the lowest.
        let value = value << (8 - count);
        value | value >> count
    };

    let (place, count) = index_at(mode.subsets, partition, texel, mode.index_bits);
    let first = weight(mode.index_bits, bits(indices + place, count) as usize);
    let second = if mode.second_bits == 0 {
        first
    } else {
        let all = 16 * mode.index_bits - 1;
        let (place, count) = index_at(1, 0, texel, mode.second_bits);
        weight(mode.second_bits, bits(indices + all + place, count) as usize)
    };
    let (color, alpha) = if selected { (second, first) } else { (first, second) };
    let mut out = [0, 1, 2, 3].map(|channel| {
        let weight = if channel == 3 { alpha } else { color };
        ((end(0, channel) * (64 - weight) + end(1, channel) * weight + 32) >> 6) as u8
    });
    if rotation > 0 {
        out.swap(3, rotation as usize - 1);
    }
    out
}
