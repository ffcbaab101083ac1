//! One dot product of a tensor core, step by step: the arithmetic that every faster path must reproduce.

use super::element::{Accumulator, NOTHING};
use super::operand::{Left, Right};
use super::scheme::{Order, Rounded, Scheme};
use crate::Rounding;
use crate::float::f32 as single;
use crate::float::half::{Finish, f16};

/// A product or an accumulator: its significand in units of `2^-point`, and its exponent.
#[derive(Clone, Copy)]
struct Term {
    significand: i64,
    point: i32,
    exponent: i32,
}

/// What a set of terms comes to before any arithmetic.
#[derive(Clone, Copy, Default)]
struct Special {
    nan: bool,
    plus: bool,
    minus: bool,
}

impl Special {
    fn see(&mut self, value: f32) {
        self.nan |= value.is_nan();
        self.plus |= value == f32::INFINITY;
        self.minus |= value == f32::NEG_INFINITY;
    }

    fn bits(self, accumulator: Accumulator) -> Option<u32> {
        let (nan, infinity, sign) = match accumulator {
            Accumulator::F32 => (0x7fff_ffff, 0x7f80_0000, 1 << 31),
            Accumulator::F16 => (0x7fff, 0x7c00, 1 << 15),
        };
        match (self.nan || self.plus && self.minus, self.plus, self.minus) {
            (true, ..) => Some(nan),
            (_, true, _) => Some(infinity),
            (_, _, true) => Some(infinity | sign),
            _ => None,
        }
    }
}

/// The element of D in a row of A and a column of B, from the bits of that of C.
#[must_use]
pub fn dot(scheme: &Scheme, a: &Left, row: usize, b: &Right, column: usize, c: u32) -> u32 {
    let factors = |k: usize| {
        let (left, right) = (row * a.depth + k, a.row_of_b(row, k) * b.columns + column);
        (
            (a.significands[left], i32::from(a.exponents[left])),
            (b.significands[right], i32::from(b.exponents[right])),
        )
    };
    match scheme.order {
        Order::Consecutive => (0..a.depth)
            .step_by(scheme.products.max(1))
            .fold(c, |c, k| step(scheme, (k..a.depth.min(k + scheme.products)).map(factors), c)),
        Order::Interleaved => {
            let factors = |k: usize| {
                let (left, right) = factors(k);
                (as_half(left), as_half(right))
            };
            let half = |odd: bool| (0..a.depth).filter(move |k| (k % 4 >= 2) == odd).map(factors);
            let sum = step(scheme, half(true), step(scheme, half(false), 0));
            match scheme.rounded.accumulator() {
                Accumulator::F32 => single::add(sum, c, Rounding::Rn, false, false),
                Accumulator::F16 => u32::from(f16::add(sum as u16, c as u16, Finish::default())),
            }
        }
    }
}

type Factor = (f32, i32);

/// The same number as an f16 has it: what is subnormal in a narrower format need not be there.
fn as_half((mut significand, mut exponent): Factor) -> Factor {
    while significand.abs() < 1.0 && exponent > -14 {
        (significand, exponent) = (2.0 * significand, exponent - 1);
    }
    (significand, exponent)
}

/// One step: aligns, cuts off, adds and rounds once.
fn step(scheme: &Scheme, products: impl Iterator<Item = (Factor, Factor)> + Clone, c: u32) -> u32 {
    let accumulator = scheme.rounded.accumulator();
    let (significand, exponent) = accumulator.decode(c);
    let mut special = Special::default();
    special.see(significand);
    for ((left, _), (right, _)) in products.clone() {
        special.see(left * right);
    }
    if let Some(bits) = special.bits(accumulator) {
        return bits;
    }
    // Significands have at most 23 bits after the point, so these are exact.
    let fixed = |significand: f32| (significand * (1u32 << 23) as f32) as i64;
    let terms = products.map(|((left, left_exponent), (right, right_exponent))| Term {
        significand: fixed(left) * fixed(right),
        point: 46,
        exponent: left_exponent + right_exponent,
    });
    let addend = Term { significand: fixed(significand), point: 23, exponent: exponent.into() };
    let all = terms.chain([addend]).filter(|term| term.significand != 0);
    let largest = all.clone().map(|term| term.exponent).max().unwrap_or(NOTHING.into()).max(scheme.floor);
    let sum = all
        .map(|term| {
            let cut = largest - term.exponent + term.point - scheme.fraction;
            let magnitude = term.significand.unsigned_abs();
            let kept =
                if cut < 0 { magnitude << -cut } else { magnitude.checked_shr(cut as u32).unwrap_or(0) };
            if term.significand < 0 { -(kept as i64) } else { kept as i64 }
        })
        .sum();
    round(scheme.rounded, sum, largest - scheme.fraction)
}

/// Rounds `sum * 2^exponent`. A zero has no sign, also if the sum has one.
#[must_use]
pub fn round(rounded: Rounded, sum: i64, exponent: i32) -> u32 {
    let (bits, least, infinity, sign) = match rounded {
        Rounded::F32 => (24, -149, 0x7f80_0000, 1u32 << 31),
        Rounded::E8m13 => (14, -139, 0x7f80_0000, 1 << 31),
        Rounded::F16 => (11, -24, 0x7c00, 1 << 15),
    };
    let magnitude = sum.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let sign = if sum < 0 { sign } else { 0 };
    let length = 64 - magnitude.leading_zeros() as i32;
    // The weight of the last bit that stays.
    let last = (exponent + length - bits).max(least);
    let cut = last - exponent;
    let mut kept = match cut {
        ..=0 => magnitude << -cut,
        1..=63 => magnitude >> cut,
        _ => 0,
    };
    if rounded == Rounded::F16 && (1..=64).contains(&cut) {
        let rest = (magnitude as u128) << (64 - cut) as u128 & u128::from(u64::MAX);
        let half = 1u128 << 63;
        kept += u64::from(rest > half || rest == half && kept & 1 == 1);
    }
    // A carry into a higher exponent is what adding the fields gives anyway.
    let field = match rounded {
        Rounded::F32 => fields(kept, last, 24, -149),
        Rounded::E8m13 => fields(kept << 10, last - 10, 24, -149),
        Rounded::F16 => fields(kept, last, 11, -24),
    };
    if field == 0 { 0 } else { sign | u32::try_from(field).unwrap_or(u32::MAX).min(infinity) }
}

/// The exponent and mantissa fields of `kept * 2^last` in a format of so many bits.
fn fields(kept: u64, last: i32, bits: i32, least: i32) -> u64 {
    let hidden = 1u64 << (bits - 1);
    if kept < hidden { kept } else { ((last - least) as u64) * hidden + kept }
}
