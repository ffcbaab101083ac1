//! Ranges of addresses that programs reserve, and what they map there.
//!
//! A reservation is pages that cannot be accessed. A mapping replaces some of them by pages of physical memory; the guest
//! sees them once access has been granted.
//!
//! A kernel of another context may be in the middle of an access when a mapping is removed, and may run forever, so nobody
//! waits for it. Empty pages replace the physical memory, and take late accesses. For the same reason, addresses that were
//! once mapped never go back to the system; they are reserved again.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_memory::AllocationKind;

use super::location::{READ, READ_WRITE};
use super::pages::PAGE;
use super::physical::{GRANULARITY, Physical};
use super::registry::{self, MemoryKind};
use crate::abi::{Answer, CUresult, Host};
use crate::context::{self, CUcontext};
use crate::driver;

/// Where reservations lie unless the program wishes otherwise: as device memory does, at the same place in every run.
const HOME: u64 = 0x2800_0000_0000;
const HOME_END: u64 = 0x3000_0000_0000;

/// A reserved range.
struct Reservation {
    size: u64,
    mappings: BTreeMap<u64, GuestMapping>,
}

/// Physical memory at an address.
struct GuestMapping {
    physical: Arc<Physical>,
    size: u64,
    /// What the device may do: 0, [`READ`] or [`READ_WRITE`].
    access: u32,
}

static RESERVATIONS: Mutex<BTreeMap<u64, Reservation>> = Mutex::new(BTreeMap::new());
/// Ranges of addresses that have been given back and wait for their next reservation: start to end.
static FREE: Mutex<BTreeMap<u64, u64>> = Mutex::new(BTreeMap::new());

fn reservations() -> MutexGuard<'static, BTreeMap<u64, Reservation>> {
    RESERVATIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn free() -> MutexGuard<'static, BTreeMap<u64, u64>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a range that was reserved before: at the hint, or anywhere.
fn take_free(size: u64, alignment: u64, hint: Option<u64>) -> Option<u64> {
    let mut free = free();
    let fits = |(&start, &end): (&u64, &u64)| {
        let at = hint.or_else(|| start.checked_next_multiple_of(alignment))?;
        (at >= start && at.checked_add(size)? <= end).then_some((start, end, at))
    };
    let (start, end, at) = free.iter().find_map(fits)?;
    free.remove(&start);
    if start < at {
        free.insert(start, at);
    }
    if at + size < end {
        free.insert(at + size, end);
    }
    Some(at)
}

/// Keeps a range for the next reservation, as one with its neighbours.
fn put_free(mut start: u64, mut end: u64) {
    let mut free = free();
    if let Some((&before, &its_end)) = free.range(..start).next_back()
        && its_end == start
    {
        free.remove(&before);
        start = before;
    }
    if let Some(after) = free.remove(&end) {
        end = after;
    }
    free.insert(start, end);
}

