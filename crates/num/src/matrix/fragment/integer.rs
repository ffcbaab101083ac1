//! Products of integers of 8 and 4 bits in blocks, as the lanes of a warp hold them.
//!
//! A word of A and one of B have the same k at the same bits. Two numbers of each are taken at a time, sixteen bits wide,
//! so that one instruction multiplies both and adds the products for each lane.

use super::super::integer::IntegerElement;
use super::super::tile::dispatch::{Work, dispatch};
use super::super::tile::quads::Quads;
use super::a::{OfLanes, spread_pairs};
use super::shape::{BLOCK, Block, LANES};
use crate::level::Level;

/// The factors of a product.
#[derive(Clone, Debug, Default)]
pub struct IntegerFragments {
    a: IntegerA,
    b: IntegerB,
}

/// Of each block of eight rows its pairs of factors one after the other, for all lanes.
#[derive(Clone, Debug, Default)]
struct IntegerA {
    blocks: usize,
    pairs: Vec<OfLanes<u32>>,
}

/// Of each block of eight columns the same: four of the even columns, and four of the odd ones.
#[derive(Clone, Debug, Default)]
struct IntegerB {
    blocks: usize,
    pairs: Vec<[[u32; 4]; 2]>,
}

impl IntegerFragments {
    /// Decodes A: registers of eight rows each, those of all rows before the next ones of the first rows.
    pub fn decode_a(&mut self, element: IntegerElement, blocks: usize, registers: &[[u32; LANES]]) {
        self.a.blocks = blocks.max(1);
        self.a.pairs.resize(registers.len() * 4 * forms(element), OfLanes([0; LANES]));
        dispatch(Level::V4, DecodeA { element, registers, to: &mut self.a });
    }

    /// Decodes B: registers of eight columns each, those of all columns before the next ones of the first columns.
    pub fn decode_b(&mut self, element: IntegerElement, blocks: usize, registers: &[[u32; LANES]]) {
        self.b.blocks = blocks.max(1);
        self.b.pairs.resize(registers.len() * 4 * forms(element), [[0; 4]; 2]);
        dispatch(Level::V4, DecodeB { element, registers, to: &mut self.b });
    }

    /// D = A * B + C. `d` has C's blocks, those of the first columns first, and gets D's. A sum that 32 bits cannot hold
    /// wraps around, or becomes the nearest that they can hold.
    pub fn multiply(&self, satfinite: bool, d: &mut [Block]) {
        dispatch(Level::V4, Multiply { a: &self.a, b: &self.b, satfinite, d });
    }
}

/// The pairs of numbers that a word holds.
const fn forms(element: IntegerElement) -> usize {
    16 / element.bits()
}

/// Two numbers of each word, sixteen bits each: in each half the one that is so many above the lowest.
#[inline(always)]
fn pairs<const N: usize>(element: IntegerElement, words: &[u32; N], form: usize) -> [u32; N] {
    let mut pairs = [0; N];
    for lane in 0..N {
        let (low, high) = (words[lane] as u16, (words[lane] >> 16) as u16);
        let (low, high) = match element {
            IntegerElement::U8 => (low >> (8 * form) & 0xff, high >> (8 * form) & 0xff),
            IntegerElement::U4 => (low >> (4 * form) & 0xf, high >> (4 * form) & 0xf),
            IntegerElement::S8 => (signed::<8>(low, form), signed::<8>(high, form)),
            IntegerElement::S4 => (signed::<4>(low, form), signed::<4>(high, form)),
        };
        pairs[lane] = u32::from(low) | u32::from(high) << 16;
    }
    pairs
}

#[inline(always)]
const fn signed<const BITS: usize>(half: u16, form: usize) -> u16 {
    ((half << (16 - BITS - BITS * form)) as i16 >> (16 - BITS)) as u16
}

struct DecodeA<'a> {
    element: IntegerElement,
    registers: &'a [[u32; LANES]],
    to: &'a mut IntegerA,
}

impl Work for DecodeA<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self { element, registers, to } = self;
        let (blocks, forms) = (to.blocks, forms(element));
        let of_block = to.pairs.len() / blocks;
        for (index, register) in registers.iter().enumerate() {
            for form in 0..forms {
                let first = index % blocks * of_block + 4 * (index / blocks * forms + form);
                spread_pairs::<V>(&pairs(element, register, form), &mut to.pairs[first..first + 4]);
            }
        }
    }
}

struct DecodeB<'a> {
    element: IntegerElement,
    registers: &'a [[u32; LANES]],
    to: &'a mut IntegerB,
}

impl Work for DecodeB<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self { element, registers, to } = self;
        let (blocks, forms) = (to.blocks, forms(element));
        let of_block = to.pairs.len() / blocks;
        for (index, register) in registers.iter().enumerate() {
            let [even, odd] = V::turn_quads(register);
            for form in 0..forms {
                let first = index % blocks * of_block + 4 * (index / blocks * forms + form);
                let (even, odd) = (pairs(element, &even, form), pairs(element, &odd, form));
                let both = even.as_chunks().0.iter().zip(odd.as_chunks().0);
                for (to, (even, odd)) in to.pairs[first..first + 4].iter_mut().zip(both) {
                    *to = [*even, *odd];
                }
            }
        }
    }
}

struct Multiply<'a> {
    a: &'a IntegerA,
    b: &'a IntegerB,
    satfinite: bool,
    d: &'a mut [Block],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self { a, b, satfinite, d } = self;
        let (rows, columns) = (a.pairs.len() / a.blocks, b.pairs.len() / b.blocks);
        for (index, d) in d.iter_mut().enumerate() {
            let row = &a.pairs[index % a.blocks * rows..][..rows];
            let column = &b.pairs[index / a.blocks * columns..][..columns];
            let mut sums = [0; BLOCK];
            for lane in (0..LANES).step_by(2 * V::LANES) {
                add::<V>(lane, row, column, &mut sums);
            }
            for place in 0..BLOCK {
                let c = d[place] as i32;
                let sum = if satfinite { c.saturating_add(sums[place]) } else { c.wrapping_add(sums[place]) };
                d[place] = sum as u32;
            }
        }
    }
}

/// The sums of products of a block, for up to two vectors of lanes. No depth of any instruction comes near to overflowing
/// them.
#[inline(always)]
fn add<V: Quads>(lane: usize, row: &[OfLanes<u32>], column: &[[[u32; 4]; 2]], sums: &mut [i32; BLOCK]) {
    let mut sum = [[V::zeros(); 2]; 2];
    for (left, right) in row.iter().zip(column) {
        let right = [V::quad_of_pairs(&right[0]), V::quad_of_pairs(&right[1])];
        for part in 0..2 {
            let left = V::pairs(&left.0[lane + part * V::LANES..]);
            for parity in 0..2 {
                sum[parity][part] = V::add(sum[parity][part], V::multiply_pairs(left, right[parity]));
            }
        }
    }
    for parity in 0..2 {
        for part in 0..2 {
            let at = parity * LANES + lane + part * V::LANES;
            V::store_integers(&mut sums[at..], sum[parity][part]);
        }
    }
}
