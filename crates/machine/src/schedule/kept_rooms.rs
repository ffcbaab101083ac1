//! What a launch leaves for the next launch of the same kernel: memory, so that small launches need not allocate and clear
//! it, and how long it took.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::context::Run;
use crate::schedule::cluster::Cluster;

/// Clusters whose memory is larger than this are not kept: what they do takes longer than getting the memory.
const MOST_BYTES: usize = 512 << 10;

/// How many workers' rooms are kept: those of a few launches at the same time.
const MOST_ROOMS: usize = 4;

/// What a worker works with.
#[derive(Debug, Default)]
pub struct Room {
    /// A count of zero for each block of the code.
    pub blocks: Vec<(u64, u64)>,
    /// A cluster that has ended.
    pub spare: Option<Box<Cluster>>,
}

/// The rooms that are not in use.
#[derive(Debug, Default)]
pub struct Rooms {
    free: Mutex<Vec<Room>>,
    /// The nanoseconds that a cluster of the last launch took; 0 if there was none.
    pace: AtomicU64,
}

impl Rooms {
    /// How long so many clusters will take one worker, if they are like those of the last launch.
    pub fn expected(&self, clusters: u64) -> Duration {
        Duration::from_nanos(self.pace.load(Ordering::Relaxed).saturating_mul(clusters))
    }

    /// So many clusters have taken so many workers this long.
    pub fn took(&self, time: Duration, clusters: u64, workers: u64) {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).saturating_mul(workers);
        self.pace.store(nanoseconds / clusters.max(1), Ordering::Relaxed);
    }

    /// A room for a worker of a launch; its cluster has the launch's shape.
    pub fn take(&self, run: &Run<'_>) -> Room {
        let room = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut room = room.unwrap_or_default();
        // Those that are kept have counts for all blocks already.
        room.blocks.resize(run.code.blocks.len(), (0, 0));
        room.spare = room.spare.and_then(|mut cluster| cluster.fits(run).then_some(cluster));
        room
    }

    /// Takes a room back.
    pub fn give(&self, mut room: Room, run: &Run<'_>) {
        // What is kept counts; a program with thousands of kernels must not spend its memory on their rooms.
        let budget = run.environment.memory.budget();
        let plenty = budget.used() <= budget.limit() / 2;
        room.spare = room.spare.filter(|cluster| plenty && cluster.bytes() <= MOST_BYTES);
        if std::mem::size_of_val(&*room.blocks) > MOST_BYTES {
            room.blocks = Vec::new();
        }
        debug_assert!(room.blocks.len() <= run.code.blocks.len());
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < MOST_ROOMS {
            free.push(room);
        }
    }
}
