//! Double precision: `.f64` of the manual's 9.7.3.
//!
//! As in single precision, `.rn` is the host's own arithmetic. Here NaN keeps its payload: the result is the NaN operand
//! with its quiet bit set and its sign unchanged. If several operands are NaN, each operation has its own order. An
//! operation that has no result gives [`INVALID`].

use super::{exact, format::F64};
use crate::Rounding;

/// The NaN of an operation without a result, such as zero times infinity.
pub const INVALID: u64 = 0xfff8_0000_0000_0000;

const SIGN: u64 = 0x8000_0000_0000_0000;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;
const ONE: u64 = 0x3ff0_0000_0000_0000;

/// Whether the bits are a NaN.
#[inline(always)]
#[must_use]
pub fn is_nan(a: u64) -> bool {
    a & !SIGN > INFINITY
}

/// The result, or [`INVALID`] in place of whatever NaN the host made.
#[inline(always)]
fn valid(a: u64) -> u64 {
    if is_nan(a) { INVALID } else { a }
}

/// The operand if it is NaN, made quiet, else the result.
#[inline(always)]
fn nan_or(operand: u64, result: u64) -> u64 {
    if is_nan(operand) { operand | QUIET } else { result }
}

#[inline(always)]
fn all_finite(operands: &[u64]) -> bool {
    operands.iter().all(|&a| F64.is_finite(a))
}

/// The sum where no operand is NaN.
#[inline(always)]
fn sum(a: u64, b: u64, rnd: Rounding) -> u64 {
    if rnd == Rounding::Rn || !all_finite(&[a, b]) {
        valid((f64::from_bits(a) + f64::from_bits(b)).to_bits())
    } else {
        exact::add(F64, a, b, rnd)
    }
}

/// `add.f64`: looks at `b` first, then at `a`.
#[inline(always)]
#[must_use]
pub fn add(a: u64, b: u64, rnd: Rounding) -> u64 {
    nan_or(b, nan_or(a, sum(a, b, rnd)))
}

/// `sub.f64`: as [`add`]; the sign of a NaN does not turn.
#[inline(always)]
#[must_use]
pub fn sub(a: u64, b: u64, rnd: Rounding) -> u64 {
    nan_or(b, nan_or(a, sum(a, b ^ SIGN, rnd)))
}

/// `mul.f64`: looks at `b` first, then at `a`.
#[inline(always)]
#[must_use]
pub fn mul(a: u64, b: u64, rnd: Rounding) -> u64 {
    let product = if rnd == Rounding::Rn || !all_finite(&[a, b]) {
        valid((f64::from_bits(a) * f64::from_bits(b)).to_bits())
    } else {
        exact::mul(F64, a, b, rnd)
    };
    nan_or(b, nan_or(a, product))
}

/// `fma.f64` and `mad.f64`: looks at `b` first, then at `c`, then at `a`.
#[inline(always)]
#[must_use]
pub fn fma(a: u64, b: u64, c: u64, rnd: Rounding) -> u64 {
    let sum = if rnd == Rounding::Rn || !all_finite(&[a, b, c]) {
        valid(f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits())
    } else {
        exact::fma(F64, a, b, c, rnd)
    };
    nan_or(b, nan_or(c, nan_or(a, sum)))
}

/// `div.rnd.f64`: looks at `a` first, then at `b`.
#[inline(always)]
#[must_use]
pub fn div(a: u64, b: u64, rnd: Rounding) -> u64 {
    let quotient = if rnd == Rounding::Rn || !all_finite(&[a, b]) || F64.is_zero(b) {
        valid((f64::from_bits(a) / f64::from_bits(b)).to_bits())
    } else {
        exact::div(F64, a, b, rnd)
    };
    nan_or(a, nan_or(b, quotient))
}

/// `rcp.rnd.f64`
#[inline(always)]
#[must_use]
pub fn rcp(a: u64, rnd: Rounding) -> u64 {
    div(ONE, a, rnd)
}

/// `sqrt.rnd.f64`
#[inline(always)]
#[must_use]
pub fn sqrt(a: u64, rnd: Rounding) -> u64 {
    let root = if rnd == Rounding::Rn || a == 0 || a >= INFINITY {
        valid(f64::from_bits(a).sqrt().to_bits())
    } else {
        exact::sqrt(F64, a, rnd)
    };
    nan_or(a, root)
}

/// `abs.f64`: NaN keeps even its sign.
#[inline(always)]
#[must_use]
pub fn abs(a: u64) -> u64 {
    nan_or(a, a & !SIGN)
}

/// `neg.f64`: NaN keeps even its sign.
#[inline(always)]
#[must_use]
pub fn neg(a: u64) -> u64 {
    nan_or(a, a ^ SIGN)
}

/// `copysign.f64`: the magnitude of `b` with the sign of `a`.
#[inline(always)]
#[must_use]
pub fn copysign(a: u64, b: u64) -> u64 {
    a & SIGN | b & !SIGN
}
