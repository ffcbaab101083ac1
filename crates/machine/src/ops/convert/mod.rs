//! Conversions: `cvt` and `cvt.pack` (manual 9.7.9.21 and 9.7.9.22).

mod floats;
mod integers;
mod narrow;
pub mod pack;
mod width;

use ptxvm_ir::operation::compute::Convert;

use crate::vector::lanes::Op;

/// The operation of a conversion; each file here knows some kinds of pairs of types.
pub fn executor(cvt: Convert) -> Option<Op> {
    integers::executor(cvt).or_else(|| floats::executor(cvt)).or_else(|| narrow::executor(cvt))
}
