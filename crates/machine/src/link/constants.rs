//! The constants of linked code, which lie side by side in a block of their own.

use rustc_hash::FxHashMap;

use super::frame::MOST;
use crate::registers::Slot;

/// The constants of the code, each once.
#[derive(Default)]
pub struct Constants {
    pub bytes: Vec<u8>,
    known: FxHashMap<(u64, u8), u32>,
    /// There was no room for one.
    pub full: bool,
}

impl Constants {
    /// The slot of a constant of this width; for a predicate any value but 0 holds in every lane.
    pub fn slot(&mut self, value: u64, width: u8) -> Slot {
        let known = &mut self.known;
        let bytes = &mut self.bytes;
        let offset = *known.entry((value, width)).or_insert_with(|| {
            let size = Slot::register(0, width).size() as usize;
            let at = bytes.len().next_multiple_of(size.min(64));
            if at > MOST as usize - size {
                // One that exists; the code must not run.
                self.full = true;
                return 0;
            }
            bytes.resize(at + size, 0);
            if width == 0 {
                bytes[at..at + 4].fill(if value == 0 { 0 } else { 0xff });
            } else {
                // The upper half of 128 bits is zero, as ptxas has it.
                let raw = u128::from(value).to_le_bytes();
                let raw = &raw[..usize::from(width)];
                bytes[at..at + size].chunks_exact_mut(raw.len()).for_each(|lane| lane.copy_from_slice(raw));
            }
            at as u32
        });
        let mut slot = Slot::register(offset, width);
        slot.flags = Slot::CONSTANT;
        slot
    }
}
