//! Ordinary host memory in kernels: a launch that gets a pointer to it may access it for as long as it runs.
//!
//! Only parameter words that the kernel uses as addresses give access, and each gives access to one array: the range that
//! the program has declared, or the block of `malloc` that holds the address. The end of the array must be known, so stacks,
//! code and data of libraries, and memory of unknown extent stay closed. The program promises that the memory exists until
//! the launch has ended. `docs/exec.md` explains this to users.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_memory::{AllocationKind, GlobalMemory};
use ptxvm_vm::Kernel;

use super::pages::{self, Mapping, Purpose};
use super::{declared, malloc_block, reservation};
use crate::abi::Host;

/// Values of parameters that can be addresses.
const ADDRESSES: std::ops::Range<u64> = 1 << 16..1 << 47;
/// The most pieces that one array is lent in; other launches may have borrowed parts of it.
const PIECES: usize = 64;

/// What launches have borrowed: from where, to where, and how many launches.
static BORROWED: Mutex<BTreeMap<u64, (u64, usize)>> = Mutex::new(BTreeMap::new());

fn all_borrowed() -> MutexGuard<'static, BTreeMap<u64, (u64, usize)>> {
    BORROWED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one launch has borrowed, until it is dropped.
pub struct Borrowed<'a> {
    memory: &'a GlobalMemory,
    starts: Vec<u64>,
    /// What it was passed and not given.
    pub refused: Vec<Refused>,
}

/// An address of the host's that a launch was passed and that opens nothing.
pub struct Refused {
    parameter: String,
    address: u64,
    what: What,
}

/// What is at an address that opens nothing.
enum What {
    Stack,
    File(Arc<str>),
    Unreadable,
    Unknown,
}

/// An array that is to be lent.
struct HostArray {
    start: u64,
    end: u64,
    kind: AllocationKind,
}

/// Lets the guest touch plain host memory that parameters point to.
pub fn borrow<'a>(memory: &'a GlobalMemory, kernel: &Kernel, parameters: &[Vec<u8>]) -> Borrowed<'a> {
    let mut borrowed = Borrowed { memory, starts: Vec::new(), refused: Vec::new() };
    // The parameter and the address, of each word that is one.
    let mut passed = Vec::new();
    for (index, bytes) in parameters.iter().enumerate() {
        for (place, word) in bytes.as_chunks::<8>().0.iter().enumerate() {
            let address = u64::from_le_bytes(*word);
            // The program is asked only if there is a question.
            if ADDRESSES.contains(&address)
                && is_plain(memory, address)
                && kernel.address_words().get(index).and_then(|words| words.get(place)) == Some(&true)
            {
                passed.push((index, address));
            }
        }
    }
    if passed.is_empty() {
        return borrowed;
    }
    let addresses: Vec<u64> = passed.iter().map(|(_, address)| *address).collect();
    let mut found = arrays_at(&addresses, &pages::mappings());
    if found.iter().any(|array| matches!(array, Err(What::Unknown))) {
        // Other threads may have moved the ends of heaps; the second look is a fresh one.
        found = arrays_at(&addresses, &pages::mappings());
    }
    let mut arrays = Vec::new();
    for ((index, address), array) in passed.into_iter().zip(found) {
        match array {
            Ok(array) => arrays.push(array),
            Err(what) => {
                let name = kernel.parameters().get(index).map_or("", |parameter| &parameter.name);
                borrowed.refused.push(Refused { parameter: name.to_owned(), address, what });
            }
        }
    }
    let mut all = all_borrowed();
    for array in joined(arrays) {
        borrowed.open(&array, &mut all);
    }
    drop(all);
    borrowed
}

/// Whether an address is the host's: mapped, and neither the device's own nor registered. What is lent now is the
/// host's all the same.
fn is_plain(memory: &GlobalMemory, address: u64) -> bool {
    let lent = all_borrowed().range(..=address).next_back().is_some_and(|(_, (end, _))| address < *end);
    lent || (!memory.owns(address) && !reservation::holds(address) && pages::is_mapped(address))
}

