//! Writes to global memory that a cluster issued and did not wait for before it ended.
//!
//! The end of a grid waits for them; the end of a CTA does not. A program in which another cluster relies on them is
//! wrong, and the mistake must show. So they are done when no thread can do anything else, and at the end of the launch.

use crate::context::Run;
use crate::door::observer::Stage;
use crate::door::watch::Watch;
use crate::event::What;
use crate::explain::telling;
use crate::settings::Asynchrony;
use crate::state::worker::Worker;

/// How many may be left at once: the bytes on their way take memory.
const MOST: usize = 256;

impl Worker {
    /// The cluster whose turn it is has ended: takes what it left.
    pub fn hold_back(&mut self, run: &Run<'_>) {
        let (index, clusterid) = (self.cluster.index, self.cluster.clusterid);
        for pending in self.cluster.take_rest() {
            self.held_back.0.push_back((index, clusterid, pending));
            let now = run.launch.settings.asynchrony == Asynchrony::Seeded && self.next_random() & 1 != 0;
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
            telling::tell(run, cluster, clusterid, (Some(issuer), issuer.rank), what);
        }
    }
}
