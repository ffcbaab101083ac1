//! Converts the formats of 4, 6 and 8 bits, which PTX has only in pairs: `e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2`.
//!
//! A pair's first number is in its upper half. A 6-bit number is in a byte below two zeros.

use super::float::{Modifiers, clamp_to_positive, encode, float_to_float};
use super::format::{F16, F32, Format};
use super::round::{Direction, Overflow};
use super::scale::scaled;
use crate::Rounding;

/// The bits that a number takes in a packed register.
pub(super) const fn container(format: Format) -> u32 {
    if format.width() <= 4 { 4 } else { 8 }
}

/// One number made narrow. `.satfinite` is always written here, so nothing overflows.
pub(super) fn narrow(bits: u64, from: Format, to: Format, direction: Direction, relu: bool) -> u64 {
    let result = encode(from.decode(bits), to, direction, Overflow::Saturate);
    if relu { clamp_to_positive(result, to) } else { result }
}

/// Two `f32` made narrow.
#[must_use]
pub fn pair_from_f32(a: u32, b: u32, to: Format, relu: bool) -> u16 {
    let one = |bits: u32| narrow(u64::from(bits), F32, to, Direction::By(Rounding::Rn), relu) as u16;
    one(a) << container(to) | one(b)
}

/// A packed `f16x2` or `bf16x2` made narrow; `from` is the format of one half.
#[must_use]
pub fn narrow_pair(pair: u32, from: Format, to: Format, relu: bool) -> u16 {
    let one = |bits: u32| narrow(u64::from(bits), from, to, Direction::By(Rounding::Rn), relu) as u16;
    one(pair >> 16) << container(to) | one(pair & 0xffff)
}

/// A packed pair of narrow numbers as `f16x2`; `f16` holds every one of them.
#[must_use]
pub fn widen_pair(pair: u16, from: Format, relu: bool) -> u32 {
    let modifiers = Modifiers { relu, ..Modifiers::default() };
    let one = |bits: u16| float_to_float(u64::from(bits), from, F16, Rounding::Rn, modifiers) as u32;
    one(pair >> container(from)) << 16 | one(pair)
}

/// A packed pair of narrow numbers as `bf16x2`, each times its scale (`ue8m0`).
#[must_use]
pub fn bf16x2_from_pair(pair: u16, from: Format, scales: u16, relu: bool, satfinite: bool) -> u32 {
    let one = |bits: u16, scale: u8| scaled(from.decode(u64::from(bits)), scale, relu, satfinite);
    let [upper, lower] = scales.to_be_bytes();
    one(pair >> container(from), upper) << 16 | one(pair, lower)
}
