//! B, decoded for products in blocks: four factors side by side, of the even columns of a block or of the odd ones.

use std::marker::PhantomData;

use super::super::decode::{OfFormat, of_format};
use super::super::operand::Right;
use super::super::packed::Packed;
use super::super::tile::dispatch::{Work, dispatch};
use super::super::tile::quads::Quads;
use super::elements::{Seen, elements, parts};
use super::shape::{LANES, QUAD_BITS, SIDE};
use crate::level::Level;

/// The factors of some blocks of eight columns, of each block one k after the other.
#[derive(Clone, Debug, Default)]
pub struct FragmentB {
    depth: usize,
    blocks: usize,
    even: Vec<[f32; 4]>,
    odd: Vec<[f32; 4]>,
    /// The exponents of both, an even column's in the low half.
    pairs: Vec<[u32; 4]>,
    /// Whether there is a NaN or an infinity.
    special: bool,
}

/// A block's factors, as many of the one as of the other.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub even: &'a [[f32; 4]],
    pub odd: &'a [[f32; 4]],
    pub pairs: &'a [[u32; 4]],
}

impl FragmentB {
    /// Makes it the matrix of these registers: eight columns each, sixteen bytes of a column in a quad. Those of all
    /// columns come before the next ones of the first columns.
    pub fn decode_columns(
        &mut self,
        packed: Packed,
        negate: bool,
        blocks: usize,
        registers: &[[u32; LANES]],
    ) {
        let quads = registers.len() / blocks.max(1);
        self.resize(blocks, quads * (QUAD_BITS / packed.bits));
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, Decode { packed, flip, from: From::Columns(registers), to: self });
    }

    /// Makes it the matrix of these rows of eight columns: sixteen bytes each, elements of sixteen bits. Those of the
    /// first columns come first, of each eight in the order that [`ORDER_OF_ROWS`] says.
    pub fn decode_rows(&mut self, packed: Packed, negate: bool, blocks: usize, rows: &[[u32; 4]]) {
        self.resize(blocks, rows.len() / blocks.max(1));
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, Decode { packed, flip, from: From::Rows(rows), to: self });
    }

    fn resize(&mut self, blocks: usize, depth: usize) {
        (self.blocks, self.depth) = (blocks, depth);
        let count = blocks * depth;
        self.even.resize(count, [0.0; 4]);
        self.odd.resize(count, [0.0; 4]);
        self.pairs.resize(count, [0; 4]);
    }

    /// A block's factors.
    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> Columns<'_> {
        let part = block * self.depth..(block + 1) * self.depth;
        Columns { even: &self.even[part.clone()], odd: &self.odd[part.clone()], pairs: &self.pairs[part] }
    }

    /// How many blocks of eight columns there are.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// The columns of a block that have a NaN or an infinity.
    pub(super) fn special_columns(&self, block: usize) -> Option<[bool; SIDE]> {
        let Columns { even, odd, .. } = self.of(block);
        let finite = |column: usize| {
            let factors = if column.is_multiple_of(2) { even } else { odd };
            factors.iter().all(|factors| factors[column / 2].is_finite())
        };
        self.special.then(|| std::array::from_fn(|column| !finite(column)))
    }

    /// The same matrix for single dot products.
    pub(super) fn plain(&self) -> Right {
        let mut right = Right::new(self.depth, SIDE * self.blocks);
        for block in 0..self.blocks {
            let Columns { even, odd, pairs } = self.of(block);
            for k in 0..self.depth {
                for column in 0..SIDE {
                    let factors = if column.is_multiple_of(2) { even } else { odd };
                    let exponent = (pairs[k][column / 2] >> (column % 2 * 16)) as i16;
                    let to = k * right.columns + block * SIDE + column;
                    (right.significands[to], right.exponents[to]) = parts(factors[k][column / 2], exponent);
                }
            }
        }
        right
    }
}

/// In which order rows of B with elements of sixteen bits are multiplied, of each eight of them: those in the low halves
/// of A's words first.
pub const ORDER_OF_ROWS: [usize; 8] = [0, 2, 4, 6, 1, 3, 5, 7];

enum From<'a> {
    Columns(&'a [[u32; LANES]]),
    Rows(&'a [[u32; 4]]),
}

struct Decode<'a> {
    packed: Packed,
    flip: u32,
    from: From<'a>,
    to: &'a mut FragmentB,
}

impl Work for Decode<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        of_format(self.packed, DecodeWith::<V>(self, PhantomData));
    }
}

struct DecodeWith<'a, V>(Decode<'a>, PhantomData<V>);

impl<V: Quads> OfFormat for DecodeWith<'_, V> {
    #[inline(always)]
    fn run<const BITS: usize, const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(
        self,
    ) {
        let Decode { flip, from, to, .. } = self.0;
        let mut seen = Seen::NOTHING;
        match from {
            From::Columns(registers) => {
                for (index, register) in registers.iter().enumerate() {
                    let (block, quad) = (index % to.blocks, index / to.blocks);
                    let turned = V::turn_quads(register);
                    for place in 0..32 / BITS {
                        let bit = place * BITS;
                        let even =
                            elements::<16, EXPONENT, MANTISSA, BELOW, TOP>(&turned[0], bit, flip, &mut seen);
                        let odd =
                            elements::<16, EXPONENT, MANTISSA, BELOW, TOP>(&turned[1], bit, flip, &mut seen);
                        to.store(block * to.depth + quad * (QUAD_BITS / BITS) + 4 * place, even, odd);
                    }
                }
            }
            From::Rows(rows) => {
                for (index, rows) in rows.as_chunks::<4>().0.iter().enumerate() {
                    let Some(words) = rows.as_flattened().as_array() else { continue };
                    let even = elements::<16, EXPONENT, MANTISSA, BELOW, TOP>(words, 0, flip, &mut seen);
                    let odd = elements::<16, EXPONENT, MANTISSA, BELOW, TOP>(words, 16, flip, &mut seen);
                    to.store(4 * index, even, odd);
                }
            }
        }
        to.special = seen.special();
    }
}

impl FragmentB {
    /// Puts the factors of four k, of even and of odd columns, to their place.
    #[inline(always)]
    fn store(
        &mut self,
        first: usize,
        (even, low): ([f32; 16], [u32; 16]),
        (odd, high): ([f32; 16], [u32; 16]),
    ) {
        let mut pairs = [0; 16];
        for lane in 0..16 {
            pairs[lane] = low[lane] & 0xffff | high[lane] & 0xffff_0000;
        }
        let places = first..first + 4;
        self.even[places.clone()].as_flattened_mut().copy_from_slice(&even);
        self.odd[places.clone()].as_flattened_mut().copy_from_slice(&odd);
        self.pairs[places].as_flattened_mut().copy_from_slice(&pairs);
    }
}
