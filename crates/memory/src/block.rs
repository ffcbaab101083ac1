//! Blocks of host memory that ptxvm owns: zeroed, and lazy when they are big.
//!
//! The bytes are touched only through raw pointers and atomics, by many threads at once, so a block hands out
//! addresses and never references.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::Arc;

use crate::budget::{Budget, Charge};

/// What the host's allocator gives without asking for more. A stricter layout would make the standard library
/// write the zeros itself, which touches every page; with this one big blocks come from the system untouched, so
/// stricter alignments are made by asking for more bytes.
pub(crate) const NATURAL_ALIGNMENT: usize = 16;

/// Blocks from this size on are mapped: they take no more of the host than the guest touches, and the host has them back
/// when they are dropped. An allocator keeps what is given back, for each of its threads, and a budget would not know.
const BIG: usize = 1 << 20;

/// An owned piece of host memory.
#[derive(Debug)]
pub struct Block {
    base: NonNull<u8>,
    layout: Layout,
    /// Whether it came from the system itself, not from the allocator.
    mapped: bool,
    _charge: Charge,
}

// SAFETY: a block is an owning pointer; nothing in it belongs to a thread.
unsafe impl Send for Block {}
// SAFETY: a shared block only gives its address and size; touching the bytes is up to unsafe code elsewhere.
unsafe impl Sync for Block {}

impl Block {
    /// Takes `bytes` zeroed bytes from the host, or nothing when it or the budget has none.
    #[must_use]
    pub fn zeroed(bytes: usize, budget: &Arc<Budget>) -> Option<Block> {
        let charge = budget.charge(bytes as u64).ok()?;
        let layout = Layout::from_size_align(bytes.max(1), NATURAL_ALIGNMENT).ok()?;
        let mapped = bytes >= BIG && cfg!(all(target_os = "linux", not(miri)));
        let base = if mapped {
            map(layout.size())?
        } else {
            // SAFETY: the layout's size is not zero.
            NonNull::new(unsafe { alloc_zeroed(layout) })?
        };
        // Guest addresses are numbers; exposing says that numbers may become pointers into this block again.
        let _ = base.as_ptr().expose_provenance();
        Some(Block { base, layout, mapped, _charge: charge })
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
    ///
    /// # Panics
    /// Without optimisation: there are too few bytes for it.
    #[must_use]
    pub fn aligned(&self, alignment: usize) -> *mut u8 {
        let skip = self.address().wrapping_neg() & (alignment - 1);
        debug_assert!(
            skip <= self.bytes(),
            "a block of {} bytes has no multiple of {alignment}",
            self.bytes()
        );
        self.base.as_ptr().wrapping_add(skip)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if self.mapped {
            unmap(self.base, self.layout.size());
        } else {
            // SAFETY: the memory came from `alloc_zeroed` with this very layout and is given back once.
            unsafe { dealloc(self.base.as_ptr(), self.layout) }
        }
    }
}

/// Maps zeroed pages. Nothing is reserved for them: a program that allocates a whole GPU's memory and touches a
/// little of it must run on a host that has less.
#[cfg(target_os = "linux")]
fn map(bytes: usize) -> Option<NonNull<u8>> {
    let (protection, flags) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping at a place that the system chooses takes nothing from anybody.
    let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    if base == libc::MAP_FAILED { None } else { NonNull::new(base.cast()) }
}

#[cfg(target_os = "linux")]
fn unmap(base: NonNull<u8>, bytes: usize) {
    // SAFETY: the pages are a mapping of ours, given back once.
    unsafe { libc::munmap(base.as_ptr().cast(), bytes) };
}

#[cfg(not(target_os = "linux"))]
fn map(_: usize) -> Option<NonNull<u8>> {
    None
}

#[cfg(not(target_os = "linux"))]
fn unmap(_: NonNull<u8>, _: usize) {}
