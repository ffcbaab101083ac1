//! Sums and products of numbers of eight bits or fewer, rounded once to FP8: `add`, `sub`, `mul` and `fma` of `.e4m3x4`,
//! `.e5m2x4` and their kin.
//!
//! No significand has more than four bits, so that a product is exact in eight. A sum whose terms are far apart keeps of
//! the smaller only that it is there: the larger has bits enough below its last place for that to decide every rounding.

use super::format::{E4M3, F64, Finite, Format, Number};
use super::round::{Direction, Overflow};
use super::scale::{NAN, exponent};
use crate::Rounding;

/// What is computed of four numbers at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the manual's")]
pub enum SmallFunction {
    Add,
    Sub,
    Mul,
    Fma,
}

/// How four numbers lie in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quad {
    /// Of this format, each in a byte.
    Bytes(Format),
    /// Of this format, each in half a byte.
    Nibbles(Format),
    /// Powers of two, each in a byte.
    Scales,
}

impl Quad {
    fn number(self, register: u32, index: u32) -> Number {
        match self {
            Self::Bytes(format) => {
                let byte = u64::from(register >> (8 * index)) & 0xff;
                format.decode(byte & ((1 << format.width()) - 1))
            }
            Self::Nibbles(format) => format.decode(u64::from(register >> (4 * index)) & 0xf),
            Self::Scales => match (register >> (8 * index)) as u8 {
                NAN => Number::Nan,
                scale => {
                    Number::Finite(Finite { negative: false, significand: 1, exponent: exponent(scale) })
                }
            },
        }
    }
}

/// Four results: `a` and `c` of a sum, `a` and `b` of a product, all three of `fma`. `to` is E4M3 or E5M2, and the format of
/// `c`.
#[must_use]
pub fn small_quad(
    function: SmallFunction,
    (a, b): (Quad, Quad),
    to: Format,
    satfinite: bool,
    [x, y, z]: [u32; 3],
) -> u32 {
    let mut result = 0;
    for index in 0..4 {
        let first = a.number(x, index);
        let added = || Quad::Bytes(to).number(z, index);
        let value = match function {
            SmallFunction::Add => sum(first, added()),
            SmallFunction::Sub => sum(first, negated(added())),
            SmallFunction::Mul => product(first, b.number(y, index)),
            SmallFunction::Fma => sum(product(first, b.number(y, index)), added()),
        };
        result |= (fp8(value, to, satfinite) as u32) << (8 * index);
    }
    result
}

/// A number as FP8. What is too large for E4M3 is NaN, for E5M2 infinity, unless `.satfinite` keeps it.
fn fp8(number: Number, to: Format, satfinite: bool) -> u64 {
    let overflow = if satfinite { Overflow::Saturate } else { Overflow::Ieee };
    match number {
        Number::Nan => to.nan(),
        Number::Infinity { negative } => {
            let sign = if negative { to.sign() } else { 0 };
            match to.infinity() {
                _ if satfinite => sign | to.largest(),
                Some(infinity) => sign | infinity,
                None => to.nan(),
            }
        }
        Number::Finite(finite) if to == E4M3 && !satfinite => {
            // One more step of the exponent tells what is beyond the largest number after rounding.
            let kept = finite.encode(to, Direction::By(Rounding::Rn), Overflow::Saturate);
            let beyond = finite.encode(F64, Direction::By(Rounding::Rz), Overflow::Ieee) & F64.nan();
            // Half a step above 448 rounds up, and there is nothing to round to.
            if beyond >= LIMIT_OF_E4M3 { to.nan() } else { kept }
        }
        Number::Finite(finite) => finite.encode(to, Direction::By(Rounding::Rn), overflow),
    }
}

/// 464, as an `f64`: from halfway between the largest E4M3 and the next that there would be. The largest one is even, so
/// that halfway itself rounds to it; what is more does not.
const LIMIT_OF_E4M3: u64 = 0x407d_0000_0000_0001;

fn negated(number: Number) -> Number {
    match number {
        Number::Nan => Number::Nan,
        Number::Infinity { negative } => Number::Infinity { negative: !negative },
        Number::Finite(finite) => Number::Finite(Finite { negative: !finite.negative, ..finite }),
    }
}

fn product(a: Number, b: Number) -> Number {
    use Number::{Finite as F, Infinity, Nan};
    let sign = |number: &Number| match number {
        Infinity { negative } | F(Finite { negative, .. }) => *negative,
        Nan => false,
    };
    let negative = sign(&a) != sign(&b);
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (F(zero), Infinity { .. }) | (Infinity { .. }, F(zero)) if zero.significand == 0 => Nan,
        (Infinity { .. }, _) | (_, Infinity { .. }) => Infinity { negative },
        (F(a), F(b)) => F(Finite {
            negative,
            significand: a.significand * b.significand,
            exponent: a.exponent + b.exponent,
        }),
    }
}

/// How far apart two terms may be for both to be kept exactly; what is farther only leaves a trace.
const REACH: i32 = 40;

fn sum(a: Number, b: Number) -> Number {
    use Number::{Finite as F, Infinity, Nan};
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinity { negative }, Infinity { negative: other }) if negative != other => Nan,
        (Infinity { negative }, _) | (_, Infinity { negative }) => Infinity { negative },
        (F(a), F(b)) => F(finite_sum(a, b)),
    }
}

fn finite_sum(a: Finite, b: Finite) -> Finite {
    if a.significand == 0 || b.significand == 0 {
        let zero = a.significand == 0 && b.significand == 0;
        // Zeros of both signs make the positive one.
        return match zero {
            true => Finite { negative: a.negative && b.negative, ..a },
            false if a.significand == 0 => b,
            false => a,
        };
    }
    // Both are brought to the exponent of the lower, or to as far below the higher as matters.
    let top = a.exponent.max(b.exponent);
    let base = a.exponent.min(b.exponent).max(top - REACH);
    let at_base = |number: Finite| -> i128 {
        let shift = number.exponent - base;
        let magnitude = match shift {
            0.. => i128::from(number.significand) << shift,
            // A trace of it.
            _ => 1,
        };
        if number.negative { -magnitude } else { magnitude }
    };
    let total = at_base(a) + at_base(b);
    Finite { negative: total < 0, significand: total.unsigned_abs() as u64, exponent: base }
}
