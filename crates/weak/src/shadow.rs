//! What is known of each word of a memory: its last write, or where its history is.
//!
//! A word that was written once, wholly and without releasing anything needs no history: its entry says all.

use ptxvm_order::{Event, Key, Shadow, SiteId, Stamp};

use crate::history::{Histories, History, Record};

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

/// What is known of the words of a memory.
#[derive(Debug, Default)]
pub struct Known {
    pub words: Shadow<Entry>,
    /// Entries with a stamp up to this are of an earlier owner of the memory.
    pub base: Stamp,
}

impl Known {
    /// Hands the memory to another owner, who has seen nothing of it; what the first wrote has a stamp up to `base`.
    pub fn pass_on(&mut self, base: Stamp, histories: &mut Histories) {
        self.base = base;
        self.words.entries().filter(|entry| entry.has_history()).for_each(|entry| entry.forget(histories));
    }

    /// All see what some bytes hold.
    pub fn forget(&mut self, address: u64, bytes: u64, histories: &mut Histories) {
        self.words.each(address, bytes, |entry| entry.forget(histories));
    }
}
