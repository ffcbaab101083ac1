//! MUFU.RCP: 1/x, and MUFU.RCP64H, which does the same on the upper word of a double.

use super::polynomial::{INFINITY, INFINITY64H, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::RCP_TABLE;

/// 128 entries by the upper 7 bits of the mantissa; the other 16 bits are squared as 17.
pub const RCP: Polynomial =
    Polynomial { c0_shift: 13, c1_negative: true, c2_negative: false, c2_shift: 0, k: 0x47e7 };

/// 24 bits of 2^24 / (1.m), for a mantissa that is not zero.
#[inline(always)]
fn fraction(mantissa: u32) -> u32 {
    let x = mantissa & 0xffff;
    (RCP.at(RCP_TABLE[(mantissa >> 16 & 0x7f) as usize], x, square(x << 1)) >> 15) as u32
}

/// MUFU.RCP.
#[inline(always)]
pub fn rcp(x: u32) -> u32 {
    let sign = x & SIGN;
    let exponent = (x >> 23 & 0xff) as i32;
    let mantissa = x & MANTISSA;
    let whole = mantissa == 0;
    let bits = if whole { 0 } else { fraction(mantissa) & MANTISSA };
    let scale = 253 + whole as i32 - exponent;
    let finite = if scale <= 0 { 0 } else { (scale as u32) << 23 | bits };
    let result = if exponent == 0 { INFINITY } else { finite };
    if x & !SIGN > INFINITY { NAN } else { sign | if exponent == 255 { 0 } else { result } }
}

/// MUFU.RCP64H: the upper word of a double's reciprocal, cut off to its 20 bits.
#[inline(always)]
pub fn rcp64h(x: u32) -> u32 {
    let sign = x & SIGN;
    let exponent = (x >> 20 & 0x7ff) as i32;
    let mantissa = x & 0xf_ffff;
    let whole = mantissa == 0;
    let bits = if whole { 0 } else { fraction(mantissa << 3) >> 3 & 0xf_ffff };
    let scale = 2045 + whole as i32 - exponent;
    let finite = if scale <= 0 { 0 } else { (scale as u32) << 20 | bits };
    let result = if exponent == 0 { INFINITY64H } else { finite };
    if x & !SIGN > INFINITY64H { NAN } else { sign | if exponent == 2047 { 0 } else { result } }
}
