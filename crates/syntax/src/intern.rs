//! Names and words as numbers: each distinct spelling gets one [`Symbol`], so that the rest of
//! ptxvm compares `u32`s instead of strings.
//!
//! The table is an open-addressing one of our own: parsing spends a good part of its time here,
//! and a lookup by a borrowed string without a second hash is what it needs. The hash is seeded at
//! random for each interner, so that a file cannot be written to collide; symbols are numbered in
//! order of first appearance and do not depend on it.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A distinct spelling, numbered by its interner. Seed word `i` has the number `i`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

/// The table of spellings. Make one with the ISA's words once, and clone it for each file.
#[derive(Clone, Debug)]
pub struct Interner {
    /// All spellings, end to end.
    text: String,
    entries: Vec<Entry>,
    /// A power of two of slots, at most two thirds of them full.
    slots: Vec<Slot>,
    seed: u64,
}

/// Where the spelling of a symbol is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    len: u32,
}

/// A symbol plus one, zero being an empty slot, with the length and key of its spelling: all that is
/// needed to know a short spelling again, so that most lookups touch one line of the cache.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    key: u64,
    len: u32,
    symbol: u32,
}

impl Default for Interner {
    fn default() -> Self {
        Self::with_words(&[])
    }
}

impl Interner {
    /// An interner in which `words[i]` is `Symbol(i)`. The words must be distinct.
    #[must_use]
    pub fn with_words(words: &[&str]) -> Self {
        let mut interner = Self {
            text: String::new(),
            entries: Vec::new(),
            slots: vec![Slot::default(); 64],
            seed: RandomState::new().build_hasher().finish() | 1,
        };
        for (i, word) in words.iter().enumerate() {
            let symbol = interner.intern(word);
            debug_assert_eq!(symbol.0 as usize, i, "the seed word {word:?} is there twice");
        }
        interner
    }

    /// The number of distinct spellings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The memory the table holds on the heap, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.text.capacity()
            + self.entries.capacity() * size_of::<Entry>()
            + self.slots.capacity() * size_of::<Slot>()
    }

    /// The spelling of a symbol of this interner.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.0 as usize];
        &self.text[entry.start as usize..(entry.start + entry.len) as usize]
    }

    /// The symbol of a spelling, if it has one.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Symbol> {
        self.find(text.as_bytes()).ok()
    }

    /// The symbol of a spelling, a new one if it is the first of its kind.
    #[inline]
    pub fn intern(&mut self, text: &str) -> Symbol {
        self.intern_part(text, 0, text.len())
    }

    /// As [`Interner::intern`] for a part of `source`. The bounds of the part must lie between
    /// characters; if they do not, it counts as empty.
    #[inline]
    pub(crate) fn intern_part(&mut self, source: &str, start: usize, end: usize) -> Symbol {
        let bytes = source.as_bytes().get(start..end).unwrap_or_default();
        match self.find(bytes) {
            Ok(symbol) => symbol,
            Err(place) => self.insert(source.get(start..end).unwrap_or_default(), place),
        }
    }

    fn bytes(&self, entry: Entry) -> &[u8] {
        &self.text.as_bytes()[entry.start as usize..][..entry.len as usize]
    }

    /// The symbol of a spelling, or where it would go.
    #[inline]
    fn find(&self, bytes: &[u8]) -> Result<Symbol, FreeSlot> {
        let key = key(bytes);
        let mask = self.slots.len() - 1;
        let mut at = self.hash(bytes, key) as usize & mask;
        loop {
            let slot = self.slots[at];
            let Some(index) = slot.symbol.checked_sub(1) else {
                return Err(FreeSlot { key, at });
            };
            if slot.key == key
                && slot.len as usize == bytes.len()
                && (bytes.len() <= 8 || self.bytes(self.entries[index as usize]) == bytes)
            {
                return Ok(Symbol(index));
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn insert(&mut self, text: &str, place: FreeSlot) -> Symbol {
        let entry = Entry { start: self.text.len() as u32, len: text.len() as u32 };
        self.text.push_str(text);
        self.entries.push(entry);
        let symbol = self.entries.len() as u32;
        self.slots[place.at] = Slot { key: place.key, len: entry.len, symbol };
        if self.entries.len() * 3 > self.slots.len() * 2 {
            self.grow();
        }
        Symbol(symbol - 1)
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        let mut slots = vec![Slot::default(); mask + 1];
        for &slot in self.slots.iter().filter(|slot| slot.symbol != 0) {
            let bytes = self.bytes(self.entries[slot.symbol as usize - 1]);
            let mut at = self.hash(bytes, slot.key) as usize & mask;
            while slots[at].symbol != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = slot;
        }
        self.slots = slots;
    }

    /// Folded multiplication of the key and, in a long spelling, of eight bytes at a time.
    #[inline]
    fn hash(&self, bytes: &[u8], key: u64) -> u64 {
        let mut state = self.seed ^ (bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if bytes.len() > 8 {
            for chunk in bytes.as_chunks::<8>().0 {
                state = fold(state ^ u64::from_le_bytes(*chunk));
            }
        }
        fold(state ^ key)
    }
}

/// Where a spelling that is not in the table would go.
struct FreeSlot {
    key: u64,
    at: usize,
}

/// The last eight bytes of a spelling, or all of a shorter one. With the length it tells spellings of
/// up to eight bytes apart.
#[inline]
fn key(bytes: &[u8]) -> u64 {
    if let Some((_, last)) = bytes.split_last_chunk::<8>() {
        return u64::from_le_bytes(*last);
    }
    if let (Some((first, _)), Some((_, last))) =
        (bytes.split_first_chunk::<4>(), bytes.split_last_chunk::<4>())
    {
        return u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last));
    }
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(a) << 8 | u64::from(b),
        [a, b, c] => u64::from(a) << 16 | u64::from(b) << 8 | u64::from(c),
        _ => 0,
    }
}

#[inline]
fn fold(value: u64) -> u64 {
    let product = u128::from(value) * 0xe703_7ed1_a0b4_28db;
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_keep_their_numbers_and_words_come_back() {
        let mut interner = Interner::with_words(&["add", "s32", "L2::cache_hint"]);
        assert_eq!(interner.intern("s32"), Symbol(1));
        let long = "x".repeat(100);
        let words: Vec<String> = (0..5000)
            .map(|i| format!("%r{i}"))
            .chain([String::new(), "a".into(), "ab".into(), "abc".into(), long])
            .collect();
        let symbols: Vec<Symbol> = words.iter().map(|word| interner.intern(word)).collect();
        for (word, &symbol) in words.iter().zip(&symbols) {
            assert_eq!(interner.text(symbol), word);
            assert_eq!(interner.get(word), Some(symbol));
            assert_eq!(interner.intern(word), symbol);
        }
        assert_eq!(interner.len(), 3 + words.len());
        assert_eq!(interner.get("never seen"), None);
    }
}
