//! Floating point to integer: rounded as the instruction says, then always clamped.

use super::format::{F32, F64, Format, Number};
use super::integer::Integer;
use crate::Rounding;

/// A float as an integer.
///
/// `.sat` changes nothing here, so there is no argument for it. NaN gives zero, or the pattern with only the
/// highest bit set if either side is 64 bits wide.
#[must_use]
pub fn float_to_integer(bits: u64, from: Format, to: Integer, rounding: Rounding, ftz: bool) -> u64 {
    let bits = if ftz && from == F32 { F32.flush(bits) } else { bits };
    match from.decode(bits) {
        Number::Nan if from == F64 || to.bits() == 64 => to.top_bit(),
        Number::Nan => 0,
        Number::Infinity { negative } => to.clamp(negative, u64::MAX),
        Number::Finite(number) => to.clamp(number.negative, number.round_to_integer(rounding)),
    }
}
