//! Bytes of guest memory that have been checked once, for many small touches: what a texture unit reads of an image.
#![allow(unsafe_code)]

use std::cell::RefCell;

use crate::access;

/// What has been read through a view: offsets and lengths, in the order of the reads.
pub type Reads = RefCell<Vec<(u64, usize)>>;

/// A run of guest memory on the host. It cannot be left: what lies beyond its end reads as zero and is not written.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    start: *mut u8,
    bytes: u64,
    reads: Option<&'a Reads>,
}

impl View<'static> {
    /// The bytes from `start` on.
    ///
    /// # Safety
    /// They lie in memory of this crate that nothing frees or accesses non-atomically while the view is used, as for
    /// [`access::load`], and the guest may write them if the view is written through.
    #[must_use]
    pub unsafe fn new(start: *mut u8, bytes: u64) -> Self {
        Self { start, bytes, reads: None }
    }
}

impl View<'_> {
    /// The same bytes, of which every read is noted.
    #[must_use]
    pub fn noting<'a>(&self, reads: &'a Reads) -> View<'a> {
        View { start: self.start, bytes: self.bytes, reads: Some(reads) }
    }

    /// Whether reads are noted, so that all must come through [`View::read`].
    #[must_use]
    pub fn is_noting(&self) -> bool {
        self.reads.is_some()
    }

    /// How many there are.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where they begin on the host, for loops over many lanes that check the bounds themselves.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Some bytes at an offset; zeros if they are not all within.
    #[must_use]
    #[inline]
    pub fn read<const N: usize>(&self, offset: u64) -> [u8; N] {
        let mut bytes = [0; N];
        if self.holds(offset, N) {
            if let Some(reads) = self.reads {
                reads.borrow_mut().push((offset, N));
            }
            // SAFETY: the bytes are within, and the maker of the view vouches for them.
            unsafe { access::copy_out(self.start.add(offset as usize), &mut bytes) };
        }
        bytes
    }

    /// Writes some bytes at an offset, unless they are not all within.
    #[inline]
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        if self.holds(offset, bytes.len()) {
            // SAFETY: as for reading.
            unsafe { access::copy_in(self.start.add(offset as usize), bytes) };
        }
    }

    #[inline]
    fn holds(&self, offset: u64, bytes: usize) -> bool {
        offset.checked_add(bytes as u64).is_some_and(|end| end <= self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AllocationKind, GlobalMemory};

    #[test]
    fn a_view_cannot_be_left() {
        let memory = GlobalMemory::new(1 << 20);
        let at = memory.allocate(8, 1, AllocationKind::Device, None).expect("there is room");
        memory.write(at, &[1, 2, 3, 4, 5, 6, 7, 8]).expect("it is allocated");
        let _lease = memory.lease();
        // SAFETY: the allocation lives, and the view keeps to its first six bytes.
        let view = unsafe { View::new(std::ptr::with_exposed_provenance_mut(at as usize), 6) };
        assert_eq!(view.read::<4>(2), [3, 4, 5, 6]);
        assert_eq!(view.read::<4>(3), [0; 4]);
        assert_eq!(view.read::<4>(u64::MAX - 1), [0; 4]);
        view.write(5, &[9]);
        view.write(5, &[9, 9]);
        let mut bytes = [0; 8];
        memory.read(at, &mut bytes).expect("it is allocated");
        assert_eq!(bytes, [1, 2, 3, 4, 5, 9, 7, 8]);
    }
}