/// The arrays that addresses are in.
fn arrays_at(addresses: &[u64], mappings: &[Mapping]) -> Vec<Result<HostArray, What>> {
    let declared: Vec<Option<HostArray>> =
        addresses.iter().map(|address| declared_at(*address, mappings)).collect();
    let open = addresses.iter().zip(&declared).filter(|(_, array)| array.is_none());
    let open: Vec<u64> = open.map(|(address, _)| *address).collect();
    let mut blocks = malloc_block::find(&open, mappings).into_iter();
    let array = |(address, declared): (&u64, Option<HostArray>)| {
        if let Some(array) = declared {
            return Ok(array);
        }
        match blocks.next().flatten() {
            Some(block) => Ok(HostArray { start: block.start, end: block.end, kind: AllocationKind::Host }),
            None => Err(what_is_at(*address, mappings)),
        }
    };
    addresses.iter().zip(declared).map(array).collect()
}

/// The array that the program has declared at an address, if it is there.
fn declared_at(address: u64, mappings: &[Mapping]) -> Option<HostArray> {
    let (start, end) = declared::find(address)?;
    let parts: Vec<&Mapping> = mappings.iter().filter(|part| part.start < end && part.end > start).collect();
    let bytes: u64 = parts.iter().map(|part| part.end.min(end) - part.start.max(start)).sum();
    if bytes != end - start || !parts.iter().all(|part| part.readable) {
        return None;
    }
    let writable = parts.iter().all(|part| part.writable);
    let kind = if writable { AllocationKind::Host } else { AllocationKind::HostReadOnly };
    Some(HostArray { start, end, kind })
}

/// What there is in the place of an array.
fn what_is_at(address: u64, mappings: &[Mapping]) -> What {
    let Some(mapping) = pages::at(mappings, address).map(|index| &mappings[index]) else {
        return What::Unknown;
    };
    match &mapping.purpose {
        Purpose::Stack => What::Stack,
        Purpose::File(name) => What::File(Arc::clone(name)),
        _ if !mapping.readable => What::Unreadable,
        Purpose::Anonymous | Purpose::Heap => What::Unknown,
    }
}

/// Arrays that share bytes become one: an array and a view of it may be passed side by side.
fn joined(mut arrays: Vec<HostArray>) -> Vec<HostArray> {
    arrays.sort_by_key(|array| array.start);
    let mut all: Vec<HostArray> = Vec::new();
    for array in arrays {
        match all.last_mut() {
            Some(before) if array.start < before.end => {
                before.end = before.end.max(array.end);
                if before.kind != array.kind {
                    before.kind = AllocationKind::HostReadOnly;
                }
            }
            _ => all.push(array),
        }
    }
    all
}

impl Borrowed<'_> {
    /// Opens an array; what of it others have borrowed or registered already is shared with them.
    fn open(&mut self, array: &HostArray, all: &mut BTreeMap<u64, (u64, usize)>) {
        let mut at = array.start;
        for _ in 0..PIECES {
            if at >= array.end {
                return;
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
            if let Some(other) = self.memory.allocation(at) {
                at = other.end().max(at + 1);
                continue;
            }
            let (start, end) = (at, self.memory.next_lent(at).map_or(array.end, |next| next.min(array.end)));
            // SAFETY: the range is an array of the program's that can be read, and written if the guest may write;
            // the program promises that it stays until the launch has ended.
            if unsafe { self.memory.adopt_as(Host::at(start).byte(), end - start, array.kind) }.is_err() {
                return;
            }
            all.insert(start, (end, 1));
            self.starts.push(start);
            at = end;
        }
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        if self.starts.is_empty() {
            return;
        }
        let mut all = all_borrowed();
        for start in &self.starts {
            let Some((_, launches)) = all.get_mut(start) else { continue };
            *launches -= 1;
            if *launches == 0 {
                all.remove(start);
                // What was borrowed is in the table, and nobody else releases it.
                let _ = self.memory.release(Host::at(*start).byte());
            }
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, address, what } = self;
        write!(
            f,
            "parameter `{parameter}` holds the host address {address:#x}, which the kernel may not touch: "
        )?;
        match what {
            What::Stack => f.write_str("it is on the stack of the host's main thread")?,
            What::File(name) if name.is_empty() => f.write_str("it is memory that processes share")?,
            What::File(name) => write!(f, "it belongs to {name}, which the host has loaded or mapped")?,
            What::Unreadable => f.write_str("the host itself may not read it")?,
            What::Unknown => f.write_str("it is in no block of malloc, so its extent is not known")?,
        }
        f.write_str(
            "; register it with cuMemHostRegister, declare it with ptxvm_declare_host_range, or copy it to device \
             memory",
        )
    }
}
