//! BC6H: three channels of half floats in fourteen modes.
//!
//! A block holds the ends of one or two lines through the colour space. The first end is stored whole, the others in most
//! modes as differences from it. Their bits are scattered over the block, so each mode is a list of runs of bits.

use super::partition::{index_at, subset, weight};

/// A field of a block: a channel of one of four ends, which the format's definition calls w, x, y and z.
type Field = usize;
const RW: Field = 0;
const GW: Field = 1;
const BW: Field = 2;
const RX: Field = 3;
const GX: Field = 4;
const BX: Field = 5;
const RY: Field = 6;
const GY: Field = 7;
const BY: Field = 8;
const RZ: Field = 9;
const GZ: Field = 10;
const BZ: Field = 11;

struct Mode {
    /// Bits of each channel of the first end, and of all of them once the differences are undone.
    bits: u32,
    /// Bits of the channels of the others.
    delta_bits: [u32; 3],
    /// Whether the others are differences.
    deltas: bool,
    /// The field of each run of bits, how many there are, and which bit of the field the lowest is.
    runs: &'static [(Field, u32, u32)],
}

const fn mode(bits: u32, delta_bits: [u32; 3], deltas: bool, runs: &'static [(Field, u32, u32)]) -> Mode {
    Mode { bits, delta_bits, deltas, runs }
}

