//! Bytes of memory of which some bits are defined and others are not, as fields of bits leave them: they are few, so that
//! memory as a whole is known byte by byte, and of these more is kept.

use rustc_hash::FxHashMap;

use crate::init::home::Memory;

/// The most words of eight bytes of which this is known; bytes beyond count as defined.
const MOST: usize = 1 << 16;

/// The undefined bits of bytes that are partly defined, by word of eight bytes: 0 for any other byte.
#[derive(Debug, Default)]
pub struct Parts(FxHashMap<(Memory, u64), u64>);

impl Parts {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The undefined bits of a byte that is not written as a whole.
    pub fn of(&self, memory: Memory, address: u64) -> u8 {
        let word = self.0.get(&(memory, address & !7)).copied().unwrap_or(0);
        match (word >> (8 * (address & 7))) as u8 {
            0 => 0xff,
            bits => bits,
        }
    }

    /// These bits of a byte are undefined. Gives whether there was room to know it.
    pub fn set(&mut self, memory: Memory, address: u64, bits: u8) -> bool {
        let key = (memory, address & !7);
        if self.0.len() >= MOST && !self.0.contains_key(&key) {
            return false;
        }
        let at = 8 * (address & 7);
        let word = self.0.entry(key).or_insert(0);
        *word = *word & !(0xff << at) | u64::from(bits) << at;
        true
    }

    /// Some bytes are all defined or all undefined from now on.
    pub fn clear(&mut self, memory: Memory, address: u64, bytes: u64) {
        if self.0.is_empty() || bytes == 0 {
            return;
        }
        let end = address.saturating_add(bytes);
        let cleared = |word: u64| {
            let inside = |byte: &u64| (address..end).contains(&(word + byte));
            (0..8).filter(inside).fold(0u64, |all, byte| all | 0xff << (8 * byte))
        };
        if bytes / 8 > self.0.len() as u64 {
            self.0.retain(|(of, word), bits| {
                *bits &= !if *of == memory { cleared(*word) } else { 0 };
                *bits != 0
            });
            return;
        }
        for word in (address & !7..end).step_by(8) {
            if let Some(bits) = self.0.get_mut(&(memory, word)) {
                *bits &= !cleared(word);
                if *bits == 0 {
                    self.0.remove(&(memory, word));
                }
            }
        }
    }

    /// Memories that are gone.
    pub fn forget(&mut self, is_gone: impl Fn(&Memory) -> bool) {
        self.0.retain(|(memory, _), _| !is_gone(memory));
    }

    /// The words of a memory that have such bytes.
    pub fn words(&self, memory: Memory) -> Vec<(u64, u64)> {
        let of = self.0.iter().filter(|((of, _), _)| *of == memory);
        of.map(|((_, word), bits)| (*word, *bits)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_bytes_come_and_go() {
        let mut parts = Parts::default();
        assert!(parts.set(Memory::Global, 7, 0xe0) && parts.set(Memory::Global, 8, 0x01));
        assert_eq!((parts.of(Memory::Global, 7), parts.of(Memory::Global, 8)), (0xe0, 0x01));
        assert_eq!((parts.of(Memory::Global, 9), parts.of(Memory::Shared(0), 8)), (0xff, 0xff));
        parts.clear(Memory::Global, 0, 8);
        assert_eq!((parts.of(Memory::Global, 7), parts.of(Memory::Global, 8)), (0xff, 0x01));
        parts.clear(Memory::Global, 0, 1 << 40);
        assert!(parts.is_empty());
    }
}
