//! Finds the block of glibc's `malloc` that holds an address.
//!
//! Only the header in front of a block says how long it is. But the bytes in front of an address may belong to an array and
//! only look like a header, even because a kernel made them so. So a header is believed only if a walk from the start of a
//! heap, block by block, leads to it:
//!
//! * The heap of the main thread is the mapping `[heap]`; its first block is at its start.
//! * Other threads have heaps at multiples of 64 MiB, with a head that says how long they are.
//! * A large block has pages of its own, which begin with its header. Neighbours may be large blocks too, or pages
//!   that are nobody's block.
//!
//! Other threads allocate and free meanwhile. So memory that may vanish is not read through a pointer ([`OwnMemory`]), a walk
//! that fails is repeated, and an answer counts when two walks in a row give it.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

use super::own_memory::{OwnMemory, page_heads};
use super::pages::{self, Mapping, PAGE, Purpose};
use crate::abi::Host;

/// A block's bytes, without its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MallocBlock {
    pub start: u64,
    pub end: u64,
}

/// The flags in the low bits of the size in a header.
const PREVIOUS_IN_USE: u64 = 1;
const OWN_PAGES: u64 = 2;
const OTHER_ARENA: u64 = 4;
const FLAGS: u64 = 7;
/// The bytes of a header: the size of a free block before it, and its own size.
const HEADER: u64 = 16;
/// The bytes of the smallest block, its header included.
const SMALLEST: u64 = 32;

/// Heaps of threads other than the main one begin at multiples of this.
const HEAP: u64 = 64 << 20;
/// How far from its start the first block of such a heap may be.
const HEAD: u64 = 0x1000;
/// The most pages that belong to no block which are looked through for one: a gibibyte.
const PAGES: u64 = 1 << 18;
/// How often a way that leads nowhere is gone again.
const ATTEMPTS: usize = 50;

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Miss {
    /// The address is in no heap of `malloc`, or in no block that is in use.
    None,
    /// The way led nowhere: the heap was being changed.
    Lost,
}

/// The block that holds each address, if there is one in use. A launch asks for all that it is passed at once: the way
/// through a heap is long.
pub fn find(addresses: &[u64], mappings: &[Mapping]) -> Vec<Option<MallocBlock>> {
    let heap = mappings.iter().position(|mapping| mapping.purpose == Purpose::Heap);
    let heap = heap.and_then(|index| pages::run(mappings, index));
    let in_main = |address: &u64| heap.is_some_and(|(start, end)| (start..end).contains(address));
    let mut sorted: Vec<u64> = addresses.iter().copied().filter(in_main).collect();
    sorted.sort_unstable();
    let main = match heap.filter(|_| !sorted.is_empty()) {
        Some((start, end)) => settled(|| in_heap(&sorted, start, end, 0)).unwrap_or_default(),
        None => Vec::new(),
    };
    let found = |address: &u64| {
        if in_main(address) {
            return *main.get(sorted.binary_search(address).ok()?)?;
        }
        let index = pages::at(mappings, *address)?;
        let (start, end) = pages::run(mappings, index)?;
        let anonymous = mappings[index].purpose == Purpose::Anonymous;
        anonymous.then(|| settled(|| in_anonymous(*address, start, end)))?
    };
    addresses.iter().map(found).collect()
}

/// What two looks in a row agree on.
fn settled<T: PartialEq>(look: impl Fn() -> Result<T, Miss>) -> Option<T> {
    let mut last = Err(Miss::Lost);
    for attempt in 0..ATTEMPTS {
        let found = look();
        if found != Err(Miss::Lost) && found == last {
            return found.ok();
        }
        last = found;
        if attempt > 4 {
            std::thread::sleep(std::time::Duration::from_micros(20));
        }
    }
    None
}

/// The blocks of addresses, in ascending order, in a heap whose first block is known, and whose blocks in use have a
/// flag set or not.
fn in_heap(addresses: &[u64], first: u64, end: u64, flag: u64) -> Result<Vec<Option<MallocBlock>>, Miss> {
    // SAFETY: the way goes through headers of a heap that is mapped up to `end`, and not beyond the last address. The
    // program promises that what it passes stays, and a heap gives back only what lies above all that is in use.
    let header_of = |chunk: u64| unsafe { Host::at(chunk + 8).0.cast::<u64>().read_volatile() };
    let mut found = Vec::with_capacity(addresses.len());
    let mut chunk = first;
    let mut header = header_of(chunk);
    loop {
        let next = following(chunk, header, end)?;
        // What has not been given out yet comes last.
        let after = if next == end { 0 } else { header_of(next) };
        // The last eight bytes of a block are those in which the next would tell the size of a free one before it.
        while let Some(&address) = addresses.get(found.len())
            && (address < next + 8 || next == end)
        {
            let used = after & PREVIOUS_IN_USE != 0 && header & OTHER_ARENA == flag;
            let inside = address >= chunk + HEADER;
            found.push((used && inside).then_some(MallocBlock { start: chunk + HEADER, end: next + 8 }));
        }
        if found.len() == addresses.len() {
            return Ok(found);
        }
        (chunk, header) = (next, after);
    }
}

