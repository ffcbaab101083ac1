//! The shared memory of one CTA.
#![allow(unsafe_code)]

use std::sync::Arc;

use crate::access;
use crate::block::Block;
use crate::budget::Budget;
use crate::error::OutOfRange;
use crate::slack::{self, SLACK};

/// Shared variables may ask for alignments up to this, and bulk copies need it.
const ALIGNMENT: usize = 128;

/// A GPU gives a CTA shared memory in pieces of so many bytes, and checks no finer (measured on an H200).
pub const GRANULE: usize = 128;

/// What a block has more than the memory in it.
const AROUND: usize = ALIGNMENT + 2 * SLACK;

/// The bytes of one CTA's shared memory, with some before and after them that belong to nobody. They are used again for
/// the next CTA.
#[derive(Debug)]
pub struct SharedMemory {
    block: Option<Block>,
    size: usize,
    /// How many bytes somebody may have written since the block came zeroed.
    used: usize,
    budget: Arc<Budget>,
}

impl SharedMemory {
    /// `size` zeroed bytes of a budget, or nothing when it or the host has no memory for them. No bytes take no memory.
    #[must_use]
    pub fn new(size: usize, budget: &Arc<Budget>) -> Option<Self> {
        let mut memory = SharedMemory { block: None, size: 0, used: 0, budget: Arc::clone(budget) };
        memory.resize(size).then_some(memory)
    }

    /// Gives the memory another size; the bytes are left as they are or zero. Tells whether the host could.
    #[must_use]
    pub fn resize(&mut self, size: usize) -> bool {
        if size == self.size {
            return true;
        }
        let Some(whole) = size.checked_next_multiple_of(GRANULE) else { return false };
        if whole > self.capacity() {
            let block = whole.checked_add(AROUND).and_then(|bytes| Block::zeroed(bytes, &self.budget));
            let Some(block) = block else { return false };
            self.open_slack();
            (self.block, self.used) = (Some(block), 0);
        }
        self.open_slack();
        self.size = size;
        self.used = self.used.max(whole);
        // What a larger memory held is no slack.
        let stale = (self.used - size).min(whole - size + SLACK);
        // SAFETY: no more than `used` bytes are touched, all of which belong to this memory, and the exclusive borrow
        // means that no access through it is under way.
        unsafe { self.pointer().add(size).write_bytes(0, stale) };
        self.close_slack();
        true
    }

    /// How large the memory can become where it is.
    fn capacity(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.bytes() - AROUND)
    }

    /// Says that nothing may touch what lies around the memory.
    fn close_slack(&self) {
        if self.block.is_some() {
            slack::close(self.pointer().wrapping_sub(SLACK), SLACK);
            slack::close(self.pointer().wrapping_add(self.whole_bytes()), SLACK);
        }
    }

    /// Takes back what [`Self::close_slack`] said.
    fn open_slack(&self) {
        if self.block.is_some() {
            slack::open(self.pointer().wrapping_sub(SLACK), SLACK);
            slack::open(self.pointer().wrapping_add(self.whole_bytes()), SLACK);
        }
    }

    /// How many bytes there are.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.size
    }

    /// The same with the rest of the last [`GRANULE`], which nobody asked for and a GPU lets a CTA touch.
    #[must_use]
    pub fn whole_bytes(&self) -> usize {
        self.size.next_multiple_of(GRANULE)
    }

    /// The first byte, at a multiple of 128. [`Self::whole_bytes`] bytes may be touched through it, atomically, until
    /// the memory is resized or dropped.
    #[inline]
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        match &self.block {
            Some(block) => block.aligned(ALIGNMENT).wrapping_add(SLACK),
            None => std::ptr::without_provenance_mut(ALIGNMENT),
        }
    }

    /// Sets all bytes: zero, or a pattern that shows who reads what nobody wrote. Nobody else can be at them.
    pub fn reset(&mut self, byte: u8) {
        // Where there are none, `memset` may still name their address to a masked store, and a store to a page that is
        // not there takes hundreds of cycles even if its mask is empty.
        if self.size == 0 {
            return;
        }
        // SAFETY: all these bytes belong to this memory, and the exclusive borrow means that no access through it is
        // under way.
        unsafe { self.pointer().write_bytes(byte, self.whole_bytes()) };
    }

    fn checked(&self, offset: u64, bytes: usize) -> Result<*mut u8, OutOfRange> {
        match usize::try_from(offset) {
            Ok(at) if at <= self.size && bytes <= self.size - at => Ok(self.pointer().wrapping_add(at)),
            _ => Err(OutOfRange { offset, bytes: bytes as u64, size: self.size as u64 }),
        }
    }

    /// Copies bytes out.
    pub fn read(&self, offset: u64, to: &mut [u8]) -> Result<(), OutOfRange> {
        let from = self.checked(offset, to.len())?;
        // SAFETY: the bytes have been checked to lie in the memory, which the borrow keeps.
        unsafe { access::copy_out(from, to) };
        Ok(())
    }

    /// Copies bytes in.
    pub fn write(&self, offset: u64, from: &[u8]) -> Result<(), OutOfRange> {
        let to = self.checked(offset, from.len())?;
        // SAFETY: as for reading.
        unsafe { access::copy_in(to, from) };
        Ok(())
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        self.open_slack();
    }
}
