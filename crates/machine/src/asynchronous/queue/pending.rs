//! One asynchronous operation under way: who issued it, what it moves, and whom it tells when it is done.

use std::sync::Arc;

use ptxvm_memory::tensor::Units;
use ptxvm_memory::{Budget, Charge, TensorMemory};
use smallvec::SmallVec;

use crate::asynchronous::issuer::{GroupKind, Issuer};
use crate::asynchronous::named::Named;
use crate::asynchronous::trouble::Wrong;
use crate::door::touch::{Proxy, Space, Touch, Wants, When};

/// The bytes of an mbarrier object.
const MBARRIER: u64 = 8;

/// What an operation moves. Addresses were checked when it was issued, and stay valid until the cluster has ended.
pub trait Transfer: Send + std::fmt::Debug {
    /// Names all bytes that it touches: which, what it does to them, when, and through which proxy. Who observes is told
    /// what stands here and nothing else.
    fn footprint(&self, visit: &mut dyn FnMut(Touch));

    /// Reads the source into a buffer of its own. Called at most once, and only when reading and writing happen at
    /// different times.
    fn fetch(&mut self);

    /// How many bytes it keeps once they have been read.
    fn kept(&self) -> u64 {
        0
    }

    /// Writes the destination: what was fetched, or else what the source holds now. Called once. What reads tensor
    /// memory, that of each CTA by rank, reads it here: only then what it comes after is complete.
    fn deliver(&mut self, tensor_memory: &mut [TensorMemory]);

    /// What reading or writing takes the host, in about the time of an instruction; products were counted when they were
    /// issued.
    fn effort(&self) -> u64;

    /// What was found wrong while it was delivered: what only tensor memory says, when its turn has come.
    fn wrong(&mut self) -> Option<Wrong> {
        None
    }

    /// The tensor memory that it reads and writes.
    fn tensor_use(&self) -> Option<TensorUse> {
        None
    }

    /// Whether it completes after all that its thread has had the tensor cores do before: `tcgen05.commit`.
    fn commits_tensor(&self) -> bool {
        false
    }
}

/// What an operation has to do with tensor memory.
#[derive(Clone, Copy, Debug)]
pub struct TensorUse {
    /// The CTAs, as bits by rank, whose tensor memory it uses.
    pub ctas: u32,
    /// The columns that it uses there.
    pub units: Units,
    /// Whether the tensor cores do it: what those of a CTA do, they do in the order of issue. The manual promises that
    /// of some pairs of `tcgen05.mma`, `.cp` and `.shift` only.
    pub in_order: bool,
}

impl TensorUse {
    /// Whether it comes after another that was issued before it.
    pub(super) fn follows(self, earlier: TensorUse) -> bool {
        self.in_order && earlier.in_order && self.ctas & earlier.ctas != 0
    }
}

/// An operation that has been issued.
#[derive(Debug)]
pub struct Pending {
    /// Who issued it.
    pub issuer: Issuer,
    /// What it is, for events and findings.
    pub what: Named,
    /// What it moves.
    pub transfer: Box<dyn Transfer>,
    /// Whether the source has been read.
    pub fetched: bool,
    /// What that takes of the host's memory.
    pub charge: Option<Charge>,
    /// The group of its thread that it belongs to, and which one: the number of groups closed before.
    pub group: Option<(GroupKind, u32)>,
    /// Whom it tells.
    pub signals: SmallVec<[Signal; 1]>,
    /// Whether it completes after all `cp.async` copies that its thread issued before.
    pub after_copies: bool,
    /// The CTAs, as bits by rank, whose shared memory it reads.
    pub reads: u32,
    /// The CTAs whose shared memory it writes or signals.
    pub writes: u32,
}

impl Pending {
    /// Whether the budget has memory for what the source holds; it is taken then.
    pub(super) fn may_fetch(&mut self, budget: &Arc<Budget>) -> bool {
        self.charge = budget.charge(self.transfer.kept()).ok();
        self.charge.is_some()
    }

    /// Has the source read.
    pub(crate) fn fetch(&mut self) {
        self.fetched = true;
        self.transfer.fetch();
    }

    /// All that it touches: what it moves, and the mbarrier objects that it tells, which is done through the generic proxy.
    pub fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        self.transfer.footprint(visit);
        for signal in &self.signals {
            visit(Touch {
                space: Space::Shared,
                address: signal.address().into(),
                bytes: MBARRIER,
                wants: Wants::Mbarrier,
                when: When::Deliver,
                proxy: Proxy::Generic,
            });
        }
    }

    /// Writes the destination.
    pub fn deliver(&mut self, tensor_memory: &mut [TensorMemory]) {
        self.transfer.deliver(tensor_memory);
    }

    /// What was found wrong while it was delivered.
    pub(super) fn wrong(&mut self) -> Option<Wrong> {
        self.transfer.wrong()
    }

    /// Whether an operation that was issued earlier must be complete before it.
    pub(super) fn comes_after(&self, earlier: &Pending) -> bool {
        let same_thread = || earlier.issuer.is_of(&self.issuer);
        if self.after_copies {
            return earlier.group.is_some_and(|(kind, _)| kind == GroupKind::CpAsync) && same_thread();
        }
        if self.transfer.commits_tensor() && earlier.transfer.commits_tensor() {
            return same_thread();
        }
        let Some(used) = earlier.transfer.tensor_use() else { return false };
        match self.transfer.tensor_use() {
            Some(own) => own.follows(used),
            None => self.transfer.commits_tensor() && used.in_order && same_thread(),
        }
    }

    /// Whether it can have to come after others.
    pub(super) fn is_ordered(&self) -> bool {
        self.after_copies || self.transfer.commits_tensor() || self.transfer.tensor_use().is_some()
    }

    /// Whether it will still touch the shared memory of a CTA.
    pub(super) fn needs(&self, rank: u32) -> bool {
        let bit = 1 << rank;
        self.reads & bit != 0 && !self.fetched || self.writes & bit != 0
    }

    /// Whether it is over when the CTA ends that issued it: `cp.async` and the arrivals after it, which nobody sees
    /// then, what neither an mbarrier nor a group tells of, and commits of such.
    pub(super) fn ends_with_cta(&self) -> bool {
        match self.group {
            Some((kind, _)) => kind == GroupKind::CpAsync,
            None => self.after_copies || self.transfer.commits_tensor() || self.signals.is_empty(),
        }
    }
}

/// Whom a completed operation tells.
#[derive(Clone, Copy, Debug)]
pub enum Signal {
    /// An mbarrier object at this `.shared::cluster` address, by a complete-tx of so many bytes.
    CompleteTx {
        /// Where it lies.
        address: u32,
        /// The bytes.
        bytes: u32,
    },
    /// An mbarrier object, by arrivals.
    Arrive {
        /// Where it lies.
        address: u32,
        /// How many arrivals.
        count: u32,
    },
}

impl Signal {
    /// The mbarrier object that it tells.
    #[must_use]
    pub const fn address(&self) -> u32 {
        match *self {
            Self::CompleteTx { address, .. } | Self::Arrive { address, .. } => address,
        }
    }
}
