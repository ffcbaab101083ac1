//! The asynchronous units of a cluster: what threads have issued and what has not been completed yet.
//!
//! An operation is checked when it is issued. It completes later, at a moment that the launch's [`Asynchrony`] and the
//! seed choose: its source is read, its destination written, and then it signals an mbarrier object or counts for a
//! group of its thread. A program that does not wait for what it needs finds the old bytes.

mod pending;

use crate::cluster::ClusterState;
use crate::context::splitmix64;
use crate::finding::Kind;
use crate::launch::Asynchrony;
use crate::mbarrier::{Arrival, Wrong};

pub use pending::{GroupKind, Issuer, Pending, Signal, Transfer};

/// The operations that have been issued and have not completed.
#[derive(Debug, Default)]
pub struct Engine {
    queue: Vec<Pending>,
    random: u64,
    /// How many of the queue's first entries have been issued for good; the others have just been pushed.
    settled: usize,
}

/// Something that went wrong when an operation completed, and who had issued it.
#[derive(Debug)]
pub struct Trouble {
    /// What kind of wrong.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
    /// Whose operation it was.
    pub issuer: Issuer,
}

impl Engine {
    /// Forgets everything, for a fresh cluster.
    pub fn start(&mut self, seed: u64) {
        self.queue.clear();
        (self.random, self.settled) = (seed, 0);
    }

    /// Takes an operation. The interpreter says where it was issued when the instruction is over ([`ClusterState::issue`]).
    pub fn push(&mut self, pending: Pending) {
        self.queue.push(pending);
    }

    /// A random choice of the seed.
    pub fn toss(&mut self) -> bool {
        splitmix64(&mut self.random) & 1 != 0
    }

    /// What has not completed, the oldest first.
    #[must_use]
    pub fn pending(&self) -> &[Pending] {
        &self.queue
    }
}

impl ClusterState {
    /// The instruction at this place has pushed operations: they are under way from now on.
    pub fn issue(&mut self, at: u32, activation: u32, asynchrony: Asynchrony) -> Result<(), Box<Trouble>> {
        let first = self.engine.settled;
        for pending in &mut self.engine.queue[first..] {
            (pending.issuer.at, pending.issuer.activation) = (at, activation);
        }
        self.engine.settled = self.engine.queue.len();
        match asynchrony {
            Asynchrony::Eager => {
                while !self.engine.queue.is_empty() {
                    self.complete(0)?;
                }
                Ok(())
            }
            Asynchrony::Lazy => Ok(()),
            Asynchrony::Seeded => self.tick(),
        }
    }

    /// Time passes: some operations may complete, in any order.
    pub fn tick(&mut self) -> Result<(), Box<Trouble>> {
        while !self.engine.queue.is_empty() {
            let random = splitmix64(&mut self.engine.random);
            // Every other time nothing more happens.
            if random & 1 == 0 {
                break;
            }
            self.complete((random >> 1) as usize % self.engine.queue.len())?;
        }
        Ok(())
    }

    /// Completes an operation because nothing else can go on. Gives whether there was one.
    pub fn complete_one(&mut self) -> Result<bool, Box<Trouble>> {
        if self.engine.queue.is_empty() {
            return Ok(false);
        }
        let index = splitmix64(&mut self.engine.random) as usize % self.engine.queue.len();
        self.complete(index)?;
        Ok(true)
    }

    /// Completes all operations that `wanted` names, the oldest first.
    pub fn complete_all(&mut self, wanted: impl Fn(&Pending) -> bool) -> Result<(), Box<Trouble>> {
        while let Some(index) = self.engine.queue.iter().position(&wanted) {
            self.complete(index)?;
        }
        Ok(())
    }

    /// Has the sources of all operations read that `wanted` names.
    pub fn fetch_all(&mut self, wanted: impl Fn(&Pending) -> bool) {
        for pending in self.engine.queue.iter_mut().filter(|pending| wanted(pending)) {
            pending.fetch();
        }
    }

    /// Completes one operation, and before it those of its thread that it must come after.
    fn complete(&mut self, index: usize) -> Result<(), Box<Trouble>> {
        let mut index = index;
        if self.engine.queue[index].after_copies {
            let issuer = self.engine.queue[index].issuer;
            let earlier = |pending: &Pending| {
                pending.group.is_some_and(|(kind, _)| kind == GroupKind::CpAsync)
                    && pending.issuer.is_of(&issuer)
            };
            while let Some(first) = self.engine.queue[..index].iter().position(earlier) {
                self.complete(first)?;
                index -= 1;
            }
        }
        let mut pending = self.engine.queue.remove(index);
        self.engine.settled = self.engine.settled.saturating_sub(1);
        self.events += 1;
        pending.deliver();
        let issuer = pending.issuer;
        for signal in &pending.signals {
            self.signal(signal, issuer)?;
        }
        Ok(())
    }

    fn signal(&mut self, signal: &Signal, issuer: Issuer) -> Result<(), Box<Trouble>> {
        let done = match *signal {
            Signal::CompleteTx { address, bytes } => self.complete_tx(address, bytes),
            Signal::Arrive { address, count } => {
                let how = Arrival { count, expect: None, drop: false, no_complete: false };
                self.arrive_at_mbarrier(address, how, issuer.party()).map(drop)
            }
        };
        let trouble = |Wrong { message, notes }| Trouble { kind: Kind::Misuse, message, notes, issuer };
        done.map_err(|wrong| Box::new(trouble(wrong)))
    }

    /// A CTA has ended. What it left under way must not need its shared memory any more.
    pub fn leave(&mut self, rank: u32) -> Result<(), Box<Trouble>> {
        let index = rank as usize;
        let needed = |pending: &Pending| pending.needs(rank);
        if let Some(pending) = self.engine.queue.iter().find(|pending| needed(pending)) {
            return Err(Box::new(Trouble {
                kind: Kind::Misuse,
                message: format!(
                    "a CTA ended while {} that uses its shared memory was under way",
                    pending.what
                ),
                notes: vec!["the threads of the CTA must wait for it before they end".into()],
                issuer: pending.issuer,
            }));
        }
        // What only this CTA could have waited for happens now.
        let own = |pending: &Pending| pending.issuer.rank == rank;
        self.complete_all(own)?;
        if let Some(peer) = self.shared.get_mut(index) {
            peer.ended = true;
        }
        self.events += 1;
        Ok(())
    }
}
