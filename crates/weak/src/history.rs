//! The history of a word: its latest writes in coherence order, each with what it replaced.
//!
//! Memory holds the newest value. What a byte held before a write is kept with the write, so that the state of a word just
//! before any write of its history can be told.

use std::sync::Arc;

use ptxvm_machine::door::touch::Space;
use ptxvm_order::{Event, Published, SiteId};
use smallvec::SmallVec;

/// Numbers the instructions that write, in the order of coherence.
pub type Key = u64;

/// A write to a word.
#[derive(Clone, Debug)]
pub struct Record {
    pub key: Key,
    /// Who wrote it. Several lanes if one instruction of theirs did, one after the other.
    pub event: Event,
    pub site: SiteId,
    /// The bytes that it wrote, as bits.
    pub mask: u8,
    /// What they held before.
    pub old: [u8; 4],
    /// What who reads it by a strong operation may acquire.
    pub released: Option<Arc<[Published]>>,
    /// Who has seen it without being ordered after it.
    pub seen: SmallVec<[Seen; 2]>,
}

/// Lanes that have seen a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub by: Event,
    /// Whether their read and the write are morally strong: then who comes after them sees no older state either (8.9.5).
    pub strong: bool,
}

/// Who has seen a write is kept for so many warps; then all have.
const SEEN: usize = 8;

/// The latest writes to a word, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    pub records: SmallVec<[Record; 2]>,
    /// Nobody sees the state before this write any more.
    pub floor: Key,
    /// How often older states may still be seen before nobody does: a loop that waits for the newest must end.
    pub patience: u32,
}

/// So many writes to a word are kept.
pub const MOST: usize = 8;

impl History {
    /// Adds the newest write.
    pub fn push(&mut self, record: Record, patience: u32) {
        if self.records.len() >= MOST {
            // Who saw the state that it left would have to know what it released.
            self.records.remove(0);
            self.floor = self.floor.max(self.records.first().map_or(0, |oldest| oldest.key));
        }
        self.records.push(record);
        self.patience = patience;
    }

    /// The newest write to some of the bytes of `mask` before one.
    pub fn newest(&self, mask: u8, before: Key) -> Option<usize> {
        self.records.iter().rposition(|record| record.key < before && record.mask & mask != 0)
    }

    /// Lanes have seen a write that they are not ordered after.
    pub fn see(&mut self, index: usize, seen: Seen) {
        let Seen { by, strong } = seen;
        let record = &mut self.records[index];
        let alike =
            |known: &&mut Seen| (known.by.cta, known.by.warp, known.strong) == (by.cta, by.warp, strong);
        if let Some(known) = record.seen.iter_mut().find(alike) {
            // One stamp stands for all: the earliest, so that nobody who must know of it is forgotten.
            known.by.lanes |= by.lanes;
            known.by.stamp = known.by.stamp.min(by.stamp);
        } else if record.seen.len() < SEEN {
            record.seen.push(seen);
        } else {
            self.floor = self.floor.max(record.key);
        }
    }

    /// What a byte of the word held just before a write, if that is not what memory holds.
    pub fn byte_before(&self, byte: usize, cut: Key) -> Option<u8> {
        let replaced = |record: &&Record| record.key >= cut && record.mask >> byte & 1 != 0;
        self.records.iter().find(replaced).map(|record| record.old[byte])
    }
}

/// The histories of words that have one.
#[derive(Debug, Default)]
pub struct Histories {
    all: Vec<History>,
    free: Vec<u32>,
}

impl Histories {
    pub fn add(&mut self, history: History) -> u32 {
        match self.free.pop() {
            Some(index) => {
                self.all[index as usize] = history;
                index
            }
            None => {
                self.all.push(history);
                self.all.len() as u32 - 1
            }
        }
    }

    pub fn remove(&mut self, index: u32) {
        self.all[index as usize] = History::default();
        self.free.push(index);
    }

    pub fn get(&self, index: u32) -> &History {
        &self.all[index as usize]
    }

    pub fn get_mut(&mut self, index: u32) -> &mut History {
        &mut self.all[index as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len() - self.free.len()
    }
}

/// A write that is overwritten when it is made, and goes beside memory.
#[derive(Clone, Copy, Debug)]
pub struct Unwritten {
    pub space: Space,
    pub cluster: u64,
    pub word: u64,
    /// The write that has overwritten it.
    pub newest: Key,
    pub lane: usize,
}
