//! When operations under way read their source and complete: at once, when somebody waits, or as the seed says.

use std::collections::VecDeque;

use smallvec::SmallVec;

use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::mbarrier::MbarrierArrival;
use crate::asynchronous::queue::Queue;
use crate::asynchronous::queue::pending::{Pending, Signal};
use crate::asynchronous::trouble::{COMPLETION, Trouble, Wrong};
use crate::door::observer::Stage;
use crate::event::What;
use crate::explain::finding::Kind;
use crate::random::splitmix64;
use crate::schedule::cluster::state::ClusterState;
use crate::schedule::halt::Halt;
use crate::settings::Asynchrony;

/// How many operations of a cluster may be under way: a program that never waits must not fill the host's memory.
const MOST_PENDING: usize = 4096;

/// How many stores of a cluster that have read their source may stay without being written: their bytes take memory.
const HELD_BACK: usize = 256;

impl ClusterState {
    /// The instruction at this place is over. If it has pushed operations, they are under way from now on. Gives how
    /// many they are. A launch that is to end completes nothing more.
    pub fn issue(
        &mut self,
        at: u32,
        activation: u32,
        asynchrony: Asynchrony,
        halt: Halt<'_>,
    ) -> Result<u64, Box<Trouble>> {
        let Queue { under_way, settled, issued, .. } = &mut self.queue;
        let before = *issued;
        for pending in under_way.range_mut(*settled..) {
            let issuer = &mut pending.issuer;
            (issuer.at, issuer.activation, issuer.operation) = (at, activation, *issued);
            *issued += 1;
            if let Some(watch) = &self.watch {
                watch.tell(self.index, self.clusterid, pending, Stage::Issued);
            }
            self.log.act(pending.issuer);
            self.log.note(|| What::Issued {
                operation: pending.issuer.operation,
                what: pending.what.to_string(),
                lanes: pending.issuer.lanes,
                group: pending.group,
                reads: pending.reads,
                writes: pending.writes,
            });
        }
        self.log.place(at);
        self.tensor_memory.place(at, activation);
        *settled = under_way.len();
        let fresh = *issued - before;
        while self.queue.under_way.len() > MOST_PENDING && !halt.is_set() {
            self.complete(0, halt)?;
        }
        match asynchrony {
            Asynchrony::Eager => {
                while !self.queue.under_way.is_empty() && !halt.is_set() {
                    self.complete(0, halt)?;
                }
            }
            Asynchrony::Seeded if fresh > 0 => self.tick(halt)?,
            Asynchrony::Lazy | Asynchrony::Seeded => {}
        }
        Ok(fresh)
    }

    /// Time passes: some operations may read their source or complete, in any order.
    pub fn tick(&mut self, halt: Halt<'_>) -> Result<(), Box<Trouble>> {
        while !self.queue.under_way.is_empty() && !halt.is_set() {
            let random = splitmix64(&mut self.queue.random);
            let index = (random >> 2) as usize % self.queue.under_way.len();
            match random & 3 {
                // Every other time nothing more happens.
                0 | 1 => break,
                // What there is no memory for is read later.
                2 => {
                    self.fetch(index);
                }
                _ => self.complete(index, halt)?,
            }
        }
        Ok(())
    }

    /// Completes an operation because nothing else can go on: if there are some, one that tells an mbarrier object of
    /// these, for the others can still be late. Gives whether there was one.
    pub fn complete_one(&mut self, awaited: &[u32], halt: Halt<'_>) -> Result<bool, Box<Trouble>> {
        if self.queue.under_way.is_empty() {
            return Ok(false);
        }
        let random = splitmix64(&mut self.queue.random) as usize;
        let queue = &self.queue.under_way;
        let tells = |pending: &Pending| pending.signals.iter().any(|s| awaited.contains(&s.address()));
        let wanted: SmallVec<[usize; 8]> = (0..queue.len()).filter(|&index| tells(&queue[index])).collect();
        let index = if wanted.is_empty() { random % queue.len() } else { wanted[random % wanted.len()] };
        self.complete(index, halt)?;
        Ok(true)
    }

    /// Completes all operations that `wanted` names, the oldest first, unless the launch is to end.
    pub fn complete_all(
        &mut self,
        wanted: impl Fn(&Pending) -> bool,
        halt: Halt<'_>,
    ) -> Result<(), Box<Trouble>> {
        while !halt.is_set()
            && let Some(index) = self.queue.first(usize::MAX, &wanted)
        {
            self.complete(index, halt)?;
        }
        Ok(())
    }

    /// Has the sources of all operations read that `wanted` names, unless the launch is to end.
    pub fn fetch_all(
        &mut self,
        wanted: impl Fn(&Pending) -> bool,
        halt: Halt<'_>,
    ) -> Result<(), Box<Trouble>> {
        for index in 0..self.queue.under_way.len() {
            if wanted(&self.queue.under_way[index]) && !halt.is_set() {
                self.fetch(index);
            }
        }
        // What there is no memory for is read and written at once.
        self.complete_all(|pending| !pending.fetched && wanted(pending), halt)?;
        let held_back = |pending: &Pending| pending.fetched && pending.group.is_some();
        let held = self.queue.pending().filter(|pending| held_back(pending)).count();
        for _ in HELD_BACK..held {
            if let Some(oldest) = self.queue.first(usize::MAX, held_back) {
                self.complete(oldest, halt)?;
            }
        }
        Ok(())
    }

