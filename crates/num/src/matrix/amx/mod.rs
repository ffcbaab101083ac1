//! Products by the host's own matrix unit: AMX, which multiplies tiles of bf16 and adds in f32.
//!
//! Formats of at most eight significant bits are bf16 as they are. An f16 or a tf32 is exactly the sum of two: its upper
//! eight significant bits and the other three. All four products of such halves are made, so that what is multiplied is
//! exact, and only the additions in f32 round. The unit takes numbers below 2^-126 for zero. What is not itself in bf16,
//! or has no number at all, is left to others ([`AmxA::suits`], [`AmxB::suits`]): NaN, infinity, and factors that small.
//!
//! Bytes it multiplies too, and adds exactly in 32 bits, so that products of integers are the same with it.
//!
//! D stays in tiles from one product to the next ([`AmxD`]), and products are made several at a time, since the unit
//! sleeps when it has had nothing to do for a microsecond and takes half of one to wake. A tile has 16 rows and the columns
//! of two blocks, those of each quad's lanes side by side.

mod a;
mod b;
mod choice;
mod d;
mod factors;
mod tile;
mod unit;

pub use a::AmxA;
pub use b::AmxB;
pub use choice::{is_there, without};
pub use d::AmxD;

use super::integer::IntegerElement;
use super::packed::Packed;
use tile::ROWS;
use unit::Kind;

/// Whether rows of so many bytes of A and of B are such, and fit a tile.
#[must_use]
pub const fn fits_bytes(elements: [IntegerElement; 2], depth: usize) -> bool {
    match Kind::of_bytes(elements, depth) {
        Some(kind) => kind.words <= ROWS && depth.is_multiple_of(16),
        None => false,
    }
}

/// Whether rows of so many factors fit a tile.
#[must_use]
pub const fn fits(packed: Packed, depth: usize) -> bool {
    Kind::of(packed, depth).words <= ROWS && packed.bits >= 8 && (depth * packed.bits).is_multiple_of(128)
}
