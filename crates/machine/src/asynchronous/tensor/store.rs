//! From shared memory to global memory: rows of the box, as far as they are in the tensor.
//!
//! The copy engine writes whole chunks of 16 bytes: where the tensor ends in the middle of one, what is past the end
//! is overwritten too, which lies in the padding of the row. Sixteen 6-bit values that have a byte each in shared
//! memory are packed into 12 bytes (`.b6p2x16`).
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_memory::access;
use ptxvm_tensor::{Row, TensorMap, Walk};

use crate::asynchronous::tensor::image::{Chunks, Image};
use crate::door::pointer::global;

/// How much of the chunk is written in which the tensor ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// All of it, as an H200 does.
    WholeChunk,
    /// What is in the tensor: for a chunk that is not all in the allocation.
    Exact,
}

/// The bytes at a row's address that a store writes.
#[must_use]
pub fn written(walk: &Walk, edge: Edge) -> u64 {
    match edge {
        Edge::Exact => u64::from(walk.inside),
        Edge::WholeChunk => {
            let end = (walk.before + walk.inside).next_multiple_of(16).min(walk.row);
            u64::from(end.saturating_sub(walk.before).max(walk.inside))
        }
    }
}

/// Copies the image's rows to where they are in the tensor.
///
/// # Safety
/// The image was made for this map and walk, and no rule is broken. [`written`] bytes at each row's address are global
/// memory that may be written.
pub unsafe fn store(walk: &Walk, map: &TensorMap, image: Image, edge: Edge) {
    let chunks = Chunks::new(walk, map);
    let chunks = if edge == Edge::WholeChunk { chunks.rounded_up() } else { chunks };
    let plain = image.keeps_chunks() && map.element.packed() == 16;
    let (first, end) = chunks.whole();
    let _ = walk.stretches(|stretch| {
        let Some(address) = stretch.first.address else { return ControlFlow::<()>::Continue(()) };
        // SAFETY: the caller's promise; the whole chunks of a row are among its bytes in the tensor.
        unsafe {
            if plain {
                let to = global(address).wrapping_add((16 * first - walk.before) as usize);
                image.copy_rows::<false>(stretch, 16 * first, to, end - first);
            }
            let (first, end) = if plain { (first, end) } else { (0, 0) };
            if first != 0 || end != chunks.count {
                for row in stretch.rows() {
                    (0..first)
                        .chain(end..chunks.count)
                        .for_each(|chunk| part(map, &chunks, image, row, chunk));
                }
            }
        }
        ControlFlow::Continue(())
    });
}

/// Writes what of a chunk is in the tensor.
///
/// # Safety
/// As for [`store`].
unsafe fn part(map: &TensorMap, chunks: &Chunks, image: Image, row: Row, chunk: u32) {
    let (Some(address), Some((part, offset))) = (row.address, chunks.part(chunk)) else { return };
    // SAFETY: the caller's promise.
    let value = unsafe { chunk_of(image, row, chunk) };
    let value = if map.element.packed() == 12 { pack_six_bits(value) } else { value };
    // SAFETY: these bytes of the row are in the tensor.
    unsafe { access::copy_in(global(address).wrapping_add(offset), &value.to_le_bytes()[part]) };
}

/// A chunk of the image, as it is without swizzle.
///
/// # Safety
/// The row is one of the walk that the image was made for, and has that chunk.
pub(super) unsafe fn chunk_of(image: Image, row: Row, chunk: u32) -> u128 {
    let (from, flips) = image.chunk(row.at + 16 * chunk);
    // SAFETY: who made the image has promised that its chunks are there and aligned.
    let value: u128 = unsafe { access::load(from) };
    if flips { value.rotate_left(64) } else { value }
}

/// The lower six bits of each of sixteen bytes, side by side.
fn pack_six_bits(bytes: u128) -> u128 {
    (0..16).fold(0, |packed, k| packed | (bytes >> (8 * k) & 0x3f) << (6 * k))
}
