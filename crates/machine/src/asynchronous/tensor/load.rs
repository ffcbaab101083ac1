//! From global memory to shared memory: rows of the tensor, and the fill where there is no tensor.
#![allow(unsafe_code)]

use std::ops::ControlFlow;

use ptxvm_memory::access;
use ptxvm_num::Rounding;
use ptxvm_num::convert::{Modifiers, tf32_from_f32};
use ptxvm_tensor::{Row, TensorMap, Walk};

use crate::asynchronous::tensor::image::{Chunks, Image};
use crate::door::pointer::global;

/// Copies an access's rows into the image.
///
/// # Safety
/// The image was made for this map and walk, and no rule is broken. The bytes of each row ([`Walk::inside`] at its
/// address) are global memory that may be read.
pub unsafe fn load(walk: &Walk, map: &TensorMap, image: Image) {
    let how = ChunkLoad {
        chunks: Chunks::new(walk, map),
        image,
        fill: map.fill.chunk(),
        rounds: map.element.is_tf32(),
        written: map.element.packed() as usize,
    };
    let plain = image.keeps_chunks() && !how.rounds && how.written == 16;
    let (first, end) = how.chunks.whole();
    let _ = walk.stretches(|stretch| {
        // SAFETY: the caller's promise; the whole chunks of a row that is in the tensor are among its bytes there.
        unsafe {
            match stretch.first.address {
                Some(address) if plain => {
                    let from = global(address).wrapping_add((16 * first - walk.before) as usize);
                    image.copy_rows::<true>(stretch, 16 * first, from, end - first);
                    if first != 0 || end != how.chunks.count {
                        for row in stretch.rows() {
                            (0..first).chain(end..how.chunks.count).for_each(|chunk| how.chunk(row, chunk));
                        }
                    }
                }
                _ => {
                    for row in stretch.rows() {
                        (0..how.chunks.count).for_each(|chunk| how.chunk(row, chunk));
                    }
                }
            }
        }
        ControlFlow::<()>::Continue(())
    });
}

/// What is done with a chunk that is not simply copied.
struct ChunkLoad {
    chunks: Chunks,
    image: Image,
    fill: u128,
    rounds: bool,
    /// The bytes of a chunk that are written; what is after them stays as it was.
    written: usize,
}

impl ChunkLoad {
    /// Puts together one chunk of a row.
    ///
    /// # Safety
    /// As for [`load`].
    unsafe fn chunk(&self, row: Row, chunk: u32) {
        let mut value = self.fill;
        if let Some(address) = row.address
            && let Some((part, offset)) = self.chunks.part(chunk)
        {
            let mut bytes = [0; 16];
            // SAFETY: these bytes of the row are in the tensor.
            unsafe { access::copy_out(global(address).wrapping_add(offset), &mut bytes[part.clone()]) };
            let found = u128::from_le_bytes(bytes);
            let found = if self.rounds { round_chunk(found) } else { found };
            let mask = (u128::MAX >> (8 * (16 - part.len()))) << (8 * part.start);
            value = value & !mask | found & mask;
        }
        let (to, flips) = self.image.chunk(row.at + 16 * chunk);
        let value = if flips { value.rotate_left(64) } else { value };
        // SAFETY: the chunk is the image's.
        unsafe { access::copy_in(to, &value.to_le_bytes()[..self.written]) };
    }
}

/// Four words as a load of tf32 leaves them: rounded to the nearest, as `cvt.rn.tf32` does.
fn round_chunk(chunk: u128) -> u128 {
    (0..4).fold(0, |rounded, word| {
        let bits = (chunk >> (32 * word)) as u32;
        rounded | u128::from(tf32_from_f32(bits, Rounding::Rn, Modifiers::default())) << (32 * word)
    })
}
