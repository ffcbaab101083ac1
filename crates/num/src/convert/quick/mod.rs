//! The conversions that kernels do all the time, without branches, so that a warp's 32 lanes vectorise.
//!
//! Each is the exact core for one pair of types and gives the same bits. Arguments such as the rounding are
//! constants at every call, so the choices on them cost nothing. The host's own conversions are right for numbers;
//! what they do with NaN is put right by a selection.

mod floats;
mod integers;
mod select;

pub use floats::*;
pub use integers::*;
