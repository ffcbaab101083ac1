//! Single precision: `.f32` of the manual's 9.7.3.
//!
//! `.rn` is the host's own arithmetic, so that a loop over lanes becomes vector instructions; the other roundings
//! are exact integer arithmetic. Every NaN that comes out is [`NAN`], whatever went in.

use super::{exact, format::F32};
use crate::Rounding;

/// The only NaN that single-precision arithmetic gives.
pub const NAN: u32 = 0x7fff_ffff;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const ONE: u32 = 0x3f80_0000;

/// A power of two that lifts every result that `.ftz` may meet out of the subnormal numbers.
const SCALE: f32 = (1 << 24) as f32;

/// Whether the bits are a NaN.
#[inline(always)]
#[must_use]
pub fn is_nan(a: u32) -> bool {
    a & !SIGN > INFINITY
}

/// `.ftz` for one value: a subnormal number becomes the zero of its sign.
#[inline(always)]
#[must_use]
pub fn flush(a: u32, ftz: bool) -> u32 {
    if ftz && a & INFINITY == 0 { a & SIGN } else { a }
}

/// What happens to every result: NaN becomes the one NaN, then come `.ftz` and `.sat`.
#[inline(always)]
fn finish(a: u32, ftz: bool, sat: bool) -> u32 {
    let a = flush(if is_nan(a) { NAN } else { a }, ftz);
    if sat { saturate(a) } else { a }
}

/// `.sat`: into the range from plus zero to one, NaN to plus zero.
#[inline(always)]
#[must_use]
pub fn saturate(a: u32) -> u32 {
    // All that is negative or NaN lies above plus infinity when the bits are read as an integer.
    if a > INFINITY { 0 } else { a.min(ONE) }
}

#[inline(always)]
fn all_finite(operands: &[u32]) -> bool {
    operands.iter().all(|&a| F32.is_finite(a.into()))
}

/// `add.f32`
#[inline(always)]
#[must_use]
pub fn add(a: u32, b: u32, rnd: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (flush(a, ftz), flush(b, ftz));
    let sum = if rnd == Rounding::Rn || !all_finite(&[a, b]) {
        (f32::from_bits(a) + f32::from_bits(b)).to_bits()
    } else {
        exact::add(F32.ftz(ftz), a.into(), b.into(), rnd) as u32
    };
    finish(sum, ftz, sat)
}

/// `sub.f32`
#[inline(always)]
#[must_use]
pub fn sub(a: u32, b: u32, rnd: Rounding, ftz: bool, sat: bool) -> u32 {
    add(a, b ^ SIGN, rnd, ftz, sat)
}

/// The result `a`, or zero of its sign where the same result, computed 2^24 times as large, falls short of the least
/// normal number. `.ftz` goes by what a wider exponent would hold, not by what was rounded to a subnormal's last bit.
#[inline(always)]
fn flush_by(a: f32, scaled: f32) -> u32 {
    let tiny = scaled.abs() < f32::MIN_POSITIVE * SCALE;
    if tiny { a.to_bits() & SIGN } else { a.to_bits() }
}

/// `mul.f32`
#[inline(always)]
#[must_use]
pub fn mul(a: u32, b: u32, rnd: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b) = (flush(a, ftz), flush(b, ftz));
    let product = if rnd == Rounding::Rn || !all_finite(&[a, b]) {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        if ftz { flush_by(a * b, a * SCALE * b) } else { (a * b).to_bits() }
    } else {
        exact::mul(F32.ftz(ftz), a.into(), b.into(), rnd) as u32
    };
    finish(product, ftz, sat)
}

/// `fma.f32` and `mad.f32`: the product and the sum are rounded together, once.
#[inline(always)]
#[must_use]
pub fn fma(a: u32, b: u32, c: u32, rnd: Rounding, ftz: bool, sat: bool) -> u32 {
    let (a, b, c) = (flush(a, ftz), flush(b, ftz), flush(c, ftz));
    let sum = if rnd == Rounding::Rn || !all_finite(&[a, b, c]) {
        let (a, b, c) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
        let sum = a.mul_add(b, c);
        // Where a scaled operand overflows, the result is too large to be flushed.
        if ftz { flush_by(sum, (a * SCALE).mul_add(b, c * SCALE)) } else { sum.to_bits() }
    } else {
        exact::fma(F32.ftz(ftz), a.into(), b.into(), c.into(), rnd) as u32
    };
    finish(sum, ftz, sat)
}

/// `div.rnd.f32`
#[inline(always)]
#[must_use]
pub fn div(a: u32, b: u32, rnd: Rounding, ftz: bool) -> u32 {
    let (a, b) = (flush(a, ftz), flush(b, ftz));
    let quotient = if rnd == Rounding::Rn || !all_finite(&[a, b]) || F32.is_zero(b.into()) {
        let (a, b) = (f32::from_bits(a), f32::from_bits(b));
        if ftz { flush_by(a / b, a * SCALE / b) } else { (a / b).to_bits() }
    } else {
        exact::div(F32.ftz(ftz), a.into(), b.into(), rnd) as u32
    };
    finish(quotient, ftz, false)
}

/// `rcp.rnd.f32`
#[inline(always)]
#[must_use]
pub fn rcp(a: u32, rnd: Rounding, ftz: bool) -> u32 {
    div(ONE, a, rnd, ftz)
}

/// `sqrt.rnd.f32`
#[inline(always)]
#[must_use]
pub fn sqrt(a: u32, rnd: Rounding, ftz: bool) -> u32 {
    let a = flush(a, ftz);
    let root = if rnd == Rounding::Rn || a == 0 || a >= INFINITY {
        f32::from_bits(a).sqrt().to_bits()
    } else {
        exact::sqrt(F32.ftz(ftz), a.into(), rnd) as u32
    };
    finish(root, ftz, false)
}

/// `abs.f32`
#[inline(always)]
#[must_use]
pub fn abs(a: u32, ftz: bool) -> u32 {
    finish(a & !SIGN, ftz, false)
}

/// `neg.f32`
#[inline(always)]
#[must_use]
pub fn neg(a: u32, ftz: bool) -> u32 {
    finish(a ^ SIGN, ftz, false)
}

/// `copysign.f32`: the magnitude of `b` with the sign of `a`.
#[inline(always)]
#[must_use]
pub fn copysign(a: u32, b: u32) -> u32 {
    a & SIGN | b & !SIGN
}
