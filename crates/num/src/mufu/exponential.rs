//! MUFU.EX2: 2^x.

use super::polynomial::{INFINITY, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::EX2_TABLE;

/// 64 entries by the upper 6 bits of the argument's fraction.
pub const EX2: Polynomial =
    Polynomial { c0_shift: 13, c1_negative: false, c2_negative: false, c2_shift: 0, k: 0x77e2 };

/// MUFU.EX2.
#[inline(always)]
pub fn ex2(x: u32) -> u32 {
    let negative = x & SIGN != 0;
    let exponent = x >> 23 & 0xff;
    // The magnitude as a fixed-point number of 7 whole bits and 23 of fraction, cut off; a subnormal vanishes.
    let mantissa = x & MANTISSA | 0x80_0000;
    let fixed = (mantissa << exponent.saturating_sub(127).min(6)) >> 127u32.saturating_sub(exponent).min(31);
    let (whole, fraction) = (fixed >> 23, fixed & MANTISSA);
    // 2^-(w.f) is 2^(-w-1) times 2^(1-f), and 1-f is taken as the complement of f.
    let borrow = (negative && fraction != 0) as u32;
    let fraction = if negative { fraction.wrapping_neg().wrapping_sub(borrow) & MANTISSA } else { fraction };
    let power = if negative { 127 - (whole + borrow) as i32 } else { 127 + whole as i32 };
    let rest = fraction & 0x1_ffff;
    let bits = (EX2.at(EX2_TABLE[(fraction >> 17) as usize], rest, square(rest)) >> 15) as u32 & MANTISSA;
    let finite = if power <= 0 { 0 } else { (power as u32) << 23 | bits };
    let far = if negative { 0 } else { INFINITY };
    let result = if exponent >= 134 { far } else { finite };
    if x & !SIGN > INFINITY { NAN } else { result }
}
