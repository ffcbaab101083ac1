//! A, decoded for products in blocks: each factor of a row in all four lanes of the row's quad.

use super::super::by_format::{ByFormat, OfFormat};
use super::super::operand::Left;
use super::super::packed::Packed;
use super::super::tile::Precision;
use super::super::tile::dispatch::dispatch;
use super::super::tile::quads::Quads;
use super::elements::{Seen, elements, parts};
use super::shape::{LANES, QUAD_BITS, SIDE};
use crate::level::Level;

/// The factors of some blocks of eight rows.
#[derive(Clone, Debug, Default)]
pub struct FragmentA {
    depth: usize,
    blocks: usize,
    /// Of each block its factors one after the other, for all lanes.
    values: Vec<OfLanes<f32>>,
    /// Their exponents, each in both halves; only for exact products.
    pairs: Vec<OfLanes<u32>>,
    /// Whether there is a NaN or an infinity.
    special: bool,
}

/// Something of each lane. Vectors that are split between two lines of the cache take twice as long.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct OfLanes<T>(pub [T; LANES]);

impl FragmentA {
    /// Makes it the matrix of these registers: eight rows each, sixteen bytes of a row in a quad. Those of all rows come
    /// before the next ones of the first rows, as in the fragments of `mma`.
    pub fn decode(
        &mut self,
        packed: Packed,
        precision: Precision,
        negate: bool,
        blocks: usize,
        registers: &[[u32; LANES]],
    ) {
        let quads = registers.len() / blocks.max(1);
        (self.blocks, self.depth) = (blocks, quads * (QUAD_BITS / packed.bits));
        let count = blocks * self.depth;
        self.values.resize(count, OfLanes([0.0; LANES]));
        if precision == Precision::Exact {
            self.pairs.resize(count, OfLanes([0; LANES]));
        }
        let flip = u32::from(negate) << 31;
        let exact = precision == Precision::Exact;
        dispatch(Level::V4, ByFormat(packed, Decode { exact, flip, registers, to: self }));
    }

    /// The factors of a row.
    #[must_use]
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// How many blocks of eight rows there are.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// A block's factors.
    #[inline(always)]
    pub(super) fn values_of(&self, block: usize) -> &[OfLanes<f32>] {
        &self.values[block * self.depth..][..self.depth]
    }

    /// Their exponents.
    #[inline(always)]
    pub(super) fn pairs_of(&self, block: usize) -> &[OfLanes<u32>] {
        &self.pairs[block * self.depth..][..self.depth]
    }

    /// The rows of a block that have a NaN or an infinity.
    pub(super) fn special_rows(&self, block: usize) -> Option<[bool; SIDE]> {
        let finite = |row: usize| self.values_of(block).iter().all(|factor| factor.0[4 * row].is_finite());
        self.special.then(|| std::array::from_fn(|row| !finite(row)))
    }

    /// The same matrix for single dot products.
    pub(super) fn plain(&self) -> Left {
        let mut left = Left::new(SIDE * self.blocks, self.depth);
        for (at, (value, pair)) in self.values.iter().zip(&self.pairs).enumerate() {
            let (block, k) = (at / self.depth, at % self.depth);
            for row in 0..SIDE {
                let to = (block * SIDE + row) * self.depth + k;
                (left.significands[to], left.exponents[to]) = parts(value.0[4 * row], pair.0[4 * row] as i16);
            }
        }
        left
    }
}

struct Decode<'a> {
    exact: bool,
    flip: u32,
    registers: &'a [[u32; LANES]],
    to: &'a mut FragmentA,
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
        let Self { exact, flip, registers, to } = self;
        let mut seen = Seen::NOTHING;
        for (index, register) in registers.iter().enumerate() {
            let (block, quad) = (index % to.blocks, index / to.blocks);
            for place in 0..32 / BITS {
                let (values, pairs) = elements::<LANES, EXPONENT, MANTISSA, BELOW, TOP>(
                    register,
                    place * BITS,
                    flip,
                    &mut seen,
                );
                let first = block * to.depth + quad * (QUAD_BITS / BITS) + 4 * place;
                spread_values::<V>(&values, &mut to.values[first..first + 4]);
                if exact {
                    spread_pairs::<V>(&pairs, &mut to.pairs[first..first + 4]);
                }
            }
        }
        to.special = seen.special();
    }
}

/// Puts each of a quad's four numbers into all lanes of the quad, for one factor after the other.
#[inline(always)]
fn spread_values<V: Quads>(values: &[f32; LANES], to: &mut [OfLanes<f32>]) {
    for lane in (0..LANES).step_by(V::LANES) {
        for (to, spread) in to.iter_mut().zip(V::spread(V::floats(&values[lane..]))) {
            V::store_floats(&mut to.0[lane..], spread);
        }
    }
}

/// The same of pairs.
#[inline(always)]
pub(super) fn spread_pairs<V: Quads>(pairs: &[u32; LANES], to: &mut [OfLanes<u32>]) {
    for lane in (0..LANES).step_by(V::LANES) {
        for (to, spread) in to.iter_mut().zip(V::spread(V::from_bits(&pairs[lane..]))) {
            V::store_bits(&mut to.0[lane..], spread);
        }
    }
}
