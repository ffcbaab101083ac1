//! Arithmetic on bits, as NVIDIA's silicon does it.
//!
//! Every function takes and returns the raw bits of registers (`u16`, `u32`, `u64`). It is pure and total, and never
//! panics. The tests compare it with an H200's recorded results in `tests/golden`.
#![allow(clippy::needless_range_loop, reason = "a lane is a number that indexes several arrays at once")]

pub mod approx;
pub mod convert;
pub mod float;
pub mod int;
pub mod level;
pub mod matrix;
mod meanwhile;
pub mod mufu;
mod rounding;

pub use rounding::Rounding;
