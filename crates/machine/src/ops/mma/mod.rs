//! `mma` and `mma.sp` (manual 9.7.14.5.14 and 9.7.14.6.3): a warp multiplies matrices that its registers hold.
//!
//! A file for each arithmetic: `float`, `quad_pair` (Volta's shape), `scaled` (with a scale for each block), `double`,
//! `integer`.

pub(super) mod accumulator;
pub(super) mod blocks;
mod double;
pub(super) mod float;
mod integer;
pub(super) mod operands;
mod quad_pair;
mod scaled;

use ptxvm_ir::operation::matrix::{Mma, Shape};
use ptxvm_isa::Type;

use crate::vector::lanes::Op;

/// The product that a shape and types mean.
pub fn executor(mma: Mma) -> Option<Op> {
    match mma.types.a {
        Type::F64 => Some(double::executor(mma)),
        Type::U8 | Type::S8 | Type::U4 | Type::S4 | Type::B1 => integer::executor(mma),
        _ if mma.shape == QUAD_PAIR => quad_pair::executor(mma),
        _ => match mma.scale {
            Some(scale) => scaled::executor(mma, scale),
            None => float::executor(mma),
        },
    }
}

/// Volta's shape.
const QUAD_PAIR: Shape = Shape { m: 8, n: 8, k: 4 };
