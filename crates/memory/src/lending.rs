//! Memory of the host's own that the guest may touch in place: lent, looked up under a lease, taken back.
#![allow(unsafe_code)]

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::allocation::{Allocation, AllocationKind};
use crate::error::{AdoptError, FreeError};
use crate::global::GlobalMemory;
use crate::window::{Window, window_of};

/// The promise that lent memory whose region was looked up under it stays mapped: whoever takes it back waits for the
/// lease. A launch holds one from its first lookup to its last access.
#[derive(Debug)]
#[must_use = "lent memory stays mapped only as long as the lease is held"]
pub struct Lease<'a> {
    memory: &'a GlobalMemory,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // Release: what was done under the lease comes before what a waiter does that sees it gone.
        self.memory.leases.fetch_sub(1, Release);
    }
}

impl GlobalMemory {
    /// Makes `bytes` bytes of the host at `start` accessible to the guest in place. The same array may be adopted
    /// several times and is then released as often.
    ///
    /// # Safety
    /// The bytes are valid for reads and writes, and no reference to them is used, until they have been released
    /// and every lease that was held then has been dropped.
    ///
    /// # Errors
    /// Some of them belong to another allocation, or they cannot be a host array.
    pub unsafe fn adopt(&self, start: *mut u8, bytes: u64) -> Result<(), AdoptError> {
        // SAFETY: the caller promises the same.
        unsafe { self.adopt_as(start, bytes, AllocationKind::Host) }
    }

    /// The same, as one of the kinds that are lent to the guest. Of one that cannot be written, the bytes need only
    /// be valid for reads.
    ///
    /// # Safety
    /// As for [`Self::adopt`].
    ///
    /// # Errors
    /// As for [`Self::adopt`].
    pub unsafe fn adopt_as(
        &self,
        start: *mut u8,
        bytes: u64,
        kind: AllocationKind,
    ) -> Result<(), AdoptError> {
        let address = start.expose_provenance() as u64;
        let impossible = AdoptError::Impossible { address, bytes };
        let Some(end) = address.checked_add(bytes) else { return Err(impossible) };
        let ours = self.directory.spans(address)
            || self.directory.spans(end.saturating_sub(1))
            || (address < self.range.start() && end > self.range.start());
        if !kind.adopted()
            || address == 0
            || ours
            || window_of(address) != Window::Global
            || window_of(end) != Window::Global
        {
            return Err(impossible);
        }
        let mut state = self.write_state();
        let serial = state.statistics.total_allocations;
        let allocation = Allocation { start: address, size: bytes, kind, name: None, serial };
        state.table.lend(allocation).map_err(|allocation| AdoptError::Overlap { allocation })?;
        state.statistics.total_allocations += 1;
        Ok(())
    }

    /// Takes a host array that has been adopted out of the table.
    ///
    /// # Errors
    /// None starts there.
    pub fn release(&self, start: *const u8) -> Result<(), FreeError> {
        let address = start.addr() as u64;
        let mut state = self.write_state();
        match state.table.take_back(address) {
            Some(last) => {
                if last {
                    self.directory.change();
                }
                Ok(())
            }
            None => Err(self.not_freeable(&state.table, address)),
        }
    }

    /// Waits until what was taken out of the table before the call is touched by nobody any more: every lease that
    /// was held then has been dropped.
    pub fn wait_for_leases(&self) {
        self.wait_for_leases_at_most(std::time::Duration::MAX);
    }

    /// The same, but not for longer than this: a kernel may run for ever. What was taken out of the table is not
    /// looked up again, so that one access at most is under way in each worker. Says whether all leases are gone.
    pub fn wait_for_leases_at_most(&self, patience: std::time::Duration) -> bool {
        let began = std::time::Instant::now();
        // Acquire: what was done under leases that are gone is done.
        while self.leases.load(Acquire) != 0 {
            if began.elapsed() >= patience {
                return false;
            }
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
        true
    }

    /// Takes a lease, which keeps lent memory mapped.
    pub fn lease(&self) -> Lease<'_> {
        self.leases.fetch_add(1, Relaxed);
        Lease { memory: self }
    }

    /// Where the next array begins that the host has lent, from an address on.
    #[must_use]
    pub fn next_lent(&self, address: u64) -> Option<u64> {
        self.read_state().table.next_lent(address)
    }
}
