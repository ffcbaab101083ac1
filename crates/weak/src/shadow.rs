//! What is known of each word of a memory: its last write, or where its history is.
//!
//! A word that was written once, wholly and without releasing anything needs no history: its entry says all. Entries lie
//! in pages, which are made when a word in them is first written.

use ptxvm_memory::Charge;
use rustc_hash::FxHashMap;

use crate::clock::{Event, Stamp};
use crate::history::{Histories, History, Key, Record};
use crate::site::SiteId;

/// The bytes of a word.
pub const WORD: u64 = 4;
/// The words of a page.
const WORDS: u64 = 256;
/// The stamp of an entry that names a history.
const HAS_HISTORY: Stamp = Stamp::MAX;

/// What is known of a word.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct Entry {
    /// The stamp of its last write; 0 if there is none.
    stamp: Stamp,
    lanes: u32,
    cta: u32,
    site: SiteId,
    key: Key,
    /// What it held before, or the number of its history.
    old: u32,
    warp: u32,
}

/// What a word's entry says.
pub enum Word {
    /// Nothing: nobody has written it, or all see what was written.
    Plain,
    /// It was written once.
    Once(Record),
    /// It has a history.
    History(u32),
}

impl Entry {
    /// Whether every thread of a CTA that knows its own CTA up to a stamp sees its newest write, or there is none.
    #[inline]
    pub fn is_settled(&self, base: Stamp, cta: u32, known: Stamp) -> bool {
        self.stamp <= base || (self.stamp <= known && self.cta == cta)
    }

    pub fn has_history(&self) -> bool {
        self.stamp == HAS_HISTORY
    }

    /// Who wrote it last, if it was written wholly by one instruction.
    pub fn event(&self) -> Event {
        Event { cta: self.cta.into(), warp: self.warp, lanes: self.lanes, stamp: self.stamp }
    }

    pub fn key(&self) -> Key {
        self.key
    }

    /// A further lane writes the same by the same instruction.
    pub fn add_lanes(&mut self, lanes: u32) {
        self.lanes |= lanes;
    }

    /// It is written wholly, by somebody who releases nothing, and nobody sees what was before `old`.
    pub fn write_once(&mut self, event: Event, site: SiteId, key: Key, old: u32) {
        let Event { cta, warp, lanes, stamp } = event;
        *self = Self { stamp, lanes, cta: cta as u32, site, key, old, warp };
    }

    fn record(&self) -> Record {
        Record {
            key: self.key,
            event: self.event(),
            site: self.site,
            mask: 0xf,
            old: self.old.to_le_bytes(),
            released: None,
            seen: Default::default(),
        }
    }

    pub fn word(&self, base: Stamp) -> Word {
        if self.has_history() {
            Word::History(self.old)
        } else if self.stamp <= base {
            Word::Plain
        } else {
            Word::Once(self.record())
        }
    }

    /// Its history, which is made if there is none.
    pub fn history<'a>(&mut self, base: Stamp, histories: &'a mut Histories) -> &'a mut History {
        let index = match self.word(base) {
            Word::History(index) => index,
            Word::Plain => histories.add(History::default()),
            Word::Once(record) => {
                let mut history = History::default();
                history.push(record, PATIENCE);
                histories.add(history)
            }
        };
        *self = Self { stamp: HAS_HISTORY, old: index, ..Self::default() };
        histories.get_mut(index)
    }

    /// All see what it holds.
    pub fn forget(&mut self, histories: &mut Histories) {
        if self.has_history() {
            histories.remove(self.old);
        }
        *self = Self::default();
    }
}

/// How often the state before the newest write may be seen.
pub const PATIENCE: u32 = 48;

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
type Page = Box<[Entry; WORDS as usize]>;

/// What is known of the words of a memory.
#[derive(Debug, Default)]
pub struct Shadow {
    /// By number: where a page lies.
    places: FxHashMap<u64, u32>,
    pages: Vec<(u64, Page)>,
    /// Pages that were looked for lately, and where they lie, if they do.
    lately: Lately,
    /// Entries with a stamp up to this are of an earlier owner of the memory.
    pub base: Stamp,
    /// What its pages are charged to.
    charges: Vec<Charge>,
}

/// The bytes of a page.
pub const PAGE_BYTES: u64 = WORDS * size_of::<Entry>() as u64;

impl Shadow {
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
    pub fn get(&mut self, address: u64) -> Option<&mut Entry> {
        let word = address / WORD;
        let place = self.place(word / WORDS)?;
        Some(&mut self.pages[place as usize].1[(word % WORDS) as usize])
    }

    /// What is known of the words from one address to another, if one page has them: nothing, if there is none.
    #[inline]
    pub fn span(&mut self, first: u64, last: u64) -> Option<&[Entry]> {
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

    /// Whether anything is known of the memory.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// The same, which is made if there is none; `None` if there is no memory for it.
    #[inline]
    pub fn make(&mut self, address: u64, charge: impl FnOnce(u64) -> Option<Charge>) -> Option<&mut Entry> {
        let word = address / WORD;
        let place = match self.place(word / WORDS) {
            Some(place) => place,
            None => self.add(word / WORDS, charge)?,
        };
        Some(&mut self.pages[place as usize].1[(word % WORDS) as usize])
    }

    #[cold]
    fn add(&mut self, page: u64, charge: impl FnOnce(u64) -> Option<Charge>) -> Option<u32> {
        self.charges.push(charge(PAGE_BYTES)?);
        let place = self.pages.len() as u32;
        let entries = vec![Entry::default(); WORDS as usize].into_boxed_slice();
        self.pages.push((page, entries.try_into().ok()?));
        self.places.insert(page, place);
        self.lately.0[(page % LATELY) as usize] = (page, Some(place));
        Some(place)
    }

    /// Hands the memory to another owner, who has seen nothing of it; what the first wrote has a stamp up to `base`.
    pub fn pass_on(&mut self, base: Stamp, histories: &mut Histories) {
        self.base = base;
        for (_, page) in &mut self.pages {
            page.iter_mut().filter(|entry| entry.has_history()).for_each(|entry| entry.forget(histories));
        }
    }

    /// The words of a range that something may be known of.
    pub fn forget(&mut self, address: u64, bytes: u64, histories: &mut Histories) {
        if self.is_empty() || bytes == 0 {
            return;
        }
        let (first, last) = (address / WORD, (address + (bytes - 1)) / WORD);
        let mut word = first;
        while word <= last {
            let end = (word / WORDS * WORDS + WORDS - 1).min(last);
            if let Some(place) = self.place(word / WORDS) {
                let page = &mut self.pages[place as usize].1;
                page[(word % WORDS) as usize..=(end % WORDS) as usize]
                    .iter_mut()
                    .for_each(|entry| entry.forget(histories));
            }
            word = end + 1;
        }
    }
}
