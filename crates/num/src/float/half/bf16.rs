//! Bfloat16, `.bf16`: the upper half of a single-precision number.

use super::{Finish, NAN, odd};

const SIGN: u16 = 0x8000;
const INFINITY: u16 = 0x7f80;

/// Whether the bits are a NaN.
#[inline(always)]
#[must_use]
pub fn is_nan(a: u16) -> bool {
    a & !SIGN > INFINITY
}

/// The same number in single precision.
#[inline(always)]
#[must_use]
pub fn to_f32(a: u16) -> f32 {
    f32::from_bits(u32::from(a) << 16)
}

/// The nearest bfloat16 number, ties to even; NaN becomes [`NAN`].
#[inline(always)]
#[must_use]
pub fn from_f32(a: f32) -> u16 {
    let bits = a.to_bits();
    let rounded = bits.wrapping_add(0x7fff).wrapping_add(bits >> 16 & 1) >> 16;
    let rounded = if bits & 0x7fff_ffff > 0x7f80_0000 { NAN.into() } else { rounded };
    rounded as u16
}

/// `add.bf16`
#[inline(always)]
#[must_use]
pub fn add(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) + to_f32(b))
}

/// `sub.bf16`
#[inline(always)]
#[must_use]
pub fn sub(a: u16, b: u16) -> u16 {
    from_f32(to_f32(a) - to_f32(b))
}

/// `mul.bf16`
#[inline(always)]
#[must_use]
pub fn mul(a: u16, b: u16) -> u16 {
    // The product has 16 bits. Single precision may have to round it only where it lies below half of the least
    // bfloat16 number, and that half, which it may be rounded to, becomes zero like the product itself.
    from_f32(to_f32(a) * to_f32(b))
}

/// `fma.rn.bf16`, which knows of `.relu` and `.oob`.
#[inline(always)]
#[must_use]
pub fn fma(a: u16, b: u16, c: u16, then: Finish) -> u16 {
    // The product has 16 bits; double precision holds it and has room for any exponent of the sum.
    let product = f64::from(to_f32(a)) * f64::from(to_f32(b));
    let sum = from_f32(odd::narrow(odd::add_f64(product, to_f32(c).into())));
    then.within_bounds(a, b, if then.relu && sum & SIGN != 0 { 0 } else { sum })
}

/// `abs.bf16`
#[inline(always)]
#[must_use]
pub fn abs(a: u16) -> u16 {
    if is_nan(a) { NAN } else { a & !SIGN }
}

/// `neg.bf16`
#[inline(always)]
#[must_use]
pub fn neg(a: u16) -> u16 {
    if is_nan(a) { NAN } else { a ^ SIGN }
}
