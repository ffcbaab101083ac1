//! Which bytes of device memory nobody has written: what an allocation holds before its first write.
//!
//! Memory itself is zero there, so that a program runs the same each time; only who looks for uninitialised reads asks here.
//! A byte that is not known is written. Nothing is kept unless somebody has asked for it ([`Unwritten::keep`]), and what is
//! kept is taken from the budget: a bit for each byte of the pages that are partly written.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::budget::{Budget, Charge};

/// The bytes of a page.
const PAGE: u64 = 1 << 16;
/// The words of a page's bits.
const WORDS: usize = PAGE as usize / 64;

/// The bytes of a device that nobody has written.
#[derive(Debug, Default)]
pub struct Unwritten {
    is_kept: AtomicBool,
    /// Whether there may be any.
    some: AtomicBool,
    pages: Mutex<BTreeMap<u64, Page>>,
    budget: Arc<Budget>,
}

/// The unwritten bytes of a page.
#[derive(Debug)]
enum Page {
    All,
    Some(Box<[u64; WORDS]>, #[allow(dead_code, reason = "it is given back with the page")] Charge),
}

impl Unwritten {
    /// Those of a device that takes its memory from a budget: none.
    pub(crate) fn new(budget: Arc<Budget>) -> Self {
        Self { budget, ..Self::default() }
    }

    /// From now on it is known what nobody has written.
    pub fn keep(&self) {
        self.is_kept.store(true, Relaxed);
    }

    /// Whether that is known.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.is_kept.load(Relaxed)
    }

    /// Whether all bytes of the device are written.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.some.load(Relaxed)
    }

    fn pages(&self) -> MutexGuard<'_, BTreeMap<u64, Page>> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody has written these bytes, or what they hold means nothing.
    pub fn add(&self, address: u64, bytes: u64) {
        if self.is_kept() && bytes != 0 {
            self.some.store(true, Relaxed);
            self.change(&mut self.pages(), address, bytes, true);
        }
    }

    /// These bytes are written, or nobody has them any more.
    #[inline]
    pub fn remove(&self, address: u64, bytes: u64) {
        if !self.is_empty() {
            self.change(&mut self.pages(), address, bytes, false);
        }
    }

    /// Bytes have been copied, with what is known of them.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) {
        if self.is_empty() {
            return;
        }
        let mut pages = self.pages();
        // What is copied over itself is read first.
        let masks: Vec<(u64, u32)> = (0..bytes.div_ceil(32))
            .map(|part| {
                let offset = part * 32;
                (offset, mask(&pages, from.wrapping_add(offset), (bytes - offset).min(32)))
            })
            .filter(|(_, mask)| *mask != 0)
            .collect();
        self.change(&mut pages, to, bytes, false);
        for (offset, mask) in masks {
            for byte in (0..32).filter(|byte| mask >> byte & 1 != 0) {
                self.change(&mut pages, to.wrapping_add(offset + byte), 1, true);
            }
        }
    }

    /// Which of up to 32 bytes nobody has written, as bits.
    #[inline]
    #[must_use]
    pub fn mask(&self, address: u64, bytes: u64) -> u32 {
        if self.is_empty() { 0 } else { mask(&self.pages(), address, bytes) }
    }

    /// Whether one of some bytes is unwritten; gives the first.
    #[must_use]
    pub fn first(&self, address: u64, bytes: u64) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let pages = self.pages();
        let end = address.checked_add(bytes)?;
        let touched = pages.range(address / PAGE..=end / PAGE);
        let mut found = touched.filter_map(|(number, page)| {
            let from = address.max(number * PAGE);
            let to = end.min((number + 1) * PAGE);
            match page {
                Page::All => (from < to).then_some(from),
                Page::Some(bits, _) => {
                    (from..to).find(|at| bits[(at % PAGE / 64) as usize] >> (at % 64) & 1 != 0)
                }
            }
        });
        found.next()
    }

    fn change(&self, pages: &mut BTreeMap<u64, Page>, address: u64, bytes: u64, unwritten: bool) {
        let Some(end) = address.checked_add(bytes).filter(|_| bytes != 0) else { return };
        if !unwritten {
            // Pages that are not known are written already.
            let touched = pages.range(address / PAGE..=(end - 1) / PAGE);
            let touched: Vec<u64> = touched.map(|(number, _)| *number).collect();
            touched.into_iter().for_each(|number| self.change_page(pages, number, (address, end), false));
            if pages.is_empty() {
                self.some.store(false, Relaxed);
            }
            return;
        }
        for number in address / PAGE..=(end - 1) / PAGE {
            self.change_page(pages, number, (address, end), true);
        }
    }

    fn change_page(
        &self,
        pages: &mut BTreeMap<u64, Page>,
        number: u64,
        (address, end): (u64, u64),
        unwritten: bool,
    ) {
        let begin = number * PAGE;
        let (from, to) = (address.max(begin) - begin, end.min(begin + PAGE) - begin);
        if to - from == PAGE {
            match unwritten {
                true => drop(pages.insert(number, Page::All)),
                false => drop(pages.remove(&number)),
            }
            return;
        }
        let bits = match pages.get_mut(&number) {
            Some(Page::Some(bits, _)) => bits,
            Some(Page::All) if unwritten => return,
            None if !unwritten => return,
            known => {
                let Ok(charge) = self.budget.charge(PAGE / 8) else {
                    // Without memory to know better, it counts as written.
                    pages.remove(&number);
                    return;
                };
                let word = if known.is_some() { u64::MAX } else { 0 };
                pages.insert(number, Page::Some(Box::new([word; WORDS]), charge));
                match pages.get_mut(&number) {
                    Some(Page::Some(bits, _)) => bits,
                    _ => return,
                }
            }
        };
        let mut at = from;
        while at < to {
            let word = at / 64;
            let count = (64 - at % 64).min(to - at);
            let mask = (u64::MAX >> (64 - count)) << (at % 64);
            match unwritten {
                true => bits[word as usize] |= mask,
                false => bits[word as usize] &= !mask,
            }
            at += count;
        }
        if !unwritten && bits.iter().all(|word| *word == 0) {
            pages.remove(&number);
        }
    }
}