/// The same for one address.
fn in_heap_at(address: u64, first: u64, end: u64, flag: u64) -> Result<MallocBlock, Miss> {
    in_heap(&[address], first, end, flag)?.first().copied().flatten().ok_or(Miss::None)
}

/// Where the block after one begins.
fn following(chunk: u64, header: u64, end: u64) -> Result<u64, Miss> {
    let size = header & !FLAGS;
    let sound = header & OWN_PAGES == 0 && size >= SMALLEST && size.is_multiple_of(16);
    let next = chunk.checked_add(size).filter(|next| *next == end || next.saturating_add(HEADER) <= end);
    next.filter(|_| sound).ok_or(Miss::Lost)
}

/// The block in a range of pages without a name.
fn in_anonymous(address: u64, start: u64, end: u64) -> Result<MallocBlock, Miss> {
    // An array may hold what looks like the head of a heap or of a block. The true one is among what is found, so
    // what all agree on belongs to the block.
    let threads = in_threads_heap(address, start, end);
    let own = in_own_pages(address, start, end);
    match (threads, own) {
        (Ok(one), Ok(other)) => {
            Ok(MallocBlock { start: one.start.max(other.start), end: one.end.min(other.end) })
        }
        (Ok(block), Err(Miss::None)) | (Err(Miss::None), Ok(block)) => Ok(block),
        // What cannot be followed may be the true one.
        (Err(Miss::Lost), _) | (_, Err(Miss::Lost)) => Err(Miss::Lost),
        (Err(Miss::None), Err(Miss::None)) => Err(Miss::None),
    }
}

/// How far from the start of a thread's first heap its first block is, once it is known: it depends on glibc's version.
static FIRST: AtomicU64 = AtomicU64::new(0);

/// The block in a heap of a thread that is not the main one.
fn in_threads_heap(address: u64, low: u64, high: u64) -> Result<MallocBlock, Miss> {
    let base = address & !(HEAP - 1);
    if base < low {
        return Err(Miss::None);
    }
    let mut memory = OwnMemory::new();
    let mut word = |index: u64| memory.word(base + index * 8).ok_or(Miss::Lost);
    // The arena, the heap before, and the size. The heap may have grown since the mappings were listed.
    let (arena, before, size) = (word(0)?, word(1)?, word(2)?);
    let end = base + size.min(HEAP);
    let sized = size > 0 && size <= HEAP && size.is_multiple_of(PAGE);
    let head = arena & (HEAP - 1);
    if !sized || !before.is_multiple_of(HEAP) || !(32..256).contains(&head) || address >= end {
        return Err(Miss::None);
    }
    if arena - head != base {
        // A further heap of an arena has no arena in it.
        return in_heap_at(address, base + head.next_multiple_of(16), end.min(high), OTHER_ARENA);
    }
    let known = FIRST.load(Ordering::Relaxed);
    if known != 0 {
        return in_heap_at(address, base + known, end.min(high), OTHER_ARENA);
    }
    // The arena comes first; what follows it is the first block, from which one comes to the end of the heap.
    let first =
        (head..HEAD).step_by(16).map(|at| at.next_multiple_of(16)).find(|at| leads_to(base + at, end));
    let first = first.ok_or(Miss::Lost)?;
    FIRST.store(first, Ordering::Relaxed);
    in_heap_at(address, base + first, end.min(high), OTHER_ARENA)
}

/// Whether one comes from block to block to the end of a heap.
fn leads_to(mut chunk: u64, end: u64) -> bool {
    let mut memory = OwnMemory::new();
    loop {
        let Some(header) = memory.word(chunk + 8) else { return false };
        match following(chunk, header, end) {
            Ok(next) if next == end => return true,
            Ok(next) => chunk = next,
            // A heap that another came after ends with a block of no size.
            Err(_) => return header & !FLAGS <= HEADER && end - chunk <= SMALLEST,
        }
    }
}

