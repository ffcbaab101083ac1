//! `tcgen05.*` (manual 9.7.16): tensor memory, what moves data in and out of it, and what waits for that.
//!
//! The fifth generation of tensor cores works on a memory of its own (`ptxvm_memory::tensor`). What the manual asks of
//! addresses, columns and warps is checked here when an instruction is executed; what the tensor cores do then, they do
//! later and in the order of issue ([`crate::asynchronous::queue::TensorUse`]).

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

use crate::vector::lanes::Op;
use ptxvm_ir::operation::Tcgen05;

pub use place::{Place, ctas_of, uniform, whole};

/// The operation of a tcgen05 instruction.
pub fn executor(tcgen05: Tcgen05) -> Option<Op> {
    Some(match tcgen05 {
        Tcgen05::Alloc { group, to, columns } => alloc::allocate(group, to, columns),
        Tcgen05::Dealloc { group, from, columns } => alloc::deallocate(group, from, columns),
        Tcgen05::Relinquish { group } => alloc::relinquish(group),
        Tcgen05::Load { fragment, reduction } => return load::executor(fragment, reduction),
        Tcgen05::Store(fragment) => store::executor(fragment),
        Tcgen05::WaitLoads => wait::for_loads(),
        Tcgen05::WaitStores => wait::for_stores(),
        Tcgen05::Copy { group, shape, packing, to, from } => copy::executor(group, shape, packing, to, from),
        Tcgen05::Shift { group, address } => shift::executor(group, address),
        Tcgen05::FenceBefore => wait::fence("tcgen05.fence::before_thread_sync"),
        Tcgen05::FenceAfter => wait::fence("tcgen05.fence::after_thread_sync"),
        Tcgen05::Commit { group, mbarrier, ctas } => commit::executor(group, mbarrier, ctas),
        Tcgen05::Mma(mma) => mma::executor(mma),
    })
}
