//! Arithmetic on whole significands: every operation gives the exact result, which is then rounded once.
//!
//! This is the meaning of `.rz`, `.rm` and `.rp`, for which the host has no instructions, and what the fast
//! paths of `.rn` are tested against. It takes only finite numbers; infinities and NaN need no rounding, so
//! the callers leave them to the host.

use super::format::IeeeFormat;
use crate::Rounding;

/// A finite number: `significand * 2^exponent`.
///
/// The lowest bit of a significand may stand for a tail that is not zero and has been cut off. It then lies so far
/// below the last bit of any format that rounding only has to know that something is there.
#[derive(Clone, Copy, Debug)]
struct ExactNumber {
    negative: bool,
    significand: u128,
    exponent: i32,
}

/// Where [`ExactNumber::normalise`] puts the highest bit. With the carry of a sum it reaches place 126, so whatever lies
/// wholly below place 128 is less than half of it.
const TOP: u32 = 125;

impl ExactNumber {
    fn of(format: IeeeFormat, bits: u64) -> Self {
        let (negative, significand, exponent) = format.unpack(bits);
        Self { negative, significand: significand.into(), exponent }
    }

    fn is_zero(self) -> bool {
        self.significand == 0
    }

    fn product(self, other: Self) -> Self {
        Self {
            negative: self.negative != other.negative,
            significand: self.significand * other.significand,
            exponent: self.exponent + other.exponent,
        }
    }

    /// Moves the highest bit to `TOP`; the number must not be zero.
    fn normalise(self) -> Self {
        let shift = self.significand.leading_zeros() - (127 - TOP);
        Self { significand: self.significand << shift, exponent: self.exponent - shift as i32, ..self }
    }

    /// The sum. A sum that vanishes is plus zero unless both terms are minus zero or `.rm` is in force.
    fn sum(self, other: Self, rounding: Rounding) -> Self {
        if self.is_zero() && other.is_zero() {
            let negative =
                if self.negative == other.negative { self.negative } else { rounding == Rounding::Rm };
            return Self { negative, ..self };
        }
        if other.is_zero() {
            return self;
        }
        if self.is_zero() {
            return other;
        }
        let (x, y) = (self.normalise(), other.normalise());
        let (x, y) = if x.exponent >= y.exponent { (x, y) } else { (y, x) };
        // A significand has at most 106 bits, so bits are cut off only when the terms lie more than twenty places
        // apart; then at most one place cancels and the tail stays far below the result's last bit.
        let addend = shift_right_keeping_tail(y.significand, (x.exponent - y.exponent).unsigned_abs());
        let (negative, significand) = if x.negative == y.negative {
            (x.negative, x.significand + addend)
        } else if x.significand >= addend {
            (x.negative, x.significand - addend)
        } else {
            (y.negative, addend - x.significand)
        };
        let negative = if significand == 0 { rounding == Rounding::Rm } else { negative };
        Self { negative, significand, exponent: x.exponent }
    }

    /// The quotient by a number that is not zero.
    fn quotient(self, divisor: Self) -> Self {
        let negative = self.negative != divisor.negative;
        if self.is_zero() {
            return Self { negative, ..self };
        }
        let dividend = self.normalise();
        let quotient = dividend.significand / divisor.significand;
        let tail = u128::from(!dividend.significand.is_multiple_of(divisor.significand));
        // The dividend has 126 bits and the divisor at most 53, so the quotient has at least 73 and its lowest bit
        // may stand for the remainder.
        Self { negative, significand: quotient | tail, exponent: dividend.exponent - divisor.exponent }
    }

    /// The square root of a positive number.
    fn square_root(self) -> Self {
        let mut radicand = self.normalise();
        if radicand.exponent % 2 != 0 {
            radicand.significand >>= 1;
            radicand.exponent += 1;
        }
        // The root of 125 or 126 bits has 63, so its lowest bit may stand for what is left.
        let root = radicand.significand.isqrt();
        let tail = u128::from(root * root != radicand.significand);
        Self { negative: false, significand: root | tail, exponent: radicand.exponent / 2 }
    }

