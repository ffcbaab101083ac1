//! Handing out addresses of a part of a device's range, as the driver lays them out.
//!
//! Measured on an H200: what is larger than 1 MiB begins at a multiple of 2 MiB, what is smaller at a multiple of 512
//! bytes inside pages of 2 MiB, at the lowest place that is free. In addition some bytes after each allocation belong to
//! nobody here, so that an access that is off by a little never falls in a neighbour by accident.

use std::collections::BTreeMap;

use crate::range::{PAGE, Range};
use crate::runs::Runs;
use crate::slab::Slab;

/// How many bytes after an allocation belong to nobody, at least.
const GAP: u64 = 64;

/// Allocations up to this size share pages.
const SMALL: u64 = 1 << 20;

/// Pages are made usable so many at a time.
const STEP: u32 = 32;

/// Allocations of at least this size get large pages of the host's where they fill some: about a tenth off the time of a
/// kernel that streams through memory. A smaller one is seldom more than a processor finds without them.
const LARGE: u64 = 4 << 20;

/// Within a page that others still use, a free of at least this many bytes gives memory back to the host.
const WORTH_GIVING_BACK: u64 = 64 << 10;

/// The host's pages.
pub(crate) const HOST_PAGE: u64 = 4096;

/// A part of a range.
#[derive(Debug)]
pub(crate) struct Arena {
    /// The number of its first page in the range.
    first: u32,
    pages: u32,
    /// The address of its first page.
    start: u64,
    /// The granules of shared pages have `1 << shift` bytes.
    shift: u32,
    runs: Runs,
    /// The pages that small allocations share, by their numbers in this part.
    slabs: BTreeMap<u32, Slab>,
    /// The pages before this one are usable.
    committed: u32,
}

/// Where an allocation has been put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) start: u64,
    /// The bytes that it takes, what belongs to nobody included.
    pub(crate) bytes: u64,
    /// Whether it has pages of its own.
    pub(crate) whole_pages: bool,
    /// Whether nobody has ever had these bytes, so that they are zero.
    pub(crate) fresh: bool,
}

impl Arena {
    /// The part of `pages` pages from page `first` on, whose shared pages have granules of `1 << shift` bytes.
    pub(crate) fn new(range: &Range, first: u32, pages: u32, shift: u32) -> Self {
        let start = range.start() + u64::from(first) * PAGE;
        Arena { first, pages, start, shift, runs: Runs::new(pages), slabs: BTreeMap::new(), committed: 0 }
    }

    /// Takes addresses for `size` bytes at a multiple of `align`, a power of two. `None` if there are none, or the host
    /// has no memory for them.
    pub(crate) fn take(&mut self, range: &Range, size: u64, align: u64) -> Option<Spot> {
        let needed = size.checked_add(GAP)?;
        if size > SMALL || align > PAGE {
            let count = u32::try_from(needed.div_ceil(PAGE)).ok()?;
            let align = u32::try_from((align / PAGE).max(1)).ok()?;
            let (page, fresh) = self.runs.take(count, align, self.start / PAGE)?;
            if !self.commit(range, page + count) {
                self.runs.give(page, count);
                return None;
            }
            if size >= LARGE {
                range.ask_for_large(self.first + page, (size / PAGE) as u32);
            }
            let start = self.start + u64::from(page) * PAGE;
            return Some(Spot { start, bytes: u64::from(count) * PAGE, whole_pages: true, fresh });
        }
        let count = needed.div_ceil(1 << self.shift) as u32;
        let align = (align >> self.shift).max(1) as u32;
        let shared = self.slabs.iter_mut().find_map(|(&page, slab)| Some((page, slab.take(count, align)?)));
        let (page, (granule, fresh)) = match shared {
            Some(found) => found,
            None => {
                let (page, fresh) = self.runs.take(1, 1, 0)?;
                if !self.commit(range, page + 1) {
                    self.runs.give(page, 1);
                    return None;
                }
                let mut slab = Slab::new(self.shift, fresh);
                let found = slab.take(count, align);
                self.slabs.insert(page, slab);
                (page, found?)
            }
        };
        let start = self.start + u64::from(page) * PAGE + (u64::from(granule) << self.shift);
        Some(Spot { start, bytes: u64::from(count) << self.shift, whole_pages: false, fresh })
    }

    /// Whether an address lies in it.
    pub(crate) fn spans(&self, address: u64) -> bool {
        address.checked_sub(self.start).is_some_and(|offset| offset / PAGE < u64::from(self.pages))
    }

    /// Takes addresses for `size` bytes from `start` on, which is where [`Self::take`] of another process has put them.
    /// `None` if something else is there, or [`Self::take`] puts nothing of this size there.
    pub(crate) fn take_at(&mut self, range: &Range, start: u64, size: u64) -> Option<Spot> {
        let offset = start.checked_sub(self.start)?;
        let page = u32::try_from(offset / PAGE).ok().filter(|page| *page < self.pages)?;
        let needed = size.checked_add(GAP)?;
        if size > SMALL {
            let count = u32::try_from(needed.div_ceil(PAGE)).ok()?;
            let fits = offset.is_multiple_of(PAGE) && page.checked_add(count)? <= self.pages;
            if !fits || !self.commit(range, page + count) {
                return None;
            }
            let fresh = self.runs.take_at(page, count)?;
            if size >= LARGE {
                range.ask_for_large(self.first + page, (size / PAGE) as u32);
            }
            return Some(Spot { start, bytes: u64::from(count) * PAGE, whole_pages: true, fresh });
        }
        let (granule, count) = ((offset % PAGE) >> self.shift, needed.div_ceil(1 << self.shift));
        if !offset.is_multiple_of(1 << self.shift) || !self.commit(range, page + 1) {
            return None;
        }
        if !self.slabs.contains_key(&page) {
            let fresh = self.runs.take_at(page, 1)?;
            self.slabs.insert(page, Slab::new(self.shift, fresh));
        }
        let fresh = self.slabs.get_mut(&page)?.take_at(granule as u32, count as u32)?;
        Some(Spot { start, bytes: count << self.shift, whole_pages: false, fresh })
    }

    /// Gives addresses back, and of shared pages their memory to the host as far as whole pages of the host's are free.
    /// What has pages of its own gave their memory back when it was freed.
    pub(crate) fn give(&mut self, range: &Range, spot: &Spot) {
        let offset = spot.start - self.start;
        let page = (offset / PAGE) as u32;
        if spot.whole_pages {
            self.runs.give(page, (spot.bytes / PAGE) as u32);
            return;
        }
        let Some(slab) = self.slabs.get_mut(&page) else { return };
        slab.give(((offset % PAGE) >> self.shift) as u32, (spot.bytes >> self.shift) as u32);
        // The last page is kept: a launch after another takes and gives back its parameters.
        if slab.is_empty() && self.slabs.len() > 1 {
            self.slabs.remove(&page);
            let start = self.start + u64::from(page) * PAGE;
            range.discard(start, start + PAGE);
            self.runs.give(page, 1);
        } else if spot.bytes >= WORTH_GIVING_BACK {
            let (start, end) = (spot.start, spot.start + spot.bytes);
            range.discard(start.next_multiple_of(HOST_PAGE), end / HOST_PAGE * HOST_PAGE);
        }
    }

    /// Makes the pages before `end` usable.
    fn commit(&mut self, range: &Range, end: u32) -> bool {
        if end > self.committed {
            let to = end.next_multiple_of(STEP).min(self.pages);
            if !range.commit(self.first + self.committed, to - self.committed) {
                return false;
            }
            self.committed = to;
        }
        true
    }
}
