//! Which bytes of a memory have been written: a bit for each, in pages that are made when they are written first.

use rustc_hash::FxHashMap;

/// The bytes of a page.
const PAGE: u64 = 4096;
const WORDS: usize = PAGE as usize / 64;

/// The written bytes of a memory; a memory begins with none.
#[derive(Debug, Default)]
pub struct Written {
    /// Those of the first bytes, by number: nearly all memory of a CTA.
    pages: Vec<Option<Box<[u64; WORDS]>>>,
    /// Those beyond.
    far: FxHashMap<u64, Box<[u64; WORDS]>>,
    /// How many pages there are.
    pub count: u64,
}

/// How many pages are found by their number.
const NEAR: u64 = 256;

/// What a page takes.
pub const PAGE_BYTES: u64 = PAGE / 8;

impl Written {
    #[inline]
    fn page(&self, number: u64) -> Option<&[u64; WORDS]> {
        match usize::try_from(number).ok().and_then(|number| self.pages.get(number)) {
            Some(page) => page.as_deref(),
            None => self.far.get(&number).map(|page| &**page),
        }
    }

    fn page_mut(&mut self, number: u64) -> &mut [u64; WORDS] {
        let count = &mut self.count;
        let make = || {
            *count += 1;
            Box::new([0; WORDS])
        };
        if number >= NEAR {
            return self.far.entry(number).or_insert_with(make);
        }
        let index = number as usize;
        if self.pages.len() <= index {
            self.pages.resize_with(index + 1, || None);
        }
        self.pages[index].get_or_insert_with(make)
    }

    /// Which of up to 32 bytes have not been written, as bits.
    #[inline]
    pub fn unwritten(&self, address: u64, bytes: u64) -> u32 {
        let bytes = bytes.clamp(1, 32);
        let all = u32::MAX >> (32 - bytes);
        if address % 64 + bytes <= 64 {
            let Some(page) = self.page(address / PAGE) else { return all };
            return !((page[(address % PAGE / 64) as usize] >> (address % 64)) as u32) & all;
        }
        let first = 64 - address % 64;
        let low = self.unwritten(address, first);
        low | self.unwritten(address.wrapping_add(first), bytes - first) << first
    }

    /// Whether all of some bytes have been written.
    pub fn has_all(&self, address: u64, bytes: u64) -> bool {
        let parts = (0..bytes.div_ceil(32)).map(|part| part * 32);
        parts.into_iter().all(|from| self.unwritten(address.wrapping_add(from), (bytes - from).min(32)) == 0)
    }

    /// Some bytes have been written, or what they hold means nothing any more.
    #[inline]
    pub fn set(&mut self, address: u64, bytes: u64, written: bool) {
        let (mut at, mut left) = (address, bytes);
        while left > 0 {
            let count = (64 - at % 64).min(left);
            let mask = (u64::MAX >> (64 - count)) << (at % 64);
            let word = (at % PAGE / 64) as usize;
            match written {
                true => self.page_mut(at / PAGE)[word] |= mask,
                false if self.page(at / PAGE).is_some() => self.page_mut(at / PAGE)[word] &= !mask,
                false => {}
            }
            at = at.wrapping_add(count);
            left -= count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_one_by_one() {
        let mut written = Written::default();
        assert_eq!(written.unwritten(4094, 4), 0b1111);
        written.set(4095, 2, true);
        assert_eq!(written.unwritten(4094, 4), 0b1001);
        written.set(NEAR * PAGE - 3, 70, true);
        assert_eq!(written.unwritten(NEAR * PAGE - 5, 32), 0b11);
        assert!(written.has_all(NEAR * PAGE - 3, 70) && !written.has_all(NEAR * PAGE - 3, 71));
        written.set(NEAR * PAGE - 3, 4, false);
        assert_eq!(written.unwritten(NEAR * PAGE - 5, 8), 0b0011_1111);
    }
}
