//! Arrays of the host that launches use in place. Each is open to the guest, to the byte, for as long as a launch that was
//! passed it runs; several launches may use the same ones, or parts of them, at the same time.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ptxvm_memory::{AllocationKind, GlobalMemory};

/// The most pieces that one array is lent in: other launches may use parts of it.
const PIECES: usize = 1024;

/// A range of the host's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    pub start: u64,
    pub bytes: u64,
    /// Whether the guest may write it.
    pub writable: bool,
}

impl Array {
    fn end(&self) -> u64 {
        self.start + self.bytes
    }
}

/// What the launches of a device use now: where each piece begins and ends, and how many launches use it.
#[derive(Debug, Default)]
pub struct Lent(Mutex<BTreeMap<u64, (u64, usize)>>);

impl Lent {
    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, (u64, usize)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one launch uses, until it is dropped.
pub struct Borrowed<'a> {
    memory: &'a GlobalMemory,
    lent: &'a Lent,
    starts: Vec<u64>,
}

impl<'a> Borrowed<'a> {
    /// Opens arrays.
    ///
    /// # Safety
    /// Each is valid for reads, and for writes if it is writable, as long as this lives.
    ///
    /// # Errors
    /// A sentence if one cannot be memory of the host's.
    pub unsafe fn new(
        memory: &'a GlobalMemory,
        lent: &'a Lent,
        arrays: Vec<Array>,
    ) -> Result<Borrowed<'a>, String> {
        if let Some(bad) = arrays.iter().find(|array| array.start.checked_add(array.bytes).is_none()) {
            return Err(format!("no array begins at {:#x} and has {} bytes", bad.start, bad.bytes));
        }
        let mut borrowed = Borrowed { memory, lent, starts: Vec::new() };
        let mut all = lent.all();
        for array in joined(arrays) {
            // SAFETY: the caller promises it of each array, and so of those that share bytes.
            unsafe { borrowed.open(&array, &mut all) }?;
        }
        Ok(borrowed)
    }

    /// Opens an array; what of it others use already is shared with them.
    ///
    /// # Safety
    /// As for [`Borrowed::new`].
    unsafe fn open(&mut self, array: &Array, all: &mut BTreeMap<u64, (u64, usize)>) -> Result<(), String> {
        let mut at = array.start;
        for _ in 0..PIECES {
            if at >= array.end() {
                return Ok(());
            }
            if let Some((start, (end, launches))) = all.range_mut(..=at).next_back()
                && at < *end
            {
                if !self.starts.contains(start) {
                    *launches += 1;
                    self.starts.push(*start);
                }
                at = *end;
                continue;
            }
            let next = all.range(at..).next().map_or(u64::MAX, |(start, _)| *start);
            let (start, end) = (at, next.min(array.end()));
            let kind = if array.writable { AllocationKind::Host } else { AllocationKind::HostReadOnly };
            let place = std::ptr::with_exposed_provenance_mut(start as usize);
            // SAFETY: the caller promises that these bytes stay, and may be used in this way, until they are released.
            unsafe { self.memory.adopt_as(place, end - start, kind) }
                .map_err(|error| format!("an array cannot be used in place: {error}"))?;
            all.insert(start, (end, 1));
            self.starts.push(start);
            at = end;
        }
        Err("other launches use too many parts of an array".to_owned())
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        let mut all = self.lent.all();
        for start in &self.starts {
            let Some((_, launches)) = all.get_mut(start) else { continue };
            *launches -= 1;
            if *launches == 0 {
                all.remove(start);
                // What was borrowed is in the table, and nobody else releases it.
                let _ = self.memory.release(std::ptr::with_exposed_provenance(*start as usize));
            }
        }
    }
}

/// Arrays that share bytes become one, which may be written only if each of them may.
fn joined(mut arrays: Vec<Array>) -> Vec<Array> {
    arrays.retain(|array| array.bytes > 0);
    arrays.sort_by_key(|array| array.start);
    let mut all: Vec<Array> = Vec::new();
    for array in arrays {
        match all.last_mut() {
            Some(before) if array.start < before.end() => {
                before.bytes = before.end().max(array.end()) - before.start;
                before.writable &= array.writable;
            }
            _ => all.push(array),
        }
    }
    all
}