/// By the bits that begin a block: two, or five if the second is set. The last four have one subset.
#[rustfmt::skip]
const MODES: [Mode; 14] = [
    // 00
    mode(10, [5, 5, 5], true, &[
        (GY, 1, 4), (BY, 1, 4), (BZ, 1, 4), (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 5, 0), (GZ, 1, 4),
        (GY, 4, 0), (GX, 5, 0), (BZ, 1, 0), (GZ, 4, 0), (BX, 5, 0), (BZ, 1, 1), (BY, 4, 0), (RY, 5, 0), (BZ,
        1, 2), (RZ, 5, 0), (BZ, 1, 3),
    ]),
    // 01
    mode(7, [6, 6, 6], true, &[
        (GY, 1, 5), (GZ, 1, 4), (GZ, 1, 5), (RW, 7, 0), (BZ, 1, 0), (BZ, 1, 1), (BY, 1, 4), (GW, 7, 0), (BY,
        1, 5), (BZ, 1, 2), (GY, 1, 4), (BW, 7, 0), (BZ, 1, 3), (BZ, 1, 5), (BZ, 1, 4), (RX, 6, 0), (GY, 4,
        0), (GX, 6, 0), (GZ, 4, 0), (BX, 6, 0), (BY, 4, 0), (RY, 6, 0), (RZ, 6, 0),
    ]),
    // 00010
    mode(11, [5, 4, 4], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 5, 0), (RW, 1, 10), (GY, 4, 0), (GX, 4, 0), (GW, 1, 10),
        (BZ, 1, 0), (GZ, 4, 0), (BX, 4, 0), (BW, 1, 10), (BZ, 1, 1), (BY, 4, 0), (RY, 5, 0), (BZ, 1, 2),
        (RZ, 5, 0), (BZ, 1, 3),
    ]),
    // 00110
    mode(11, [4, 5, 4], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 4, 0), (RW, 1, 10), (GZ, 1, 4), (GY, 4, 0), (GX, 5, 0),
        (GW, 1, 10), (GZ, 4, 0), (BX, 4, 0), (BW, 1, 10), (BZ, 1, 1), (BY, 4, 0), (RY, 4, 0), (BZ, 1, 0),
        (BZ, 1, 2), (RZ, 4, 0), (GY, 1, 4), (BZ, 1, 3),
    ]),
    // 01010
    mode(11, [4, 4, 5], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 4, 0), (RW, 1, 10), (BY, 1, 4), (GY, 4, 0), (GX, 4, 0),
        (GW, 1, 10), (BZ, 1, 0), (GZ, 4, 0), (BX, 5, 0), (BW, 1, 10), (BY, 4, 0), (RY, 4, 0), (BZ, 1, 1),
        (BZ, 1, 2), (RZ, 4, 0), (BZ, 1, 4), (BZ, 1, 3),
    ]),
    // 01110
    mode(9, [5, 5, 5], true, &[
        (RW, 9, 0), (BY, 1, 4), (GW, 9, 0), (GY, 1, 4), (BW, 9, 0), (BZ, 1, 4), (RX, 5, 0), (GZ, 1, 4), (GY,
        4, 0), (GX, 5, 0), (BZ, 1, 0), (GZ, 4, 0), (BX, 5, 0), (BZ, 1, 1), (BY, 4, 0), (RY, 5, 0), (BZ, 1,
        2), (RZ, 5, 0), (BZ, 1, 3),
    ]),
    // 10010
    mode(8, [6, 5, 5], true, &[
        (RW, 8, 0), (GZ, 1, 4), (BY, 1, 4), (GW, 8, 0), (BZ, 1, 2), (GY, 1, 4), (BW, 8, 0), (BZ, 1, 3), (BZ,
        1, 4), (RX, 6, 0), (GY, 4, 0), (GX, 5, 0), (BZ, 1, 0), (GZ, 4, 0), (BX, 5, 0), (BZ, 1, 1), (BY, 4,
        0), (RY, 6, 0), (RZ, 6, 0),
    ]),
    // 10110
    mode(8, [5, 6, 5], true, &[
        (RW, 8, 0), (BZ, 1, 0), (BY, 1, 4), (GW, 8, 0), (GY, 1, 5), (GY, 1, 4), (BW, 8, 0), (GZ, 1, 5), (BZ,
        1, 4), (RX, 5, 0), (GZ, 1, 4), (GY, 4, 0), (GX, 6, 0), (GZ, 4, 0), (BX, 5, 0), (BZ, 1, 1), (BY, 4,
        0), (RY, 5, 0), (BZ, 1, 2), (RZ, 5, 0), (BZ, 1, 3),
    ]),
    // 11010
    mode(8, [5, 5, 6], true, &[
        (RW, 8, 0), (BZ, 1, 1), (BY, 1, 4), (GW, 8, 0), (BY, 1, 5), (GY, 1, 4), (BW, 8, 0), (BZ, 1, 5), (BZ,
        1, 4), (RX, 5, 0), (GZ, 1, 4), (GY, 4, 0), (GX, 5, 0), (BZ, 1, 0), (GZ, 4, 0), (BX, 6, 0), (BY, 4,
        0), (RY, 5, 0), (BZ, 1, 2), (RZ, 5, 0), (BZ, 1, 3),
    ]),
    // 11110
    mode(6, [6, 6, 6], false, &[
        (RW, 6, 0), (GZ, 1, 4), (BZ, 1, 0), (BZ, 1, 1), (BY, 1, 4), (GW, 6, 0), (GY, 1, 5), (BY, 1, 5), (BZ,
        1, 2), (GY, 1, 4), (BW, 6, 0), (GZ, 1, 5), (BZ, 1, 3), (BZ, 1, 5), (BZ, 1, 4), (RX, 6, 0), (GY, 4,
        0), (GX, 6, 0), (GZ, 4, 0), (BX, 6, 0), (BY, 4, 0), (RY, 6, 0), (RZ, 6, 0),
    ]),
    // 00011
    mode(10, [10, 10, 10], false, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 10, 0), (GX, 10, 0), (BX, 10, 0),
    ]),
    // 00111
    mode(11, [9, 9, 9], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 9, 0), (RW, 1, 10), (GX, 9, 0), (GW, 1, 10), (BX, 9, 0),
        (BW, 1, 10),
    ]),
    // 01011
    mode(12, [8, 8, 8], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 8, 0), (RW, 1, 11), (RW, 1, 10), (GX, 8, 0), (GW, 1,
        11), (GW, 1, 10), (BX, 8, 0), (BW, 1, 11), (BW, 1, 10),
    ]),
    // 01111
    mode(16, [4, 4, 4], true, &[
        (RW, 10, 0), (GW, 10, 0), (BW, 10, 0), (RX, 4, 0), (RW, 1, 15), (RW, 1, 14), (RW, 1, 13), (RW, 1,
        12), (RW, 1, 11), (RW, 1, 10), (GX, 4, 0), (GW, 1, 15), (GW, 1, 14), (GW, 1, 13), (GW, 1, 12), (GW,
        1, 11), (GW, 1, 10), (BX, 4, 0), (BW, 1, 15), (BW, 1, 14), (BW, 1, 13), (BW, 1, 12), (BW, 1, 11),
        (BW, 1, 10),
    ]),
];