/// The reservation that holds a range.
fn holding(all: &mut BTreeMap<u64, Reservation>, start: u64, size: u64) -> Answer<&mut Reservation> {
    let end = start.checked_add(size).ok_or(CUresult::INVALID_VALUE)?;
    let found = all.range_mut(..=start).next_back();
    match found {
        Some((base, reservation)) if size > 0 && end <= base + reservation.size => Ok(reservation),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Reserves addresses, at the hint if nothing is there.
///
/// # Errors
/// The numbers are no sizes of pages, or there are no such addresses.
pub fn reserve(size: u64, alignment: u64, hint: u64) -> Answer<u64> {
    let aligned = size > 0 && size.is_multiple_of(PAGE) && hint.is_multiple_of(PAGE);
    if !aligned || (alignment != 0 && !alignment.is_power_of_two()) {
        return Err(CUresult::INVALID_VALUE);
    }
    let alignment = alignment.max(GRANULARITY);
    let known = (hint != 0 && hint.is_multiple_of(alignment)).then_some(hint);
    let taken = known.and_then(|hint| take_free(size, alignment, Some(hint)));
    if let Some(start) = taken {
        reservations().insert(start, Reservation { size, mappings: BTreeMap::new() });
        return Ok(start);
    }
    if hint != 0
        && hint.is_multiple_of(alignment)
        && let Some(start) = map_nothing(hint, size)
    {
        if start == hint {
            reservations().insert(start, Reservation { size, mappings: BTreeMap::new() });
            return Ok(start);
        }
        unmap(start, size);
    }
    if let Some(start) = take_free(size, alignment, None).or_else(|| at_home(size, alignment)) {
        reservations().insert(start, Reservation { size, mappings: BTreeMap::new() });
        return Ok(start);
    }
    // More than is needed is taken, and what is before and after the aligned range given back.
    let whole = size.checked_add(alignment).ok_or(CUresult::OUT_OF_MEMORY)?;
    let base = map_nothing(0, whole).ok_or(CUresult::OUT_OF_MEMORY)?;
    let start = base.next_multiple_of(alignment);
    unmap(base, start - base);
    unmap(start + size, base + whole - (start + size));
    reservations().insert(start, Reservation { size, mappings: BTreeMap::new() });
    Ok(start)
}

/// Takes addresses from [`HOME`] on that were never reserved.
fn at_home(size: u64, alignment: u64) -> Option<u64> {
    static NEXT: Mutex<u64> = Mutex::new(HOME);
    let mut next = NEXT.lock().unwrap_or_else(PoisonError::into_inner);
    let start = next.next_multiple_of(alignment);
    let end = start.checked_add(size).filter(|end| *end <= HOME_END)?;
    let got = map_nothing(start, size)?;
    if got != start {
        unmap(got, size);
        return None;
    }
    *next = end;
    Some(start)
}

/// Gives a whole reservation back.
///
/// # Errors
/// There is none of this start and size, or something is mapped there.
pub fn give_back(start: u64, size: u64) -> Answer {
    let mut all = reservations();
    match all.get(&start) {
        Some(reservation) if reservation.size == size && reservation.mappings.is_empty() => {
            all.remove(&start);
            put_free(start, start + size);
            Ok(())
        }
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Maps physical memory. Nobody may touch it yet.
///
/// # Errors
/// The range is not reserved or has something mapped, or the sizes do not fit.
pub fn map(start: u64, size: u64, physical: Arc<Physical>) -> Answer {
    let mut all = reservations();
    let reservation = holding(&mut all, start, size)?;
    let fits = start.is_multiple_of(GRANULARITY) && size.is_multiple_of(GRANULARITY) && size == physical.size;
    let before = reservation.mappings.range(..start + size).next_back();
    if !fits || before.is_some_and(|(at, mapping)| at + mapping.size > start) {
        return Err(CUresult::INVALID_VALUE);
    }
    put_file(start, size, physical.descriptor())?;
    registry::insert(start, size, MemoryKind::Mapped(Arc::clone(&physical)), CUcontext::NULL);
    reservation.mappings.insert(start, GuestMapping { physical, size, access: 0 });
    Ok(())
}

/// Maps a file of another process over a whole reservation.
///
/// # Errors
/// The system has no room for it.
pub fn map_file(start: u64, size: u64, file: &File) -> Answer {
    let put = put_file(start, size, file.as_raw_fd());
    if put.is_err() {
        give_back(start, size)?;
    }
    put
}

/// Takes a file away that was mapped over a whole reservation, and gives the addresses back.
///
/// # Errors
/// There is no such reservation.
pub fn unmap_file(start: u64, size: u64) -> Answer {
    replace_by_empty(start, size);
    give_back(start, size)
}

/// Takes what is mapped in a range away; what is half in it stays.
///
/// # Errors
/// The range is not reserved, or ends within a mapping.
pub fn unmap_range(start: u64, size: u64) -> Answer {
    if !start.is_multiple_of(PAGE) || !size.is_multiple_of(PAGE) {
        return Err(CUresult::INVALID_VALUE);
    }
    if let Ok(context) = context::current() {
        context.streams.synchronize()?;
    }
    let mut all = reservations();
    let reservation = holding(&mut all, start, size)?;
    let end = start + size;
    let cut = |(at, mapping): (&u64, &GuestMapping)| {
        let after = at + mapping.size;
        (*at < start && after > start) || (*at < end && after > end)
    };
    if reservation.mappings.iter().any(cut) {
        return Err(CUresult::INVALID_VALUE);
    }
    let gone: Vec<u64> = reservation.mappings.range(start..end).map(|(at, _)| *at).collect();
    for at in &gone {
        if let Some(mapping) = reservation.mappings.remove(at) {
            hide(*at, &mapping);
            drop(registry::take(*at, |_| true));
            replace_by_empty(*at, mapping.size);
        }
    }
    Ok(())
}

/// Says what the device may do with whole mappings.
///
/// # Errors
/// The range is not reserved, or not all of it is mapped.
pub fn set_access(start: u64, size: u64, access: u32) -> Answer {
    let memory = driver::get()?.device.memory();
    let mut all = reservations();
    let reservation = holding(&mut all, start, size)?;
    let mut reached = start;
    while reached < start + size {
        reached += reservation.mappings.get(&reached).ok_or(CUresult::INVALID_VALUE)?.size;
    }
    if reached != start + size {
        return Err(CUresult::INVALID_VALUE);
    }
    for (at, mapping) in reservation.mappings.range_mut(start..start + size) {
        if mapping.access == access {
            continue;
        }
        hide(*at, mapping);
        mapping.access = access;
        let kind = match access {
            READ_WRITE => AllocationKind::Mapped,
            READ => AllocationKind::MappedReadOnly,
            _ => continue,
        };
        // SAFETY: the pages are mapped, and there are always pages that can be read and written at these addresses.
        let adopted = unsafe { memory.adopt_as(Host::at(*at).byte(), mapping.size, kind) };
        adopted.map_err(|_| CUresult::INVALID_VALUE)?;
    }
    Ok(())
}

/// Whether an address is reserved, with or without something mapped there, or kept for the next reservation.
pub fn holds(address: u64) -> bool {
    let is_reserved = holding(&mut reservations(), address, 1).is_ok();
    is_reserved || free().range(..=address).next_back().is_some_and(|(_, end)| address < *end)
}

/// What the device may do at an address.
///
/// # Errors
/// Nothing is mapped there.
pub fn access(address: u64) -> Answer<u32> {
    mapped_at(address, |mapping| mapping.access)
}

/// The physical memory at an address.
///
/// # Errors
/// Nothing is mapped there.
pub fn physical(address: u64) -> Answer<Arc<Physical>> {
    mapped_at(address, |mapping| Arc::clone(&mapping.physical))
}

fn mapped_at<T>(address: u64, see: impl FnOnce(&GuestMapping) -> T) -> Answer<T> {
    let mut all = reservations();
    let reservation = holding(&mut all, address, 1)?;
    match reservation.mappings.range(..=address).next_back() {
        Some((at, mapping)) if address - at < mapping.size => Ok(see(mapping)),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Takes a mapping from the guest.
fn hide(start: u64, mapping: &GuestMapping) {
    if mapping.access != 0
        && let Ok(driver) = driver::get()
    {
        // A mapping with access is in the table.
        let _ = driver.device.memory().release(Host::at(start).byte());
    }
}

/// Maps pages that cannot be touched: where it is wished if nothing is there, or elsewhere.
fn map_nothing(at: u64, size: u64) -> Option<u64> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: without `MAP_FIXED` a new mapping takes nothing from anybody.
    let start =
        unsafe { libc::mmap(Host::at(at).0, usize::try_from(size).ok()?, libc::PROT_NONE, flags, -1, 0) };
    (start != libc::MAP_FAILED).then(|| Host(start).unified())
}

/// Puts the pages of a file in the place of reserved ones.
fn put_file(start: u64, size: u64, descriptor: i32) -> Answer {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_NORESERVE;
    // SAFETY: the pages that are replaced are a reservation of ours with nothing mapped there.
    let mapped = unsafe { libc::mmap(Host::at(start).0, size as usize, protection, flags, descriptor, 0) };
    if mapped == libc::MAP_FAILED { Err(CUresult::OUT_OF_MEMORY) } else { Ok(()) }
}

/// Puts empty pages in the place of a mapping, for accesses that are under way. They take no memory until they are
/// touched, and nobody may touch them who has not begun to.
fn replace_by_empty(start: u64, size: u64) {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the pages are a mapping of ours in a reservation of ours, and can be touched before and after.
    unsafe { libc::mmap(Host::at(start).0, size as usize, protection, flags, -1, 0) };
}

fn unmap(start: u64, size: u64) {
    if size > 0 {
        // SAFETY: the pages are a mapping of ours that nobody may touch.
        unsafe { libc::munmap(Host::at(start).0, size as usize) };
    }
}