fn mask(pages: &BTreeMap<u64, Page>, address: u64, bytes: u64) -> u32 {
    let bytes = bytes.min(32);
    let of_page = |number: u64| -> u32 {
        let begin = number * PAGE;
        let inside = (0..bytes).filter(|byte| (address + byte) / PAGE == number);
        match pages.get(&number) {
            None => 0,
            Some(Page::All) => inside.fold(0, |mask, byte| mask | 1 << byte),
            Some(Page::Some(bits, _)) => inside.fold(0, |mask, byte| {
                let at = address + byte - begin;
                let bit = (bits[(at / 64) as usize] >> (at % 64) & 1) as u32;
                mask | bit << byte
            }),
        }
    };
    if bytes == 0 || address.checked_add(bytes).is_none() {
        return 0;
    }
    let (first, last) = (address / PAGE, (address + bytes - 1) / PAGE);
    let mask = match pages.get(&first) {
        // Most accesses lie in one word of bits.
        Some(Page::Some(bits, _)) if first == last && address % 64 + bytes <= 64 => {
            let at = address % PAGE;
            (bits[(at / 64) as usize] >> (at % 64)) as u32 & (u32::MAX >> (32 - bytes))
        }
        _ => of_page(first),
    };
    if first == last { mask } else { mask | of_page(last) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_known_byte_by_byte() {
        let unwritten = Unwritten::default();
        unwritten.add(100, 50);
        assert!(unwritten.is_empty(), "nobody has asked");
        unwritten.keep();
        unwritten.add(3 * PAGE - 10, 2 * PAGE + 20);
        assert_eq!(unwritten.mask(3 * PAGE - 12, 8), 0b1111_1100);
        assert_eq!(unwritten.mask(5 * PAGE + 8, 4), 0b0011);
        unwritten.remove(3 * PAGE - 4, 6);
        assert_eq!(unwritten.mask(3 * PAGE - 8, 16), 0b1111_1100_0000_1111);
        assert_eq!(unwritten.first(3 * PAGE - 4, PAGE), Some(3 * PAGE + 2));
        unwritten.copy(100, 3 * PAGE - 8, 16);
        assert_eq!(unwritten.mask(96, 32), 0b1111_1100_0000_1111 << 4);
        // The parameters of a kernel that has none are no bytes, wherever they lie.
        unwritten.remove(3 * PAGE, 0);
        unwritten.copy(3 * PAGE, 4 * PAGE, 0);
        assert_eq!(unwritten.mask(3 * PAGE + 1, 2), 0b10);
        unwritten.remove(0, 6 * PAGE);
        assert!(unwritten.is_empty());
    }
}
