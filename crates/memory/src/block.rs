//! Blocks of host memory that ptxvm owns: zeroed, and lazy when they are big.
//!
//! The bytes are touched only through raw pointers and atomics, by many threads at once, so a block hands out
//! addresses and never references.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// What the host's allocator gives without asking for more. A stricter layout would make the standard library
/// write the zeros itself, which touches every page; with this one big blocks come from the system untouched, so
/// stricter alignments are made by asking for more bytes.
pub(crate) const NATURAL_ALIGNMENT: usize = 16;

/// An owned piece of host memory.
#[derive(Debug)]
pub(crate) struct Block {
    base: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a block is an owning pointer; nothing in it belongs to a thread.
unsafe impl Send for Block {}
// SAFETY: a shared block only gives its address and size; touching the bytes is up to unsafe code elsewhere.
unsafe impl Sync for Block {}

impl Block {
    /// Takes `bytes` zeroed bytes from the host, or nothing when it has none.
    pub(crate) fn zeroed(bytes: usize) -> Option<Block> {
        let layout = Layout::from_size_align(bytes.max(1), NATURAL_ALIGNMENT).ok()?;
        // SAFETY: the layout's size is not zero.
        let base = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        // Guest addresses are numbers; exposing says that numbers may become pointers into this block again.
        let _ = base.as_ptr().expose_provenance();
        Some(Block { base, layout })
    }

    /// The address of the first byte, a multiple of [`NATURAL_ALIGNMENT`].
    pub(crate) fn address(&self) -> usize {
        self.base.addr().get()
    }

    /// How many bytes there are.
    pub(crate) fn bytes(&self) -> usize {
        self.layout.size()
    }

    /// The first byte whose address is a multiple of `alignment` (a power of two).
    pub(crate) fn aligned(&self, alignment: usize) -> *mut u8 {
        let skip = self.address().wrapping_neg() & (alignment - 1);
        self.base.as_ptr().wrapping_add(skip)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the memory came from `alloc_zeroed` with this very layout and is given back once.
        unsafe { dealloc(self.base.as_ptr(), self.layout) }
    }
}
