//! Global memory: the table of what the guest may touch, shared by worker threads and host threads.
//!
//! Constant variables, parameters, global variables, buffers and the blocks of the guest's `malloc` are all
//! allocations of one table, in one range of addresses that has a part for each of three lives: what the host asks
//! for, what lasts as long as a launch, and what guests `malloc`. So the addresses that the host gets do not depend on
//! what runs meanwhile. Workers look a region up once, keep it, and drop it when [`GlobalMemory::generation`] has
//! changed. A worker that has not noticed yet still touches mapped memory: the range stays mapped as long as the device
//! lives.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::access;
use crate::allocation::{Allocation, AllocationKind};
use crate::arena::{Arena, HOST_PAGE, Spot};
use crate::budget::Budget;
use crate::directory::{self, Directory};
use crate::error::{FreeError, OutOfMemory};
use crate::export::Export;
use crate::host_pages::Pages;
use crate::quarantine::{Freed, Quarantine};
use crate::range::{PAGE, Range};
use crate::table::{Live, Table};
use crate::unwritten::Unwritten;

/// The quarantine's budget unless it is given: enough for a million small blocks.
const DEFAULT_QUARANTINE: u64 = 64 << 20;

/// How many bytes of addresses of large allocations wait before they are used again. Their memory has been given back,
/// but the host keeps tables of its own for them, a 512th of their size.
const QUARANTINED_ADDRESSES: u64 = 4 << 30;

/// How many bytes the guest's `malloc` gives in all unless the host sets another limit: CUDA's default.
const DEFAULT_HEAP: u64 = 8 << 20;

/// What the tables take for an allocation, about: a million small ones cost more than their bytes.
const RECORD: u64 = 192;

/// So many bytes are zeroed sooner than a lock is given back and taken again.
const QUICK: u64 = 4096;

/// The parts of the range.
const HOST: usize = 0;
const HEAP: usize = 1;
const LAUNCH: usize = 2;

/// The granules of their shared pages, as powers of two: the driver's 512 bytes, and less for what guests allocate by
/// the thousand.
const SHIFTS: [u32; 3] = [9, 6, 9];

/// The guest's global memory.
#[derive(Debug)]
pub struct GlobalMemory {
    pub(crate) range: Range,
    pub(crate) directory: Directory,
    pub(crate) state: RwLock<State>,
    pub(crate) leases: AtomicU64,
    limit: u64,
    /// How many of the bytes may be the guest's own heap.
    heap_limit: AtomicU64,
    /// How many bytes live and freed allocations may take of the host, gaps and roundings included.
    footprint_limit: u64,
    budget: Arc<Budget>,
    unwritten: Arc<Unwritten>,
    /// What stands in for memory of another process's host.
    pub(crate) pages: Mutex<Pages>,
}

#[derive(Debug)]
pub(crate) struct State {
    arenas: [Arena; 3],
    pub(crate) table: Table,
    pub(crate) quarantine: Quarantine,
    pub(crate) statistics: Statistics,
    /// The bytes that live allocations take.
    footprint: u64,
    /// What they take of the heap's limit.
    heap_charge: u64,
    /// What is taken of the budget.
    charged: u64,
    /// Pages that have become those of files.
    pub(crate) exports: Vec<Export>,
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
    /// The bytes of freed allocations that have not been given back to the host.
    pub quarantined_bytes: u64,
}

impl GlobalMemory {
    /// A memory of `limit_bytes` bytes.
    #[must_use]
    pub fn new(limit_bytes: u64) -> Self {
        Self::with_budget(limit_bytes, Arc::default())
    }

    /// A memory of `limit_bytes` bytes, which takes what it gives from a budget of the host's memory.
    #[must_use]
    pub fn with_budget(limit_bytes: u64, budget: Arc<Budget>) -> Self {
        let least = limit_bytes.min(budget.limit());
        Self::with_quarantine(limit_bytes, DEFAULT_QUARANTINE.min(least / 8), budget)
    }

