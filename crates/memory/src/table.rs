//! The table of allocations: those that live on the device, what the host has lent, and the last ones that were freed.
//!
//! Allocations of the device's own have numbers, by which the directory finds them. What is lent lies anywhere in the
//! host's memory and is found by an ordered map. No two live entries hold a common address, and a new allocation makes
//! the table forget the freed ones whose place it takes; so an address has at most one live and one freed entry.

use std::collections::{BTreeMap, VecDeque};

use crate::allocation::Allocation;
use crate::arena::Spot;

/// How many freed allocations are remembered, so that use after free can be explained.
const REMEMBERED: usize = 8192;

/// A live allocation of the device's own.
#[derive(Debug)]
pub(crate) struct Live {
    pub(crate) allocation: Allocation,
    pub(crate) spot: Spot,
    /// The part of the range that it lies in.
    pub(crate) arena: usize,
    /// What it takes of the budget of the host's memory.
    pub(crate) charge: u64,
}

/// A host array that has been adopted, and how often.
#[derive(Debug)]
pub(crate) struct Lent {
    pub(crate) allocation: Allocation,
    pub(crate) adoptions: u64,
}

/// Live and lately freed allocations.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// By number.
    live: Vec<Option<Live>>,
    /// Numbers that are free.
    numbers: Vec<u32>,
    /// By start.
    lent: BTreeMap<u64, Lent>,
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
    /// A number that no live allocation has.
    pub(crate) fn number(&mut self) -> u32 {
        self.numbers.pop().unwrap_or_else(|| {
            self.live.push(None);
            self.live.len() as u32 - 1
        })
    }

    /// How many numbers are in use.
    pub(crate) fn numbers(&self) -> usize {
        self.live.len() - self.numbers.len()
    }

    /// Enters an allocation of the device's own under its number. What was freed at its place is forgotten: the memory
    /// has a new owner, and a fault there is the new owner's to explain.
    pub(crate) fn insert(&mut self, number: u32, live: Live) {
        self.forget(live.spot.start, live.spot.start + live.spot.bytes);
        self.live[number as usize] = Some(live);
    }

    /// The live allocation of a number.
    pub(crate) fn get(&self, number: u32) -> Option<&Live> {
        self.live.get(number as usize)?.as_ref()
    }

    /// Takes out the live allocation of a number; its description is remembered if somebody may keep its address.
    pub(crate) fn remove(&mut self, number: u32, remembered: bool) -> Option<Live> {
        let live = self.live.get_mut(number as usize)?.take()?;
        self.numbers.push(number);
        if remembered {
            self.remember(live.allocation.clone());
        }
        Some(live)
    }

    /// Enters what the host lends, or gives what is lent there already.
    pub(crate) fn lend(&mut self, allocation: Allocation) -> Result<(), Allocation> {
        if let Some(other) = self.overlapping(&allocation) {
            let same =
                (other.start, other.size, other.kind) == (allocation.start, allocation.size, allocation.kind);
            let other = other.clone();
            return match self.lent.get_mut(&allocation.start).filter(|_| same) {
                Some(lent) => {
                    lent.adoptions += 1;
                    Ok(())
                }
                None => Err(other),
            };
        }
        self.forget(allocation.start, extent(&allocation));
        self.lent.insert(allocation.start, Lent { allocation, adoptions: 1 });
        Ok(())
    }

    /// Takes back what was lent at a start as often as this was called for it; says whether it was the last time.
    pub(crate) fn take_back(&mut self, start: u64) -> Option<bool> {
        let lent = self.lent.get_mut(&start)?;
        lent.adoptions -= 1;
        if lent.adoptions > 0 {
            return Some(false);
        }
        let gone = self.lent.remove(&start)?;
        self.remember(gone.allocation);
        Some(true)
    }

    /// What is lent at an address.
    pub(crate) fn lent_at(&self, address: u64) -> Option<&Allocation> {
        let (_, lent) = self.lent.range(..=address).next_back()?;
        (address < lent.allocation.end()).then_some(&lent.allocation)
    }

    /// What is lent from a start on, which may have no bytes.
    pub(crate) fn lent_from(&self, start: u64) -> Option<&Allocation> {
        self.lent.get(&start).map(|lent| &lent.allocation)
    }

    /// The start of what is lent next, from an address on.
    pub(crate) fn next_lent(&self, address: u64) -> Option<u64> {
        self.lent.range(address..).next().map(|(start, _)| *start)
    }

    fn overlapping(&self, allocation: &Allocation) -> Option<&Allocation> {
        let (_, lent) = self.lent.range(..extent(allocation)).next_back()?;
        (extent(&lent.allocation) > allocation.start).then_some(&lent.allocation)
    }

    /// The freed allocation that held an address.
    pub(crate) fn freed_at(&self, address: u64) -> Option<&Allocation> {
        let (_, allocation) = self.freed.range(..=address).next_back()?;
        (address < extent(allocation)).then_some(allocation)
    }

    fn forget(&mut self, low: u64, high: u64) {
        while let Some((&start, allocation)) = self.freed.range(..high).next_back()
            && extent(allocation) > low
        {
            self.freed.remove(&start);
        }
    }

    fn remember(&mut self, allocation: Allocation) {
        self.order.push_back((allocation.start, allocation.serial));
        self.freed.insert(allocation.start, allocation);
        while self.order.len() > REMEMBERED
            && let Some((start, serial)) = self.order.pop_front()
        {
            if self.freed.get(&start).is_some_and(|allocation| allocation.serial == serial) {
                self.freed.remove(&start);
            }
        }
    }

    /// The live allocations, in no order.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Allocation> {
        let own = self.live.iter().flatten().map(|live| &live.allocation);
        own.chain(self.lent.values().map(|lent| &lent.allocation))
    }

    /// How many live allocations there are.
    pub(crate) fn count(&self) -> usize {
        self.numbers() + self.lent.len()
    }
}
