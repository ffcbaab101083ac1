//! Shared memory of another CTA of the cluster: whether that CTA is known to have begun, and whether something keeps it until
//! the access is done (2.2.2, 9.7.13.3; the programming guide asks for a barrier of the cluster before and after).
//!
//! A CTA knows that another one has begun when it has waited for the cluster's barrier, or when the other has touched its
//! memory. It knows that others are done with its memory when it has waited for the barrier that they came to
//! afterwards, or for the phase of an mbarrier object.

use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::{Kind, Thread};
use ptxvm_order::Shape;
use rustc_hash::FxHashMap;

use crate::sync::thread::Member;
use crate::sync::told::Wrong;

/// An access to the memory of another CTA.
#[derive(Debug)]
struct Foreign {
    by: u32,
    at: Source,
    thread: Thread,
    /// The phase of the cluster's barrier that its CTA has come to since.
    phase: Option<u64>,
}

/// What is known of a cluster.
#[derive(Debug, Default)]
pub struct Peers {
    /// By rank: the CTAs that it knows to have begun, as bits.
    known: FxHashMap<u32, u32>,
    /// By rank: the accesses to its memory that it does not know to be done.
    foreign: FxHashMap<u32, Vec<Foreign>>,
}

impl Peers {
    /// Threads touch shared memory of a CTA.
    pub fn touch(&mut self, who: &Who, at: Source, rank: u32, shape: &Shape, found: &mut Vec<Wrong>) {
        if rank == who.rank {
            return;
        }
        *self.known.entry(rank).or_default() |= 1 << (who.rank & 31);
        let thread = Member::first(who).thread(who.ctaid, shape);
        let known = self.known.entry(who.rank).or_default();
        if *known >> (rank & 31) & 1 == 0 {
            *known |= 1 << (rank & 31);
            found.push(Wrong {
                kind: Kind::ClusterLifetime,
                at,
                thread: Some(thread),
                message: format!(
                    "CTA {} of the cluster touches shared memory of CTA {rank}, which it does not know to have begun",
                    who.rank
                ),
                note: "a `barrier.cluster` at the beginning of the kernel says that all CTAs have begun".into(),
                related: Vec::new(),
            });
        }
        let foreign = self.foreign.entry(rank).or_default();
        match foreign.iter_mut().find(|foreign| (foreign.by, foreign.at) == (who.rank, at)) {
            Some(again) => again.phase = None,
            None => foreign.push(Foreign { by: who.rank, at, thread, phase: None }),
        }
    }

    /// Threads of a CTA come to the cluster's barrier.
    pub fn arrives(&mut self, rank: u32, phase: u64) {
        let all = self.foreign.values_mut().flatten();
        all.filter(|foreign| foreign.by == rank).for_each(|foreign| foreign.phase = Some(phase));
    }

    /// Threads of a CTA have waited for the cluster's barrier.
    pub fn passes(&mut self, rank: u32, phase: u64) {
        self.known.insert(rank, u32::MAX);
        if let Some(foreign) = self.foreign.get_mut(&rank) {
            foreign.retain(|foreign| foreign.phase.is_none_or(|come| come > phase));
        }
    }

    /// Threads of a CTA have waited for a phase of one of its mbarrier objects.
    pub fn hears(&mut self, rank: u32) {
        self.foreign.remove(&rank);
    }

    /// A CTA has ended.
    pub fn ended(&mut self, rank: u32, found: &mut Vec<Wrong>) {
        for Foreign { by, at, thread, .. } in self.foreign.remove(&rank).unwrap_or_default() {
            found.push(Wrong {
                kind: Kind::ClusterLifetime,
                at,
                thread: Some(thread),
                message: format!(
                    "CTA {rank} of the cluster ends, and nothing has kept it until CTA {by} was done with its shared \
                     memory"
                ),
                note: "a `barrier.cluster` after the last access keeps each CTA alive until the others no longer need it"
                    .into(),
                related: Vec::new(),
            });
        }
    }
}