    /// The same, with freed memory of up to `quarantine_bytes` kept out of use.
    #[must_use]
    pub fn with_quarantine(limit_bytes: u64, quarantine_bytes: u64, budget: Arc<Budget>) -> Self {
        let overhead = (limit_bytes / 4).saturating_add(1 << 20).saturating_add(quarantine_bytes);
        let range = Range::reserve();
        let pages = range.pages();
        // Of few pages the last sixteenth may be none, but never begins before the last eighth.
        let (first_heap, first_launch) = (pages - pages / 8, pages - pages / 16);
        let arena = |first, end, which: usize| Arena::new(&range, first, end - first, SHIFTS[which]);
        let arenas = [
            arena(0, first_heap, HOST),
            arena(first_heap, first_launch, HEAP),
            arena(first_launch, pages, LAUNCH),
        ];
        let addresses = if quarantine_bytes == 0 { 0 } else { QUARANTINED_ADDRESSES };
        let addresses = addresses.min(u64::from(pages) * PAGE / 8);
        GlobalMemory {
            directory: Directory::new(range.start(), pages),
            range,
            state: RwLock::new(State {
                arenas,
                table: Table::default(),
                quarantine: Quarantine::new(quarantine_bytes, addresses),
                statistics: Statistics::default(),
                footprint: 0,
                heap_charge: 0,
                charged: 0,
                exports: Vec::new(),
            }),
            leases: AtomicU64::new(0),
            limit: limit_bytes,
            heap_limit: AtomicU64::new(DEFAULT_HEAP),
            footprint_limit: limit_bytes.saturating_add(overhead),
            unwritten: Arc::new(Unwritten::new(Arc::clone(&budget))),
            pages: Mutex::default(),
            budget,
        }
    }

