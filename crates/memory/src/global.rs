//! Global memory: the table of what the guest may touch, shared by worker threads and host threads.
//!
//! Constant variables, parameters, global variables, buffers and the blocks of the guest's `malloc` are all
//! allocations of one table. Workers look a region up once, keep it, and drop it when [`GlobalMemory::generation`]
//! has changed. A worker that has not noticed yet still touches mapped memory: freed blocks stay where they are
//! until a reclaim finds no [`Lease`].

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::access;
use crate::allocation::{Allocation, AllocationKind, Region};
use crate::block::{Block, NATURAL_ALIGNMENT};
use crate::error::{AccessError, AdoptError, FreeError, OutOfMemory};
use crate::explain::{Explanation, explain};
use crate::quarantine::{Quarantine, size_class};
use crate::table::{Live, Table};
use crate::window::{Window, window_of};

/// How many bytes before and after an allocation belong to nobody, so that an access that is off by a little
/// never falls in a neighbour by accident.
const GAP: usize = 64;

/// The least alignment of a buffer that the host asks for, as the driver gives it.
const DEVICE_ALIGNMENT: u64 = 256;

/// The quarantine's budget unless it is given: enough for a million small blocks.
const DEFAULT_QUARANTINE: u64 = 64 << 20;

/// How many bytes the guest's `malloc` gives in all unless the host sets another limit: CUDA's default.
const DEFAULT_HEAP: u64 = 8 << 20;

/// The guest's global memory.
#[derive(Debug)]
pub struct GlobalMemory {
    state: RwLock<State>,
    generation: AtomicU64,
    leases: AtomicU64,
    limit: u64,
    /// How many of the bytes may be the guest's own heap.
    heap_limit: AtomicU64,
    /// How many bytes live and freed blocks may take of the host, gaps and roundings included.
    footprint_limit: u64,
}

#[derive(Debug)]
struct State {
    table: Table,
    quarantine: Quarantine,
    statistics: Statistics,
    /// The bytes of the blocks of live allocations.
    footprint: u64,
}

/// How much memory is in use. What is not on the device does not count as bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The bytes of all live allocations.
    pub bytes_in_use: u64,
    /// Those of them that the guest's `malloc` gave.
    pub heap_bytes: u64,
    /// The most that [`Self::bytes_in_use`] has been.
    pub peak_bytes: u64,
    /// How many allocations live, host arrays among them.
    pub live_allocations: u64,
    /// How many there have been.
    pub total_allocations: u64,
    /// The bytes of freed blocks that have not been given back to the host.
    pub quarantined_bytes: u64,
}

/// The promise that memory whose region was looked up under it stays mapped: no reclaim happens as long as a lease
/// is held. A launch holds one from its first lookup to its last access.
#[derive(Debug)]
#[must_use = "memory stays mapped only as long as the lease is held"]
pub struct Lease<'a> {
    memory: &'a GlobalMemory,
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // Release: what was done under the lease comes before a reclaim that sees it gone.
        self.memory.leases.fetch_sub(1, Release);
    }
}

impl GlobalMemory {
    /// A memory of `limit_bytes` bytes.
    #[must_use]
    pub fn new(limit_bytes: u64) -> Self {
        Self::with_quarantine(limit_bytes, DEFAULT_QUARANTINE.min(limit_bytes / 8))
    }

    /// A memory of `limit_bytes` bytes that keeps freed blocks of up to `quarantine_bytes` out of use.
    #[must_use]
    pub fn with_quarantine(limit_bytes: u64, quarantine_bytes: u64) -> Self {
        let overhead = (limit_bytes / 4).saturating_add(1 << 20).saturating_add(quarantine_bytes);
        GlobalMemory {
            state: RwLock::new(State {
                table: Table::default(),
                quarantine: Quarantine::new(quarantine_bytes),
                statistics: Statistics::default(),
                footprint: 0,
            }),
            generation: AtomicU64::new(0),
            leases: AtomicU64::new(0),
            limit: limit_bytes,
            heap_limit: AtomicU64::new(DEFAULT_HEAP),
            footprint_limit: limit_bytes.saturating_add(overhead),
        }
    }

    fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives `size` zeroed bytes at a multiple of `align`, which is rounded up to a power of two, and for
    /// [`AllocationKind::Device`] to 256. An allocation of no bytes has an address of its own, and holds none.
    pub fn allocate(
        &self,
        size: u64,
        align: u64,
        kind: AllocationKind,
        name: Option<String>,
    ) -> Result<u64, OutOfMemory> {
        let align = if kind == AllocationKind::Device { align.max(DEVICE_ALIGNMENT) } else { align.max(1) };
        let mut state = self.write_state();
        let refusal = |state: &State, refused_by_host| OutOfMemory {
            requested: size,
            in_use: state.statistics.bytes_in_use,
            limit: self.limit,
            reclaimable: state.quarantine.bytes(),
            refused_by_host,
        };
        let Some((bytes, align)) = block_bytes(size, align) else { return Err(refusal(&state, false)) };
        // A recycled block takes no more of the host than it does already.
        let fresh = if state.quarantine.offers(bytes) { 0 } else { bytes as u64 };
        let occupied = state.footprint.saturating_add(state.quarantine.bytes());
        let heap = if kind == AllocationKind::Heap { size } else { 0 };
        let heap_limit = self.heap_limit.load(Relaxed);
        let heap_bytes = state.statistics.heap_bytes;
        if kind == AllocationKind::Heap && heap_bytes.saturating_add(size) > heap_limit {
            return Err(OutOfMemory { in_use: heap_bytes, limit: heap_limit, ..refusal(&state, false) });
        }
        // Only what is on the device is limited by its size.
        let counted = if kind.on_device() { size } else { 0 };
        if state.statistics.bytes_in_use.saturating_add(counted) > self.limit
            || occupied.saturating_add(fresh) > self.footprint_limit
        {
            return Err(refusal(&state, false));
        }
        let recycled = state.quarantine.take(bytes);
        // The bytes are counted now, so that getting and zeroing the memory can be done outside of the lock.
        state.footprint += bytes as u64;
        state.statistics.bytes_in_use += counted;
        state.statistics.heap_bytes += heap;
        drop(state);

        let dirty = recycled.is_some();
        let Some(block) = recycled.or_else(|| Block::zeroed(bytes)) else {
            let mut state = self.write_state();
            state.footprint -= bytes as u64;
            state.statistics.bytes_in_use -= counted;
            state.statistics.heap_bytes -= heap;
            return Err(refusal(&state, true));
        };
        let base = block.address();
        let start = (base + GAP).next_multiple_of(align);
        if dirty && !block.forget() {
            // SAFETY: the block is mapped and has room for the region behind the gap; a worker that still holds the
            // old region of a recycled block touches it with atomics only.
            unsafe { access::fill(std::ptr::with_exposed_provenance_mut(start), size as usize, 0) };
        }

        let mut state = self.write_state();
        let serial = state.statistics.total_allocations;
        let allocation = Allocation { start: start as u64, size, kind, name: name.map(Into::into), serial };
        let live = Live { allocation, block: Some(block), adoptions: 0 };
        state.table.insert(live, base as u64, (base + bytes) as u64);
        state.statistics.total_allocations += 1;
        state.statistics.peak_bytes = state.statistics.peak_bytes.max(state.statistics.bytes_in_use);
        Ok(start as u64)
    }

    /// Makes `bytes` bytes of the host at `start` accessible to the guest in place. The same array may be adopted
    /// several times and is then released as often.
    ///
    /// # Safety
    /// The bytes are valid for reads and writes, and no reference to them is used, until they have been released
    /// and every lease that was held then has been dropped.
    pub unsafe fn adopt(&self, start: *mut u8, bytes: u64) -> Result<(), AdoptError> {
        // SAFETY: the caller promises the same.
        unsafe { self.adopt_as(start, bytes, AllocationKind::Host) }
    }

