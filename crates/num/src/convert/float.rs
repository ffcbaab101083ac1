//! Floating point to floating point: other widths, and whole numbers of the same width.

use super::format::{BF16, F16, F32, F64, Finite, Format, Number};
use super::round::{Direction, Overflow};
use crate::Rounding;

/// What a conversion between floats may be told besides its rounding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// Subnormal `f32` inputs and results become zero of the same sign.
    pub ftz: bool,
    /// The result is clamped to [0, 1] and NaN becomes zero.
    pub sat: bool,
    /// A negative result becomes zero.
    pub relu: bool,
    /// What is too large becomes the largest finite number.
    pub satfinite: bool,
}

/// A float in another width, rounded once.
#[must_use]
pub fn float_to_float(bits: u64, from: Format, to: Format, rounding: Rounding, modifiers: Modifiers) -> u64 {
    // Measured: on the way to `f16`, `.ftz` is not heeded.
    let flushed = if modifiers.ftz && from == F32 && to != F16 { F32.flush(bits) } else { bits };
    let overflow = if modifiers.satfinite { Overflow::Saturate } else { Overflow::Ieee };
    let result = match from.decode(flushed) {
        Number::Nan => nan(bits, from, to, modifiers.ftz),
        number => encode(number, to, Direction::By(rounding), overflow),
    };
    let tiny = from == F64 && to == F32 && falls_short(bits, rounding);
    let result = if modifiers.ftz && to == F32 {
        F32.flush(if tiny { result & 1 << 31 } else { result })
    } else {
        result
    };
    finish(result, to, modifiers)
}

/// Whether a double, rounded to 24 bits without a limit to its exponent, is less than the least normal single: what
/// `.ftz` goes by, so that a number which a subnormal's coarser step would lift to that one is flushed all the same.
fn falls_short(bits: u64, rounding: Rounding) -> bool {
    // Far enough from both ends for the scaled number to be a normal single.
    const UP: u64 = 64;
    let exponent = bits >> 52 & 0x7ff;
    if exponent > 1023 - 126 {
        return false;
    }
    if exponent < 1023 - 126 - 2 {
        return true;
    }
    let number = F64.decode(bits + (UP << 52));
    let scaled = encode(number, F32, Direction::By(rounding), Overflow::Ieee);
    scaled & 0x7fff_ffff < (1 + UP) << 23
}

/// A float rounded to a whole number of the same format.
#[must_use]
pub fn float_to_integral(bits: u64, format: Format, rounding: Rounding, modifiers: Modifiers) -> u64 {
    let flushed = if modifiers.ftz && format == F32 { F32.flush(bits) } else { bits };
    let result = match format.decode(flushed) {
        Number::Nan => nan(bits, format, format, modifiers.ftz),
        // From here on every number is whole already, and would not fit the integer it is rounded to.
        Number::Finite(number) if number.exponent < 0 => {
            let whole = Finite { significand: number.round_to_integer(rounding), exponent: 0, ..number };
            whole.encode(format, Direction::By(Rounding::Rz), Overflow::Ieee)
        }
        _ => flushed,
    };
    finish(result, format, modifiers)
}

/// A `bf16` is the upper half of an `f32`, and the GPU only moves it there: a NaN keeps all its bits.
#[inline(always)]
#[must_use]
pub const fn bf16_to_f32(bits: u16) -> u32 {
    (bits as u32) << 16
}

/// A number that is not NaN as bits of a format.
pub(super) fn encode(number: Number, format: Format, direction: Direction, overflow: Overflow) -> u64 {
    match number {
        Number::Nan => format.nan(),
        Number::Finite(number) => number.encode(format, direction, overflow),
        Number::Infinity { negative } => {
            let sign = if negative { format.sign() } else { 0 };
            sign | match format.infinity() {
                Some(infinity) if overflow == Overflow::Ieee => infinity,
                _ => format.largest(),
            }
        }
    }
}

/// The NaN that another NaN becomes.
///
/// The unit for `f64` keeps the sign and as much of the payload as fits, and sets the quiet bit; all others give
/// the one NaN of the GPU, and so does `.ftz` before a widening to `f64`.
fn nan(bits: u64, from: Format, to: Format, ftz: bool) -> u64 {
    if from != F64 && to != F64 {
        return to.nan();
    }
    let bits = if ftz && from == F32 { F32.nan() } else { bits };
    let sign = if bits & from.sign() == 0 { 0 } else { to.sign() };
    let payload = bits & from.mantissa_mask();
    let payload = if to.mantissa_bits() >= from.mantissa_bits() {
        payload << (to.mantissa_bits() - from.mantissa_bits())
    } else {
        payload >> (from.mantissa_bits() - to.mantissa_bits())
    };
    let quiet = 1 << (to.mantissa_bits() - 1);
    sign | (to.nan() - to.mantissa_mask()) | quiet | payload
}

/// The clamps that come after rounding.
fn finish(bits: u64, format: Format, modifiers: Modifiers) -> u64 {
    if modifiers.sat {
        clamp_to_one(bits, format)
    } else if modifiers.relu {
        clamp_to_positive(bits, format)
    } else {
        bits
    }
}

/// `.sat`: the bits clamped to [0, 1], and plus zero for NaN.
pub(super) const fn clamp_to_one(bits: u64, format: Format) -> u64 {
    if bits & format.sign() != 0 || format.is_nan(bits) {
        0
    } else if bits > format.one() {
        format.one()
    } else {
        bits
    }
}

/// `.relu`: plus zero for everything with a sign, except that a NaN stays one.
pub(super) const fn clamp_to_positive(bits: u64, format: Format) -> u64 {
    if format.is_nan(bits) {
        format.nan()
    } else if bits & format.sign() != 0 {
        0
    } else {
        bits
    }
}

const _: () = assert!(F32.mantissa_bits() - BF16.mantissa_bits() == 16);
