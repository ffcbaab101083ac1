//! Sums rounded to odd: a second rounding to at least two bits less then gives the same as one rounding.
//!
//! An inexact sum becomes the neighbour whose last bit is set. That is neither a number of the narrow format nor a tie
//! between two of them, so the second rounding goes the way the exact sum would.

/// `a + b` rounded to odd in single precision. The sum must not overflow.
#[inline(always)]
pub fn add_f32(a: f32, b: f32) -> f32 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    let bits = sum.to_bits();
    let away = (bits ^ error.to_bits()) >> 31 == 0;
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    // The error of an infinite sum is NaN and compares false.
    let inexact = (error < 0.0) | (error > 0.0);
    f32::from_bits(if inexact & (bits & 1 == 0) { neighbour } else { bits })
}

/// `a + b` rounded to odd in double precision. The sum must not overflow.
#[inline(always)]
pub fn add_f64(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    let bits = sum.to_bits();
    let away = (bits ^ error.to_bits()) >> 63 == 0;
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let inexact = (error < 0.0) | (error > 0.0);
    f64::from_bits(if inexact & (bits & 1 == 0) { neighbour } else { bits })
}

/// A number rounded to odd in single precision; what is too large becomes the largest number, whose last bit is set.
#[inline(always)]
pub fn narrow(a: f64) -> f32 {
    let rounded = a as f32;
    let back = f64::from(rounded);
    let bits = rounded.to_bits();
    let away = back.abs() < a.abs();
    let neighbour = if away { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let inexact = (back < a) | (back > a);
    f32::from_bits(if inexact & (bits & 1 == 0) { neighbour } else { bits })
}
