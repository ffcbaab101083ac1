//! `s2f6`: fixed point, a signed byte that counts in 64ths, with a scale for each number of a pair.
//!
//! A scale is a power of two (`ue8m0`), so dividing and multiplying by it is exact: there is one rounding. A scale of NaN
//! makes its number NaN. Without scales both are 1. The manual gives `-2.0` as the largest negative number, so negative
//! numbers are clamped there.

use super::float::bf16_to_f32;
use super::format::{F32, Finite, Number};
use super::integer::S8;
use super::scale::{self, exponent};
use crate::Rounding;

/// Bits below the binary point.
const FRACTION_BITS: i32 = 6;

/// An `f32` divided by its scale, in 64ths. NaN gives the largest number.
fn s2f6_from_f32(bits: u32, scale: u8, relu: bool) -> u8 {
    let (negative, magnitude) = match F32.decode(u64::from(bits)) {
        _ if scale == scale::NAN => (false, u64::MAX),
        Number::Nan => (false, u64::MAX),
        Number::Infinity { negative } => (negative, u64::MAX),
        Number::Finite(number) => {
            let scaled = number.exponent - exponent(scale) + FRACTION_BITS;
            (number.negative, Finite { exponent: scaled, ..number }.round_to_integer(Rounding::Rn))
        }
    };
    if relu && negative { 0 } else { S8.clamp(negative, magnitude) as u8 }
}

/// Two `f32` in fixed point.
#[must_use]
pub fn s2f6x2_from_f32(a: u32, b: u32, scales: u16, relu: bool) -> u16 {
    let [upper, lower] = scales.to_be_bytes();
    u16::from_be_bytes([s2f6_from_f32(a, upper, relu), s2f6_from_f32(b, lower, relu)])
}

/// A `bf16x2` in fixed point.
#[must_use]
pub fn s2f6x2_from_bf16x2(pair: u32, scales: u16, relu: bool) -> u16 {
    s2f6x2_from_f32(bf16_to_f32((pair >> 16) as u16), bf16_to_f32(pair as u16), scales, relu)
}

/// Two numbers in fixed point as `bf16x2`, each times its scale.
#[must_use]
pub fn bf16x2_from_s2f6x2(pair: u16, scales: u16, relu: bool, satfinite: bool) -> u32 {
    let one = |bits: u8, scale: u8| {
        let (negative, significand) = S8.read(u64::from(bits));
        let number = Finite { negative, significand, exponent: -FRACTION_BITS };
        scale::scaled(Number::Finite(number), scale, relu, satfinite)
    };
    let ([upper, lower], [upper_scale, lower_scale]) = (pair.to_be_bytes(), scales.to_be_bytes());
    one(upper, upper_scale) << 16 | one(lower, lower_scale)
}
