//! Tiles: what the unit loads, multiplies and stores.

/// The rows of a tile.
pub(super) const ROWS: usize = 16;

/// The words of a row.
pub(super) const WORDS: usize = 16;

/// A row. It is a line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Row(pub [u32; WORDS]);

/// A tile, row after row.
pub(super) type Tile = [Row; ROWS];

/// A tile of zeros.
pub(super) const ZEROS: Tile = [Row([0; WORDS]); ROWS];

/// The tiles of so many blocks of eight columns. They go by twos.
pub(super) const fn tiles_of(blocks: usize) -> usize {
    2 * blocks.div_ceil(4)
}
