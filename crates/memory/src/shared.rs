//! The shared memory of one CTA.

use std::sync::Arc;

use crate::access;
use crate::block::Block;
use crate::budget::Budget;
use crate::error::OutOfRange;

/// Shared variables may ask for alignments up to this, and bulk copies need it.
const ALIGNMENT: usize = 128;

/// The bytes of one CTA's shared memory. They are used again for the next CTA.
#[derive(Debug)]
pub struct SharedMemory {
    block: Option<Block>,
    size: usize,
    budget: Arc<Budget>,
}

impl SharedMemory {
    /// `size` zeroed bytes of a budget, or nothing when it or the host has no memory for them. No bytes take no memory.
    #[must_use]
    pub fn new(size: usize, budget: &Arc<Budget>) -> Option<Self> {
        let mut memory = SharedMemory { block: None, size: 0, budget: Arc::clone(budget) };
        memory.resize(size).then_some(memory)
    }

    /// Gives the memory another size; the bytes are left as they are or zero. Tells whether the host could.
    #[must_use]
    pub fn resize(&mut self, size: usize) -> bool {
        if size > self.capacity() {
            let block = size.checked_add(ALIGNMENT).and_then(|bytes| Block::zeroed(bytes, &self.budget));
            let Some(block) = block else { return false };
            self.block = Some(block);
        }
        self.size = size;
        true
    }

    fn capacity(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.bytes() - ALIGNMENT)
    }

    /// How many bytes there are.
    #[inline(always)]
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.size
    }

    /// The first byte, at a multiple of 128. [`Self::bytes`] bytes may be touched through it, atomically, until
    /// the memory is resized or dropped.
    #[inline]
    #[must_use]
    pub fn pointer(&self) -> *mut u8 {
        match &self.block {
            Some(block) => block.aligned(ALIGNMENT),
            None => std::ptr::without_provenance_mut(ALIGNMENT),
        }
    }

    /// Sets all bytes: zero, or a pattern that shows who reads what nobody wrote. Nobody else can be at them.
    pub fn reset(&mut self, byte: u8) {
        // SAFETY: all `size` bytes belong to this memory, and the exclusive borrow means that no access through
        // the memory is under way.
        unsafe { self.pointer().write_bytes(byte, self.size) };
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
