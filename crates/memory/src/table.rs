//! The table of allocations: those that live, and the last ones that were freed.
//!
//! Invariant: no two entries of one map hold a common address; a new allocation makes the table forget the freed ones
//! whose place it takes. So an address has at most one entry of each, and ordered maps find it. What was lent is in a
//! map of its own: a whole mapping of the host's may be lent, and later the host's allocator takes our own blocks
//! from there. An address in both is the block's.

use std::collections::{BTreeMap, VecDeque};

use crate::allocation::Allocation;
use crate::block::Block;

/// How many freed allocations are remembered, so that use after free can be explained.
const REMEMBERED: usize = 8192;

/// A live allocation and what it stands on.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) allocation: Allocation,
    /// The memory, unless it belongs to the host.
    pub(crate) block: Option<Block>,
    /// How often a host array has been adopted.
    pub(crate) adoptions: u64,
}

impl Live {
    /// The addresses that it takes, gaps included.
    fn span(&self) -> (u64, u64) {
        match &self.block {
            Some(block) => (block.address() as u64, (block.address() + block.bytes()) as u64),
            None => (self.allocation.start, extent(&self.allocation)),
        }
    }
}

/// Live and lately freed allocations by their start.
#[derive(Debug, Default)]
pub(crate) struct Table {
    live: BTreeMap<u64, Live>,
    /// What has been adopted from the host.
    lent: BTreeMap<u64, Live>,
    freed: BTreeMap<u64, Allocation>,
    /// The starts and serials of the freed ones, oldest first. Those that have been forgotten meanwhile stay in
    /// this list until they are the oldest.
    order: VecDeque<(u64, u64)>,
}

/// How many addresses an entry takes: an empty allocation still has its own address.
fn extent(allocation: &Allocation) -> u64 {
    allocation.start.saturating_add(allocation.size.max(1))
}

impl Table {
    /// The live allocation that holds an address.
    pub(crate) fn live_at(&self, address: u64) -> Option<&Allocation> {
        [&self.live, &self.lent].into_iter().find_map(|map| {
            let (_, live) = map.range(..=address).next_back()?;
            (address < live.allocation.end()).then_some(&live.allocation)
        })
    }

    /// Whether an address belongs to a live entry or to the memory that it stands on, gaps included.
    pub(crate) fn spans(&self, address: u64) -> bool {
        self.neighbours(address).any(|(start, end)| start <= address && address < end)
    }

    /// The spans of the entries that are nearest to an address, those that hold it among them.
    pub(crate) fn neighbours(&self, address: u64) -> impl Iterator<Item = (u64, u64)> {
        [&self.live, &self.lent].into_iter().flat_map(move |map| {
            let before = map.range(..=address).next_back();
            before
                .into_iter()
                .chain(map.range(address.saturating_add(1)..).next())
                .map(|(_, live)| live.span())
        })
    }

    /// The live entry that starts at an address.
    pub(crate) fn live_mut(&mut self, start: u64) -> Option<&mut Live> {
        self.live.get_mut(&start).or_else(|| self.lent.get_mut(&start))
    }

    /// The freed allocation that held an address.
    pub(crate) fn freed_at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.freed.range(..=address).next_back()?;
        (address < extent(allocation)).then_some(allocation)
    }

    /// A live allocation that shares an address with `allocation`.
    pub(crate) fn overlapping(&self, allocation: &Allocation) -> Option<&Allocation> {
        [&self.live, &self.lent].into_iter().find_map(|map| {
            let (_, live) = map.range(..extent(allocation)).next_back()?;
            (extent(&live.allocation) > allocation.start).then_some(&live.allocation)
        })
    }

    /// Enters an allocation that overlaps no live one. Freed ones between `low` and `high` are forgotten: their
    /// memory has a new owner, and a fault there is the new owner's to explain.
    pub(crate) fn insert(&mut self, live: Live, low: u64, high: u64) {
        while let Some((&start, allocation)) = self.freed.range(..high).next_back()
            && extent(allocation) > low
        {
            self.freed.remove(&start);
        }
        let map = if live.block.is_some() { &mut self.live } else { &mut self.lent };
        map.insert(live.allocation.start, live);
    }

    /// Takes out the live entry that starts at an address, remembers its description, and gives what it stood on.
    pub(crate) fn remove(&mut self, start: u64) -> Option<Live> {
        let live = self.live.remove(&start).or_else(|| self.lent.remove(&start))?;
        self.order.push_back((start, live.allocation.serial));
        self.freed.insert(start, live.allocation.clone());
        while self.order.len() > REMEMBERED
            && let Some((start, serial)) = self.order.pop_front()
        {
            if self.freed.get(&start).is_some_and(|allocation| allocation.serial == serial) {
                self.freed.remove(&start);
            }
        }
        Some(live)
    }

    /// The same without a memory of it: of what nobody keeps an address.
    pub(crate) fn forget(&mut self, start: u64) -> Option<Live> {
        self.live.remove(&start)
    }

    /// The live allocations.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values().chain(self.lent.values()).map(|live| &live.allocation)
    }

    /// How many live allocations there are.
    pub(crate) fn count(&self) -> usize {
        self.live.len() + self.lent.len()
    }
}
