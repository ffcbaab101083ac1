//! The host's own way to guest memory: copies in and out, fills, each checked against the table.
#![allow(unsafe_code)]

use crate::access;
use crate::allocation::AllocationKind;
use crate::error::AccessError;
use crate::global::GlobalMemory;

impl GlobalMemory {
    /// Whether all of `bytes` bytes at an address lie in live allocations for which `accepts` holds. Allocations
    /// that touch each other count as one: only ranges that somebody mapped side by side do.
    #[must_use]
    pub fn covers(&self, address: u64, bytes: u64, accepts: impl Fn(AllocationKind) -> bool) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let state = self.read_state();
        let mut reached = address;
        while reached < end {
            match self.find(&state.table, reached) {
                Some(allocation) if accepts(allocation.kind) => reached = allocation.end(),
                _ => return false,
            }
        }
        true
    }

    /// Finds the bytes of a host-side access. The caller holds a lease.
    fn checked(&self, address: u64, bytes: u64) -> Result<*mut u8, AccessError> {
        // Nearly always it is one allocation, for which no lock is needed.
        let one = self.region(address).is_some_and(|region| region.holds(address, bytes));
        if one || self.covers(address, bytes, |_| true) {
            Ok(std::ptr::with_exposed_provenance_mut(address as usize))
        } else {
            Err(AccessError { explanation: self.explain(address, bytes) })
        }
    }

    /// Copies guest memory to the host.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), AccessError> {
        if to.is_empty() {
            return Ok(());
        }
        let _lease = self.lease();
        let from = self.checked(address, to.len() as u64)?;
        // SAFETY: the bytes lie in a region, and the lease keeps them mapped.
        unsafe { access::copy_out(from, to) };
        Ok(())
    }

    /// Copies host memory to the guest; the host may write constants and parameters too.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), AccessError> {
        if from.is_empty() {
            return Ok(());
        }
        let _lease = self.lease();
        let to = self.checked(address, from.len() as u64)?;
        // SAFETY: the bytes lie in a region, and the lease keeps them mapped.
        unsafe { access::copy_in(to, from) };
        self.unwritten().remove(address, from.len() as u64);
        Ok(())
    }

    /// Sets guest memory to a byte.
    pub fn fill(&self, address: u64, bytes: u64, byte: u8) -> Result<(), AccessError> {
        if bytes == 0 {
            return Ok(());
        }
        let _lease = self.lease();
        let to = self.checked(address, bytes)?;
        // SAFETY: the bytes lie in a region, and the lease keeps them mapped.
        unsafe { access::fill(to, bytes as usize, byte) };
        self.unwritten().remove(address, bytes);
        Ok(())
    }

    /// Copies guest memory to guest memory; the two may overlap.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), AccessError> {
        if bytes == 0 {
            return Ok(());
        }
        let _lease = self.lease();
        let (to_host, from_host) = (self.checked(to, bytes)?, self.checked(from, bytes)?);
        // SAFETY: both lie in regions, and the lease keeps them mapped.
        unsafe { access::copy(to_host, from_host, bytes as usize) };
        let unwritten = self.unwritten();
        if !unwritten.is_empty() {
            match self.allocation(to).is_some_and(|allocation| allocation.kind.host_writes()) {
                true => unwritten.remove(to, bytes),
                false => unwritten.copy(to, from, bytes),
            }
        }
        Ok(())
    }

    /// What a kernel has left undefined in memory that the host writes by itself counts as written from now on.
    pub fn forget_unwritten_by_host(&self) {
        if self.unwritten().is_empty() {
            return;
        }
        for allocation in self.allocations().iter().filter(|allocation| allocation.kind.host_writes()) {
            self.unwritten().remove(allocation.start, allocation.end() - allocation.start);
        }
    }
}
