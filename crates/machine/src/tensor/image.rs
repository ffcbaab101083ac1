//! A box in shared memory, chunk by chunk.
#![allow(unsafe_code)]

use ptxvm_memory::chunk::{self, CHUNK};

use super::map::TensorMap;
use super::swizzle::Pattern;
use super::walk::Walk;

/// Where a box lies in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The host's pointer to its first byte.
    pointer: *mut u8,
    /// The address that the guest knows it by, in the window of shared memory: swizzles depend on it.
    address: u32,
    pattern: Pattern,
}

impl Image {
    /// The image of a map's boxes that begins there.
    ///
    /// # Safety
    /// [`Walk::extent`] bytes from the pointer on are shared memory that nothing frees while the image is used, the
    /// pointer is a multiple of 16, and the address is one of the swizzle's span ([`super::rules::broken_rule`] knows).
    pub unsafe fn new(map: &TensorMap, pointer: *mut u8, address: u32) -> Self {
        Self { pointer, address, pattern: map.swizzle.pattern() }
    }

    /// Whether chunks lie as in the tensor, except for their place.
    pub fn keeps_chunks(&self) -> bool {
        !self.pattern.has_flips()
    }

    /// Where the chunk at an offset of the image lies, and whether its halves are exchanged there.
    #[inline(always)]
    pub fn chunk(&self, at: u32) -> (*mut u8, bool) {
        let address = self.address.wrapping_add(at);
        let moved = self.pattern.place(address).wrapping_sub(self.address);
        (self.pointer.wrapping_offset(moved as i32 as isize), self.pattern.flips(address))
    }

    /// Copies whole chunks that lie side by side in global memory into the image.
    ///
    /// # Safety
    /// The chunks from `at` on are the image's, and as many at `from` are global memory that may be read.
    #[inline(always)]
    pub unsafe fn fill_from(&self, at: u32, from: *const u8, chunks: u32) {
        // SAFETY: the caller's promise; a swizzle exchanges chunks of the image.
        unsafe {
            if self.pattern.is_none() {
                return chunk::copy_many(self.chunk(at).0, from, chunks as usize);
            }
            for k in 0..chunks {
                chunk::copy(self.chunk(at + CHUNK as u32 * k).0, from.add(CHUNK * k as usize));
            }
        }
    }

    /// Copies whole chunks of the image to where they lie side by side in global memory.
    ///
    /// # Safety
    /// The chunks from `at` on are the image's, and as many at `to` are global memory that may be written.
    #[inline(always)]
    pub unsafe fn write_to(&self, at: u32, to: *mut u8, chunks: u32) {
        // SAFETY: as for `fill_from`.
        unsafe {
            if self.pattern.is_none() {
                return chunk::copy_many(to, self.chunk(at).0, chunks as usize);
            }
            for k in 0..chunks {
                chunk::copy(to.add(CHUNK * k as usize), self.chunk(at + CHUNK as u32 * k).0);
            }
        }
    }
}

/// The chunks of a row and what of each is in the tensor.
#[derive(Clone, Copy, Debug)]
pub struct Chunks {
    /// The bytes of global memory that belong to a chunk.
    packed: u32,
    /// The bytes of the row that are in the tensor: from here, to there.
    begin: u32,
    end: u32,
    /// How many chunks the row has.
    pub count: u32,
}

impl Chunks {
    /// Those of a walk's rows.
    pub fn new(walk: &Walk, map: &TensorMap) -> Self {
        Self {
            packed: map.element.packed(),
            begin: walk.before,
            end: walk.before + walk.inside,
            count: walk.image / CHUNK as u32,
        }
    }

    /// The same with what is in the tensor rounded up to whole chunks, as far as the row goes.
    pub fn rounded_up(self) -> Self {
        let end = self.end.next_multiple_of(CHUNK as u32).min(self.count * self.packed);
        Self { end: end.max(self.end), ..self }
    }

    /// The first of the chunks that are wholly in the tensor, and the first behind them.
    pub fn whole(&self) -> (u32, u32) {
        let first = self.begin.div_ceil(self.packed);
        (first, (self.end / self.packed).max(first))
    }

    /// The bytes of a chunk that are in the tensor, counted from the chunk's beginning; and where the first lies,
    /// counted from the row's first byte in the tensor.
    pub fn part(&self, chunk: u32) -> Option<(std::ops::Range<usize>, usize)> {
        let start = chunk * self.packed;
        let begin = self.begin.max(start);
        let end = self.end.min(start + self.packed);
        (begin < end)
            .then(|| ((begin - start) as usize..(end - start) as usize, (begin - self.begin) as usize))
    }
}
