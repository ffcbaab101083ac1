//! A page of 2 MiB that small allocations share: which of its granules are taken.

use crate::range::PAGE;

/// The granules of one page.
#[derive(Debug)]
pub(crate) struct Slab {
    /// A bit for each granule that is taken.
    bits: Box<[u64]>,
    taken: u32,
    /// No granule before this one is free.
    lowest: u32,
    /// No run of free granules is longer than this.
    longest: u32,
    /// The granules from this one on have never been taken, so they are zero.
    fresh: u32,
}

impl Slab {
    /// An empty page of granules of `1 << shift` bytes. Its bytes are zero if the page is fresh.
    pub(crate) fn new(shift: u32, fresh: bool) -> Self {
        let count = (PAGE >> shift) as u32;
        Slab {
            bits: vec![0; count as usize / 64].into(),
            taken: 0,
            lowest: 0,
            longest: count,
            fresh: if fresh { 0 } else { count },
        }
    }

    fn count(&self) -> u32 {
        self.bits.len() as u32 * 64
    }

    /// Whether nothing is taken.
    pub(crate) fn is_empty(&self) -> bool {
        self.taken == 0
    }

    /// Takes the first run of `count` free granules that begins at a multiple of `align`; says whether it is fresh.
    pub(crate) fn take(&mut self, count: u32, align: u32) -> Option<(u32, bool)> {
        if count > self.longest {
            return None;
        }
        let mut first = self.lowest.next_multiple_of(align);
        while first.checked_add(count)? <= self.count() {
            match self.find(first, first + count, true) {
                None => {
                    self.set(first, count, true);
                    self.taken += count;
                    if first == self.lowest {
                        self.lowest += count;
                    }
                    let fresh = first >= self.fresh;
                    self.fresh = self.fresh.max(first + count);
                    return Some((first, fresh));
                }
                Some(taken) => {
                    let free = self.find(taken, self.count(), false)?;
                    first = free.next_multiple_of(align);
                }
            }
        }
        if align == 1 {
            self.longest = count - 1;
        }
        None
    }

    /// Takes these granules, if all of them are free; says whether they are fresh.
    pub(crate) fn take_at(&mut self, first: u32, count: u32) -> Option<bool> {
        let end = first.checked_add(count).filter(|end| *end <= self.count())?;
        if self.find(first, end, true).is_some() {
            return None;
        }
        self.set(first, count, true);
        self.taken += count;
        let fresh = first >= self.fresh;
        self.fresh = self.fresh.max(end);
        Some(fresh)
    }

    /// Gives granules back.
    pub(crate) fn give(&mut self, first: u32, count: u32) {
        self.set(first, count, false);
        self.taken -= count;
        self.lowest = self.lowest.min(first);
        // How long the run has become is not known without looking.
        self.longest = self.count();
    }

    /// The first granule from `from` to before `to` that is taken, or that is free.
    fn find(&self, from: u32, to: u32, taken: bool) -> Option<u32> {
        let mut at = from;
        while at < to {
            let word = self.bits[at as usize / 64];
            let word = if taken { word } else { !word } >> (at % 64);
            if word != 0 {
                return Some(at + word.trailing_zeros()).filter(|found| *found < to);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }

    fn set(&mut self, first: u32, count: u32, taken: bool) {
        let mut at = first;
        let end = first + count;
        while at < end {
            let bits = (64 - at % 64).min(end - at);
            let mask = (u64::MAX >> (64 - bits)) << (at % 64);
            let word = &mut self.bits[at as usize / 64];
            debug_assert_eq!(*word & mask, if taken { 0 } else { mask });
            *word = if taken { *word | mask } else { *word & !mask };
            at += bits;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first run that fits, by looking at every granule.
    fn first_fit(taken: &[bool], count: usize, align: usize) -> Option<usize> {
        (0..taken.len())
            .step_by(align)
            .find(|&first| first + count <= taken.len() && !taken[first..first + count].contains(&true))
    }

    #[test]
    fn the_first_run_that_fits_is_taken() {
        let mut slab = Slab::new(15, true);
        let mut taken = vec![false; 64];
        let mut held = Vec::new();
        let mut random = 1u64;
        // Miri takes a thousand times as long.
        let rounds = if cfg!(miri) { 100 } else { 20_000 };
        for round in 0..rounds {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = (random >> 33) as usize;
            if number.is_multiple_of(3) && !held.is_empty() {
                let (first, count): (u32, u32) = held.swap_remove(number / 3 % held.len());
                slab.give(first, count);
                taken[first as usize..(first + count) as usize].fill(false);
            } else {
                let (count, align) = (1 + number / 8 % 20, 1 << (number / 256 % 5));
                let expected = first_fit(&taken, count, align);
                let found = slab.take(count as u32, align as u32);
                assert_eq!(found.map(|(first, _)| first as usize), expected, "round {round}");
                if let Some((first, _)) = found {
                    taken[first as usize..first as usize + count].fill(true);
                    held.push((first, count as u32));
                }
            }
            assert_eq!(slab.is_empty(), held.is_empty());
        }
    }

    #[test]
    fn granules_are_taken_where_they_are_asked_for() {
        let mut slab = Slab::new(9, true);
        assert_eq!(slab.take_at(100, 10), Some(true));
        assert_eq!(slab.take_at(109, 1), None, "it is taken");
        assert_eq!(slab.take_at(95, 6), None, "the last of them is taken");
        assert_eq!(slab.take(100, 1), Some((0, false)), "somebody may have had what lies below");
        assert_eq!(slab.take(1, 1), Some((110, true)));
        assert_eq!(slab.take_at(slab.count(), 1), None);
        assert_eq!(slab.take_at(u32::MAX, 2), None);
    }

    #[test]
    fn what_was_never_taken_is_fresh() {
        let mut slab = Slab::new(9, true);
        assert_eq!(slab.take(10, 1), Some((0, true)));
        assert_eq!(slab.take(10, 1), Some((10, true)));
        slab.give(0, 10);
        assert_eq!(slab.take(4, 1), Some((0, false)));
        assert_eq!(slab.take(8, 1), Some((20, true)));
        assert_eq!(Slab::new(9, false).take(1, 1), Some((0, false)));
    }
}