    pub(crate) fn read_state(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write_state(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives `size` zeroed bytes at a multiple of `align`, which is rounded up to a power of two; every address is a
    /// multiple of 64, and of 512 unless the guest's `malloc` asked. An allocation of no bytes has an address of its
    /// own, and holds none.
    ///
    /// # Errors
    /// A limit is reached, or the host has no memory.
    pub fn allocate(
        &self,
        size: u64,
        align: u64,
        kind: AllocationKind,
        name: Option<String>,
    ) -> Result<u64, OutOfMemory> {
        let Some(align) = align.max(1).checked_next_power_of_two() else {
            return Err(OutOfMemory { refused_by_host: true, ..self.refusal(&self.read_state(), size) });
        };
        self.allocate_where(size, kind, name, |range, arena| arena.take(range, size, align))
    }

    /// Gives `size` zeroed bytes from `start` on, where [`Self::allocate`] of another process gave as many of this kind.
    ///
    /// ```
    /// use ptxvm_memory::{AllocationKind::Device, GlobalMemory};
    /// let memory = GlobalMemory::new(1 << 30);
    /// let x = memory.allocate(4000, 1, Device, None)?;
    /// memory.allocate_at(x + 0x10000, 4000, Device, None)?;
    /// assert!(memory.allocate_at(x + 0x10000, 4000, Device, None).is_err());
    /// assert_eq!(memory.region(x + 0x10000).map(|region| region.end), Some(x + 0x10000 + 4000));
    /// # Ok::<(), ptxvm_memory::OutOfMemory>(())
    /// ```
    ///
    /// # Errors
    /// Something else is there, nothing of this size is ever put there, or a limit is reached.
    pub fn allocate_at(
        &self,
        start: u64,
        size: u64,
        kind: AllocationKind,
        name: Option<String>,
    ) -> Result<u64, OutOfMemory> {
        self.allocate_where(size, kind, name, |range, arena| arena.take_at(range, start, size))
    }

    /// Whether an address is one that the guest's `malloc` may give.
    #[must_use]
    pub fn is_of_heap(&self, address: u64) -> bool {
        self.read_state().arenas[HEAP].spans(address)
    }

    /// Gives zeroed bytes where `take` finds some.
    fn allocate_where(
        &self,
        size: u64,
        kind: AllocationKind,
        name: Option<String>,
        take: impl Fn(&Range, &mut Arena) -> Option<Spot>,
    ) -> Result<u64, OutOfMemory> {
        let mut state = self.write_state();
        let counted = if kind.on_device() { size } else { 0 };
        let heap = heap_charge(kind, size);
        self.check_limits(&state, size, counted, heap)?;
        let arena = match kind {
            AllocationKind::Heap => HEAP,
            AllocationKind::Param | AllocationKind::Workspace => LAUNCH,
            _ => HOST,
        };
        let (spot, charge) = self
            .take(&mut state, arena, size, take)
            .ok_or_else(|| OutOfMemory { refused_by_host: true, ..self.refusal(&state, size) })?;
        let number = state.table.number();
        // The bytes are counted now, so that zeroing many of them can be done outside of the lock.
        state.footprint += spot.bytes;
        state.heap_charge += heap;
        state.statistics.bytes_in_use += counted;
        state.statistics.heap_bytes += if kind == AllocationKind::Heap { size } else { 0 };
        state.statistics.peak_bytes = state.statistics.peak_bytes.max(state.statistics.bytes_in_use);
        match size {
            _ if spot.fresh => {}
            0..=QUICK => self.clear(&spot, size),
            _ => {
                drop(state);
                self.clear(&spot, size);
                state = self.write_state();
            }
        }
        let serial = state.statistics.total_allocations;
        state.statistics.total_allocations += 1;
        let allocation = Allocation { start: spot.start, size, kind, name: name.map(Into::into), serial };
        state.table.insert(number, Live { allocation, spot, arena, charge });
        self.directory.enter(number, &spot, SHIFTS[arena], size, kind);
        Ok(spot.start)
    }

    /// Whether a request is within the limits of the device and its heap.
    fn check_limits(&self, state: &State, size: u64, counted: u64, heap: u64) -> Result<(), OutOfMemory> {
        let heap_limit = self.heap_limit.load(Relaxed);
        if heap > 0 && state.heap_charge.saturating_add(heap) > heap_limit {
            let in_use = state.statistics.heap_bytes;
            return Err(OutOfMemory { in_use, limit: heap_limit, ..self.refusal(state, size) });
        }
        let occupied = state.footprint.saturating_add(state.quarantine.bytes());
        // Only what is on the device is limited by its size.
        if state.statistics.bytes_in_use.saturating_add(counted) > self.limit
            || occupied.saturating_add(counted) > self.footprint_limit
            || state.table.numbers() >= directory::MOST as usize
        {
            return Err(self.refusal(state, size));
        }
        Ok(())
    }

    fn refusal(&self, state: &State, requested: u64) -> OutOfMemory {
        let in_use = state.statistics.bytes_in_use;
        OutOfMemory { requested, in_use, limit: self.limit, refused_by_host: false }
    }

    /// Takes addresses and what they need of the budget. When there are none, freed ones do not wait any longer.
    fn take(
        &self,
        state: &mut State,
        arena: usize,
        size: u64,
        find: impl Fn(&Range, &mut Arena) -> Option<Spot>,
    ) -> Option<(Spot, u64)> {
        loop {
            if let Some(spot) = find(&self.range, &mut state.arenas[arena]) {
                let memory = if spot.whole_pages { size.next_multiple_of(HOST_PAGE) } else { spot.bytes };
                let charge = memory.saturating_add(RECORD);
                if self.budget.take(charge).is_ok() {
                    state.charged += charge;
                    return Some((spot, charge));
                }
                state.arenas[arena].give(&self.range, &spot);
            }
            let oldest = state.quarantine.oldest()?;
            self.give(state, &oldest);
        }
    }

    /// Gives the addresses of a freed allocation back.
    fn give(&self, state: &mut State, freed: &Freed) {
        state.arenas[freed.arena].give(&self.range, &freed.spot);
        self.pay_back(state, freed.charge);
    }

    fn pay_back(&self, state: &mut State, bytes: u64) {
        state.charged -= bytes;
        self.budget.give(bytes);
    }

    /// Makes bytes zero that somebody had before.
    fn clear(&self, spot: &Spot, size: u64) {
        if spot.whole_pages {
            // A worker that has not noticed the free may have written there since.
            self.range.discard(spot.start, spot.start + spot.bytes);
        } else {
            let start = std::ptr::with_exposed_provenance_mut(spot.start as usize);
            // SAFETY: the bytes have been taken from the range for this allocation, and stay mapped; a worker that
            // still holds the old region touches them with atomics only.
            unsafe { access::fill(start, size as usize, 0) };
        }
    }

    /// Counts bytes of the device's that are held outside of this table.
    ///
    /// # Errors
    /// The device or the budget has not as many.
    pub fn charge(&self, bytes: u64) -> Result<(), OutOfMemory> {
        let mut state = self.write_state();
        let in_use = state.statistics.bytes_in_use;
        if in_use.saturating_add(bytes) > self.limit {
            return Err(self.refusal(&state, bytes));
        }
        if self.budget.take(bytes).is_err() {
            return Err(OutOfMemory { refused_by_host: true, ..self.refusal(&state, bytes) });
        }
        state.charged += bytes;
        state.statistics.bytes_in_use += bytes;
        state.statistics.peak_bytes = state.statistics.peak_bytes.max(state.statistics.bytes_in_use);
        Ok(())
    }

    /// Takes back what [`Self::charge`] counted.
    pub fn discharge(&self, bytes: u64) {
        let mut state = self.write_state();
        state.statistics.bytes_in_use = state.statistics.bytes_in_use.saturating_sub(bytes);
        self.pay_back(&mut state, bytes);
    }

    /// Frees the allocation that starts at an address, of whatever kind, except one that has been adopted.
    ///
    /// # Errors
    /// None starts there.
    pub fn free(&self, address: u64) -> Result<(), FreeError> {
        self.remove(address, |_| true)
    }

    /// Frees the allocation that starts at an address if it is of this kind: the guest's `free` takes only what
    /// its `malloc` gave, and the host's only what the host allocated.
    ///
    /// # Errors
    /// None of this kind starts there.
    pub fn free_kind(&self, address: u64, kind: AllocationKind) -> Result<(), FreeError> {
        self.remove(address, |found| found == kind)
    }

    fn remove(&self, address: u64, allowed: impl Fn(AllocationKind) -> bool) -> Result<(), FreeError> {
        let mut state = self.write_state();
        let number = self.directory.number(address);
        let found = number.and_then(|number| Some((number, state.table.get(number)?)));
        let Some((number, live)) = found.filter(|(_, live)| live.allocation.start == address) else {
            return Err(self.not_freeable(&state.table, address));
        };
        let kind = live.allocation.kind;
        let passing = live.arena == LAUNCH;
        if !allowed(kind) {
            return Err(FreeError::OtherKind { allocation: live.allocation.clone() });
        }
        // The parameters of a launch go with it: a guest that keeps their address is rare, launches are many, and
        // memory must not grow with them.
        let Some(Live { allocation, spot, arena, charge }) = state.table.remove(number, !passing) else {
            return Err(FreeError::NotAllocated { address });
        };
        self.directory.leave(&spot, SHIFTS[arena]);
        self.directory.change();
        let size = allocation.size;
        self.unwritten.remove(allocation.start, size);
        state.statistics.bytes_in_use -= if kind.on_device() { size } else { 0 };
        state.statistics.heap_bytes -= if kind == AllocationKind::Heap { size } else { 0 };
        state.heap_charge -= heap_charge(kind, size);
        state.footprint -= spot.bytes;
        let mut freed = Freed { spot, arena, charge };
        if passing {
            self.give(&mut state, &freed);
            return Ok(());
        }
        if spot.whole_pages {
            // Many pages take a while, and nobody else can have them yet.
            drop(state);
            self.range.discard(spot.start, spot.start + spot.bytes);
            state = self.write_state();
            self.pay_back(&mut state, std::mem::take(&mut freed.charge));
        }
        state.quarantine.put(freed);
        while let Some(overdue) = state.quarantine.overdue() {
            self.give(&mut state, &overdue);
        }
        Ok(())
    }

    /// How many bytes there are in all.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// The budget of the host's memory that allocations are taken from.
    #[must_use]
    pub fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// Which bytes nobody has written, if somebody keeps that.
    #[must_use]
    pub fn unwritten(&self) -> &Arc<Unwritten> {
        &self.unwritten
    }

    /// Sets how many bytes the guest's `malloc` may give in all; what it has given stays.
    pub fn set_heap_limit(&self, bytes: u64) {
        self.heap_limit.store(bytes, Relaxed);
    }
}

impl Drop for GlobalMemory {
    fn drop(&mut self) {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.budget.give(state.charged);
    }
}

/// What a block of the guest's `malloc` takes of the heap's limit. Measured on an H200: blocks of up to 32 bytes lie 80
/// bytes apart, those of 100 bytes 160, and a block of no bytes is a block too.
fn heap_charge(kind: AllocationKind, size: u64) -> u64 {
    match kind {
        AllocationKind::Heap => size.saturating_add(63).max(80) / 16 * 16,
        _ => 0,
    }
}
