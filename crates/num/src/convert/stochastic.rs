//! Stochastic rounding, `.rs`: random bits given by the program decide which neighbour is taken.
//!
//! The random bits are added to the discarded bits of the mantissa, aligned at their upper end, and a carry rounds
//! away from zero. The manual shows in figures which random bits a number gets. This file follows its text. For four
//! numbers it follows published measurements on sm_100a: the numbers of a pair share 16 bits, and the first reads them in
//! reverse order. That was measured for `e4m3`, `e5m2` and `e2m1`. We assume that the 6-bit formats are like the 8-bit
//! ones, since the manual describes them together.

use super::float::{clamp_to_positive, encode};
use super::format::{F16, F32, Format};
use super::narrow::{container, narrow};
use super::round::{Direction, Overflow};

/// Two `f32` as `f16x2` or `bf16x2`; each half of `rbits` belongs to the number of the same half.
#[must_use]
pub fn stochastic_pair(a: u32, b: u32, rbits: u32, to: Format, relu: bool, satfinite: bool) -> u32 {
    let overflow = if satfinite { Overflow::Saturate } else { Overflow::Ieee };
    let one = |bits: u32, random: u16| {
        // An f16 drops 13 bits, and as many of the random ones are used.
        let random = if to == F16 { random << 3 } else { random };
        let result = encode(F32.decode(u64::from(bits)), to, Direction::Random(random), overflow);
        (if relu { clamp_to_positive(result, to) } else { result }) as u32
    };
    one(a, (rbits >> 16) as u16) << 16 | one(b, rbits as u16)
}

/// Four `f32` made narrow, the first in the uppermost place.
#[must_use]
pub fn stochastic_quad(numbers: [u32; 4], rbits: u32, to: Format, relu: bool) -> u32 {
    let [byte0, byte1, byte2, byte3] = rbits.to_le_bytes();
    let (upper, lower) = if container(to) == 4 {
        (u16::from_le_bytes([byte1, byte3]), u16::from_le_bytes([byte0, byte2]))
    } else {
        (u16::from_le_bytes([byte2, byte3]), u16::from_le_bytes([byte0, byte1]))
    };
    let random = [upper.reverse_bits(), upper, lower.reverse_bits(), lower];
    numbers.iter().zip(random).fold(0, |packed, (&number, random)| {
        let one = narrow(u64::from(number), F32, to, Direction::Random(random), relu);
        packed << container(to) | one as u32
    })
}
