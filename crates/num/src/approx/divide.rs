//! `div.approx.f32` and `div.full.f32`: a multiplication by the unit's reciprocal.

use super::scale::{LIFT, QUARTER, is_large, is_small, times};
use crate::Rounding::Rn;
use crate::float::f32::mul;
use crate::mufu;

/// `div.approx.f32`; a divisor above 2^126 has no normal reciprocal and gives zero.
#[inline(always)]
#[must_use]
pub fn div_approx(a: u32, b: u32, ftz: bool) -> u32 {
    let lift = !ftz && is_small(b);
    let (a, b) = if lift { (times(a, LIFT), times(b, LIFT)) } else { (a, b) };
    mul(mufu::rcp(b), a, Rn, ftz, false)
}

/// `div.full.f32`: the same over the full range, a large divisor being scaled down with its dividend.
#[inline(always)]
#[must_use]
pub fn div_full(a: u32, b: u32, ftz: bool) -> u32 {
    let large = is_large(b);
    let quarter = |x| mul(x, QUARTER, Rn, ftz, false);
    let (a, b) = if large { (quarter(a), quarter(b)) } else { (a, b) };
    div_approx(a, b, ftz)
}
