//! B, decoded for products in blocks: four factors side by side, of the even columns of a block or of the odd ones.

use super::super::by_format::{ByFormat, OfFormat};
use super::super::operand::Right;
use super::super::packed::Packed;
use super::super::tile::dispatch::dispatch;
use super::super::tile::quads::Quads;
use super::elements::{Seen, elements, parts};
use super::shape::{QUAD_BITS, SIDE};
use super::stored_b::StoredB;
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
    /// Makes it the matrix of so many blocks that is stored like this.
    pub fn decode(&mut self, packed: Packed, negate: bool, blocks: usize, from: StoredB<'_>) {
        (self.blocks, self.depth) = (blocks, from.depth(packed, blocks));
        let count = blocks * self.depth;
        self.even.resize(count, [0.0; 4]);
        self.odd.resize(count, [0.0; 4]);
        self.pairs.resize(count, [0; 4]);
        let flip = u32::from(negate) << 31;
        dispatch(Level::V4, ByFormat(packed, Decode { flip, from, to: self }));
    }

    /// A block's factors.
    #[inline(always)]
    pub(super) fn of(&self, block: usize) -> Columns<'_> {
        let part = block * self.depth..(block + 1) * self.depth;
        Columns { even: &self.even[part.clone()], odd: &self.odd[part.clone()], pairs: &self.pairs[part] }
    }

    /// Whether all factors are numbers.
    #[must_use]
    pub const fn is_finite(&self) -> bool {
        !self.special
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

struct Decode<'a> {
    flip: u32,
    from: StoredB<'a>,
    to: &'a mut FragmentB,
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
        let mut seen = Seen::NOTHING;
        match from {
            StoredB::Columns(registers) => {
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
            StoredB::Rows(rows) => {
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
