//! IEEE arithmetic as the H200 does it: the manual's 9.7.3 to 9.7.7 without the approximate functions.
//!
//! Every function works on raw bits and is small enough to be inlined into a loop over the lanes of a warp. Where
//! rounding and modifiers are constants there, the loop becomes vector instructions of the host.

pub mod atomic;
pub mod compare;
mod exact;
pub mod f32;
pub mod f32x2;
pub mod f64;
mod format;
pub mod half;
pub mod minmax;
pub mod select;

#[cfg(test)]
mod tests;
