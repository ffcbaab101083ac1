//! Branch-free conversions between integers and floats, and floats rounded to whole numbers.

use super::select::{select32, select64};
use crate::Rounding;

macro_rules! integral {
    ($value:expr, $rounding:expr) => {
        match $rounding {
            Rounding::Rn => $value.round_ties_even(),
            Rounding::Rna => $value.round(),
            Rounding::Rz => $value.trunc(),
            Rounding::Rm => $value.floor(),
            Rounding::Rp => $value.ceil(),
        }
    };
}

/// The float with its fraction rounded, or as it is where the fraction is to be cut off later.
macro_rules! rounded {
    ($value:expr, $rounding:expr) => {
        if matches!($rounding, Rounding::Rz) { $value } else { integral!($value, $rounding) }
    };
}

macro_rules! magnitude {
    ($($name:ident $bits:ident $mantissa:literal $bias:literal;)*) => {$(
        /// The integer part of a float's magnitude, where it fits.
        ///
        /// A cast does the same and clamps too, but casts of vectors become loops over their elements.
        #[inline(always)]
        const fn $name(bits: $bits) -> $bits {
            const LAST: $bits = $bits::BITS as $bits - 1;
            let field = (bits >> $mantissa) & (2 * $bias + 1);
            let significand = (bits & ((1 << $mantissa) - 1)) | 1 << $mantissa;
            // At most one of these is not zero.
            let right = ($bias + $mantissa as $bits).saturating_sub(field);
            let left = field.saturating_sub($bias + $mantissa);
            let right = if right < LAST { right } else { LAST };
            let left = if left < LAST { left } else { LAST };
            (significand >> right) << left
        }
    )*};
}

magnitude! {
    f32_magnitude u32 23 127;
    f64_magnitude u64 52 1023;
}

/// An `f32` cut off to a signed integer.
#[inline(always)]
const fn f32_cut_to_s32(bits: u32) -> u32 {
    let (magnitude, sign) = (bits & 0x7fff_ffff, bits >> 31);
    let large = magnitude >= (127 + 31) << 23;
    let value = select32(
        large,
        i32::MAX as u32 + sign,
        (f32_magnitude(bits) ^ sign.wrapping_neg()).wrapping_add(sign),
    );
    select32(magnitude > 0x7f80_0000, 0, value)
}

/// An `f32` cut off to an unsigned integer.
#[inline(always)]
const fn f32_cut_to_u32(bits: u32) -> u32 {
    let large = bits >= (127 + 32) << 23;
    let value = select32(large, u32::MAX, f32_magnitude(bits));
    // With a sign the bits are larger than those of any NaN without.
    select32(bits > 0x7f80_0000, 0, value)
}

/// An `f64` cut off to a signed integer; the smallest for NaN.
#[inline(always)]
const fn f64_cut_to_s64(bits: u64) -> u64 {
    let (magnitude, sign) = (bits & (u64::MAX >> 1), bits >> 63);
    let large = magnitude >= (1023 + 63) << 52;
    let value = select64(
        large,
        i64::MAX as u64 + sign,
        (f64_magnitude(bits) ^ sign.wrapping_neg()).wrapping_add(sign),
    );
    select64(magnitude > 0x7ff << 52, 1 << 63, value)
}

/// An `f64` cut off to an unsigned integer; the middle of the range for NaN.
#[inline(always)]
const fn f64_cut_to_u64(bits: u64) -> u64 {
    let large = bits >= (1023 + 64) << 52;
    let value = select64(large, u64::MAX, f64_magnitude(bits));
    let value = select64(bits >> 63 == 1, 0, value);
    select64(bits & (u64::MAX >> 1) > 0x7ff << 52, 1 << 63, value)
}

/// A whole `f64` clamped to a range of 32-bit integers, as bits.
#[inline(always)]
fn f64_clamp_to_32(whole: f64, low: f64, high: f64) -> u32 {
    // Beside this number the last place of an f64 is worth 1, and the bits below it are the integer's.
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    let clamped = if whole > low { whole } else { low };
    let clamped = if clamped < high { clamped } else { high };
    select32(whole.is_nan(), 1 << 31, (clamped + MAGIC).to_bits() as u32)
}