    /// Has the source of one operation read, if there is memory for it. Gives whether it has been.
    fn fetch(&mut self, index: usize) -> bool {
        let Queue { under_way, budget, spent, .. } = &mut self.queue;
        let pending = &mut under_way[index];
        if !pending.fetched {
            if !pending.may_fetch(budget) {
                return false;
            }
            *spent += pending.transfer.effort();
            match &self.watch {
                None => pending.fetch(),
                Some(watch) => {
                    watch.tell(self.index, self.clusterid, pending, Stage::Fetched);
                    watch.fetch((self.index, self.clusterid), pending, &self.shared);
                }
            }
            self.log.act_for(pending.issuer);
            self.log.note(|| What::Read { operation: pending.issuer.operation });
        }
        true
    }

    /// Completes one operation, and before it those that it must come after, the oldest first.
    fn complete(&mut self, index: usize, halt: Halt<'_>) -> Result<(), Box<Trouble>> {
        let mut index = index;
        while !halt.is_set() {
            let Some(first) = self.queue.predecessor(index) else { return self.complete_alone(index) };
            self.complete_alone(first)?;
            index -= 1;
        }
        Ok(())
    }

    /// The effort of what has been read and completed since the last call.
    pub fn take_spent(&mut self) -> u64 {
        std::mem::take(&mut self.queue.spent)
    }

    fn complete_alone(&mut self, index: usize) -> Result<(), Box<Trouble>> {
        let Some(mut pending) = self.queue.under_way.remove(index) else { return Ok(()) };
        self.queue.settled = self.queue.settled.saturating_sub(1);
        self.events += 1;
        self.queue.spent += pending.transfer.effort();
        self.deliver(&mut pending);
        let issuer = pending.issuer;
        self.log.act_for(issuer);
        self.log.note(|| What::Completed { operation: issuer.operation });
        if let Some(wrong) = pending.wrong() {
            return Err(trouble(wrong, issuer));
        }
        for signal in &pending.signals {
            self.signal(signal, issuer)?;
        }
        Ok(())
    }

    fn signal(&mut self, signal: &Signal, issuer: Issuer) -> Result<(), Box<Trouble>> {
        let done = match *signal {
            Signal::CompleteTx { address, bytes } => {
                if let Some(source) = self.watch.as_ref().and_then(|watch| watch.source(issuer.at)) {
                    self.mbarriers.counts_bytes(address, source, true);
                }
                self.complete_tx(address, bytes)
            }
            Signal::Arrive { address, count } => {
                let how = MbarrierArrival { count, expect: None, drop: false, no_complete: false };
                self.arrive_at_mbarrier(address, how, issuer.party()).map(drop)
            }
        };
        done.map_err(|wrong| trouble(wrong, issuer))
    }

    /// A CTA has ended. What is under way must not need its shared memory any more: nobody may write to it or tell its
    /// mbarriers, and what reads it must have done so. What it has issued itself goes on, except what is over with it.
    pub fn leave(&mut self, rank: u32, halt: Halt<'_>) -> Result<(), Box<Trouble>> {
        self.complete_all(|pending| pending.issuer.rank == rank && pending.ends_with_cta(), halt)?;
        if halt.is_set() {
            return Ok(());
        }
        self.leave_tensor_memory(rank)?;
        if let Some(pending) = self.queue.pending().find(|pending| pending.needs(rank)) {
            let writes = pending.writes >> rank & 1 != 0;
            let (does, note) = match writes {
                true => (
                    "writes to",
                    "a thread of the CTA must wait for the mbarrier that it signals before the CTA ends",
                ),
                false => (
                    "reads",
                    "the thread that issued it must wait before the CTA ends: \
                     `cp.async.bulk.wait_group.read` is enough for what a bulk group reads",
                ),
            };
            return Err(Box::new(Trouble {
                kind: Kind::Misuse,
                message: format!(
                    "CTA {rank} of the cluster ended while {} was under way, which {does} its shared memory",
                    pending.what
                ),
                notes: vec![note.into(), COMPLETION.into()],
                issuer: pending.issuer,
            }));
        }
        if let Some(peer) = self.shared.get_mut(rank as usize) {
            peer.ended = true;
        }
        self.events += 1;
        self.log.note_cta(rank, || What::CtaEnded);
        Ok(())
    }

    /// What is left of a cluster whose CTAs have all ended: writes to global memory that nobody has waited for.
    pub fn take_rest(&mut self) -> VecDeque<Box<Pending>> {
        self.queue.settled = 0;
        std::mem::take(&mut self.queue.under_way)
    }
}

/// What is wrong with an operation that has completed.
fn trouble(Wrong { message, mut notes }: Wrong, issuer: Issuer) -> Box<Trouble> {
    notes.push(COMPLETION.into());
    Box::new(Trouble { kind: Kind::Misuse, message, notes, issuer })
}
