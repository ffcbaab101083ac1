//! MUFU.RSQ and MUFU.SQRT: 1/√x and √x; and MUFU.RSQ64H, which does the first on the upper word of a double.

use super::polynomial::{INFINITY, INFINITY64H, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::{RSQRT_TABLE, SQRT_TABLE};

/// 128 entries by the exponent's parity and the upper 6 bits of the mantissa.
pub const RSQRT: Polynomial =
    Polynomial { c0_shift: 14, c1_negative: true, c2_negative: false, c2_shift: 2, k: 0x7fff };

/// Indexed as [`RSQRT`]; where the exponent is odd, c1 counts twice.
pub const SQRT: Polynomial =
    Polynomial { c0_shift: 15, c1_negative: false, c2_negative: true, c2_shift: 1, k: 0x7fff };

/// 24 bits of 2^24 / √x for x in [1, 2) or, where `odd` is 1, in [2, 4), from its mantissa.
#[inline(always)]
fn reciprocal_root(odd: u32, mantissa: u32) -> u32 {
    let x = mantissa & 0x1_ffff;
    (RSQRT.at(RSQRT_TABLE[(odd << 6 | mantissa >> 17) as usize & 127], x, square(x)) >> 16) as u32
}

/// MUFU.RSQ.
#[inline(always)]
pub fn rsqrt(x: u32) -> u32 {
    let (odd, mantissa) = (!(x >> 23) & 1, x & MANTISSA);
    let half = ((x >> 23 & 0xff) + 1) >> 1;
    let bits = reciprocal_root(odd, mantissa) & MANTISSA;
    // Powers of 4 have exact answers that the table does not reach.
    let exact = odd | mantissa == 0;
    let finite = if exact { (191 - half) << 23 } else { (190 - half) << 23 | bits };
    let result = if x >= INFINITY { NAN } else { finite };
    let result = if x == INFINITY { 0 } else { result };
    if x & !SIGN <= MANTISSA { x & SIGN | INFINITY } else { result }
}

/// MUFU.RSQ64H: the upper word of a double's reciprocal root, cut off to its 20 bits.
#[inline(always)]
pub fn rsqrt64h(x: u32) -> u32 {
    let (odd, mantissa) = (!(x >> 20) & 1, x & 0xf_ffff);
    let half = ((x >> 20 & 0x7ff) + 1) >> 1;
    let bits = reciprocal_root(odd, mantissa << 3) >> 3 & 0xf_ffff;
    let exact = odd | mantissa == 0;
    let finite = if exact { (1535 - half) << 20 } else { (1534 - half) << 20 | bits };
    let result = if x >= INFINITY64H { NAN } else { finite };
    let result = if x == INFINITY64H { 0 } else { result };
    if x & !SIGN < 1 << 20 { x & SIGN | INFINITY64H } else { result }
}

/// MUFU.SQRT.
#[inline(always)]
pub fn sqrt(x: u32) -> u32 {
    let (odd, mantissa) = (!(x >> 23) & 1, x & MANTISSA);
    let half = ((x >> 23 & 0xff) + 1) >> 1;
    let rest = mantissa & 0x1_ffff;
    let entry = SQRT_TABLE[(odd << 6 | mantissa >> 17) as usize & 127];
    let bits = (SQRT.at(entry, rest << odd, square(rest)) >> 17) as u32 & MANTISSA;
    let result = if x >= INFINITY { NAN } else { (63 + half) << 23 | bits };
    let result = if x == INFINITY { INFINITY } else { result };
    if x & !SIGN <= MANTISSA { x & SIGN } else { result }
}
