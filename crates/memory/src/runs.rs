//! Runs of whole pages of a range: which are free.

use std::collections::BTreeMap;

/// The pages of a part of a range, by their numbers in it.
#[derive(Debug)]
pub(crate) struct Runs {
    /// Free runs before `end`, by their first page. No two touch each other.
    free: BTreeMap<u32, u32>,
    /// All pages from this one on are free.
    end: u32,
    /// How many pages there are.
    count: u32,
    /// The pages from this one on have never been taken.
    fresh: u32,
}

impl Runs {
    /// `count` free pages.
    pub(crate) fn new(count: u32) -> Self {
        Runs { free: BTreeMap::new(), end: 0, count, fresh: 0 }
    }

    /// Takes the first run of `count` free pages that begins at a multiple of `align`, counted from `origin` pages
    /// before the first page; says whether none of them was ever taken.
    pub(crate) fn take(&mut self, count: u32, align: u32, origin: u64) -> Option<(u32, bool)> {
        let aligned = |first: u32| {
            let place = (u64::from(first) + origin).next_multiple_of(u64::from(align)) - origin;
            u32::try_from(place).ok()
        };
        let fits = |(&first, &pages): (&u32, &u32)| {
            let at = aligned(first)?;
            (u64::from(at) + u64::from(count) <= u64::from(first) + u64::from(pages)).then_some((first, at))
        };
        if let Some((first, at)) = self.free.iter().find_map(fits) {
            let pages = self.free.remove(&first)?;
            if at > first {
                self.free.insert(first, at - first);
            }
            if first + pages > at + count {
                self.free.insert(at + count, first + pages - (at + count));
            }
            return Some((at, false));
        }
        let at = aligned(self.end)?;
        let end = at.checked_add(count).filter(|end| *end <= self.count)?;
        if at > self.end {
            self.free.insert(self.end, at - self.end);
        }
        self.end = end;
        let fresh = at >= self.fresh;
        self.fresh = self.fresh.max(end);
        Some((at, fresh))
    }

    /// Takes these `count` pages, if all of them are free; says whether none of them was ever taken.
    pub(crate) fn take_at(&mut self, first: u32, count: u32) -> Option<bool> {
        let end = first.checked_add(count).filter(|end| *end <= self.count)?;
        if first < self.end {
            let (&start, &pages) = self.free.range(..=first).next_back()?;
            let reached = start + pages;
            // The run before `self.end` goes on as far as there are pages.
            if reached < end {
                return None;
            }
            self.free.remove(&start);
            if first > start {
                self.free.insert(start, first - start);
            }
            if reached > end {
                self.free.insert(end, reached - end);
            }
            return Some(first >= self.fresh);
        }
        if first > self.end {
            self.free.insert(self.end, first - self.end);
        }
        self.end = end;
        let fresh = first >= self.fresh;
        self.fresh = self.fresh.max(end);
        Some(fresh)
    }

    /// Gives a run back.
    pub(crate) fn give(&mut self, first: u32, count: u32) {
        let (mut first, mut count) = (first, count);
        if let Some((&before, &pages)) = self.free.range(..first).next_back()
            && before + pages == first
        {
            self.free.remove(&before);
            (first, count) = (before, count + pages);
        }
        if let Some(pages) = self.free.remove(&(first + count)) {
            count += pages;
        }
        if first + count == self.end {
            self.end = first;
        } else {
            self.free.insert(first, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_run_that_fits_is_taken_and_neighbours_join() {
        let mut runs = Runs::new(100);
        assert_eq!(runs.take(10, 1, 0), Some((0, true)));
        assert_eq!(runs.take(10, 1, 0), Some((10, true)));
        assert_eq!(runs.take(10, 1, 0), Some((20, true)));
        runs.give(0, 10);
        assert_eq!(runs.take(11, 1, 0), Some((30, true)));
        runs.give(10, 10);
        assert_eq!(runs.take(20, 1, 0), Some((0, false)));
        runs.give(30, 11);
        assert_eq!(runs.take(5, 1, 0), Some((30, false)));
        assert_eq!(runs.take(70, 1, 0), None);
        assert_eq!(runs.take(65, 1, 0), Some((35, false)), "some of them were taken before");
        assert_eq!(runs.take(1, 1, 0), None);
    }

    #[test]
    fn a_run_is_taken_where_it_is_asked_for() {
        let mut runs = Runs::new(100);
        assert_eq!(runs.take_at(10, 5), Some(true));
        assert_eq!(runs.take_at(12, 5), None, "two of them are taken");
        assert_eq!(runs.take_at(8, 3), None, "one of them is taken");
        assert_eq!(runs.take_at(4, 2), Some(false), "what was skipped may have been used");
        assert_eq!(runs.take(4, 1, 0), Some((0, false)));
        assert_eq!(runs.take(5, 1, 0), Some((15, true)), "between the two there is no room");
        assert_eq!(runs.take_at(6, 4), Some(false));
        assert_eq!(runs.take_at(98, 3), None, "there are no such pages");
        assert_eq!(runs.take_at(u32::MAX, 2), None);
        runs.give(10, 5);
        assert_eq!(runs.take_at(10, 5), Some(false));
    }

    #[test]
    fn alignment_counts_from_the_beginning_of_addresses() {
        let mut runs = Runs::new(64);
        assert_eq!(runs.take(1, 8, 3), Some((5, true)));
        assert_eq!(runs.take(5, 1, 3), Some((0, false)), "what was skipped is not lost");
        assert_eq!(runs.take(1, 1, 3), Some((6, true)));
        assert_eq!(runs.take(u32::MAX, 1, 3), None);
        assert_eq!(runs.take(1, 1 << 31, 3), None);
    }
}
