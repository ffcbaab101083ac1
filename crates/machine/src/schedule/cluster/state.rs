//! What the CTAs of a cluster share, as operations see it: each other's shared memory, the asynchronous units, and a count
//! of events that somebody may wait for.

use smallvec::SmallVec;

use super::barrier::ClusterBarrier;
use super::tensor_memory::TensorMemories;
use crate::asynchronous::mbarrier::table::Mbarriers;
use crate::asynchronous::queue::Queue;
use crate::door::peer::Peer;
use crate::door::watch::Watch;
use crate::event::Log;

/// The state of a cluster that operations may use.
#[derive(Debug, Default)]
pub struct ClusterState {
    /// Its number in the grid.
    pub index: u64,
    /// `%clusterid`
    pub clusterid: [u32; 3],
    /// The shared memory of each CTA, by rank.
    pub shared: SmallVec<[Peer; 1]>,
    /// Its barrier.
    pub barrier: ClusterBarrier,
    /// The tensor memory of its CTAs.
    pub tensor_memory: TensorMemories,
    /// The mbarrier objects in it.
    pub mbarriers: Mbarriers,
    /// The units that work while the threads go on.
    pub queue: Queue,
    /// What has happened, if somebody listens.
    pub log: Log,
    /// Who is told what its operations touch.
    pub watch: Option<Watch>,
    /// Whether somebody may wait for the grids before this one.
    pub awaits_grids: bool,
    /// Counts what somebody may have waited for: who sleeps looks again when it changes.
    pub events: u64,
}

impl ClusterState {
    /// Makes it that of a fresh cluster of so many threads.
    pub fn start(&mut self, index: u64, clusterid: [u32; 3], threads: u32, seed: u64) {
        (self.index, self.clusterid, self.events, self.awaits_grids) = (index, clusterid, 0, false);
        self.barrier = ClusterBarrier::new(threads);
        self.shared.clear();
        self.mbarriers.clear();
        self.queue.start(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
    }
}