/// One texel of a block as three half floats: its number counts along the rows. The reserved modes are black.
#[inline]
pub fn texel(block: u128, texel: u32, signed: bool) -> [u16; 3] {
    let (number, mut at) = match (block as usize & 3, block as usize >> 2 & 7) {
        (low @ 0..=1, _) => (low, 2),
        (2, high) => (2 + high, 5),
        (_, high) => (10 + high, 5),
    };
    let Some(mode) = MODES.get(number) else { return [0; 3] };
    let bits = |at: u32, count: u32| (block >> at) as u32 & ((1 << count) - 1);
    let mut fields = [0u32; 12];
    for &(field, count, lowest) in mode.runs {
        fields[field] |= bits(at, count) << lowest;
        at += count;
    }
    let (subsets, partition, index_bits) = if number < 10 { (2, bits(at, 5), 3) } else { (1, 0, 4) };
    let indices = if subsets == 2 { at + 5 } else { at };
    let partition = partition as usize;
    let (place, count) = index_at(subsets, partition, texel, index_bits);
    let weight = weight(index_bits, bits(indices + place, count) as usize) as i32;

    let first = 2 * subset(subsets, partition, texel);
    [0, 1, 2].map(|channel| {
        let base = if signed { extended(fields[channel], mode.bits) } else { fields[channel] as i32 };
        let end = |number: usize| {
            if number == 0 {
                return unquantized(base, mode.bits, signed);
            }
            let stored = fields[3 * number + channel];
            let value = if mode.deltas {
                let sum = base + extended(stored, mode.delta_bits[channel]);
                let sum = sum as u32 & ((1 << mode.bits) - 1);
                if signed { extended(sum, mode.bits) } else { sum as i32 }
            } else if signed {
                extended(stored, mode.bits)
            } else {
                stored as i32
            };
            unquantized(value, mode.bits, signed)
        };
        let between = (end(first) * (64 - weight) + end(first + 1) * weight + 32) >> 6;
        if signed {
            // The magnitude is scaled by 31/32, so that the largest becomes the largest finite half.
            let magnitude = ((between.unsigned_abs() * 31) >> 5) as u16;
            // There is no negative zero.
            if between < 0 && magnitude > 0 { magnitude | 0x8000 } else { magnitude }
        } else {
            ((between as u32 * 31) >> 6) as u16
        }
    })
}

/// A number of some bits with its sign.
#[inline]
fn extended(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

/// An end of some bits, widened to 16, or to 15 and a sign.
#[inline]
fn unquantized(value: i32, bits: u32, signed: bool) -> i32 {
    if signed {
        let magnitude = value.unsigned_abs() as i32;
        let wide = match magnitude {
            _ if bits >= 16 => return value,
            0 => 0,
            _ if magnitude >= (1 << (bits - 1)) - 1 => 0x7fff,
            _ => ((magnitude << 15) + 0x4000) >> (bits - 1),
        };
        if value < 0 { -wide } else { wide }
    } else {
        match value {
            _ if bits >= 15 => value,
            0 => 0,
            _ if value == (1 << bits) - 1 => 0xffff,
            _ => ((value << 16) + 0x8000) >> bits,
        }
    }
}
