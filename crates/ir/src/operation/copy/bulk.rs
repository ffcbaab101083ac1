//! `cp.async.bulk` and `cp.reduce.async.bulk`: the manual's 9.7.9.25.4.

use ptxvm_isa::Type;

use crate::operation::access::Combination;
use crate::operation::address::{Address, AddressSpace};
use crate::operation::form::Form;

/// A run of bytes between global memory and the shared memory of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bulk {
    /// Which way it goes.
    pub direction: Direction,
    /// Where to.
    pub to: Address,
    /// Where from.
    pub from: Address,
    /// How many bytes.
    pub size: usize,
    /// Whom it tells; otherwise it belongs to a group of its thread.
    pub mbarrier: Option<Address>,
    /// The mask of CTAs that it goes to.
    pub ctas: Option<usize>,
    /// The mask of bytes that it writes.
    pub bytes: Option<usize>,
    /// How many bytes at the beginning and at the end may lie outside of what is allocated (`.ignore_oob`).
    pub ignored: Option<(usize, usize)>,
    /// How the elements are combined with those that are there; without, they are overwritten.
    pub reduction: Option<(Combination, Type)>,
}

/// Where bytes go from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From global memory to shared memory.
    Load,
    /// From the CTA's shared memory to that of another.
    Exchange,
    /// From the CTA's shared memory to global memory.
    Store,
}

pub(super) fn decode(form: &Form<'_>) -> Option<Bulk> {
    let reduction = match form.says("reduce") {
        true => Some((Combination::from_name(form.slot("redOp").unwrap_or("add"))?, form.ty("type")?)),
        false => None,
    };
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
    Some(Bulk {
        direction,
        to: Address::of(form, "dstMem", to)?,
        from: Address::of(form, "srcMem", from)?,
        size: form.position("size")?,
        mbarrier,
        ctas: form.position("ctaMask"),
        bytes: form.position("byteMask"),
        ignored: form.position("ignoreBytesLeft").zip(form.position("ignoreBytesRight")),
        reduction,
    })
}
