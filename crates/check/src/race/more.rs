//! Accesses of words that their entries have no room for: reads besides two, and writes of other bytes than those of the last one.
//!
//! They are kept of so many words as a kernel has whose threads share words and bytes by hand: flags, counters, bytes of a state.
//! In kernels that read all of a large memory by many threads room for them ends soon, and then two reads must do.

use std::sync::Arc;

use ptxvm_memory::Budget;
use ptxvm_order::Shadow;

use crate::race::record::Record;

/// So many accesses are kept in all, and so many of a word.
const MOST: usize = 1 << 16;
const MOST_OF_A_WORD: usize = 64;
/// So many pages of words have some of them, at most.
const PAGES: usize = 1 << 12;

/// The bit of a word's place that says that it has writes. Who reads need not look at others.
pub const WRITES: u32 = 1 << 31;

/// An access that had to give way.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub record: Record,
    /// The bytes of the word that count.
    pub mask: u8,
    pub writes: bool,
}

/// What is kept of the words of all memories.
#[derive(Debug, Default)]
pub struct More {
    /// By memory and word: 0, or one more than the number of a list, and [`WRITES`] if writes are among it.
    places: Vec<Shadow<u32>>,
    lists: Vec<Vec<Kept>>,
    spare: Vec<u32>,
    count: usize,
    pages: usize,
}

impl More {
    /// Whether no more can be kept.
    pub fn is_full(&self) -> bool {
        self.count >= MOST || self.pages >= PAGES
    }

    /// Which words of a memory have some; nothing, if none have.
    #[inline]
    pub fn places(&mut self, memory: usize) -> Option<&mut Shadow<u32>> {
        self.places.get_mut(memory).filter(|places| !places.is_empty())
    }

    /// What is kept of a word.
    #[inline]
    pub fn of(&mut self, memory: usize, word: u64) -> &[Kept] {
        match self.number(memory, word) {
            Some(number) => &self.lists[number],
            None => &[],
        }
    }

    #[inline]
    fn number(&mut self, memory: usize, word: u64) -> Option<usize> {
        let place = *self.places(memory)?.get(word)? & !WRITES;
        place.checked_sub(1).map(|number| number as usize)
    }

    /// Keeps an access, if there is room.
    pub fn keep(&mut self, (memory, word): (usize, u64), kept: Kept, budget: &Arc<Budget>) {
        if kept.mask == 0 || self.is_full() {
            return;
        }
        let number = match self.number(memory, word) {
            Some(number) => number,
            None => {
                let Some(number) = self.begin(memory, word, budget) else { return };
                number
            }
        };
        if kept.writes {
            self.places[memory].each(word, 1, |place| *place |= WRITES);
        }
        let list = &mut self.lists[number];
        let alike = |one: &Kept| one.writes == kept.writes && one.mask == kept.mask;
        if let Some(one) = list.iter_mut().find(|one| alike(one) && one.record.is_of_lane(&kept.record)) {
            // Of the reads of a thread the last stands for all, and of its writes of the same bytes.
            *one = kept;
        } else if !list.iter_mut().any(|one| alike(one) && one.record.merge(&kept.record)) {
            if list.len() == MOST_OF_A_WORD {
                list.remove(0);
                self.count -= 1;
            }
            list.push(kept);
            self.count += 1;
        }
    }

    fn begin(&mut self, memory: usize, word: u64, budget: &Arc<Budget>) -> Option<usize> {
        if self.places.len() <= memory {
            self.places.resize_with(memory + 1, Shadow::default);
        }
        let pages = &mut self.pages;
        let place = self.places[memory].make(word, |bytes| {
            *pages += 1;
            budget.charge(bytes).ok()
        })?;
        let number = self.spare.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            self.lists.len() as u32 - 1
        });
        *place = number + 1;
        Some(number as usize)
    }

    /// Bytes of a word have been written: who comes later is compared with that. After a strong write reads still count, since
    /// strong operations do not race with it.
    pub fn written(&mut self, (memory, word): (usize, u64), mask: u8, strong: bool) {
        let Some(number) = self.number(memory, word) else { return };
        let list = &mut self.lists[number];
        let before = list.len();
        list.iter_mut().filter(|one| one.writes || !strong).for_each(|one| one.mask &= !mask);
        list.retain(|one| one.mask != 0);
        self.count -= before - list.len();
        if list.is_empty() {
            self.spare.push(number as u32);
            self.places[memory].each(word, 1, |place| *place = 0);
        }
    }

    /// Words are other memory from now on.
    pub fn forget(&mut self, memory: usize, address: u64, bytes: u64) {
        let Self { places, lists, spare, count, .. } = self;
        let Some(places) = places.get_mut(memory) else { return };
        places.each(address, bytes, |place| {
            if let Some(number) = (std::mem::take(place) & !WRITES).checked_sub(1) {
                *count -= std::mem::take(&mut lists[number as usize]).len();
                spare.push(number);
            }
        });
    }

    /// A memory is gone.
    pub fn end(&mut self, memory: usize) {
        let Self { places, lists, spare, count, .. } = self;
        let Some(places) = places.get_mut(memory) else { return };
        for place in places.entries() {
            if let Some(number) = (std::mem::take(place) & !WRITES).checked_sub(1) {
                *count -= std::mem::take(&mut lists[number as usize]).len();
                spare.push(number);
            }
        }
    }
}