    /// The same, as one of the kinds that are lent to the guest. Of one that cannot be written, the bytes need only
    /// be valid for reads.
    ///
    /// # Safety
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
        if !kind.adopted()
            || address == 0
            || window_of(address) != Window::Global
            || window_of(end) != Window::Global
        {
            return Err(impossible);
        }
        let mut state = self.write_state();
        let serial = state.statistics.total_allocations;
        let allocation = Allocation { start: address, size: bytes, kind, name: None, serial };
        if let Some(other) = state.table.overlapping(&allocation) {
            let other = other.clone();
            return match state.table.live_mut(address) {
                Some(same)
                    if same.adoptions > 0
                        && (other.start, other.size, other.kind) == (address, bytes, kind) =>
                {
                    same.adoptions += 1;
                    Ok(())
                }
                _ => Err(AdoptError::Overlap { allocation: other }),
            };
        }
        state.table.insert(Live { allocation, block: None, adoptions: 1 }, address, end.max(address + 1));
        state.statistics.total_allocations += 1;
        Ok(())
    }

    /// Takes a host array that has been adopted out of the table.
    pub fn release(&self, start: *const u8) -> Result<(), FreeError> {
        self.remove(start.addr() as u64, AllocationKind::adopted)
    }

    /// Waits until what was taken out of the table before the call is touched by nobody any more: every lease that
    /// was held then has been dropped.
    pub fn wait_for_leases(&self) {
        // Acquire: what was done under leases that are gone is done.
        while self.leases.load(Acquire) != 0 {
            std::thread::sleep(std::time::Duration::from_micros(50));
        }
    }

    /// Counts bytes of the device's that are held outside of this table.
    pub fn charge(&self, bytes: u64) -> Result<(), OutOfMemory> {
        let mut state = self.write_state();
        let in_use = state.statistics.bytes_in_use;
        if in_use.saturating_add(bytes) > self.limit {
            let (reclaimable, refused_by_host) = (state.quarantine.bytes(), false);
            let limit = self.limit;
            return Err(OutOfMemory { requested: bytes, in_use, limit, reclaimable, refused_by_host });
        }
        state.statistics.bytes_in_use += bytes;
        state.statistics.peak_bytes = state.statistics.peak_bytes.max(state.statistics.bytes_in_use);
        Ok(())
    }

    /// Takes back what [`Self::charge`] counted.
    pub fn discharge(&self, bytes: u64) {
        let mut state = self.write_state();
        state.statistics.bytes_in_use = state.statistics.bytes_in_use.saturating_sub(bytes);
    }

    /// Frees the allocation that starts at an address, of whatever kind, except one that has been adopted.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.remove(address, |kind| !kind.adopted())
    }

    /// Frees the allocation that starts at an address if it is of this kind: the guest's `free` takes only what
    /// its `malloc` gave, and the host's only what the host allocated.
    pub fn free_kind(&self, address: u64, kind: AllocationKind) -> Result<(), FreeError> {
        self.remove(address, |found| found == kind && !kind.adopted())
    }

    fn remove(&self, address: u64, allowed: impl Fn(AllocationKind) -> bool) -> Result<(), FreeError> {
        let mut state = self.write_state();
        let Some(live) = state.table.live_mut(address) else {
            return Err(not_freeable(&state.table, address));
        };
        if !allowed(live.allocation.kind) {
            return Err(FreeError::OtherKind { allocation: live.allocation.clone() });
        }
        if live.adoptions > 1 {
            live.adoptions -= 1;
            return Ok(());
        }
        // The parameters of a launch go with it: a guest that keeps their address is rare, launches are many, and
        // memory must not grow with them.
        let passing = live.allocation.kind == AllocationKind::Param;
        let removed = if passing { state.table.forget(address) } else { state.table.remove(address) };
        if let Some(Live { allocation, block: Some(block), .. }) = removed {
            if allocation.kind.on_device() {
                state.statistics.bytes_in_use -= allocation.size;
            }
            if allocation.kind == AllocationKind::Heap {
                state.statistics.heap_bytes -= allocation.size;
            }
            state.footprint -= block.bytes() as u64;
            if passing {
                state.quarantine.put_in_pool(block);
            } else {
                state.quarantine.put(block);
            }
        }
        // A guest thread that learns of the free through memory has synchronised with this thread, and therefore
        // sees the new generation with a relaxed load.
        self.generation.fetch_add(1, Release);
        Ok(())
    }

    /// Gives freed memory over the quarantine's budget back to the host and says how many bytes that were. Does
    /// nothing while anybody holds a lease.
    pub fn reclaim(&self) -> u64 {
        let mut state = self.write_state();
        // A lease that this load does not see is taken later than this lock, so what is looked up under it is not
        // among the freed. Acquire: what was done under leases that are gone is done.
        if self.leases.load(Acquire) != 0 {
            return 0;
        }
        let before = state.quarantine.bytes();
        let blocks = state.quarantine.drain_pool();
        let given_back = before - state.quarantine.bytes();
        drop(state);
        drop(blocks);
        given_back
    }

    /// Takes a lease, which keeps freed memory mapped.
    pub fn lease(&self) -> Lease<'_> {
        self.leases.fetch_add(1, Relaxed);
        Lease { memory: self }
    }

    /// The addresses of the live allocation that holds an address.
    #[must_use]
    pub fn region(&self, address: u64) -> Option<Region> {
        let state = self.read_state();
        let allocation = state.table.live_at(address)?;
        let (writable, constant) = (allocation.kind.writable(), allocation.kind.constant());
        Some(Region { start: allocation.start, end: allocation.end(), writable, constant })
    }

    /// The live allocation that holds an address.
    #[must_use]
    pub fn allocation(&self, address: u64) -> Option<Allocation> {
        self.read_state().table.live_at(address).cloned()
    }

    /// Whether an address belongs to this memory: to an allocation, to the gaps around it, or to what was freed and
    /// has not been given back to the host. What is not so may be an array of the host's.
    #[must_use]
    pub fn owns(&self, address: u64) -> bool {
        let state = self.read_state();
        state.table.spans(address) || state.quarantine.holds(address as usize)
    }

    /// The part of `low..high` around an address that does not belong to this memory, if the address does not: what
    /// of a mapping of the host's may be adopted.
    #[must_use]
    pub fn foreign(&self, address: u64, low: u64, high: u64) -> Option<(u64, u64)> {
        let state = self.read_state();
        let freed = state.quarantine.neighbours(address as usize);
        let freed = freed.map(|(start, end)| (start as u64, end as u64));
        let mut range = (low, high);
        for (start, end) in state.table.neighbours(address).chain(freed) {
            if end <= address {
                range.0 = range.0.max(end);
            } else if start > address {
                range.1 = range.1.min(start);
            } else {
                return None;
            }
        }
        Some(range)
    }

    /// A number that changes with every free, so that regions that were looked up before are dropped. A cache takes
    /// the number before it looks the region up: the other way round, a free in between would go unnoticed.
    #[inline(always)]
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    /// Says what is at an address, for a fault's report.
    #[must_use]
    pub fn explain(&self, address: u64, bytes: u64) -> Explanation {
        explain(&self.read_state().table, address, bytes)
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

    /// How many bytes there are in all.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Sets how many bytes the guest's `malloc` may give in all; what it has given stays.
    pub fn set_heap_limit(&self, bytes: u64) {
        self.heap_limit.store(bytes, Relaxed);
    }

    /// The live allocations in order of their addresses.
    #[must_use]
    pub fn allocations(&self) -> Vec<Allocation> {
        let mut all: Vec<Allocation> = self.read_state().table.live().cloned().collect();
        all.sort_by_key(|allocation| allocation.start);
        all
    }

    /// Whether all of `bytes` bytes at an address lie in live allocations for which `accepts` holds. Allocations
    /// that touch each other count as one: only ranges that somebody mapped side by side do.
    #[must_use]
    pub fn covers(&self, address: u64, bytes: u64, accepts: impl Fn(AllocationKind) -> bool) -> bool {
        let Some(end) = address.checked_add(bytes) else { return false };
        let state = self.read_state();
        let mut reached = address;
        while reached < end {
            match state.table.live_at(reached) {
                Some(allocation) if accepts(allocation.kind) => reached = allocation.end(),
                _ => return false,
            }
        }
        true
    }

    /// Finds the bytes of a host-side access. The caller holds a lease.
    fn checked(&self, address: u64, bytes: u64) -> Result<*mut u8, AccessError> {
        if self.covers(address, bytes, |_| true) {
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
        Ok(())
    }

    /// Copies guest memory to guest memory; the two may overlap.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), AccessError> {
        if bytes == 0 {
            return Ok(());
        }
        let _lease = self.lease();
        let (to, from) = (self.checked(to, bytes)?, self.checked(from, bytes)?);
        // SAFETY: both lie in regions, and the lease keeps them mapped.
        unsafe { access::copy(to, from, bytes as usize) };
        Ok(())
    }
}

/// How big a block must be to hold an allocation with its gaps, and the alignment as a power of two.
fn block_bytes(size: u64, align: u64) -> Option<(usize, usize)> {
    let align = usize::try_from(align.checked_next_power_of_two()?).ok()?;
    let padding = align.saturating_sub(NATURAL_ALIGNMENT);
    let bytes = usize::try_from(size).ok()?.checked_add(padding)?.checked_add(2 * GAP)?;
    let bytes = size_class(bytes).filter(|&bytes| isize::try_from(bytes).is_ok())?;
    Some((bytes, align))
}

/// Why an address at which no allocation starts cannot be freed.
fn not_freeable(table: &Table, address: u64) -> FreeError {
    if let Some(allocation) = table.live_at(address) {
        return FreeError::Interior { allocation: allocation.clone(), offset: address - allocation.start };
    }
    match table.freed_at(address) {
        Some(allocation) => {
            FreeError::Freed { allocation: allocation.clone(), offset: address - allocation.start }
        }
        None => FreeError::NotAllocated { address },
    }
}
