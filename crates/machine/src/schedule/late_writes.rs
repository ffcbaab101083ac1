//! Writes to global memory that a cluster issued and nobody waited for before it ended.
//!
//! The end of a grid waits for them, the end of a CTA does not: a program in which another cluster relies on them is
//! wrong, and is to be seen to be. They are done when those who run can do nothing else, and at the end of the launch.

use std::collections::VecDeque;

use crate::asynchronous::queue::Pending;
use crate::context::{Run, Worker};
use crate::door::observer::{Stage, Watch};
use crate::event::{self, What};
use crate::launch::Asynchrony;

/// How many may be left at once: the bytes on their way take memory.
const MOST: usize = 256;

/// The writes that are left, the oldest first, each with the number and place of its cluster.
#[derive(Debug, Default)]
pub struct HeldBack(VecDeque<(u64, [u32; 3], Box<Pending>)>);

impl Worker {
    /// The cluster whose turn it is has ended: takes what it left.
    pub fn hold_back(&mut self, run: &Run<'_>) {
        let (index, clusterid) = (self.cluster.index, self.cluster.clusterid);
        for pending in self.cluster.take_rest() {
            self.held_back.0.push_back((index, clusterid, pending));
            let now = run.launch.asynchrony == Asynchrony::Seeded && self.next_random() & 1 != 0;
            if (now || self.held_back.0.len() > MOST) && !run.halt.is_set() {
                self.release_oldest(run);
            }
        }
    }

    /// Does what is left, unless the launch is to end. Gives whether there was something.
    pub fn release(&mut self, run: &Run<'_>) -> bool {
        let some = !self.held_back.0.is_empty();
        while !self.held_back.0.is_empty() && !run.halt.is_set() {
            self.release_oldest(run);
        }
        some
    }

    fn release_oldest(&mut self, run: &Run<'_>) {
        if let Some((cluster, clusterid, mut pending)) = self.held_back.0.pop_front() {
            // Nothing of tensor memory outlives its CTA.
            self.effort += pending.transfer.effort();
            if let Some(watch) = Watch::of(run) {
                watch.tell(cluster, clusterid, &pending, Stage::Delivered);
            }
            pending.deliver(&mut []);
            let issuer = pending.issuer;
            let what = What::Completed { operation: issuer.operation };
            event::tell(run, cluster, clusterid, (Some(issuer), issuer.rank), what);
        }
    }
}
