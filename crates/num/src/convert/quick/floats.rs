//! Branch-free conversions between floats of different width.

use super::select::{select32, select64};

/// An `f32` as `f64`, its NaN with sign and payload.
#[inline(always)]
#[must_use]
pub fn f32_to_f64(bits: u32) -> u64 {
    let value = f32::from_bits(bits);
    let sign = (bits as u64 & 0x8000_0000) << 32;
    let nan = sign | 0x7ff8_0000_0000_0000 | (bits as u64 & 0x007f_ffff) << 29;
    select64(value.is_nan(), nan, f64::from(value).to_bits())
}

/// An `f64` as `f32`, to the nearest, its NaN with sign and the upper end of its payload.
#[inline(always)]
#[must_use]
pub fn f64_to_f32(bits: u64) -> u32 {
    let value = f64::from_bits(bits);
    let sign = (bits >> 32) as u32 & 0x8000_0000;
    let nan = sign | 0x7fc0_0000 | (bits >> 29) as u32 & 0x007f_ffff;
    select32(value.is_nan(), nan, (value as f32).to_bits())
}

/// An `f16` as `f32`.
#[inline(always)]
#[must_use]
pub fn f16_to_f32(bits: u16) -> u32 {
    // Shifted into place the exponent is 112 too small, which a multiplication mends, for subnormal numbers too.
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = (bits as u32 & 0x7fff) << 13;
    let sign = (bits as u32 & 0x8000) << 16;
    let number = (f32::from_bits(magnitude) * SCALE).to_bits();
    let infinity = 0x7c00 << 13;
    let number = select32(magnitude == infinity, 0x7f80_0000, number) | sign;
    select32(magnitude > infinity, 0x7fff_ffff, number)
}

/// The magnitude of an `f32` as that of a narrower format, to the nearest; too large for it where it overflows.
#[inline(always)]
fn narrow_magnitude<const MANTISSA: u32, const BIAS: u32>(magnitude: u32) -> u32 {
    let dropped = 23 - MANTISSA;
    // A normal result: the exponent is moved and the lower bits are rounded off; a carry goes into the exponent.
    let odd = (magnitude >> dropped) & 1;
    let almost_half = (1 << (dropped - 1)) - 1;
    let normal = magnitude.wrapping_sub((127 - BIAS) << 23).wrapping_add(almost_half + odd) >> dropped;
    // A subnormal one: beside this number, the last place of an f32 is worth that of the narrow format.
    let beside = (127 - BIAS + dropped + 1) << 23;
    let small = (f32::from_bits(magnitude) + f32::from_bits(beside)).to_bits().wrapping_sub(beside);
    select32(magnitude < (127 - BIAS + 1) << 23, small, normal)
}

/// An `f32` as `f16`, to the nearest.
#[inline(always)]
#[must_use]
pub fn f32_to_f16(bits: u32) -> u16 {
    let magnitude = bits & 0x7fff_ffff;
    let result = narrow_magnitude::<10, 15>(magnitude).min(0x7c00) | (bits >> 16) & 0x8000;
    select32(magnitude > 0x7f80_0000, 0x7fff, result) as u16
}

/// An `f32` as `e4m3`, to the nearest, the largest number where it overflows.
#[inline(always)]
#[must_use]
pub fn f32_to_e4m3(bits: u32) -> u8 {
    let magnitude = bits & 0x7fff_ffff;
    let result = narrow_magnitude::<3, 7>(magnitude).min(0x7e) | (bits >> 24) & 0x80;
    select32(magnitude > 0x7f80_0000, 0x7f, result) as u8
}

/// An `f32` as `e5m2`, to the nearest, the largest number where it overflows.
#[inline(always)]
#[must_use]
pub fn f32_to_e5m2(bits: u32) -> u8 {
    let magnitude = bits & 0x7fff_ffff;
    let result = narrow_magnitude::<2, 15>(magnitude).min(0x7b) | (bits >> 24) & 0x80;
    select32(magnitude > 0x7f80_0000, 0x7f, result) as u8
}

/// An `e4m3` as `f16`.
#[inline(always)]
#[must_use]
pub fn e4m3_to_f16(bits: u8) -> u16 {
    // As in `f16_to_f32`; the result has few bits, so it is cut off without loss.
    const SCALE: f32 = f32::from_bits((127 + 120) << 23);
    let magnitude = bits as u32 & 0x7f;
    let number = (f32::from_bits(magnitude << 20) * SCALE).to_bits();
    let moved = number.wrapping_sub((127 - 15) << 23) >> 13;
    let number = select32(magnitude == 0, 0, moved) | (bits as u32 & 0x80) << 8;
    select32(magnitude == 0x7f, 0x7fff, number) as u16
}

/// An `e5m2` as `f16`, of which it is the upper half.
#[inline(always)]
#[must_use]
pub const fn e5m2_to_f16(bits: u8) -> u16 {
    let nan = bits & 0x7f > 0x7c;
    select32(nan, 0x7fff, (bits as u32) << 8) as u16
}

/// An `f32` clamped to [0, 1]; zero for NaN.
#[inline(always)]
#[must_use]
pub const fn f32_saturate(bits: u32) -> u32 {
    const ONE: u32 = 0x3f80_0000;
    let clamped = select32(bits > ONE, ONE, bits);
    // With a sign the bits are larger than those of any NaN without.
    select32(bits > 0x7f80_0000, 0, clamped)
}

/// An `f32` as `bf16`, to the nearest.
#[inline(always)]
#[must_use]
pub const fn f32_to_bf16(bits: u32) -> u16 {
    let odd = (bits >> 16) & 1;
    let rounded = bits.wrapping_add(0x7fff + odd) >> 16;
    select32(bits & 0x7fff_ffff > 0x7f80_0000, 0x7fff, rounded) as u16
}

/// The zero of its sign for a subnormal `f32`: `.ftz`.
#[inline(always)]
#[must_use]
pub const fn flush_f32(bits: u32) -> u32 {
    select32(bits & 0x7f80_0000 == 0, bits & 0x8000_0000, bits)
}
