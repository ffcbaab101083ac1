//! What the threads of a cluster have released to each other: at its barrier, and at mbarrier objects.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::published::Published;

/// What the threads of a cluster have released to each other.
#[derive(Debug, Default)]
pub struct ClusterView {
    /// At its barrier, with the phase: some threads come to the next one before others have gone on from the last.
    arrived: [(u64, Vec<Published>); 2],
    pub mbarriers: FxHashMap<u32, Mbarrier>,
}

impl ClusterView {
    /// What has been released at a phase of its barrier.
    pub fn arrived(&mut self, phase: u64) -> &mut Vec<Published> {
        let (of, arrived) = &mut self.arrived[(phase % 2) as usize];
        if *of != phase {
            (*of, *arrived) = (phase, Vec::new());
        }
        arrived
    }
}

/// What has been released at an mbarrier object: in phases that have ended, and in the one that has not.
#[derive(Debug, Default)]
pub struct Mbarrier {
    pub ended: Arc<[Published]>,
    pub arrived: Vec<Published>,
}
