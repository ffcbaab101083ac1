//! Plain memory of the host's in kernels: what a launch is passed a pointer to, it may touch for as long as it runs.
//!
//! Nobody has registered such memory, so where it ends has to be found out. A pointer to the start of a block of
//! `malloc`'s gives that block, whose header says how long it is; any other gives the mapping around it, without
//! what is the device's own. Only pointers that are passed as parameters open memory so: an address that the guest
//! made up is as wrong as ever. That the memory is there until the launch has ended is the program's promise.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use ptxvm_memory::{AllocationKind, GlobalMemory};

use super::pages::{self, Mapping};
use super::reservation;

/// Values of parameters that can be addresses.
const ADDRESSES: std::ops::Range<u64> = 1 << 16..1 << 47;

/// What launches have borrowed: from where, to where, and how many launches.
static BORROWED: Mutex<BTreeMap<u64, (u64, usize)>> = Mutex::new(BTreeMap::new());

/// What one launch has borrowed, until it is dropped.
pub struct Borrowed<'a> {
    memory: &'a GlobalMemory,
    starts: Vec<u64>,
}

/// Lets the guest touch plain host memory that parameters point to.
pub fn borrow<'a>(memory: &'a GlobalMemory, parameters: &[Vec<u8>]) -> Borrowed<'a> {
    let mut borrowed = Borrowed { memory, starts: Vec::new() };
    let mut mappings = None;
    for bytes in parameters {
        for word in bytes.as_chunks::<8>().0 {
            let address = u64::from_le_bytes(*word);
            if ADDRESSES.contains(&address) {
                borrowed.open(address, &mut mappings);
            }
        }
    }
    borrowed
}

impl Borrowed<'_> {
    /// Opens what is at an address, if it is memory of the host's. The list of mappings is read when it is needed.
    fn open(&mut self, address: u64, mappings: &mut Option<Vec<Mapping>>) {
        let mut all = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((start, (end, launches))) = all.range_mut(..=address).next_back()
            && address < *end
        {
            // This launch or another has it already; it is kept until the last of them has ended.
            if !self.starts.contains(start) {
                *launches += 1;
                self.starts.push(*start);
            }
            return;
        }
        // What is reserved is the device's, and it has not been given access, or it would be in the table.
        if self.memory.owns(address) || reservation::holds(address) || !pages::is_mapped(address) {
            return;
        }
        let mappings = mappings.get_or_insert_with(pages::mappings);
        let index = mappings.partition_point(|mapping| mapping.end <= address);
        let Some(mapping) = mappings.get(index).filter(|mapping| mapping.start <= address) else { return };
        if !mapping.readable {
            return;
        }
        let (low, high) = (mapping.start, mapping.end);
        let block = malloc_block(address, mapping).filter(|&(_, end)| end <= high);
        let (start, end) = block.unwrap_or((low, high));
        let kind = if mapping.writable { AllocationKind::Host } else { AllocationKind::HostReadOnly };
        // SAFETY: the range lies in a mapping that can be read, and written if the guest may write; the program
        // promises that it stays until the launch has ended.
        if unsafe { self.memory.adopt_as(start as *mut u8, end - start, kind) }.is_ok() {
            all.insert(start, (end, 1));
            self.starts.push(start);
        }
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if self.starts.is_empty() {
            return;
        }
        let mut all = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
        for start in &self.starts {
            let Some((_, launches)) = all.get_mut(start) else { continue };
            *launches -= 1;
            if *launches == 0 {
                all.remove(start);
                // What was borrowed is in the table, and nobody else releases it.
                let _ = self.memory.release(*start as *const u8);
            }
        }
    }
}

/// The flags in the low bits of the size in a block's header.
const PREVIOUS_IN_USE: u64 = 1;
const MAPPED: u64 = 2;
const OTHER_ARENA: u64 = 4;
/// How many blocks behind one must look like blocks for it to be believed.
const WITNESSES: usize = 16;

/// The block of glibc's `malloc` that starts at an address, if one seems to: its first byte and the one after its
/// last. An array's own elements may look like a header before a view of it, so the blocks that follow must, too.
fn malloc_block(address: u64, mapping: &Mapping) -> Option<(u64, u64)> {
    if !address.is_multiple_of(16) {
        return None;
    }
    let header = read(address - 8, mapping)?;
    let size = header & !7;
    let chunk = address - 16;
    if header & MAPPED != 0 {
        // A block with a mapping of its own: sixteen bytes into a page, and whole pages long.
        let whole = address % pages::PAGE == 16 && size.is_multiple_of(pages::PAGE) && size > 0;
        let end = chunk.checked_add(size).filter(|end| *end <= mapping.end)?;
        return (whole && header & OTHER_ARENA == 0 && read(chunk, mapping)? == 0).then_some((address, end));
    }
    let first = next(chunk, header, mapping)?;
    // Its last eight bytes are those in which the next block would tell the size of a free one before it.
    let end = first.0 + 8;
    // An array of one repeated number looks like a row of blocks of that size: the number is in all places then.
    let repeated = [address, address + 8, first.0].into_iter().any(|at| read(at, mapping) == Some(header));
    if first.1 & PREVIOUS_IN_USE == 0 || repeated {
        return None;
    }
    let (mut chunk, mut header) = first;
    for _ in 0..WITNESSES {
        match next(chunk, header, mapping) {
            Some((following, its)) => (chunk, header) = (following, its),
            // The last block of a heap ends where the mapping does.
            None if chunk.checked_add(header & !7) == Some(mapping.end) => break,
            None => return None,
        }
    }
    Some((address, end))
}

/// The block after one that has no mapping of its own, and its header.
fn next(chunk: u64, header: u64, mapping: &Mapping) -> Option<(u64, u64)> {
    let size = header & !7;
    if header & MAPPED != 0 || size < 32 || !size.is_multiple_of(16) {
        return None;
    }
    let following = chunk.checked_add(size)?;
    Some((following, read(following.checked_add(8)?, mapping)?))
}

/// Reads a number in a mapping.
fn read(address: u64, mapping: &Mapping) -> Option<u64> {
    if address < mapping.start || address.checked_add(8)? > mapping.end {
        return None;
    }
    // SAFETY: the bytes lie in a mapping that can be read, and are aligned. Others may write them: a number that is
    // half old makes no block, or one that is as good as the next.
    Some(unsafe { (address as *const u64).read_volatile() })
}
