//! What the threads of a cluster have released to each other: at its barrier, and at mbarrier objects.
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::published::Published;

/// What the threads of a cluster have released to each other.
#[derive(Debug, Default)]
pub struct ClusterView {
    /// At its barrier.
    pub arrived: Vec<Published>,
    pub mbarriers: FxHashMap<u32, Mbarrier>,
}

/// What has been released at an mbarrier object: in phases that have ended, and in the one that has not.
#[derive(Debug, Default)]
pub struct Mbarrier {
    pub ended: Arc<[Published]>,
    pub arrived: Vec<Published>,
}
