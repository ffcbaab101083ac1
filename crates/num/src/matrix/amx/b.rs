//! B in tiles, sixteen columns each: of each block of eight the even ones, and then the odd ones, as lanes hold D.

use super::super::by_format::{ByFormat, IEEE, OfFormat};
use super::super::fragment::{LANES, ORDER_OF_ROWS, StoredB};
use super::super::integer::IntegerElement;
use super::super::packed::Packed;
use super::super::tile::dispatch::{Work, dispatch};
use super::super::tile::quads::Quads;
use super::factors::{Seen, both, halves, pairs, values};
use super::tile::{Tile, WORDS, ZEROS, tiles_of};
use super::unit::Kind;
use crate::level::Level;

/// Some blocks of eight columns.
#[derive(Clone, Debug, Default)]
pub struct AmxB {
    tiles: Vec<Tile>,
    blocks: usize,
    kind: Kind,
    suits: bool,
}

impl AmxB {
    /// Makes it the matrix of so many blocks that is stored like this.
    pub fn decode(&mut self, packed: Packed, negate: bool, blocks: usize, from: StoredB<'_>) {
        self.resize(blocks, Kind::of(packed, from.depth(packed, blocks)));
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, ByFormat(packed, Decode { flip, from, to: self }));
    }

    /// The same of bytes that those of an A are multiplied with, in registers of so many columns.
    pub fn copy_bytes(&mut self, elements: [IntegerElement; 2], blocks: usize, registers: &[[u32; LANES]]) {
        let depth = 16 * (registers.len() / blocks.max(1));
        self.resize(blocks, Kind::of_bytes(elements, depth).unwrap_or_default());
        self.suits = true;
        dispatch(Level::V4, CopyBytes { registers, to: self });
    }

    fn resize(&mut self, blocks: usize, kind: Kind) {
        if (self.blocks, self.kind) != (blocks, kind) {
            // The last tiles may have columns of no block.
            self.tiles.clear();
            self.tiles.resize(tiles_of(blocks), ZEROS);
        }
        (self.blocks, self.kind) = (blocks, kind);
    }

    /// Puts four columns of words to their place, one row after the other from one on, so many rows apart.
    #[inline(always)]
    fn store(&mut self, (block, parity): (usize, usize), first: usize, apart: usize, words: &[u32; WORDS]) {
        let rows = self.tiles[block / 2].iter_mut().skip(first).step_by(apart);
        let at = 4 * (block % 2 * 2 + parity);
        for (row, words) in rows.zip(words.as_chunks::<4>().0) {
            row.0[at..at + 4].copy_from_slice(words);
        }
    }

    /// Whether the unit multiplies its factors as they are.
    #[must_use]
    pub const fn suits(&self) -> bool {
        self.suits
    }

    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }
}

struct Decode<'a> {
    flip: u32,
    from: StoredB<'a>,
    to: &'a mut AmxB,
}

impl OfFormat for Decode<'_> {
    #[inline(always)]
    fn run<
        V: Quads,
        const BITS: usize,
        const EXPONENT: u32,
        const MANTISSA: u32,
        const BELOW: u32,
        const TOP: u8,
    >(
        self,
    ) {
        let Self { flip, from, to } = self;
        to.suits = match from {
            StoredB::Columns(registers) => {
                to.columns::<V, BITS, EXPONENT, MANTISSA, BELOW, TOP>(flip, registers)
            }
            StoredB::Rows(rows) if MANTISSA > 7 => to.rows_of_halves::<V>(flip, rows),
            StoredB::Rows(rows) => to.rows_of_pairs::<EXPONENT, MANTISSA, BELOW, TOP>(flip, rows),
        };
    }
}

struct CopyBytes<'a> {
    registers: &'a [[u32; LANES]],
    to: &'a mut AmxB,
}

impl Work for CopyBytes<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self { registers, to } = self;
        for (index, register) in registers.iter().enumerate() {
            let (block, quad) = (index % to.blocks, index / to.blocks);
            for (parity, words) in V::turn_quads(register).iter().enumerate() {
                to.store((block, parity), 4 * quad, 1, words);
            }
        }
    }
}

