//! Half precision, `.f16`: five bits of exponent, ten of fraction.

use super::{Finish, NAN, odd};

const SIGN: u16 = 0x8000;
const INFINITY: u16 = 0x7c00;
const ONE: u16 = 0x3c00;

/// Whether the bits are a NaN.
#[inline(always)]
#[must_use]
pub fn is_nan(a: u16) -> bool {
    a & !SIGN > INFINITY
}

/// `.ftz` for one value: a subnormal number becomes the zero of its sign.
#[inline(always)]
#[must_use]
pub fn flush(a: u16, ftz: bool) -> u16 {
    if ftz && a & INFINITY == 0 { a & SIGN } else { a }
}

/// The same number in single precision, which holds all of them; NaN stays some NaN.
#[inline(always)]
#[must_use]
pub fn to_f32(a: u16) -> f32 {
    let a = u32::from(a);
    let magnitude = (a & 0x7fff) << 13;
    // A subnormal number becomes the fraction of 2^-14, which is then taken away: no step meets a subnormal of the
    // host, which would be slow.
    let subnormal = (f32::from_bits(magnitude + (113 << 23)) - f32::from_bits(113 << 23)).to_bits();
    let normal = magnitude + (112 << 23);
    let special = magnitude + (224 << 23);
    let finite = if magnitude < 1 << 23 { subnormal } else { normal };
    let widened = if magnitude < 31 << 23 { finite } else { special };
    f32::from_bits(widened | (a & 0x8000) << 16)
}

/// The nearest number in half precision, ties to even; NaN becomes [`NAN`].
#[inline(always)]
#[must_use]
pub fn from_f32(a: f32) -> u16 {
    let bits = a.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    // The last bit of 0.5 in single precision weighs what the last bit of a subnormal half does, so the host's own
    // addition rounds there.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let rounded =
        magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff).wrapping_add(magnitude >> 13 & 1) >> 13;
    let finite = if magnitude < 113 << 23 { subnormal } else { rounded.min(INFINITY.into()) };
    let narrow = if magnitude > 255 << 23 { NAN.into() } else { finite | bits >> 16 & 0x8000 };
    narrow as u16
}

/// Below this a result is flushed: numbers from here to 2^-14 would be rounded to 2^-14 if the exponent were wider.
const LEAST: f32 = f32::from_bits(0x387f_f000);

/// Rounds a result, then does what the modifiers want.
#[inline(always)]
fn finish(result: f32, Finish { ftz, sat, relu, oob: _ }: Finish) -> u16 {
    let a = from_f32(result);
    let a = if ftz && result.abs() < LEAST { a & SIGN } else { a };
    // All that is negative or NaN lies above plus infinity when the bits are read as an integer.
    let a = if sat && a > INFINITY { 0 } else { a };
    let a = if sat { a.min(ONE) } else { a };
    if relu && a & SIGN != 0 { 0 } else { a }
}

/// `add.f16`
#[inline(always)]
#[must_use]
pub fn add(a: u16, b: u16, then: Finish) -> u16 {
    finish(to_f32(flush(a, then.ftz)) + to_f32(flush(b, then.ftz)), then)
}

/// `sub.f16`
#[inline(always)]
#[must_use]
pub fn sub(a: u16, b: u16, then: Finish) -> u16 {
    add(a, b ^ SIGN, then)
}

/// `mul.f16`
#[inline(always)]
#[must_use]
pub fn mul(a: u16, b: u16, then: Finish) -> u16 {
    finish(to_f32(flush(a, then.ftz)) * to_f32(flush(b, then.ftz)), then)
}

/// `fma.f16`
#[inline(always)]
#[must_use]
pub fn fma(a: u16, b: u16, c: u16, then: Finish) -> u16 {
    // The product has 22 bits and is exact in single precision.
    let product = to_f32(flush(a, then.ftz)) * to_f32(flush(b, then.ftz));
    let sum = finish(odd::add_f32(product, to_f32(flush(c, then.ftz))), then);
    then.within_bounds(a, b, sum)
}

/// `abs.f16`
#[inline(always)]
#[must_use]
pub fn abs(a: u16, ftz: bool) -> u16 {
    if is_nan(a) { NAN } else { flush(a & !SIGN, ftz) }
}

/// `neg.f16`
#[inline(always)]
#[must_use]
pub fn neg(a: u16, ftz: bool) -> u16 {
    if is_nan(a) { NAN } else { flush(a ^ SIGN, ftz) }
}
