//! Reads that saw an older state, and what would have ordered them after the write that they missed.

use std::sync::{Mutex, PoisonError};

use ptxvm_machine::door::touch::Space;
use ptxvm_order::{Accessed, Entity, Missing, SiteId};
use ptxvm_syntax::ast::Span;
use rustc_hash::FxHashMap;

/// A read that saw an older state than memory held, or a newer one than its place in the program says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleRead {
    /// The read.
    pub read: Accessed,
    /// The newest write, which it did not see.
    pub missed: Accessed,
    /// The write that it saw; `None` for what was there before.
    pub seen: Option<Accessed>,
    /// The memory, and the address in it.
    pub space: Space,
    /// Where.
    pub address: u64,
    /// Whether the read is a strong operation, which may race without being wrong.
    pub strong: bool,
    /// Whether the read came too late, not too early: it saw the newest write, which was made after what follows the read in
    /// the program.
    pub late: bool,
    /// What is missing between the two.
    pub missing: Vec<Missing>,
    /// How often a read at this place missed a write at that place.
    pub count: u64,
    /// How often the thread has then seen the newest write of the same word all the same.
    pub caught_up: u64,
}

impl StaleRead {
    /// Moves all its places.
    pub fn change_spans(&mut self, change: impl Fn(Span) -> Span) {
        let accesses = [&mut self.read, &mut self.missed].into_iter().chain(&mut self.seen);
        accesses.for_each(|access| access.span = change(access.span));
        self.missing.iter_mut().for_each(|missing| missing.change_spans(&change));
    }

    /// Whether it may be what a loop does that waits: strong, and seen later.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        // The last look of a thread may be one that it could go on from: nobody looks again.
        self.strong && (self.late || 2 * self.caught_up >= self.count)
    }
}

/// The stale reads of launches, for who reports them.
#[derive(Debug, Default)]
pub struct StaleReads(Mutex<Vec<StaleRead>>);

impl StaleReads {
    /// All, those first that are most likely mistakes.
    #[must_use]
    pub fn take(&self) -> Vec<StaleRead> {
        let mut all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        all.sort_by_key(|stale| (stale.is_waiting(), stale.strong));
        all
    }

    pub(crate) fn add(&self, notes: &mut Notes) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).append(&mut notes.stale);
    }
}

/// As many places are told apart, and as many reads are followed.
const MOST: usize = 64;
const FOLLOWED: usize = 1 << 12;

/// The stale reads of a launch so far.
#[derive(Debug, Default)]
pub struct Notes {
    stale: Vec<StaleRead>,
    by_sites: FxHashMap<(SiteId, SiteId), usize>,
    /// By thread and address: the number of its stale read.
    followed: FxHashMap<(Entity, u64), usize>,
}

impl Notes {
    /// A read at one place missed a write at another.
    pub fn note(&mut self, sites: (SiteId, SiteId), who: (Entity, u64), stale: impl FnOnce() -> StaleRead) {
        let number = match self.by_sites.get(&sites) {
            Some(number) => *number,
            None if self.stale.len() >= MOST => return,
            None => {
                self.stale.push(stale());
                self.by_sites.insert(sites, self.stale.len() - 1);
                self.stale.len() - 1
            }
        };
        self.stale[number].count += 1;
        if self.followed.len() < FOLLOWED
            && let Some(before) = self.followed.insert(who, number)
        {
            // A thread that looks again has not caught up until it sees the newest.
            self.stale[before].caught_up += 1;
        }
    }

    /// A thread has seen the newest write of a word.
    pub fn excuse(&mut self, by: Entity, address: u64) {
        if !self.followed.is_empty()
            && let Some(number) = self.followed.remove(&(by, address))
        {
            self.stale[number].caught_up += 1;
        }
    }
}
