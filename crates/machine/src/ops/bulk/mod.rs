//! Bulk copies and reductions (manual 9.7.9.25.4 and 9.7.9.25.6): runs of bytes between global memory and the shared
//! memory of a cluster, while the threads go on.
//!
//! A multimem address stands for the same memory of several devices; here there is one, so that it stands for itself.
//! Cache hints, and the scopes that ptxas takes, change no value.

pub mod group;
mod issue;
mod transfer;

use crate::ops::operand::Address;
use crate::vector::lanes::Op;
use issue::{Bulk, Prefetch};
use ptxvm_ir::operation::copy;

pub use issue::same_cta;
pub use transfer::{AtDestination, ByteSource, Move};

/// `cp.async.bulk`, `cp.reduce.async.bulk`
pub fn executor(bulk: copy::Bulk) -> Option<Op> {
    let how = AtDestination::of(bulk.reduction)?;
    Some(Box::new(Bulk { bulk, how }))
}

/// `cp.async.bulk.prefetch`
pub fn prefetch(from: Address, size: usize) -> Op {
    Box::new(Prefetch { from, size })
}
