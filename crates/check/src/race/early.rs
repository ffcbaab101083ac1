//! What a grid does before it has waited for the grids that it depends on: nothing orders that after what those do
//! (`griddepcontrol.wait`, 9.7.13.13).
//!
//! The grids before are a thread beside those of the launch: who has waited knows what it did, and those know it who come after
//! that.

use std::sync::Arc;

use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_order::SiteId;

use crate::race::deed::Deed;
use crate::race::record::Record;
use crate::race::state::State;
use crate::race::unit::GRIDS;

impl State {
    /// Global memory is touched; it counts if the thread does not come after a wait.
    pub fn note_early(&mut self, deed: &Deed, word: u64, new: Record) {
        let Self { early, budget, given_up, strict, .. } = self;
        let Some(early) = early.as_mut().filter(|_| !deed.clock.knows(&GRIDS)) else { return };
        match early.touched.make(word, |bytes| budget.charge(bytes).ok()) {
            Some(entry) => {
                entry.take(deed, new, *strict);
            }
            None => *given_up = true,
        }
    }

    /// Threads of a warp wait for the grids before theirs.
    pub fn wait_for_grids(&mut self, who: &Who, site: SiteId) {
        let Some(early) = &mut self.early else { return };
        early.waits = true;
        let actor = self.order.actor(who, site, Space::Global);
        let warp = &mut self.order.view(actor.cta).warps[actor.warp as usize];
        if who.lanes == u32::MAX && warp.lanes.is_none() {
            warp.clock = Arc::new(warp.clock.with(GRIDS.first(), GRIDS.stamp));
            return;
        }
        for lane in (0..32).filter(|lane| who.lanes >> lane & 1 != 0) {
            let view = warp.lane(lane);
            view.clock = Arc::new(view.clock.with(GRIDS.first(), GRIDS.stamp));
        }
    }
}
