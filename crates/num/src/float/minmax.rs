//! The smaller and the larger of two numbers, `min` and `max` of 9.7.3 and 9.7.4.
//!
//! If the bits of negative numbers are inverted except for the sign, floats order like signed integers, with minus zero
//! below plus zero, as the instructions require. So one comparison works for every format.

use super::{f32, f64, half};

/// The modifiers of `min` and `max`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers {
    /// `.ftz`: subnormal operands become zeros of their sign.
    pub ftz: bool,
    /// `.NaN`: any NaN makes the result NaN; without it the other operand wins.
    pub nan: bool,
    /// `.abs`: magnitudes are compared.
    pub abs: bool,
    /// `.xorsign`: the result's sign is the product of the operands' signs.
    pub xorsign: bool,
}

/// Which of the two is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// `min`
    Min,
    /// `max`
    Max,
}

/// `min.f32`, `max.f32`
#[inline(always)]
#[must_use]
pub fn f32(a: u32, b: u32, which: Extreme, modifiers: Modifiers) -> u32 {
    let (a, b) = (f32::flush(a, modifiers.ftz), f32::flush(b, modifiers.ftz));
    choose32(a, b, which, modifiers, 0x7f80_0000, f32::NAN)
}

/// `min.f32`, `max.f32` of three operands: the first two, then the winner and the third.
#[inline(always)]
#[must_use]
pub fn three_f32(a: u32, b: u32, c: u32, which: Extreme, modifiers: Modifiers) -> u32 {
    f32(f32(a, b, which, modifiers), c, which, modifiers)
}

/// `min.f16`, `max.f16`
#[inline(always)]
#[must_use]
pub fn f16(a: u16, b: u16, which: Extreme, modifiers: Modifiers) -> u16 {
    let (a, b) = (half::f16::flush(a, modifiers.ftz), half::f16::flush(b, modifiers.ftz));
    choose16(a, b, which, modifiers, 0x7c00)
}

/// `min.bf16`, `max.bf16`
#[inline(always)]
#[must_use]
pub fn bf16(a: u16, b: u16, which: Extreme, modifiers: Modifiers) -> u16 {
    choose16(a, b, which, modifiers, 0x7f80)
}

/// The choice for sixteen bits is that for thirty-two with zeros below.
#[inline(always)]
fn choose16(a: u16, b: u16, which: Extreme, modifiers: Modifiers, infinity: u16) -> u16 {
    let up = |a: u16| u32::from(a) << 16;
    (choose32(up(a), up(b), which, modifiers, up(infinity), up(half::NAN)) >> 16) as u16
}

#[inline(always)]
fn choose32(a: u32, b: u32, which: Extreme, modifiers: Modifiers, infinity: u32, nan: u32) -> u32 {
    const SIGN: u32 = 0x8000_0000;
    let sign = if modifiers.xorsign { (a ^ b) & SIGN } else { 0 };
    let (a, b) = if modifiers.abs { (a & !SIGN, b & !SIGN) } else { (a, b) };
    let order = |a: u32| (a ^ ((a as i32 >> 31) as u32 >> 1)) as i32;
    let first = match which {
        Extreme::Min => order(a) < order(b),
        Extreme::Max => order(a) > order(b),
    };
    let number = if first { a } else { b };
    let (a_nan, b_nan) = (a & !SIGN > infinity, b & !SIGN > infinity);
    let number = if a_nan { b } else { number };
    let number = if b_nan { a } else { number };
    let none = if modifiers.nan { a_nan | b_nan } else { a_nan & b_nan };
    if none { nan } else { number ^ sign }
}

/// `min.f64`, `max.f64`: of two NaN the second comes out, made quiet.
#[inline(always)]
#[must_use]
pub fn f64(a: u64, b: u64, which: Extreme) -> u64 {
    const QUIET: u64 = 0x0008_0000_0000_0000;
    let order = |a: u64| (a ^ ((a as i64 >> 63) as u64 >> 1)) as i64;
    let first = match which {
        Extreme::Min => order(a) < order(b),
        Extreme::Max => order(a) > order(b),
    };
    let number = if first { a } else { b };
    let number = if f64::is_nan(b) { a } else { number };
    let other = if f64::is_nan(b) { b | QUIET } else { b };
    if f64::is_nan(a) { other } else { number }
}
