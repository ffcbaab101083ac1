//! Bulk copies and reductions (manual 9.7.9.25.4 and 9.7.9.25.6): runs of bytes between global memory and the shared
//! memory of a cluster, while the threads go on.
//!
//! A multimem address stands for the same memory of several devices; here there is one, so that it stands for itself.
//! Cache hints, and the scopes that ptxas takes, change no value.

mod group;
mod issue;
mod transfer;

use crate::address::AddressSpace;
use crate::lanes::Op;
use crate::ops::atomic::Reduction;
use crate::ops::operand::Address;
use issue::{Bulk, Direction, Prefetch};
use ptxvm_ir::operation::Form;
use ptxvm_ir::operation::access::Combination;

pub use issue::same_cta;
pub use transfer::{How, Move, Source};

/// The operation of a bulk instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.section() {
        "9.7.9.25.4.1" | "9.7.9.25.4.4" => bulk(form, How::Copy),
        "9.7.9.25.4.2" | "9.7.9.25.4.5" => {
            let name = form.slot("redOp").unwrap_or("add");
            bulk(form, How::Reduce(Reduction::of(Combination::from_name(name)?, form.ty("type")?)?))
        }
        "9.7.9.25.4.3" => Some(Box::new(Prefetch {
            from: Address::of(form, "srcMem", AddressSpace::Global)?,
            size: form.position("size")?,
        })),
        "9.7.9.25.6.1" => Some(group::commit()),
        "9.7.9.25.6.2" => Some(group::wait(form.constant("N")? as u32, form.says("read"))),
        _ => None,
    }
}

fn bulk(form: &Form<'_>, how: How) -> Option<Op> {
    let (global, cluster) = (form.says("global"), form.says("shared::cluster"));
    let loads = global && form.says("mbarrier::complete_tx::bytes");
    let shared = if cluster { AddressSpace::SharedCluster } else { AddressSpace::Shared };
    let (direction, to, from) = match (loads, global) {
        (true, _) => (Direction::Load, shared, AddressSpace::Global),
        (_, true) => (Direction::Store, AddressSpace::Global, AddressSpace::Shared),
        (_, false) => (Direction::Exchange, shared, AddressSpace::Shared),
    };
    let mbarrier = match direction {
        Direction::Store => None,
        _ => Some(Address::of(form, "mbar", shared)?),
    };
    Some(Box::new(Bulk {
        direction,
        to: Address::of(form, "dstMem", to)?,
        from: Address::of(form, "srcMem", from)?,
        size: form.position("size")?,
        mbarrier,
        ctas: form.position("ctaMask"),
        bytes: form.position("byteMask"),
        how,
    }))
}