/// A block with pages of its own: where they begin, and where its header is.
#[derive(Clone, Copy)]
struct OwnPages {
    base: u64,
    chunk: u64,
    end: u64,
}

impl OwnPages {
    /// The block whose header is at an address, if these two numbers are one.
    fn new(chunk: u64, before: u64, size: u64, low: u64, high: u64) -> Option<Self> {
        // A block that had to be aligned says how far its header is from the beginning of its pages.
        let base = chunk.checked_sub(before)?;
        let end = chunk.checked_add(size & !FLAGS)?;
        let whole = base.is_multiple_of(PAGE) && end.is_multiple_of(PAGE) && base >= low && end <= high;
        (size & FLAGS == OWN_PAGES && whole && end > chunk + HEADER).then_some(Self { base, chunk, end })
    }

    fn block(self) -> MallocBlock {
        MallocBlock { start: self.chunk + HEADER, end: self.end }
    }

    fn holds(self, address: u64) -> bool {
        (self.base..self.end).contains(&address)
    }
}

/// The words that are looked at around the start of a page: two before it, and sixteen from it on.
const WORDS: usize = 18;

/// What looks like the headers of blocks with pages of their own at the start of a page: at its first byte, where an
/// alignment to 32, 64 or 128 has moved it, or where one to whole pages has moved it to the end of the page before.
fn headers(page: u64, words: &[u64; WORDS], low: u64, high: u64) -> impl Iterator<Item = OwnPages> {
    let header = move |at: usize| {
        let chunk = (page + 8 * at as u64).checked_sub(HEADER)?;
        let moved = at > 2 && words[at] != 8 * (at as u64 - 2);
        let plain = at == 2 && words[at] != 0;
        let (before, size) = (words[at], words[at + 1]);
        if moved || plain { None } else { OwnPages::new(chunk, before, size, low, high) }
    };
    [0, 2, 4, 8, 16].into_iter().filter_map(header)
}

/// The block with pages of its own that holds an address.
fn in_own_pages(address: u64, low: u64, high: u64) -> Result<MallocBlock, Miss> {
    // Up to where blocks are known, and up to where pages have been looked at.
    let (mut known, mut at) = (low, low);
    let (mut strange, mut batch) = (0, 4);
    // From block to block; pages that begin no block are gone over.
    let found = loop {
        if at > address {
            return Err(Miss::None);
        }
        let end = (at + batch * PAGE).min((address & !(PAGE - 1)) + PAGE);
        let mut met = None;
        look(at, end, low, high, &mut |pages| {
            // Headers that have been moved say that the block began before; not before what is known.
            if met.is_none() && pages.base >= known {
                met = Some(pages);
            }
        })?;
        match met {
            Some(pages) if pages.holds(address) => break pages,
            Some(pages) => (known, at) = (pages.end, pages.end),
            None => {
                strange += (end - at) / PAGE;
                if strange > PAGES {
                    return Err(Miss::None);
                }
                at = end;
                batch = (batch * 4).min(1 << 12);
            }
        }
    };
    // If a page before was taken for a block by mistake, the true header is on the way to the address.
    let mut block = found.block();
    look(found.base + PAGE, (address & !(PAGE - 1)) + PAGE, low, high, &mut |pages| {
        if pages.holds(address) {
            let inner = pages.block();
            block = MallocBlock { start: block.start.max(inner.start), end: block.end.min(inner.end) };
        }
    })?;
    if (block.start..block.end).contains(&address) { Ok(block) } else { Err(Miss::None) }
}

/// Shows what looks like a header at the starts of pages.
fn look(start: u64, end: u64, low: u64, high: u64, see: &mut impl FnMut(OwnPages)) -> Result<(), Miss> {
    let mut from = start;
    if start == low && start < end {
        // What is before the first page is not ours to read.
        let mut memory = OwnMemory::new();
        let mut words = [u64::MAX; WORDS];
        for (index, word) in words.iter_mut().enumerate().skip(2) {
            *word = memory.word(start + 8 * (index as u64 - 2)).ok_or(Miss::Lost)?;
        }
        headers(start, &words, low, high).for_each(&mut *see);
        from += PAGE;
    }
    page_heads::<WORDS>(from, end, HEADER, &mut |page, words| {
        headers(page, words, low, high).for_each(&mut *see);
    })
    .ok_or(Miss::Lost)
}
