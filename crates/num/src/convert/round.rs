//! The one place where bits are lost: an exact number is rounded into a format, or to an integer.

use super::format::{Finite, Format};
use crate::Rounding;

/// How the discarded bits decide whether the magnitude goes up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    By(Rounding),
    /// `.rs`: up when adding these 16 random bits to the upper 16 discarded bits carries out.
    Random(u16),
}

/// What becomes of a number that is too large for a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overflow {
    /// Infinity, or the largest number where the rounding leads away from infinity.
    Ieee,
    /// The largest number: `.satfinite`.
    Saturate,
}

/// More discarded bits than this change nothing: the number is far below half of the last place.
const MOST_DISCARDED: u32 = 80;

/// `significand / 2^discarded`, rounded to an integer.
///
/// The sum cannot overflow where bits are discarded; where none are, the significand is returned.
fn shift_right(significand: u64, discarded: u32, negative: bool, direction: Direction) -> u64 {
    if discarded == 0 {
        return significand;
    }
    let discarded = discarded.min(MOST_DISCARDED);
    let significand = u128::from(significand);
    let kept = significand >> discarded;
    let rest = significand & ((1 << discarded) - 1);
    let half = 1 << (discarded - 1);
    let up = match direction {
        Direction::By(Rounding::Rn) => rest > half || (rest == half && kept & 1 == 1),
        Direction::By(Rounding::Rna) => rest >= half,
        Direction::By(Rounding::Rz) => false,
        Direction::By(Rounding::Rm) => negative && rest != 0,
        Direction::By(Rounding::Rp) => !negative && rest != 0,
        Direction::Random(bits) => ((rest << 16) >> discarded) + u128::from(bits) > 0xffff,
    };
    kept as u64 + u64::from(up)
}

impl Finite {
    /// The number as bits of a format.
    pub(super) fn encode(self, format: Format, direction: Direction, overflow: Overflow) -> u64 {
        let sign = if self.negative { format.sign() } else { 0 };
        if self.significand == 0 {
            return sign;
        }
        // The exponent of the leading bit says how much one unit in the last place is worth; below the normal
        // numbers that worth no longer falls.
        let leading = self.exponent + 63 - self.significand.leading_zeros() as i32;
        let exponent = leading.max(format.smallest_exponent());
        let last_place = exponent - format.mantissa_bits() as i32;
        let significand = if last_place >= self.exponent {
            shift_right(self.significand, last_place.abs_diff(self.exponent), self.negative, direction)
        } else {
            self.significand << last_place.abs_diff(self.exponent)
        };
        // The leading bit of a normal significand adds one to the exponent field, and so does a carry out of
        // rounding: both are as they should be.
        let field = u64::from(exponent.abs_diff(format.smallest_exponent()));
        let magnitude = (field << format.mantissa_bits()) + significand;
        if magnitude <= format.largest() {
            return sign | magnitude;
        }
        sign | match (overflow, format.infinity()) {
            (Overflow::Ieee, Some(infinity)) if overflows_to_infinity(self.negative, direction) => infinity,
            _ => format.largest(),
        }
    }

    /// The number rounded to an integer: its magnitude, or the largest `u64` where it does not fit.
    pub fn round_to_integer(self, rounding: Rounding) -> u64 {
        if self.exponent < 0 {
            let discarded = self.exponent.unsigned_abs();
            shift_right(self.significand, discarded, self.negative, Direction::By(rounding))
        } else if self.significand == 0 {
            0
        } else if self.exponent.unsigned_abs() > self.significand.leading_zeros() {
            u64::MAX
        } else {
            self.significand << self.exponent
        }
    }
}

/// Whether a number beyond the largest one becomes infinity.
fn overflows_to_infinity(negative: bool, direction: Direction) -> bool {
    match direction {
        Direction::By(Rounding::Rn | Rounding::Rna) | Direction::Random(_) => true,
        Direction::By(Rounding::Rz) => false,
        Direction::By(Rounding::Rm) => negative,
        Direction::By(Rounding::Rp) => !negative,
    }
}
