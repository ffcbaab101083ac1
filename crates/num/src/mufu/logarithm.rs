//! MUFU.LG2: the logarithm of x to the base 2.

use super::polynomial::{INFINITY, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::LG2_TABLE;

/// 64 entries by the upper 6 bits of the mantissa.
pub const LG2: Polynomial =
    Polynomial { c0_shift: 12, c1_negative: false, c2_negative: true, c2_shift: 1, k: 0x7345 };

/// MUFU.LG2.
#[inline(always)]
pub fn lg2(x: u32) -> u32 {
    let rest = x & 0x1_ffff;
    let fraction = LG2.at(LG2_TABLE[(x >> 17 & 0x3f) as usize], rest, square(rest)) >> 2;
    let exponent = (x >> 23 & 0xff) as i64 - 127;
    // 36 bits of fraction under the exponent; the magnitude of a negative sum is its complement.
    let sum = fraction + (exponent << 36);
    let sign = (sum >> 63) as u32 & SIGN;
    let magnitude = (sum ^ sum >> 63) as u64;
    // The leading one of the 24 bits adds one to the exponent.
    let shift = magnitude.leading_zeros() & 63;
    let bits = ((magnitude << shift) >> 40) as u32;
    let finite = sign | ((153 - shift) << 23).wrapping_add(bits);
    let result = if x == 0x3f80_0000 { 0 } else { finite };
    let result = if x >= INFINITY { NAN } else { result };
    let result = if x == INFINITY { INFINITY } else { result };
    if x & !SIGN <= MANTISSA { SIGN | INFINITY } else { result }
}