    /// The nearest number of the format in the direction of the rounding.
    fn round(self, format: IeeeFormat, rounding: Rounding) -> u64 {
        let sign = if self.negative { format.sign_bit() } else { 0 };
        if self.is_zero() {
            return sign;
        }
        let highest = self.exponent + 127 - self.significand.leading_zeros() as i32;
        let lowest = highest + 1 - format.precision() as i32;
        if format.flushes() && lowest < format.least_exponent() {
            // What counts is the result as a wider exponent would hold it: only what is rounded up to the least
            // normal number stays.
            let stays = lowest + 1 == format.least_exponent()
                && self.kept(lowest, rounding) >> format.precision() != 0;
            return sign | if stays { 1 << (format.precision() - 1) } else { 0 };
        }
        let lowest = lowest.max(format.least_exponent());
        // Exponent and fraction are one integer: a carry out of the fraction makes the next binade, and the hidden
        // bit of a normal number adds the first step of the exponent.
        let binade = (lowest - format.least_exponent()) as u64;
        let magnitude = (binade << (format.precision() - 1)) + self.kept(lowest, rounding);
        if magnitude < format.infinity() {
            return sign | magnitude;
        }
        let away = match rounding {
            Rounding::Rn | Rounding::Rna => true,
            Rounding::Rz => false,
            Rounding::Rm => self.negative,
            Rounding::Rp => !self.negative,
        };
        sign | if away { format.infinity() } else { format.infinity() - 1 }
    }

    /// The significand in units of two to the power `lowest`, rounded.
    fn kept(self, lowest: i32, rounding: Rounding) -> u64 {
        let (kept, cut_off) = split(self.significand, lowest - self.exponent);
        let up = match rounding {
            Rounding::Rn => cut_off == CutOff::MoreThanHalf || cut_off == CutOff::Half && kept & 1 == 1,
            Rounding::Rna => matches!(cut_off, CutOff::Half | CutOff::MoreThanHalf),
            Rounding::Rz => false,
            Rounding::Rm => self.negative && cut_off != CutOff::Nothing,
            Rounding::Rp => !self.negative && cut_off != CutOff::Nothing,
        };
        kept + u64::from(up)
    }
}

/// What a significand loses when its low bits go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CutOff {
    Nothing,
    LessThanHalf,
    Half,
    MoreThanHalf,
}

/// The bits from place `at` up, and what lies below; a negative place asks for zeros on the right.
fn split(significand: u128, at: i32) -> (u64, CutOff) {
    if at <= 0 {
        return ((significand << at.unsigned_abs()) as u64, CutOff::Nothing);
    }
    if at > 127 {
        return (0, CutOff::LessThanHalf);
    }
    let half = 1_u128 << (at - 1);
    let rest = significand & (half * 2 - 1);
    let cut_off = match rest.cmp(&half) {
        _ if rest == 0 => CutOff::Nothing,
        std::cmp::Ordering::Less => CutOff::LessThanHalf,
        std::cmp::Ordering::Equal => CutOff::Half,
        std::cmp::Ordering::Greater => CutOff::MoreThanHalf,
    };
    ((significand >> at) as u64, cut_off)
}

/// Shifts right and marks in the lowest bit whether anything was lost.
fn shift_right_keeping_tail(value: u128, by: u32) -> u128 {
    if by > 127 {
        return u128::from(value != 0);
    }
    let shifted = value >> by;
    shifted | u128::from(shifted << by != value)
}

/// `a + b` of finite numbers.
#[must_use]
pub fn add(format: IeeeFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    ExactNumber::of(format, a).sum(ExactNumber::of(format, b), rounding).round(format, rounding)
}

/// `a * b` of finite numbers.
#[must_use]
pub fn mul(format: IeeeFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    ExactNumber::of(format, a).product(ExactNumber::of(format, b)).round(format, rounding)
}

/// `a * b + c` of finite numbers, rounded once.
#[must_use]
pub fn fma(format: IeeeFormat, a: u64, b: u64, c: u64, rounding: Rounding) -> u64 {
    let product = ExactNumber::of(format, a).product(ExactNumber::of(format, b));
    product.sum(ExactNumber::of(format, c), rounding).round(format, rounding)
}

/// `a / b` of finite numbers; `b` is not zero.
#[must_use]
pub fn div(format: IeeeFormat, a: u64, b: u64, rounding: Rounding) -> u64 {
    ExactNumber::of(format, a).quotient(ExactNumber::of(format, b)).round(format, rounding)
}

/// The square root of a finite number above zero.
#[must_use]
pub fn sqrt(format: IeeeFormat, a: u64, rounding: Rounding) -> u64 {
    ExactNumber::of(format, a).square_root().round(format, rounding)
}
