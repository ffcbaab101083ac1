//! A and B in tiles, made of what lanes hold in their registers.
//!
//! A word of a row of A meets the word of B in the row of the same number: two bf16 each. Of split numbers, A has one half
//! twice in a word, in a tile for each half, and B has both halves in one word. Others share words by twos.

use std::marker::PhantomData;

use super::super::decode::{OfFormat, of_format};
use super::super::fragment::LANES;
use super::super::packed::Packed;
use super::super::tile::dispatch::{Work, dispatch};
use super::super::tile::quads::Quads;
use super::factors::{Odd, both, halves, is_split, pairs, twice, values};
use super::tile::{ROWS, Tile, ZEROS, tiles_of};
use super::unit::Kind;
use crate::level::Level;

/// How rows of so many factors are multiplied.
const fn kind(packed: Packed, depth: usize) -> Kind {
    let is_split = is_split(packed.element);
    Kind { words: if is_split { depth } else { depth / 2 }, is_split }
}

/// Sixteen rows of A.
#[derive(Clone, Debug)]
pub struct AmxA {
    parts: [Tile; 2],
    kind: Kind,
    suits: bool,
}

impl Default for AmxA {
    fn default() -> Self {
        Self { parts: [ZEROS; 2], kind: Kind::default(), suits: true }
    }
}

impl AmxA {
    /// Makes it the matrix of these registers, as [`FragmentA`](super::super::fragment::FragmentA) does of two blocks;
    /// [`super::fits`] has said that it can.
    pub fn decode(&mut self, packed: Packed, negate: bool, registers: &[[u32; LANES]]) {
        let depth = registers.len() / 2 * 128 / packed.bits;
        self.kind = kind(packed, depth);
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, DecodeA { packed, flip, registers, to: self });
    }

    /// Whether the unit multiplies its factors as they are.
    #[must_use]
    pub const fn suits(&self) -> bool {
        self.suits
    }

    pub(super) const fn kind(&self) -> Kind {
        self.kind
    }

    /// What is multiplied with B, one after the other.
    pub(super) const fn parts(&self) -> &[Tile; 2] {
        &self.parts
    }
}

impl AmxA {
    /// Puts four words of each of eight rows to their place.
    #[inline(always)]
    fn store(&mut self, part: usize, first: usize, piece: usize, words: &[u32; LANES]) {
        let rows = &mut self.parts[part][first..first + ROWS / 2];
        for (row, words) in rows.iter_mut().zip(words.as_chunks::<4>().0) {
            row.0[4 * piece..4 * piece + 4].copy_from_slice(words);
        }
    }
}

/// B, sixteen columns in a tile.
#[derive(Clone, Debug, Default)]
pub struct AmxB {
    tiles: Vec<Tile>,
    blocks: usize,
    kind: Kind,
    suits: bool,
}

impl AmxB {
    /// Makes it the matrix of these registers, as [`FragmentB`](super::super::fragment::FragmentB) does.
    pub fn decode_columns(
        &mut self,
        packed: Packed,
        negate: bool,
        blocks: usize,
        registers: &[[u32; LANES]],
    ) {
        self.resize(packed, blocks, registers.len() / blocks.max(1) * 128 / packed.bits);
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, DecodeB { packed, flip, from: From::Columns(registers), to: self });
    }

    /// Makes it the matrix of these rows of eight columns, as [`FragmentB`](super::super::fragment::FragmentB) does.
    pub fn decode_rows(&mut self, packed: Packed, negate: bool, blocks: usize, rows: &[[u32; 4]]) {
        self.resize(packed, blocks, rows.len() / blocks.max(1));
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, DecodeB { packed, flip, from: From::Rows(rows), to: self });
    }

    fn resize(&mut self, packed: Packed, blocks: usize, depth: usize) {
        let kind = kind(packed, depth);
        if (self.blocks, self.kind) != (blocks, kind) {
            // The last tiles may have columns of no block.
            self.tiles.clear();
            self.tiles.resize(tiles_of(blocks), ZEROS);
        }
        (self.blocks, self.kind) = (blocks, kind);
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

    /// Puts four words of even or odd columns of a block to their place in each of four rows.
    #[inline(always)]
    fn store(&mut self, block: usize, parity: usize, row: usize, words: &[u32; 16]) {
        let rows = &mut self.tiles[block / 2][row..row + 4];
        let at = 4 * (block % 2 * 2 + parity);
        for (row, words) in rows.iter_mut().zip(words.as_chunks::<4>().0) {
            row.0[at..at + 4].copy_from_slice(words);
        }
    }
}