/// An `f32` rounded to a signed integer and clamped; zero for NaN.
#[inline(always)]
#[must_use]
pub fn f32_to_s32(bits: u32, rounding: Rounding) -> u32 {
    f32_cut_to_s32(rounded!(f32::from_bits(bits), rounding).to_bits())
}

/// An `f32` rounded to an unsigned integer and clamped; zero for NaN.
#[inline(always)]
#[must_use]
pub fn f32_to_u32(bits: u32, rounding: Rounding) -> u32 {
    f32_cut_to_u32(rounded!(f32::from_bits(bits), rounding).to_bits())
}

/// An `f32` rounded to a signed integer and clamped; the smallest for NaN.
#[inline(always)]
#[must_use]
pub fn f32_to_s64(bits: u32, rounding: Rounding) -> u64 {
    f64_to_s64(f64::from(f32::from_bits(bits)).to_bits(), rounding)
}

/// An `f32` rounded to an unsigned integer and clamped; the middle of the range for NaN.
#[inline(always)]
#[must_use]
pub fn f32_to_u64(bits: u32, rounding: Rounding) -> u64 {
    f64_to_u64(f64::from(f32::from_bits(bits)).to_bits(), rounding)
}

/// An `f64` rounded to a signed integer and clamped; the smallest for NaN.
#[inline(always)]
#[must_use]
pub fn f64_to_s32(bits: u64, rounding: Rounding) -> u32 {
    f64_clamp_to_32(integral!(f64::from_bits(bits), rounding), i32::MIN.into(), i32::MAX.into())
}

/// An `f64` rounded to an unsigned integer and clamped; the middle of the range for NaN.
#[inline(always)]
#[must_use]
pub fn f64_to_u32(bits: u64, rounding: Rounding) -> u32 {
    f64_clamp_to_32(integral!(f64::from_bits(bits), rounding), 0.0, u32::MAX.into())
}

/// An `f64` rounded to a signed integer and clamped; the smallest for NaN.
#[inline(always)]
#[must_use]
pub fn f64_to_s64(bits: u64, rounding: Rounding) -> u64 {
    f64_cut_to_s64(rounded!(f64::from_bits(bits), rounding).to_bits())
}

/// An `f64` rounded to an unsigned integer and clamped; the middle of the range for NaN.
#[inline(always)]
#[must_use]
pub fn f64_to_u64(bits: u64, rounding: Rounding) -> u64 {
    f64_cut_to_u64(rounded!(f64::from_bits(bits), rounding).to_bits())
}

/// `.rni .rzi .rmi .rpi` on an `f32`.
#[inline(always)]
#[must_use]
pub fn f32_integral(bits: u32, rounding: Rounding) -> u32 {
    let value = f32::from_bits(bits);
    select32(value.is_nan(), 0x7fff_ffff, integral!(value, rounding).to_bits())
}

/// `.rni .rzi .rmi .rpi` on an `f64`; a NaN is made quiet.
#[inline(always)]
#[must_use]
pub fn f64_integral(bits: u64, rounding: Rounding) -> u64 {
    let value = f64::from_bits(bits);
    select64(value.is_nan(), bits | 1 << 51, integral!(value, rounding).to_bits())
}

macro_rules! integer_to_float {
    ($($name:ident $bits:ident $integer:ident $float:ident $result:ident;)*) => {$(
        /// The integer as this float, to the nearest.
        #[inline(always)]
        #[must_use]
        pub const fn $name(bits: $bits) -> $result {
            (bits as $integer as $float).to_bits()
        }
    )*};
}

integer_to_float! {
    s32_to_f32 u32 i32 f32 u32;
    u32_to_f32 u32 u32 f32 u32;
    s64_to_f32 u64 i64 f32 u32;
    u64_to_f32 u64 u64 f32 u32;
    s32_to_f64 u32 i32 f64 u64;
    u32_to_f64 u32 u32 f64 u64;
    s64_to_f64 u64 i64 f64 u64;
    u64_to_f64 u64 u64 f64 u64;
}
