//! `ue8m0`: a power of two, which is how block-scaled formats store their scales.
//!
//! The byte is the exponent field of an `f32`, except that 0 is 2^-127 and 255 is NaN. There is no sign: the
//! absolute value is converted.

use super::float::{bf16_to_f32, clamp_to_positive, encode};
use super::format::{BF16, Finite, Number};
use super::round::{Direction, Overflow};
use crate::Rounding;

/// The byte of NaN.
pub(super) const NAN: u8 = 0xff;

/// The exponent of the number 1.
pub(super) const ONE: u8 = 0x7f;

/// The exponent of a scale.
pub(super) fn exponent(scale: u8) -> i32 {
    i32::from(scale) - i32::from(ONE)
}

/// A number times its scale, as `bf16`.
///
/// The manual converts first and multiplies then; `bf16` holds every narrow number, and a power of two changes the
/// exponent alone, so that there is one rounding, where the product is too small for a normal number. A product that is
/// too large is infinity, or the largest number with `.satfinite`, which infinity itself becomes too. A scale of NaN
/// makes its number NaN.
pub(super) fn scaled(number: Number, scale: u8, relu: bool, satfinite: bool) -> u32 {
    let overflow = if satfinite { Overflow::Saturate } else { Overflow::Ieee };
    let product = match number {
        _ if scale == NAN => Number::Nan,
        Number::Finite(number) => {
            Number::Finite(Finite { exponent: number.exponent + exponent(scale), ..number })
        }
        other => other,
    };
    let result = encode(product, BF16, Direction::By(Rounding::Rn), overflow);
    (if relu { clamp_to_positive(result, BF16) } else { result }) as u32
}

/// The power of two below an `f32` (`.rz`), or the one above it (`.rp`).
///
/// What lies below 2^-127, zero too, gives 2^-127. What lies above 2^127 after rounding gives NaN, or 2^127 with
/// `.satfinite`.
#[must_use]
pub fn ue8m0_from(bits: u32, rounding: Rounding, satfinite: bool) -> u8 {
    const INFINITY: u32 = 0x7f80_0000;
    const SMALLEST: u32 = 0x0040_0000;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > INFINITY {
        return NAN;
    }
    let between = magnitude > SMALLEST && magnitude & 0x007f_ffff != 0;
    let up = rounding == Rounding::Rp && between;
    let exponent = (magnitude >> 23) as u8 + u8::from(up);
    if satfinite { exponent.min(NAN - 1) } else { exponent }
}

/// Two `f32` as powers of two.
#[must_use]
pub fn ue8m0x2_from_f32(a: u32, b: u32, rounding: Rounding, satfinite: bool) -> u16 {
    u16::from_be_bytes([ue8m0_from(a, rounding, satfinite), ue8m0_from(b, rounding, satfinite)])
}

/// A `bf16x2` as powers of two.
#[must_use]
pub fn ue8m0x2_from_bf16x2(pair: u32, rounding: Rounding, satfinite: bool) -> u16 {
    let (upper, lower) = (bf16_to_f32((pair >> 16) as u16), bf16_to_f32(pair as u16));
    ue8m0x2_from_f32(upper, lower, rounding, satfinite)
}

/// Two powers of two as `bf16x2`, which holds them all.
#[must_use]
pub fn bf16x2_from_ue8m0x2(pair: u16) -> u32 {
    let one = |exponent: u8| match exponent {
        0 => 0x0040,
        NAN => 0x7fff,
        _ => u32::from(exponent) << 7,
    };
    let [upper, lower] = pair.to_be_bytes();
    one(upper) << 16 | one(lower)
}
