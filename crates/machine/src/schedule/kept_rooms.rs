//! Memory that a launch leaves for the next launch of the same kernel, so that small launches need not allocate and clear
//! it.

use std::sync::{Mutex, PoisonError};

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
}

impl Rooms {
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
