//! The approximate functions of doubles: the special function unit works on their upper words.

use crate::Rounding::Rn;
use crate::float::f64::{INVALID, add, fma, is_nan, mul};
use crate::mufu;

const SIGN: u64 = 0x8000_0000_0000_0000;
const INFINITY: u64 = 0x7ff0_0000_0000_0000;

/// `rcp.approx.ftz.f64`: the lower word is not looked at, and zero in the result.
#[inline(always)]
#[must_use]
pub fn rcp_approx_f64(a: u64) -> u64 {
    u64::from(mufu::rcp64h((a >> 32) as u32)) << 32
}

/// `rsqrt.approx.f64`; with `.ftz` as [`rcp_approx_f64`], without it one step of Halley's iteration longer.
#[inline(always)]
#[must_use]
pub fn rsqrt_approx_f64(a: u64, ftz: bool) -> u64 {
    const NORMAL: u64 = 1 << 52;
    const TWO_POW_54: u64 = 0x4350_0000_0000_0000;
    const TWO_POW_27: u64 = 0x41a0_0000_0000_0000;
    if ftz {
        return rough_rsqrt(a);
    }
    match a {
        0 | SIGN => a | INFINITY,
        _ if is_nan(a) => add(a, a, Rn),
        _ if a > SIGN => INVALID,
        INFINITY => 0,
        _ if a < NORMAL => mul(refined_rsqrt(mul(a, TWO_POW_54, Rn)), TWO_POW_27, Rn),
        _ => refined_rsqrt(a),
    }
}

fn rough_rsqrt(a: u64) -> u64 {
    u64::from(mufu::rsqrt64h((a >> 32) as u32)) << 32
}

/// The root of a positive normal number: with e = 1 - a·y², y + y·e·(1/2 + 3/8·e).
fn refined_rsqrt(a: u64) -> u64 {
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const HALF: u64 = 0x3fe0_0000_0000_0000;
    const THREE_EIGHTHS: u64 = 0x3fd8_0000_0000_0000;
    let y = rough_rsqrt(a);
    let e = fma(a, mul(y, y, Rn) ^ SIGN, ONE, Rn);
    fma(fma(e, THREE_EIGHTHS, HALF, Rn), mul(y, e, Rn), y, Rn)
}
