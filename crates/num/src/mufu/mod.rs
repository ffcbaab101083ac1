//! The special function unit, bit for bit: what SASS calls MUFU.
//!
//! The upper bits of an argument select a table entry; a quadratic polynomial in fixed point interpolates over the rest,
//! `x`. The tables were fitted from an H200's results (`cargo xtask mufu fit`) and checked against all 2^32 inputs (`cargo
//! xtask mufu sweep`).
//!
//! The unit reads subnormal numbers as zero and gives zero for a subnormal result (only tanh passes them through). Every
//! NaN it gives is 0x7fffffff. The PTX instructions around it are in [`crate::approx`].
//! Nothing here branches, so that a loop over a warp's lanes becomes vector code.

mod exponential;
mod logarithm;
mod polynomial;
mod reciprocal;
mod root;
mod tables;
mod tangent;
mod trigonometric;

pub use exponential::{EX2, ex2};
pub use logarithm::{LG2, lg2};
pub use polynomial::{NAN, Polynomial, square};
pub use reciprocal::{RCP, rcp, rcp64h};
pub use root::{RSQRT, SQRT, rsqrt, rsqrt64h, sqrt};
pub use tables::{EX2_TABLE, LG2_TABLE, RCP_TABLE, RSQRT_TABLE, SIN_TABLE, SQRT_TABLE, TANH_TABLE};
pub use tangent::{BINADES, Binade, FIRST, TANH, tanh};
pub use trigonometric::{PER_TURN, SIN, cos, sin, turns};
