//! The half-precision functions of 9.7.4: the single-precision unit's result with its lower bits cut off.

use crate::mufu;

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
/// 2^-14, the least normal number of half precision, and 2^16, the first power of two above all of them.
const F16_NORMAL: u32 = 0x3880_0000;
const F16_OVERFLOW: u32 = 0x4780_0000;
/// The NaN of both formats.
const NAN: u16 = 0x7fff;

/// `ex2.approx.f16`
#[inline(always)]
#[must_use]
pub fn ex2_approx_f16(a: u16) -> u16 {
    narrow(mufu::ex2(widen(a)))
}

/// `tanh.approx.f16`
#[inline(always)]
#[must_use]
pub fn tanh_approx_f16(a: u16) -> u16 {
    narrow(mufu::tanh(widen(a)))
}

/// `ex2.approx.ftz.bf16`
#[inline(always)]
#[must_use]
pub fn ex2_approx_bf16(a: u16) -> u16 {
    (mufu::ex2(u32::from(a) << 16) >> 16) as u16
}

/// `tanh.approx.bf16`
#[inline(always)]
#[must_use]
pub fn tanh_approx_bf16(a: u16) -> u16 {
    (mufu::tanh(u32::from(a) << 16) >> 16) as u16
}

/// An f16 as an f32: moved bits scaled by 2^112, which is exact and sets subnormal numbers right as well.
#[inline(always)]
fn widen(a: u16) -> u32 {
    const SCALE: u32 = (127 + 112) << 23;
    let moved = u32::from(a & 0x7fff) << 13;
    let finite = (f32::from_bits(moved) * f32::from_bits(SCALE)).to_bits();
    u32::from(a & 0x8000) << 16 | if a & 0x7c00 == 0x7c00 { moved | INFINITY } else { finite }
}

/// An f32 as an f16, cut off; what is too large becomes infinite.
#[inline(always)]
fn narrow(a: u32) -> u16 {
    let magnitude = a & !SIGN;
    let normal = magnitude.wrapping_sub(112 << 23) >> 13;
    let lack = (113u32.saturating_sub(magnitude >> 23)).min(18);
    let subnormal = (magnitude & 0x7f_ffff | 0x80_0000) >> (13 + lack);
    let result = if magnitude < F16_NORMAL { subnormal } else { normal };
    let result = if magnitude >= F16_OVERFLOW { 0x7c00 } else { result };
    if magnitude > INFINITY { NAN } else { (a >> 16 & 0x8000 | result) as u16 }
}