struct DecodeA<'a> {
    packed: Packed,
    flip: u32,
    registers: &'a [[u32; LANES]],
    to: &'a mut AmxA,
}

impl Work for DecodeA<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        of_format(self.packed, self);
    }
}

impl OfFormat for DecodeA<'_> {
    #[inline(always)]
    fn run<const BITS: usize, const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(
        self,
    ) {
        let Self { flip, registers, to, .. } = self;
        let mut odd = Odd::NONE;
        macro_rules! at {
            ($words:expr, $place:expr) => {
                values::<LANES, EXPONENT, MANTISSA, BELOW, TOP>($words, $place * BITS, flip, &mut odd)
            };
        }
        for (index, register) in registers.iter().enumerate() {
            let (first, quad) = (index % 2 * (ROWS / 2), index / 2);
            if MANTISSA > 7 {
                for place in 0..32 / BITS {
                    for (part, half) in halves(&at!(register, place)).iter().enumerate() {
                        to.store(part, first, quad * (32 / BITS) + place, &twice(half));
                    }
                }
            } else {
                for place in (0..32 / BITS).step_by(2) {
                    let words = pairs(&at!(register, place), &at!(register, place + 1));
                    to.store(0, first, (quad * (32 / BITS) + place) / 2, &words);
                }
            }
        }
        to.suits = !odd.any();
    }
}

enum From<'a> {
    Columns(&'a [[u32; LANES]]),
    Rows(&'a [[u32; 4]]),
}

struct DecodeB<'a> {
    packed: Packed,
    flip: u32,
    from: From<'a>,
    to: &'a mut AmxB,
}

impl Work for DecodeB<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        of_format(self.packed, DecodeWith::<V>(self, PhantomData));
    }
}

struct DecodeWith<'a, V>(DecodeB<'a>, PhantomData<V>);

impl<V: Quads> OfFormat for DecodeWith<'_, V> {
    #[inline(always)]
    fn run<const BITS: usize, const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(
        self,
    ) {
        let DecodeB { flip, from, to, .. } = self.0;
        let mut odd = Odd::NONE;
        macro_rules! at {
            ($words:expr, $place:expr) => {
                values::<16, EXPONENT, MANTISSA, BELOW, TOP>($words, $place * BITS, flip, &mut odd)
            };
        }
        match from {
            From::Columns(registers) => {
                for (index, register) in registers.iter().enumerate() {
                    let (block, quad) = (index % to.blocks, index / to.blocks);
                    for (parity, words) in V::turn_quads(register).iter().enumerate() {
                        if MANTISSA > 7 {
                            for place in 0..32 / BITS {
                                let row = 4 * (quad * (32 / BITS) + place);
                                to.store(block, parity, row, &both(&at!(words, place)));
                            }
                        } else {
                            for place in (0..32 / BITS).step_by(2) {
                                let (low, high) = (at!(words, place), at!(words, place + 1));
                                let row = 2 * (quad * (32 / BITS) + place);
                                to.store(block, parity, row, &pairs(&low, &high));
                            }
                        }
                    }
                }
            }
            From::Rows(rows) if MANTISSA > 7 => {
                for (index, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
                    let (block, row) = (4 * index / to.kind.words, 4 * index % to.kind.words);
                    let Some(words) = rows.as_flattened().as_array() else { continue };
                    to.store(block, 0, row, &both(&at!(words, 0)));
                    to.store(block, 1, row, &both(&at!(words, 1)));
                }
            }
            From::Rows(rows) => {
                for (index, rows) in rows.as_chunks::<8>().0.iter().enumerate() {
                    let (block, row) = (4 * index / to.kind.words, 4 * index % to.kind.words);
                    let (low, high) = rows.split_at(4);
                    let (Some(low), Some(high)) =
                        (low.as_flattened().as_array(), high.as_flattened().as_array())
                    else {
                        continue;
                    };
                    for parity in 0..2 {
                        let (low, high) = (at!(low, parity), at!(high, parity));
                        to.store(block, parity, row, &pairs(&low, &high));
                    }
                }
            }
        }
        to.suits = !odd.any();
    }
}
