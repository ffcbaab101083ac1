//! Asynchronous copies and what goes with them: the manual's 9.7.9.12, 9.7.9.13, 9.7.9.25, 9.7.9.26, 9.7.13.7,
//! 9.7.13.15.15 and 9.7.13.16.
//!
//! Cache operators, policies, prefetch sizes and the scopes that ptxas takes change no value and are not kept. Operands
//! are named by their position.

mod bulk;
mod store;
mod tensor;

pub use bulk::{Bulk, Direction};
pub use ptxvm_tensor::replace::TensorField;
pub use store::{Reaches, StoreAsync};
pub use tensor::{Tensor, TensorMode, TensorTransfer};

use super::address::{Address, AddressSpace};
use super::form::Form;

/// A copy that goes on while the thread does, or an instruction that goes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copy {
    /// `cp.async`
    Async(Async),
    /// `cp.async.commit_group`
    Commit,
    /// `cp.async.wait_group`, `cp.async.wait_all`
    Wait {
        /// How many of the latest groups are not waited for.
        latest: u32,
        /// Whether what has been issued since the last group is waited for too.
        closes: bool,
    },
    /// `cp.async.mbarrier.arrive`
    Arrive {
        /// The object.
        object: Address,
        /// `.noinc`: the arrival is one of those that the phase expects.
        counted: bool,
    },
    /// `cp.async.bulk` and `cp.reduce.async.bulk`, also of multimem addresses, which stand for themselves: there is one
    /// device.
    Bulk(Bulk),
    /// `cp.async.bulk.prefetch`
    BulkPrefetch {
        /// Where.
        from: Address,
        /// How many bytes.
        size: usize,
    },
    /// `cp.async.bulk.commit_group`
    BulkCommit,
    /// `cp.async.bulk.wait_group`
    BulkWait {
        /// How many of the latest groups are not waited for.
        latest: u32,
        /// `.read`: until the sources have been read.
        read: bool,
    },
    /// `cp.async.bulk.tensor`, `cp.reduce.async.bulk.tensor`
    Tensor(Tensor),
    /// `cp.async.bulk.prefetch.tensor`
    TensorPrefetch,
    /// `st.async`, `red.async`
    StoreAsync(StoreAsync),
    /// `st.bulk`: zeros.
    StoreBulk {
        /// Where to.
        to: Address,
        /// How many bytes.
        size: usize,
    },
    /// `tensormap.replace`
    ReplaceField {
        /// The tensor map.
        map: Address,
        /// Which field of it.
        field: TensorField,
        /// Which of several.
        ord: u32,
        /// The new value.
        value: usize,
    },
    /// `tensormap.cp_fenceproxy`
    PublishMap {
        /// Where to, in global memory.
        to: Address,
        /// Where from, in shared memory.
        from: Address,
    },
}

/// `cp.async`: a few bytes by each lane, from global to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Async {
    /// Where to.
    pub to: Address,
    /// Where from.
    pub from: Address,
    /// How many bytes.
    pub bytes: u64,
    /// How many of them are read; zeros follow.
    pub limit: Limit,
}

/// How many bytes of a `cp.async` are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// All.
    None,
    /// As many as an operand says.
    Size(usize),
    /// None where a predicate holds.
    Ignore(usize),
}

/// An instruction of the sections 9.7.9.25.`group`.`part`.
pub(super) fn decode(form: &Form<'_>, group: u32, part: u32) -> Option<Copy> {
    match (group, part) {
        (3, 1) => asynchronous(form).map(Copy::Async),
        (3, 2) => Some(Copy::Commit),
        (3, 3) if form.says("wait_all") => Some(Copy::Wait { latest: 0, closes: true }),
        (3, 3) => Some(Copy::Wait { latest: form.constant("N")? as u32, closes: false }),
        (4, 3) => Some(Copy::BulkPrefetch {
            from: Address::of(form, "srcMem", AddressSpace::Global)?,
            size: form.position("size")?,
        }),
        (4, _) => bulk::decode(form).map(Copy::Bulk),
        (5, 4) => Some(Copy::TensorPrefetch),
        (5, _) => tensor::decode(form).map(Copy::Tensor),
        (6, 1) => Some(Copy::BulkCommit),
        (6, 2) => Some(Copy::BulkWait { latest: form.constant("N")? as u32, read: form.says("read") }),
        _ => None,
    }
}

fn asynchronous(form: &Form<'_>) -> Option<Async> {
    Some(Async {
        to: Address::of(form, "dst", AddressSpace::Shared)?,
        from: Address::of(form, "src", AddressSpace::Global)?,
        bytes: form.constant("cp-size")?,
        limit: match (form.position("src-size"), form.position("ignore-src")) {
            (Some(size), _) => Limit::Size(size),
            (None, Some(ignore)) => Limit::Ignore(ignore),
            (None, None) => Limit::None,
        },
    })
}

/// `cp.async.mbarrier.arrive`
pub(super) fn arrive(form: &Form<'_>) -> Option<Copy> {
    Some(Copy::Arrive { object: Address::of_mbarrier(form)?, counted: form.says("noinc") })
}

/// `st.async`, `red.async`
pub(super) fn store_async(form: &Form<'_>) -> Option<Copy> {
    store::decode(form).map(Copy::StoreAsync)
}

/// `st.bulk`
pub(super) fn store_bulk(form: &Form<'_>) -> Option<Copy> {
    let space = AddressSpace::from_name(form.slot("ss"));
    Some(Copy::StoreBulk { to: Address::of(form, "a", space)?, size: form.position("size")? })
}

/// `tensormap.replace`
pub(super) fn replace_field(form: &Form<'_>) -> Option<Copy> {
    Some(Copy::ReplaceField {
        map: Address::of(form, "addr", AddressSpace::from_name(form.slot("ss")))?,
        field: form.words().chain(form.modifiers()).find_map(TensorField::from_name)?,
        ord: form.constant("ord").unwrap_or(0) as u32,
        value: form.position("new_val")?,
    })
}

/// `tensormap.cp_fenceproxy`
pub(super) fn publish_map(form: &Form<'_>) -> Option<Copy> {
    Some(Copy::PublishMap {
        to: Address::of(form, "dst", AddressSpace::Global)?,
        from: Address::of(form, "src", AddressSpace::Shared)?,
    })
}
