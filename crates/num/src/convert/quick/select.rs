//! Choices without a branch.

/// The value of the first where the condition holds, without a branch.
#[inline(always)]
pub const fn select32(condition: bool, a: u32, b: u32) -> u32 {
    let mask = (condition as u32).wrapping_neg();
    (a & mask) | (b & !mask)
}

/// As [`select32`].
#[inline(always)]
pub const fn select64(condition: bool, a: u64, b: u64) -> u64 {
    let mask = (condition as u64).wrapping_neg();
    (a & mask) | (b & !mask)
}
