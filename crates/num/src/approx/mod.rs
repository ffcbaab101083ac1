//! The approximate functions of the manual's 9.7.3 and 9.7.4, as an H200 computes them.
//!
//! With `.ftz`, the special function unit ([`crate::mufu`]) executes an instruction alone. Without it, ptxas scales an
//! argument that the unit would flush, and scales the result back. Those multiplications round, so they are part of the
//! instruction's meaning.

mod divide;
mod double;
mod half;
mod scale;

pub use divide::{div_approx, div_full};
pub use double::{rcp_approx_f64, rsqrt_approx_f64};
pub use half::{ex2_approx_bf16, ex2_approx_f16, tanh_approx_bf16, tanh_approx_f16};

use crate::Rounding::Rn;
use crate::float::f32::add;
use crate::mufu;
use scale::{INFINITY, LIFT, ONE, QUARTER, SIGN, is_large, is_small, times};

/// `rcp.approx.f32`
#[inline(always)]
#[must_use]
pub fn rcp_approx(a: u32, ftz: bool) -> u32 {
    if ftz {
        return mufu::rcp(a);
    }
    let scale = if is_small(a) { LIFT } else { ONE };
    let scale = if is_large(a) { QUARTER } else { scale };
    times(scale, mufu::rcp(times(a, scale)))
}

/// `rsqrt.approx.f32`
#[inline(always)]
#[must_use]
pub fn rsqrt_approx(a: u32, ftz: bool) -> u32 {
    const TWO_POW_12: u32 = 0x4580_0000;
    let small = !ftz && is_small(a);
    let root = mufu::rsqrt(if small { times(a, LIFT) } else { a });
    if small { times(root, TWO_POW_12) } else { root }
}

/// `sqrt.approx.f32`
#[inline(always)]
#[must_use]
pub fn sqrt_approx(a: u32, ftz: bool) -> u32 {
    const TWO_POW_MINUS_12: u32 = 0x3980_0000;
    let small = !ftz && is_small(a);
    let root = mufu::sqrt(if small { times(a, LIFT) } else { a });
    if small { times(root, TWO_POW_MINUS_12) } else { root }
}

/// `ex2.approx.f32`: where the power would be subnormal, half of it is squared.
#[inline(always)]
#[must_use]
pub fn ex2_approx(a: u32, ftz: bool) -> u32 {
    const HALF: u32 = 0x3f00_0000;
    const MINUS_126: u32 = 0xc2fc_0000;
    let low = !ftz && (MINUS_126 + 1..=SIGN | INFINITY).contains(&a);
    let power = mufu::ex2(if low { times(a, HALF) } else { a });
    if low { times(power, power) } else { power }
}

/// `lg2.approx.f32`
#[inline(always)]
#[must_use]
pub fn lg2_approx(a: u32, ftz: bool) -> u32 {
    const MINUS_24: u32 = 0xc1c0_0000;
    let small = !ftz && is_small(a);
    let logarithm = mufu::lg2(if small { times(a, LIFT) } else { a });
    if small { add(logarithm, MINUS_24, Rn, false, false) } else { logarithm }
}

/// `sin.approx.f32`; with and without `.ftz` it is the same.
#[inline(always)]
#[must_use]
pub fn sin_approx(a: u32) -> u32 {
    mufu::sin(a)
}

/// `cos.approx.f32`; with and without `.ftz` it is the same.
#[inline(always)]
#[must_use]
pub fn cos_approx(a: u32) -> u32 {
    mufu::cos(a)
}

/// `tanh.approx.f32`
#[inline(always)]
#[must_use]
pub fn tanh_approx(a: u32) -> u32 {
    mufu::tanh(a)
}
