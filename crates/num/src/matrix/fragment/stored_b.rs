//! B as it is stored, before it is decoded for products in blocks or in tiles.

use super::super::packed::Packed;
use super::shape::{LANES, QUAD_BITS};

/// The sixteen-byte units of B, which lie side by side along columns or along rows.
#[derive(Clone, Copy, Debug)]
pub enum StoredB<'a> {
    /// Registers: eight columns each, sixteen bytes of a column in a quad. Those of all columns come before the next ones of
    /// the first columns.
    Columns(&'a [[u32; LANES]]),
    /// Rows of eight columns: sixteen bytes each, elements of sixteen bits. Those of the first columns come first, of each
    /// eight in the order that [`ORDER_OF_ROWS`](super::ORDER_OF_ROWS) says.
    Rows(&'a [[u32; 4]]),
}

impl StoredB<'_> {
    /// How many rows B has, if these are so many blocks of eight columns.
    pub(in crate::matrix) fn depth(self, packed: Packed, blocks: usize) -> usize {
        match self {
            Self::Columns(registers) => registers.len() / blocks.max(1) * (QUAD_BITS / packed.bits),
            Self::Rows(rows) => rows.len() / blocks.max(1),
        }
    }
}
