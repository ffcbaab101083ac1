//! What others ask of global memory: what holds an address, what lives, how much is in use. Nothing changes by it.

use crate::allocation::{Allocation, Region};
use crate::error::FreeError;
use crate::explain::{Explanation, explain};
use crate::global::{GlobalMemory, Statistics};
use crate::range::PAGE;
use crate::table::Table;

impl GlobalMemory {
    /// The addresses of the live allocation that holds an address. No lock is taken for the device's own.
    #[must_use]
    pub fn region(&self, address: u64) -> Option<Region> {
        if self.directory.spans(address) {
            return self.directory.region(address);
        }
        let state = self.read_state();
        let allocation = state.table.lent_at(address)?;
        let (writable, constant) = (allocation.kind.writable(), allocation.kind.constant());
        Some(Region { start: allocation.start, end: allocation.end(), writable, constant })
    }

    /// Whether bytes that belong to no live allocation lie in a page of 2 MiB with one that does: a GPU reads and writes
    /// there. They are mapped, and stay so.
    #[must_use]
    pub fn shares_page(&self, address: u64, bytes: u64) -> bool {
        let Some(last) = bytes.checked_sub(1).and_then(|more| address.checked_add(more)) else {
            return false;
        };
        let one_page = address / PAGE == last / PAGE;
        one_page && self.directory.spans(last) && self.directory.page_is_used(address)
    }

    /// The live allocation that holds an address.
    #[must_use]
    pub fn allocation(&self, address: u64) -> Option<Allocation> {
        self.find(&self.read_state().table, address).cloned()
    }

    /// The live allocation of a table that holds an address.
    pub(crate) fn find<'a>(&self, table: &'a Table, address: u64) -> Option<&'a Allocation> {
        if !self.directory.spans(address) {
            return table.lent_at(address);
        }
        let allocation = &table.get(self.directory.number(address)?)?.allocation;
        (address < allocation.end()).then_some(allocation)
    }

    /// Whether an address belongs to this memory: it lies in the device's range, whatever is there, or was lent. What is
    /// not so may be an array of the host's.
    #[must_use]
    pub fn owns(&self, address: u64) -> bool {
        self.directory.spans(address) || self.read_state().table.lent_at(address).is_some()
    }

    /// A number that changes with every free, so that regions that were looked up before are dropped. A cache takes
    /// the number before it looks the region up: the other way round, a free in between would go unnoticed.
    #[inline(always)]
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.directory.generation()
    }

    /// Says what is at an address, for a fault's report.
    #[must_use]
    pub fn explain(&self, address: u64, bytes: u64) -> Explanation {
        let state = self.read_state();
        explain(&state.table, self.find(&state.table, address), address, bytes)
    }

    /// How much memory is in use.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let state = self.read_state();
        Statistics {
            live_allocations: state.table.count() as u64,
            quarantined_bytes: state.quarantine.bytes(),
            ..state.statistics
        }
    }

    /// The live allocations in order of their addresses.
    #[must_use]
    pub fn allocations(&self) -> Vec<Allocation> {
        let mut all: Vec<Allocation> = self.read_state().table.live().cloned().collect();
        all.sort_by_key(|allocation| allocation.start);
        all
    }

    /// Why an address at which no allocation starts cannot be freed.
    pub(crate) fn not_freeable(&self, table: &Table, address: u64) -> FreeError {
        if let Some(allocation) = self.find(table, address).or_else(|| table.lent_from(address)) {
            let (allocation, offset) = (allocation.clone(), address - allocation.start);
            return match offset {
                0 => FreeError::OtherKind { allocation },
                _ => FreeError::Interior { allocation, offset },
            };
        }
        match table.freed_at(address) {
            Some(allocation) => {
                FreeError::Freed { allocation: allocation.clone(), offset: address - allocation.start }
            }
            None => FreeError::NotAllocated { address },
        }
    }
}
