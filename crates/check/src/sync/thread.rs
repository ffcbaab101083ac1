//! A thread of a cluster as a number.

use ptxvm_machine::Thread;
use ptxvm_machine::door::observer::Who;
use ptxvm_order::Shape;

/// A thread of a cluster: its CTA's rank, its warp and its lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member {
    pub rank: u32,
    pub warp: u32,
    pub lane: u32,
}

impl Member {
    /// The first of some lanes.
    pub fn first(who: &Who) -> Self {
        Self { rank: who.rank, warp: who.warp, lane: who.lanes.trailing_zeros().min(31) }
    }

    /// Each of some lanes.
    pub fn each(who: &Who) -> impl Iterator<Item = Self> + use<> {
        let Who { rank, warp, lanes, .. } = *who;
        (0..32).filter(move |lane| lanes >> lane & 1 != 0).map(move |lane| Self { rank, warp, lane })
    }

    /// What it is called, in a CTA of the grid.
    pub fn thread(self, ctaid: [u32; 3], shape: &Shape) -> Thread {
        shape.thread(shape.cta(ctaid), self.warp, self.lane)
    }
}
