//! `tcgen05.*` (manual 9.7.16): tensor memory, what moves data in and out of it, and what waits for that.
//!
//! The fifth generation of tensor cores works on a memory of its own (`ptxvm_memory::tensor`). What the manual asks of
//! addresses, columns and warps is checked here when an instruction is executed; what the tensor cores do then, they do
//! later and in the order of issue ([`crate::engine::TensorUse`]).

mod alloc;
mod commit;
mod copy;
mod load;
mod mma;
mod place;
mod shape;
mod shift;
mod store;
mod wait;

use crate::lanes::Op;
use ptxvm_ir::operation::Form;

pub use place::{Place, columns_are_allocated, ctas_of, group_of, taddr, uniform, whole};

/// The operation of a tcgen05 instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.opcode() != "tcgen05" {
        return None;
    }
    match form.words().nth(1)? {
        "alloc" => alloc::allocate(form),
        "dealloc" => alloc::deallocate(form),
        "mma" => mma::select(form),
        "relinquish_alloc_permit" => alloc::relinquish(form),
        "ld" => load::select(form),
        "st" => store::select(form),
        "wait::ld" => Some(wait::wait("tcgen05.wait::ld")),
        "wait::st" => Some(wait::wait("tcgen05.wait::st")),
        "cp" => copy::select(form),
        "shift" => shift::select(form),
        "fence::before_thread_sync" | "fence::after_thread_sync" => wait::fence(form),
        "commit" => commit::select(form),
        _ => None,
    }
}
