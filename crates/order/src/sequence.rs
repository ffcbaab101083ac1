//! The order of `fence.sc` operations that no execution could turn round (8.9.3, 8.10.2).
//!
//! A run executes these fences one after another, but another run with the same values may have them the other way round,
//! unless something contradicts that. So of two fences the first comes before the second only if a strong operation after
//! the first communicates with one before the second: it is seen or overwritten by it, or reads what it overwrites. Were the
//! second fence the first, the second operation would come before the one that it has seen the effect of (8.10.6).
//!
//! A word remembers what the fences before its strong reads and writes released. Who reads or writes it takes that along,
//! and its next fence acquires it. What has been taken along stays with its thread.

use crate::published::{Published, publish};

/// What the `fence.sc` operations of a thread have released, and those that its next one comes after.
#[derive(Clone, Debug, Default)]
pub struct Sequence {
    /// What its own last ones released, by their scopes.
    own: Vec<Published>,
    /// What others released that its strong operations have met.
    met: Vec<Published>,
}

/// What the fences before the strong operations on a word released.
#[derive(Clone, Debug, Default)]
pub struct Sequenced {
    reads: Vec<Published>,
    writes: Vec<Published>,
}

impl Sequence {
    /// Whether it leads others.
    #[must_use]
    pub fn leads(&self) -> bool {
        !self.own.is_empty()
    }

    /// What the thread's next fence comes after.
    pub fn take_met(&mut self) -> Vec<Published> {
        std::mem::take(&mut self.met)
    }

    /// What could not be acquired waits for another fence.
    pub fn put_back(&mut self, met: Vec<Published>) {
        self.met = met;
    }

    /// What a fence releases comes before what it must come before.
    pub fn lead(&mut self, published: Published) {
        self.own.retain(|own| own.scope > published.scope);
        self.own.push(published);
    }

    /// The thread reads or writes a word by a strong operation, or both.
    pub fn meet(&mut self, word: &mut Sequenced, (reads, writes): (bool, bool)) {
        let Self { own, met } = self;
        word.writes.iter().for_each(|published| publish(met, published));
        if writes {
            word.reads.iter().for_each(|published| publish(met, published));
            // Who reads what is written now comes after these reads too.
            let before = std::mem::take(&mut word.reads);
            before.iter().chain(own.iter()).for_each(|published| publish(&mut word.writes, published));
        } else if reads {
            own.iter().for_each(|published| publish(&mut word.reads, published));
        }
    }
}
