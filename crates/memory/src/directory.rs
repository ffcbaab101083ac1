//! Finding the allocation that holds an address: a shift and a table, without a lock.
//!
//! The range is divided into pages of 2 MiB. A page belongs to one allocation, or it is shared by small ones and has a
//! table of its granules. Either leads to the number of an allocation, and the number to its bounds. Threads look up
//! while others allocate and free: what a reader pieced together counts only if nothing was freed meanwhile, which
//! [`Directory::generation`] tells. An allocation that has not been freed never changes.

use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::allocation::{AllocationKind, Region};
use crate::arena::Spot;
use crate::range::PAGE;

/// How many pages a piece of the table of pages has: 1 GiB of addresses.
const PAGES: usize = 512;
/// How many allocations a piece of the table of bounds has, and how many pieces there may be.
const BOUNDS: usize = 4096;
const PIECES: usize = 4096;

/// The most allocations that can live at a time.
pub(crate) const MOST: u32 = (BOUNDS * PIECES) as u32;

/// The table.
#[derive(Debug)]
pub(crate) struct Directory {
    start: u64,
    bytes: u64,
    pages: Box<[OnceLock<Box<[Page]>>]>,
    bounds: Box<[OnceLock<Box<[Bounds]>>]>,
    generation: AtomicU64,
}

/// What a page belongs to.
#[derive(Debug, Default)]
struct Page {
    owner: AtomicU32,
    /// The owners of its granules.
    granules: OnceLock<Granules>,
}

#[derive(Debug)]
struct Granules {
    shift: u32,
    owners: Box<[AtomicU32]>,
}

/// An owner is 0 for nobody, 1 for a page whose granules have owners, and otherwise an allocation's number and 2.
const SHARED: u32 = 1;

/// The bounds of an allocation, and what the guest may do there.
#[derive(Debug, Default)]
struct Bounds {
    start: AtomicU64,
    end: AtomicU64,
    rights: AtomicU32,
}

const WRITABLE: u32 = 1;
const CONSTANT: u32 = 2;

impl Directory {
    /// An empty table for `pages` pages of addresses from `start` on.
    pub(crate) fn new(start: u64, pages: u32) -> Self {
        Directory {
            start,
            bytes: u64::from(pages) * PAGE,
            pages: (0..(pages as usize).div_ceil(PAGES)).map(|_| OnceLock::new()).collect(),
            bounds: (0..PIECES).map(|_| OnceLock::new()).collect(),
            generation: AtomicU64::new(0),
        }
    }

    /// Whether an address lies in the range, with or without something there.
    #[inline]
    pub(crate) fn spans(&self, address: u64) -> bool {
        address.wrapping_sub(self.start) < self.bytes
    }

    /// A number that changes with every free.
    #[inline(always)]
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Relaxed)
    }

    /// Says that something has been freed, after it has been taken out.
    pub(crate) fn change(&self) {
        // A guest thread that learns of a free through memory has synchronised with the thread that freed, and
        // therefore sees the new number with a relaxed load.
        self.generation.fetch_add(1, Release);
    }

    /// The bounds of the allocation that holds an address.
    pub(crate) fn region(&self, address: u64) -> Option<Region> {
        loop {
            let before = self.generation.load(Acquire);
            let region = self.number(address).map(|number| self.bounds_of(number));
            if self.generation.load(Acquire) == before {
                return region.filter(|region| address < region.end);
            }
        }
    }

    /// The number of the allocation that an address belongs to, what follows it and belongs to nobody included.
    pub(crate) fn number(&self, address: u64) -> Option<u32> {
        let offset = address.wrapping_sub(self.start);
        if offset >= self.bytes {
            return None;
        }
        let page = (offset / PAGE) as usize;
        let page = &self.pages.get(page / PAGES)?.get()?[page % PAGES];
        let owner = match page.owner.load(Acquire) {
            SHARED => {
                let granules = page.granules.get()?;
                granules.owners[((offset % PAGE) >> granules.shift) as usize].load(Acquire)
            }
            owner => owner,
        };
        owner.checked_sub(2)
    }

    /// Whether something of the host's that kernels may write to lies in the page of an address.
    pub(crate) fn page_is_used(&self, address: u64) -> bool {
        let offset = address.wrapping_sub(self.start);
        let index = (offset / PAGE) as usize;
        let piece = self.pages.get(index / PAGES).filter(|_| offset < self.bytes);
        let Some(page) = piece.and_then(OnceLock::get).map(|pages| &pages[index % PAGES]) else {
            return false;
        };
        let used = |owner: u32| {
            let bounds = owner.checked_sub(2).map(|number| self.bounds_of(number));
            bounds.is_some_and(|region| region.writable && !region.constant)
        };
        match page.owner.load(Acquire) {
            SHARED => page.granules.get().is_some_and(|g| g.owners.iter().any(|o| used(o.load(Acquire)))),
            owner => used(owner),
        }
    }

    fn bounds_of(&self, number: u32) -> Region {
        let Some(piece) = self.bounds[number as usize / BOUNDS].get() else { return Region::EMPTY };
        let bounds = &piece[number as usize % BOUNDS];
        let (start, end) = (bounds.start.load(Acquire), bounds.end.load(Acquire));
        let rights = bounds.rights.load(Acquire);
        Region { start, end, writable: rights & WRITABLE != 0, constant: rights & CONSTANT != 0 }
    }

    /// Enters an allocation of `size` bytes under a number that no other has.
    pub(crate) fn enter(&self, number: u32, spot: &Spot, shift: u32, size: u64, kind: AllocationKind) {
        let piece = self.bounds[number as usize / BOUNDS]
            .get_or_init(|| std::iter::repeat_with(Bounds::default).take(BOUNDS).collect());
        let bounds = &piece[number as usize % BOUNDS];
        let writable = if kind.writable() { WRITABLE } else { 0 };
        let constant = if kind.constant() { CONSTANT } else { 0 };
        bounds.start.store(spot.start, Release);
        bounds.end.store(spot.start + size, Release);
        bounds.rights.store(writable | constant, Release);
        self.own(spot, shift, number + 2);
    }

    /// Takes an allocation out. Whoever calls says so by [`Self::change`].
    pub(crate) fn leave(&self, spot: &Spot, shift: u32) {
        self.own(spot, shift, 0);
    }

    fn own(&self, spot: &Spot, shift: u32, owner: u32) {
        let offset = spot.start - self.start;
        let page = |number: u64| {
            let number = number as usize;
            let piece = self.pages[number / PAGES]
                .get_or_init(|| std::iter::repeat_with(Page::default).take(PAGES).collect());
            &piece[number % PAGES]
        };
        if spot.whole_pages {
            for number in offset / PAGE..(offset + spot.bytes) / PAGE {
                page(number).owner.store(owner, Release);
            }
            return;
        }
        let page = page(offset / PAGE);
        let granules = page.granules.get_or_init(|| {
            let owners = std::iter::repeat_with(AtomicU32::default).take((PAGE >> shift) as usize);
            Granules { shift, owners: owners.collect() }
        });
        let first = ((offset % PAGE) >> shift) as usize;
        for granule in &granules.owners[first..first + (spot.bytes >> shift) as usize] {
            granule.store(owner, Release);
        }
        page.owner.store(SHARED, Release);
    }
}
