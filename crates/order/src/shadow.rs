//! What is known of each word of a memory: an entry for each. Entries lie in pages, which are made when a word in them is
//! first asked for.

use ptxvm_memory::Charge;
use rustc_hash::FxHashMap;

/// The bytes of a word.
pub const WORD: u64 = 4;
/// The words of some bytes: where each begins, and the bytes in it as bits.
pub fn words(address: u64, bytes: u64) -> impl Iterator<Item = (u64, u8)> {
    let end = address.saturating_add(bytes);
    (address / WORD * WORD..end).step_by(WORD as usize).map(move |word| {
        let (from, to) = (address.max(word), end.min(word + WORD));
        (word, ((1u32 << (to - word)) - (1u32 << (from - word))) as u8)
    })
}

/// The words of a page.
const WORDS: u64 = 256;
/// So many pages are remembered.
const LATELY: u64 = 64;

/// Where pages lie that were looked for lately.
#[derive(Debug)]
struct Lately([(u64, Option<u32>); LATELY as usize]);

impl Default for Lately {
    fn default() -> Self {
        // No address is so high.
        Self([(u64::MAX, None); LATELY as usize])
    }
}

/// A page of entries.
type Page<E> = Box<[E; WORDS as usize]>;

/// What is known of the words of a memory.
#[derive(Debug)]
pub struct Shadow<E> {
    /// By number: where a page lies.
    places: FxHashMap<u64, u32>,
    pages: Vec<(u64, Page<E>)>,
    /// Pages that were looked for lately, and where they lie, if they do.
    lately: Lately,
    /// What its pages are charged to.
    charges: Vec<Charge>,
}

impl<E> Default for Shadow<E> {
    fn default() -> Self {
        Self {
            places: FxHashMap::default(),
            pages: Vec::new(),
            lately: Lately::default(),
            charges: Vec::new(),
        }
    }
}

impl<E: Default + Clone> Shadow<E> {
    #[inline]
    fn place(&mut self, page: u64) -> Option<u32> {
        let slot = &mut self.lately.0[(page % LATELY) as usize];
        if slot.0 != page {
            *slot = (page, self.places.get(&page).copied());
        }
        slot.1
    }

    /// What is known of the word of an address, if something may be.
    #[inline]
    pub fn get(&mut self, address: u64) -> Option<&mut E> {
        let word = address / WORD;
        let place = self.place(word / WORDS)?;
        Some(&mut self.pages[place as usize].1[(word % WORDS) as usize])
    }

    /// What is known of the words from one address to another, if one page has them: nothing, if there is none.
    #[inline]
    pub fn span(&mut self, first: u64, last: u64) -> Option<&[E]> {
        let (first, last) = (first / WORD, last / WORD);
        if first / WORDS != last / WORDS {
            return None;
        }
        match self.place(first / WORDS) {
            Some(place) => {
                Some(&self.pages[place as usize].1[(first % WORDS) as usize..=(last % WORDS) as usize])
            }
            None => Some(&[]),
        }
    }

    /// Whether nothing is known of the memory.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The same, which is made if there is none; `None` if there is no memory for it.
    #[inline]
    pub fn make(&mut self, address: u64, charge: impl FnOnce(u64) -> Option<Charge>) -> Option<&mut E> {
        let word = address / WORD;
        let place = match self.place(word / WORDS) {
            Some(place) => place,
            None => self.add(word / WORDS, charge)?,
        };
        Some(&mut self.pages[place as usize].1[(word % WORDS) as usize])
    }

    #[cold]
    fn add(&mut self, page: u64, charge: impl FnOnce(u64) -> Option<Charge>) -> Option<u32> {
        self.charges.push(charge(WORDS * size_of::<E>() as u64)?);
        let place = self.pages.len() as u32;
        let entries = vec![E::default(); WORDS as usize].into_boxed_slice();
        self.pages.push((page, entries.try_into().ok()?));
        self.places.insert(page, place);
        self.lately.0[(page % LATELY) as usize] = (page, Some(place));
        Some(place)
    }

    /// All entries that there are, each with the address of its word, in the order of addresses.
    pub fn words(&self) -> impl Iterator<Item = (u64, &E)> {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_unstable_by_key(|(page, _)| *page);
        let words = pages.into_iter().flat_map(|(page, entries)| (page * WORDS..).zip(entries.iter()));
        words.map(|(word, entry)| (word * WORD, entry))
    }

    /// All entries that there are.
    pub fn entries(&mut self) -> impl Iterator<Item = &mut E> {
        self.pages.iter_mut().flat_map(|(_, page)| page.iter_mut())
    }

    /// Does something with the entries of a range that there are.
    pub fn each(&mut self, address: u64, bytes: u64, mut act: impl FnMut(&mut E)) {
        if self.is_empty() || bytes == 0 {
            return;
        }
        let (first, last) = (address / WORD, (address + (bytes - 1)) / WORD);
        let mut word = first;
        while word <= last {
            let end = (word / WORDS * WORDS + WORDS - 1).min(last);
            if let Some(place) = self.place(word / WORDS) {
                let page = &mut self.pages[place as usize].1;
                page[(word % WORDS) as usize..=(end % WORDS) as usize].iter_mut().for_each(&mut act);
            }
            word = end + 1;
        }
    }
}
