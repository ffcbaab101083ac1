//! The state of a CTA that operations may use.

use ptxvm_memory::SharedMemory;

use crate::rules::rounds::Rounds;
use crate::schedule::barrier::{BARRIERS, Barrier};
use crate::schedule::dependency::GridStatus;
use crate::state::warpgroup::Warpgroups;

/// The state of a CTA that operations may use.
#[derive(Debug)]
pub struct CtaState {
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// The CTA's number in the grid.
    pub index: u64,
    /// The multiprocessor that it pretends to run on: `%smid`.
    pub smid: u32,
    /// Its shared memory.
    pub shared: SharedMemory,
    /// How many bytes of it an access may take without being looked at: all, or none if somebody observes.
    pub quick_shared: u64,
    /// Its sixteen barriers.
    pub barriers: [Barrier; BARRIERS],
    /// The barriers that somebody has arrived at.
    pub busy: u16,
    /// Whether a barrier may have become complete.
    pub unsettled: bool,
    /// `%cluster_ctarank`
    pub rank: u32,
    /// `%cluster_ctaid`
    pub cluster_ctaid: [u32; 3],
    /// The address of its shared memory among those of its cluster.
    pub shared_base: u64,
    /// Whether one of its threads has seen that a request to cancel a cluster was refused.
    pub saw_refusal: bool,
    /// Whether it holds back the grids that depend on this one no longer.
    pub released_dependents: bool,
    /// How far its warpgroups are with their products.
    pub warpgroups: Warpgroups,
    /// The warps with lanes that wait for something outside of the warp ([`Flow::Wait`](crate::context::Flow)).
    pub asleep: u32,
    /// What checks keep of its barriers.
    pub(crate) rounds: Option<Box<Rounds>>,
}

impl CtaState {
    /// Makes it that of a fresh CTA at a place in the grid, on a device of so many multiprocessors.
    #[inline(always)]
    pub fn begin(&mut self, index: u64, ctaid: [u32; 3], multiprocessors: u32) {
        (self.index, self.ctaid) = (index, ctaid);
        self.smid = (index % u64::from(multiprocessors)) as u32;
        self.shared.reset(0);
        (self.unsettled, self.asleep) = (false, 0);
        self.warpgroups.start();
        (self.released_dependents, self.saw_refusal) = (false, false);
        self.rounds = None;
        if self.busy != 0 {
            self.busy = 0;
            self.barriers.fill(Barrier::default());
        }
    }

    /// The grids that depend on this one need not wait for this CTA any more.
    pub fn release_dependents(&mut self, status: Option<&GridStatus>) {
        if !std::mem::replace(&mut self.released_dependents, true)
            && let Some(status) = status
        {
            status.release(1);
        }
    }
}
