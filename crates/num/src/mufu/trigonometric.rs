//! MUFU.SIN and MUFU.COS of an argument in turns, and the multiplication by 1/2π that PTX's sin and cos do first.

use super::polynomial::{INFINITY, MANTISSA, NAN, Polynomial, SIGN, square};
use super::tables::SIN_TABLE;

/// A quarter of the sine wave: 64 entries by the upper 6 bits of the place in the quadrant.
pub const SIN: Polynomial =
    Polynomial { c0_shift: 11, c1_negative: false, c2_negative: true, c2_shift: 0, k: 0 };

/// The mantissa of 0x3e22f983, which is 1/2π to 24 bits; its value is this times 2^-26.
pub const PER_TURN: u64 = 0xa2_f983;

/// |x| / 2π as the unit sees it: two bits of quadrant over 23 bits of fraction.
///
/// The product is rounded toward zero to 24 bits before whole turns and all bits under the 25th place fall away.
#[inline(always)]
pub fn turns(x: u32) -> u32 {
    let exponent = (x >> 23 & 0xff) as i32;
    let product = (x & MANTISSA | 0x80_0000) as u64 * PER_TURN;
    let carry = (product >> 47) as i32;
    let mantissa = (product >> (23 + carry)) as u32;
    let shift = exponent + carry - 128;
    let up = shift.clamp(0, 25) as u32;
    let down = (-shift).clamp(0, 31) as u32;
    ((mantissa << up) >> down) & 0x1ff_ffff
}

/// The sine of a place in the turn.
#[inline(always)]
fn wave(place: u32, sign: u32) -> u32 {
    let fraction = (place ^ (place >> 23 & 1).wrapping_neg()) & MANTISSA;
    let rest = fraction & 0x1_ffff;
    let sine = SIN.at(SIN_TABLE[(fraction >> 17) as usize], rest, square(rest)) as u64;
    // The leading one of the 24 bits adds one to the exponent.
    let shift = sine.leading_zeros() & 63;
    let bits = ((sine << shift) >> 40) as u32;
    let magnitude = ((152 - shift) << 23).wrapping_add(bits);
    let sign = sign ^ (place >> 24 & 1) << 31;
    sign | if sine == 0 { 0 } else { magnitude }
}

/// FMUL.RZ by 1/2π and MUFU.SIN: the sine of an angle in radians.
#[inline(always)]
pub fn sin(x: u32) -> u32 {
    if x & !SIGN >= INFINITY { NAN } else { wave(turns(x), x & SIGN) }
}

/// FMUL.RZ by 1/2π and MUFU.COS: the cosine of an angle in radians.
#[inline(always)]
pub fn cos(x: u32) -> u32 {
    if x & !SIGN >= INFINITY { NAN } else { wave((turns(x) + 0x80_0000) & 0x1ff_ffff, 0) }
}