/// Where each word of a row of two blocks goes: the even columns of a block come before the odd ones.
const EVEN_FIRST: [usize; WORDS] = [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15];

/// The words of a row in the order of a tile's columns.
#[inline(always)]
fn even_first(words: &[u32; WORDS]) -> [u32; WORDS] {
    let mut sorted = [0; WORDS];
    for place in 0..WORDS {
        sorted[place] = words[EVEN_FIRST[place]];
    }
    sorted
}

impl AmxB {
    /// From columns: each word of a register has one group or two.
    #[inline(always)]
    fn columns<
        V: Quads,
        const BITS: usize,
        const EXPONENT: u32,
        const MANTISSA: u32,
        const BELOW: u32,
        const TOP: u8,
    >(
        &mut self,
        flip: u32,
        registers: &[[u32; LANES]],
    ) -> bool {
        let mut seen = Seen::NOTHING;
        let numbers = if MANTISSA > 7 { 1 } else { 2 };
        let groups = 32 / BITS / numbers;
        for (index, register) in registers.iter().enumerate() {
            let (block, quad) = (index % self.blocks, index / self.blocks);
            for (parity, words) in V::turn_quads(register).iter().enumerate() {
                for group in 0..groups {
                    let bit = group * numbers * BITS;
                    let low = values::<16, EXPONENT, MANTISSA, BELOW>(words, bit, flip, &mut seen);
                    let words = if MANTISSA > 7 {
                        both(&low)
                    } else {
                        let bit = bit + BITS;
                        pairs(&low, &values::<16, EXPONENT, MANTISSA, BELOW>(words, bit, flip, &mut seen))
                    };
                    self.store((block, parity), 4 * groups * quad + group, groups, &words);
                }
            }
        }
        seen.suits::<EXPONENT, MANTISSA, TOP>()
    }

    /// From rows of f16. All rows of a block come before those of the next one.
    #[inline(always)]
    fn rows_of_halves<V: Quads>(&mut self, flip: u32, rows: &[[u32; 4]]) -> bool {
        let mut seen = Seen::NOTHING;
        let depth = self.kind.words.max(1);
        for (tile, rows) in self.tiles.iter_mut().zip(rows.chunks(2 * depth)) {
            let (left, right) = rows.split_at(depth);
            for (index, left) in left.iter().enumerate() {
                let units = [*left, right.get(index).copied().unwrap_or_default()];
                let Some(words) = units.as_flattened().as_array() else { continue };
                let row = index / 8 * 8 + ORDER_OF_ROWS[index % 8];
                tile[row].0 = even_first(&both(&halves::<V>(words, flip, &mut seen)));
            }
        }
        seen.suits::<5, 10, { IEEE }>()
    }

    /// From rows of bf16, two of which share the words of a row.
    #[inline(always)]
    fn rows_of_pairs<const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(
        &mut self,
        flip: u32,
        rows: &[[u32; 4]],
    ) -> bool {
        let mut seen = Seen::NOTHING;
        let depth = 2 * self.kind.words.max(1);
        for (tile, rows) in self.tiles.iter_mut().zip(rows.chunks(2 * depth)) {
            let unit = |index: usize| rows.get(index).copied().unwrap_or_default();
            for (pair, row) in tile[..depth / 2].iter_mut().enumerate() {
                // The even rows of each eight come before the odd ones.
                let index = pair / 4 * 8 + pair % 4;
                let mut both = [[0.0; WORDS]; 2];
                for (odd, values_of) in both.iter_mut().enumerate() {
                    let units = [unit(index + 4 * odd), unit(depth + index + 4 * odd)];
                    let mut twos = [0; WORDS];
                    for (two, word) in twos.as_chunks_mut::<2>().0.iter_mut().zip(units.as_flattened()) {
                        *two = [word & 0xffff, word >> 16];
                    }
                    *values_of = values::<WORDS, EXPONENT, MANTISSA, BELOW>(&twos, 0, flip, &mut seen);
                }
                row.0 = even_first(&pairs(&both[0], &both[1]));
            }
        }
        seen.suits::<EXPONENT, MANTISSA, TOP>()
    }
}
