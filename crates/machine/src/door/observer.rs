//! Whoever is told of every touch of the guest's memory: checkers of races, of bounds, of what nobody has written.
//!
//! An observer is asked for when a kernel is linked ([`crate::Kernel::link_observed`]). Then each instruction says what it
//! is before it runs (`door/tell.rs`), and no access can take the quick way of [`resolve`](crate::context::Context::resolve),
//! since what that compares with is kept empty: nothing of this stands in the way of a kernel that nobody observes.

use std::sync::Arc;

pub use crate::code::Source;
use crate::door::touch::{Proxy, Space, Touch, Wants};
use crate::registers::LANES;

/// Is told of every touch of memory that a kernel's instructions and asynchronous operations make.
///
/// Clusters run on several host threads, and each tells of its own; what one cluster does comes in the order in which it
/// happens. An instruction tells before it touches. One that is executed again, because a mistake of it was forgiven or
/// because it waits, tells again.
pub trait Observer: Send + Sync + std::fmt::Debug {
    /// The lanes of a warp touch memory.
    fn access(&self, access: &Access<'_>);

    /// An asynchronous operation has been issued, reads its source, or completes.
    fn transfer(&self, transfer: &Transferred<'_>);

    /// A thread has taken a block of the heap, or given one back.
    fn heap(&self, change: &HeapChange);

    /// Whether it is to be proved that all is told that is done to shared and tensor memory, which takes long: what they
    /// hold is compared before and after each instruction, the first times it is executed, and each operation that
    /// completes.
    fn wants_proof(&self) -> bool {
        false
    }

    /// A byte of shared or tensor memory has changed although nothing was told of it, which is a mistake of ours.
    fn slipped(&self, source: Source, space: Space, address: u64) {
        let _ = (source, space, address);
    }
}

/// A warp, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The number of the cluster in the grid.
    pub cluster: u64,
    /// The rank of the CTA in it.
    pub rank: u32,
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// The warp in its CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
}

/// An access of lanes.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Who makes it.
    pub who: Who,
    /// The instruction, of which the program knows the order, the scope and the rest.
    pub source: Source,
    /// The memory.
    pub space: Space,
    /// Where each lane's access begins; anything for lanes that make none.
    pub addresses: &'a [u64; LANES],
    /// How many bytes each lane touches.
    pub bytes: u64,
    /// What it does to them.
    pub wants: Wants,
    /// Through which proxy.
    pub proxy: Proxy,
}

/// How far an asynchronous operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has been issued. The touches are all that it will make.
    Issued,
    /// It reads its source. The touches are those that it makes then.
    Fetched,
    /// It completes. The touches are those that it makes now: also those of its source, unless it was read before.
    Delivered,
}

/// Something that an asynchronous operation has come to.
#[derive(Clone, Copy, Debug)]
pub struct Transferred<'a> {
    /// Who issued it.
    pub who: Who,
    /// The instruction that did.
    pub source: Source,
    /// Its number: among those of its cluster, or for a `wgmma` among those of its warp.
    pub operation: u64,
    /// How far it is.
    pub stage: Stage,
    /// What it touches.
    pub touches: &'a [Touch],
}

/// A change of the guest's heap.
#[derive(Clone, Copy, Debug)]
pub struct HeapChange {
    /// Who called the function.
    pub who: Who,
    /// The call.
    pub source: Source,
    /// Where the block begins.
    pub address: u64,
    /// How long it is; `None` if it has been given back.
    pub taken: Option<u64>,
}

/// An observer, and what is needed to tell it something.
#[derive(Debug)]
pub struct Observed {
    pub(super) observer: Arc<dyn Observer>,
    /// By instruction of the code: that of the program.
    pub(super) sources: Box<[Source]>,
}

impl Observed {
    /// For linked code whose instructions have these sources.
    pub(crate) fn new(observer: Arc<dyn Observer>, sources: Box<[Source]>) -> Arc<Self> {
        Arc::new(Self { observer, sources })
    }
}
