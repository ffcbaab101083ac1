//! The asynchronous units of a cluster: what threads have issued and what has not been completed yet.
//!
//! An operation is checked when it is issued. It completes later, at a moment that the launch's
//! [`Asynchrony`](crate::launch::Asynchrony) and the seed choose: its source is read, its destination written, and then
//! it signals an mbarrier object or counts for a group of its thread. A program that does not wait for what it needs
//! finds the old bytes.

mod complete;
mod issue;
pub mod pending;

use std::collections::VecDeque;
use std::sync::Arc;

use ptxvm_memory::Budget;

use crate::random::splitmix64;

pub use crate::asynchronous::issuer::{GroupKind, Issuer};
pub use crate::asynchronous::named::{BulkSort, Named, StoreSort, Where};
pub use crate::asynchronous::trouble::{COMPLETION, Trouble};
pub use crate::effort::{copying, reducing};
pub use pending::{Pending, Signal, TensorUse, Transfer};

/// The operations that have been issued and have not completed.
#[derive(Debug, Default)]
pub struct Queue {
    /// The oldest first. They are boxed so that taking one out moves little.
    under_way: VecDeque<Box<Pending>>,
    random: u64,
    /// How many of the queue's first entries have been issued for good; the others have just been pushed.
    settled: usize,
    /// How many operations the cluster has issued, which numbers them.
    issued: u64,
    /// The effort of what has been read and completed since somebody asked.
    spent: u64,
    /// What the bytes of operations that have been read, and not written, are taken from.
    budget: Arc<Budget>,
}

impl Queue {
    /// A queue that takes memory from a budget.
    #[must_use]
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self { budget: Arc::clone(budget), ..Self::default() }
    }

    /// Forgets everything, for a fresh cluster.
    pub fn start(&mut self, seed: u64) {
        self.under_way.clear();
        (self.random, self.settled, self.issued, self.spent) = (seed, 0, 0, 0);
    }

    /// Takes an operation. The interpreter says where it was issued when the instruction is over
    /// ([`ClusterState::issue`](crate::schedule::cluster::ClusterState::issue)).
    pub fn push(&mut self, pending: Pending) {
        self.under_way.push_back(Box::new(pending));
    }

    /// A random choice of the seed.
    pub fn toss(&mut self) -> bool {
        splitmix64(&mut self.random) & 1 != 0
    }

    /// The place of the oldest of the first so many that is wanted.
    fn first(&self, among: usize, wanted: impl Fn(&Pending) -> bool) -> Option<usize> {
        self.under_way.iter().take(among).position(|pending| wanted(pending))
    }

    /// The place of an operation that must be complete before this one, and that itself need not wait.
    fn predecessor(&self, index: usize) -> Option<usize> {
        let mut found = None;
        let mut at = index;
        while let Some(pending) = self.under_way.get(at).filter(|pending| pending.is_ordered())
            && let Some(first) = self.first(at, |earlier| pending.comes_after(earlier))
        {
            (found, at) = (Some(first), first);
        }
        found
    }

    /// What has not completed, the oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.under_way.iter().map(|pending| &**pending)
    }
}
