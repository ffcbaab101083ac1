//! What warps of a warpgroup do for each other: the products of all are complete when one has waited for them.

use super::Cta;
use crate::context::{Run, Worker};
use crate::schedule::warp::State;
use crate::settings::Asynchrony;

impl Cta {
    /// Completes the products that a warp waits for and that others of its warpgroup have under way, and lets it go on.
    pub(super) fn complete_products(&mut self, worker: &mut Worker, run: &Run<'_>) {
        let Some((waits, warpgroup, before)) = self.state.warpgroups.take_wanted() else { return };
        for index in warpgroup {
            let Some(warp) = self.warps.get_mut(index) else { continue };
            let products = &mut warp.state.wgmma;
            if index == waits || products.first_under_way().is_none_or(|first| first >= before) {
                continue;
            }
            // A launch that is to end leaves the rest.
            let _ = products.complete_before(before, worker, run.halt);
            if run.launch.settings.asynchrony == Asynchrony::Lazy {
                products.put_back();
            }
            let first = products.first_under_way();
            self.state.warpgroups.set_under_way(index as u32, first);
        }
        let Some(warp) = self.warps.get_mut(waits) else { return };
        for group in warp.groups.iter_mut().filter(|group| matches!(group.state, State::Wait(_))) {
            (group.state, group.deferred) = (State::Ready, false);
        }
        self.state.asleep &= !(1 << waits);
        self.awake |= 1 << waits;
    }

    /// A warp has ended: nobody waits for it at the end of a group.
    pub(super) fn left_warpgroup(&mut self, index: usize, worker: &mut Worker) {
        if self.state.warpgroups.end(index as u32) {
            worker.cluster.events += 1;
        }
    }
}
