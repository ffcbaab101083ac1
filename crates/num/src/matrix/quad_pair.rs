//! `mma.m8n8k4` of f16 after Turing: the tensor cores no longer have that shape, so ptxas writes ordinary f32 arithmetic.

use super::element::Accumulator;
use crate::Rounding::Rn;
use crate::convert::{F16, F32, Modifiers, float_to_float};
use crate::float::f32::{add, fma, mul};

/// The element of D of a row of A and a column of B, from C's bits, which are of D's format.
#[must_use]
pub fn dot(a: [u16; 4], b: [u16; 4], c: u32, accumulator: Accumulator) -> u32 {
    let (a, b) = (a.map(widen), b.map(widen));
    let then = |sum: u32, k: usize| fma(a[k], b[k], sum, Rn, false, false);
    let plus = |left: u32, right: u32| add(left, right, Rn, false, false);
    match accumulator {
        Accumulator::F32 => plus(c, (0..4).fold(0, then)),
        Accumulator::F16 => {
            let pair = |k: usize| then(mul(a[k], b[k], Rn, false, false), k + 1);
            let sum = plus(plus(widen(c as u16), pair(0)), pair(2));
            float_to_float(sum.into(), F32, F16, Rn, Modifiers::default()) as u32
        }
    }
}

/// An f16 as f32.
#[must_use]
pub fn widen(bits: u16) -> u32 {
    float_to_float(bits.into(), F16, F32, Rn, Modifiers::default()) as u32
}
