//! A box in shared memory, chunk by chunk.
#![allow(unsafe_code)]

use ptxvm_memory::chunk::{self, CHUNK};
use ptxvm_tensor::swizzle::{LINE, Pattern};
use ptxvm_tensor::walk::Stretch;
use ptxvm_tensor::{TensorMap, Walk};

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
    /// [`Walk::extent`] bytes from the pointer on ([`Walk::extent_inside`] for a store) are shared memory that nothing
    /// frees while the image is used, the pointer is a multiple of 16, and the address of 128.
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

    /// Copies `chunks` whole chunks of each row of a stretch: into the image if `IN`, and out of it otherwise. They begin
    /// `skip` bytes after the row's beginning in the image, and at `global` for the first row.
    ///
    /// # Safety
    /// The chunks are the image's, and those of global memory may be read, or written.
    pub unsafe fn copy_rows<const IN: bool>(
        &self,
        stretch: Stretch,
        skip: u32,
        global: *mut u8,
        chunks: u32,
    ) {
        let (at, pitch, step) = (stretch.first.at + skip, stretch.pitch as usize, stretch.step as usize);
        if self.pattern.is_none() {
            let (shared, _) = self.chunk(at);
            let (to, from, to_step, from_step) =
                if IN { (shared, global, pitch, step) } else { (global, shared, step, pitch) };
            // SAFETY: the caller's promise.
            return unsafe {
                chunk::copy_rows(to, from, chunk::Rows { count: stretch.count, chunks, to_step, from_step })
            };
        }
        for row in 0..stretch.count {
            let at = at.wrapping_add(stretch.pitch.wrapping_mul(row));
            let global = global.wrapping_add(step.wrapping_mul(row as usize));
            if IN {
                chunk::prefetch(
                    global.wrapping_add(chunk::AHEAD.wrapping_mul(step)),
                    CHUNK * chunks as usize,
                );
            }
            // SAFETY: the caller's promise; a swizzle exchanges chunks of the image.
            unsafe {
                if chunks == 8 && self.address.wrapping_add(at).is_multiple_of(LINE) {
                    // A whole line, as most rows with a swizzle of 128 bytes are.
                    let (line, key) = self.line(at);
                    for k in 0..8 {
                        copy_one::<IN>(line.wrapping_add((CHUNK * k) ^ key), global.wrapping_add(CHUNK * k));
                    }
                } else {
                    for k in 0..chunks as usize {
                        let (shared, _) = self.chunk(at + (CHUNK * k) as u32);
                        copy_one::<IN>(shared, global.wrapping_add(CHUNK * k));
                    }
                }
            }
        }
    }

    /// Copies rows of another image of the same map and place, of chunks as they lie in the tensor.
    ///
    /// # Safety
    /// Both images have the chunks.
    pub unsafe fn copy_image(&self, from: &Self, stretch: Stretch, row: u32) {
        let (at, pitch) = (stretch.first.at, stretch.pitch as usize);
        let lines = row.is_multiple_of(LINE) && self.address.wrapping_add(at).is_multiple_of(LINE);
        if self.pattern.is_none() || lines && stretch.pitch.is_multiple_of(LINE) {
            // What a swizzle exchanges lies in one row.
            let chunks = row / CHUNK as u32;
            let rows = chunk::Rows { count: stretch.count, chunks, to_step: pitch, from_step: pitch };
            let (to, from) = (self.pointer.wrapping_add(at as usize), from.pointer.wrapping_add(at as usize));
            // SAFETY: the caller's promise.
            return unsafe { chunk::copy_rows(to, from, rows) };
        }
        for at in (0..stretch.count).map(|row| at.wrapping_add(stretch.pitch.wrapping_mul(row))) {
            for at in (at..at + row).step_by(CHUNK) {
                // SAFETY: the caller's promise.
                unsafe { chunk::copy(self.chunk(at).0, from.chunk(at).0) };
            }
        }
    }

    /// Where the line at an offset of the image lies, and what its chunks' offsets are exclusive-ored with.
    #[inline(always)]
    fn line(&self, at: u32) -> (*mut u8, usize) {
        let address = self.address.wrapping_add(at);
        (self.pointer.wrapping_add(at as usize), (self.pattern.place(address) ^ address) as usize)
    }
}

/// Copies a chunk of shared memory from or to global memory.
///
/// # Safety
/// As for [`chunk::copy`].
#[inline(always)]
unsafe fn copy_one<const IN: bool>(shared: *mut u8, global: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe { if IN { chunk::copy(shared, global) } else { chunk::copy(global, shared) } }
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

    /// The first of the chunks that are wholly in the tensor, and the first after them.
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
