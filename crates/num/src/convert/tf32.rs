//! Converts to tf32: an f32 whose lower 13 mantissa bits are zero.

use super::float::{Modifiers, float_to_float};
use super::format::{F32, TF32};
use crate::Rounding;

const UNUSED_BITS: u32 = F32.mantissa_bits() - TF32.mantissa_bits();

/// `.rn` and `.rz`, which the silicon does like any other narrowing.
#[must_use]
pub fn tf32_from_f32(bits: u32, rounding: Rounding, modifiers: Modifiers) -> u32 {
    let result = float_to_float(u64::from(bits), F32, TF32, rounding, modifiers);
    (result as u32) << UNUSED_BITS
}

/// `.rna`, which is an addition to the bits of a finite number before they are cut off.
///
/// The payload of a NaN is cut off without it: it may become infinity, and with `.satfinite`, which only takes one
/// step back from what is not finite, the largest number.
#[inline(always)]
#[must_use]
pub const fn tf32_rna_from_f32(bits: u32, satfinite: bool) -> u32 {
    const UNIT: u32 = 1 << UNUSED_BITS;
    let finite = bits & 0x7fff_ffff < 0x7f80_0000;
    let rounded = if finite { bits + UNIT / 2 } else { bits } & !(UNIT - 1);
    let beyond = rounded & 0x7fff_ffff >= 0x7f80_0000;
    if satfinite && beyond { rounded.wrapping_sub(UNIT) } else { rounded }
}
