//! Where the memory of freed allocations waits: not used again at once, and not given back while anybody may
//! still hold its addresses.
//!
//! A freed block first goes to the quarantine, a queue with a budget in bytes: as long as it is there, nothing
//! else gets its addresses, and use after free is found. The oldest blocks over the budget go to the pool. Pooled
//! blocks may serve new allocations, which is harmless to the host even if a worker still holds the old region,
//! and keeps a kernel that allocates and frees for hours in bounded memory. Only a reclaim gives pooled blocks
//! back to the host.
//!
//! Freed bytes are left as they are. A pattern would show nothing that the access check does not already report,
//! and writing it would touch every page of a big buffer that was perhaps never touched at all.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::block::Block;

/// Freed blocks.
#[derive(Debug)]
pub(crate) struct Quarantine {
    /// How many bytes may wait in the queue.
    budget: u64,
    queue: VecDeque<Block>,
    queued_bytes: u64,
    pool: HashMap<usize, Vec<Block>>,
    pooled_bytes: u64,
    /// Where the blocks are that wait here: their first addresses and the ones after their last.
    places: BTreeMap<usize, usize>,
}

/// The size that a block of at least `bytes` bytes really gets. Sizes come in steps of at most an eighth, so that
/// freed blocks fit later allocations of about their size.
pub(crate) fn size_class(bytes: usize) -> Option<usize> {
    let step = (bytes.checked_ilog2().map_or(0, |log| 1usize << log) / 8).max(64);
    bytes.checked_next_multiple_of(step)
}

impl Quarantine {
    /// A quarantine in which `budget` bytes may wait.
    pub(crate) fn new(budget: u64) -> Self {
        Quarantine {
            budget,
            queue: VecDeque::new(),
            queued_bytes: 0,
            pool: HashMap::new(),
            pooled_bytes: 0,
            places: BTreeMap::new(),
        }
    }

    /// All bytes that wait here.
    pub(crate) fn bytes(&self) -> u64 {
        self.queued_bytes + self.pooled_bytes
    }

    /// Whether an address lies in a block that waits here.
    pub(crate) fn holds(&self, address: usize) -> bool {
        self.neighbours(address).any(|(start, end)| start <= address && address < end)
    }

    /// Where the blocks are that are nearest to an address.
    pub(crate) fn neighbours(&self, address: usize) -> impl Iterator<Item = (usize, usize)> {
        let before = self.places.range(..=address).next_back();
        let after = self.places.range(address.saturating_add(1)..).next();
        before.into_iter().chain(after).map(|(&start, &end)| (start, end))
    }

    /// Takes in a freed block.
    pub(crate) fn put(&mut self, block: Block) {
        self.places.insert(block.address(), block.address() + block.bytes());
        // A block that is a good part of the budget would drive out all the small ones, so it passes by.
        if block.bytes() as u64 > self.budget / 4 {
            self.put_in_pool(block);
            return;
        }
        self.queued_bytes += block.bytes() as u64;
        self.queue.push_back(block);
        while self.queued_bytes > self.budget
            && let Some(oldest) = self.queue.pop_front()
        {
            self.queued_bytes -= oldest.bytes() as u64;
            self.put_in_pool(oldest);
        }
    }

    /// Takes in a freed block that may serve again at once.
    pub(crate) fn put_in_pool(&mut self, block: Block) {
        self.pooled_bytes += block.bytes() as u64;
        self.pool.entry(block.bytes()).or_default().push(block);
    }

    /// Whether the pool has a block of exactly this size.
    pub(crate) fn offers(&self, bytes: usize) -> bool {
        self.pool.get(&bytes).is_some_and(|blocks| !blocks.is_empty())
    }

    /// Gives a pooled block of exactly this size for a new allocation. Its bytes are not zero.
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Block> {
        let block = self.pool.get_mut(&bytes)?.pop()?;
        self.pooled_bytes -= bytes as u64;
        self.places.remove(&block.address());
        Some(block)
    }

    /// Empties the pool.
    pub(crate) fn drain_pool(&mut self) -> HashMap<usize, Vec<Block>> {
        self.pooled_bytes = 0;
        for block in self.pool.values().flatten() {
            self.places.remove(&block.address());
        }
        std::mem::take(&mut self.pool)
    }
}
