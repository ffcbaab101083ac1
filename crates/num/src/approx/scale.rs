//! Which arguments ptxas scales before the special function unit sees them, and by how much.

use crate::Rounding::Rn;
use crate::float::f32::mul;

pub const SIGN: u32 = 0x8000_0000;
/// The least normal number, 2^-126.
pub const NORMAL: u32 = 0x0080_0000;
pub const ONE: u32 = 0x3f80_0000;
pub const QUARTER: u32 = 0x3e80_0000;
/// 2^126, above which a reciprocal is subnormal.
pub const LARGE: u32 = 0x7e80_0000;
pub const INFINITY: u32 = 0x7f80_0000;
/// 2^24 lifts every subnormal number to a normal one.
pub const LIFT: u32 = 0x4b80_0000;

/// Whether the unit would read the number as zero.
#[inline(always)]
pub fn is_small(a: u32) -> bool {
    a & !SIGN < NORMAL
}

/// Whether the number lies above 2^126 and is no NaN.
#[inline(always)]
pub fn is_large(a: u32) -> bool {
    (LARGE + 1..=INFINITY).contains(&(a & !SIGN))
}

#[inline(always)]
pub fn times(a: u32, b: u32) -> u32 {
    mul(a, b, Rn, false, false)
}
