//! The conversions that kernels do all the time, without branches, so that a warp's 32 lanes vectorise.
//!
//! Each is the exact core for one pair of types and gives the same bits. Arguments such as the rounding are
//! constants at every call, so the choices on them cost nothing. The host's own conversions are right for numbers;
//! what they do with NaN is put right by a selection.

mod floats;
mod integers;

pub use floats::*;
pub use integers::*;

/// The value of the first where the condition holds, without a branch.
#[inline(always)]
const fn select32(condition: bool, a: u32, b: u32) -> u32 {
    let mask = (condition as u32).wrapping_neg();
    (a & mask) | (b & !mask)
}

/// As [`select32`].
#[inline(always)]
const fn select64(condition: bool, a: u64, b: u64) -> u64 {
    let mask = (condition as u64).wrapping_neg();
    (a & mask) | (b & !mask)
}
