//! Integer to floating point, rounded once.

use super::float::clamp_to_one;
use super::format::{Finite, Format};
use super::integer::Integer;
use super::round::{Direction, Overflow};
use crate::Rounding;

/// An integer as a float. An integer is never subnormal, so `.ftz` has nothing to do.
#[must_use]
pub fn integer_to_float(bits: u64, from: Integer, to: Format, rounding: Rounding, sat: bool) -> u64 {
    let (negative, significand) = from.read(bits);
    // Zero has no sign among the integers.
    let number = Finite { negative, significand, exponent: 0 };
    let result = number.encode(to, Direction::By(rounding), Overflow::Ieee);
    if sat { clamp_to_one(result, to) } else { result }
}
