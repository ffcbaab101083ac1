//! The most frequent conversions, without branches, so that a loop over a warp's 32 lanes vectorises.
//!
//! Each does the same as the exact core for one pair of types, and gives the same bits. Arguments such as the rounding are
//! constants at every call, so choices that depend on them cost nothing. The host's own conversions are right except for
//! NaN, which a selection corrects.

mod floats;
mod integers;
mod select;

pub use floats::*;
pub use integers::*;
