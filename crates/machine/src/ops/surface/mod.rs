//! Surface instructions (manual 9.7.11): operands are gathered here, and where an access lies is found by
//! `ptxvm_texture::surface`.
//!
//! Cache operators are hints and change nothing.

mod access;
mod load;
mod query;
mod reduce;
mod store;

use crate::vector::lanes::Op;
use ptxvm_ir::operation::Surface;

/// The operation of a surface instruction.
pub fn executor(surface: Surface) -> Option<Op> {
    Some(match surface {
        Surface::Load { access, element, elements, registers } => {
            load::executor(access, element, elements, registers)
        }
        Surface::Store { access, values, elements, element } => {
            store::executor(access, values, elements, element)
        }
        Surface::Reduce { access, combination, ty, value, sample: false } => {
            return reduce::of_bytes(access, combination, ty, value);
        }
        Surface::Reduce { access, combination, ty, value, sample: true } => {
            return reduce::of_samples(access, combination, ty, value);
        }
        Surface::Query { query, handle } => query::executor(query, handle),
    })
}
