//! Products of 8-bit formats where the cores only know f16: ptxas's own way, [`Order::Interleaved`].
//!
//! Of each word's four bytes the lower two become a word of two f16, and so do the upper two. So a fragment becomes two of
//! f16, whose products are added one after the other, and then the accumulator by an ordinary addition.

use super::super::element::{Accumulator, Element};
use super::super::packed::Packed;
use super::super::scheme::{Order, Scheme};
use super::super::tile::Precision;
use super::super::tile::dispatch::{Work, dispatch};
use super::super::tile::quads::Quads;
use super::a::FragmentA;
use super::b::FragmentB;
use super::multiply::multiply;
use super::shape::{Block, LANES};
use super::stored_b::StoredB;
use crate::Rounding;
use crate::float::f32 as single;
use crate::float::half::{Finish, f16};
use crate::level::Level;

/// The factors of a product, decoded.
#[derive(Clone, Debug, Default)]
pub struct InterleavedFragments {
    /// Those of the lower bytes, and of the upper ones.
    halves: [(FragmentA, FragmentB); 2],
    /// Their registers.
    registers: Vec<[u32; LANES]>,
    sums: Vec<Block>,
}

/// Whether products of elements packed like these are made so.
#[must_use]
pub const fn is_interleaved(scheme: &Scheme, a: Packed, b: Packed) -> bool {
    matches!(scheme.order, Order::Interleaved) && is_byte(a) && is_byte(b)
}

const fn is_byte(packed: Packed) -> bool {
    matches!(packed.element, Element::E4m3 | Element::E5m2)
}

impl InterleavedFragments {
    /// Decodes A, as [`FragmentA`] does.
    pub fn decode_a(&mut self, packed: Packed, blocks: usize, registers: &[[u32; LANES]]) {
        for (half, (a, _)) in self.halves.iter_mut().enumerate() {
            widen(packed, half, registers, &mut self.registers);
            a.decode(Packed::tight(Element::F16), Precision::Exact, false, blocks, &self.registers);
        }
    }

    /// Decodes B, as [`FragmentB`] does.
    pub fn decode_b(&mut self, packed: Packed, blocks: usize, registers: &[[u32; LANES]]) {
        for (half, (_, b)) in self.halves.iter_mut().enumerate() {
            widen(packed, half, registers, &mut self.registers);
            b.decode(Packed::tight(Element::F16), false, blocks, StoredB::Columns(&self.registers));
        }
    }

    /// D = A * B + C. `d` has C's blocks, and gets D's.
    pub fn multiply(&mut self, scheme: &Scheme, d: &mut [Block]) {
        let of_half = Scheme { order: Order::Consecutive, ..*scheme };
        self.sums.clear();
        self.sums.resize(d.len(), [0; _]);
        for (a, b) in &self.halves {
            multiply(&of_half, Precision::Exact, a, b, &mut self.sums);
        }
        let sums = self.sums.as_flattened().iter();
        for (d, sum) in d.as_flattened_mut().iter_mut().zip(sums) {
            *d = match scheme.rounded.accumulator() {
                Accumulator::F32 => single::add(*sum, *d, Rounding::Rn, false, false),
                Accumulator::F16 => f16::add(*sum as u16, *d as u16, Finish::default()).into(),
            };
        }
    }
}

/// Registers of two f16 in each word, made of the lower or the upper two bytes.
fn widen(packed: Packed, half: usize, registers: &[[u32; LANES]], to: &mut Vec<[u32; LANES]>) {
    to.resize(registers.len(), [0; LANES]);
    dispatch(Level::V4, Widen { is_e5m2: packed.element == Element::E5m2, shift: 16 * half, registers, to });
}

struct Widen<'a> {
    is_e5m2: bool,
    shift: usize,
    registers: &'a [[u32; LANES]],
    to: &'a mut [[u32; LANES]],
}

impl Work for Widen<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        for (from, to) in self.registers.iter().zip(self.to) {
            for lane in 0..LANES {
                let bytes = from[lane] >> self.shift;
                to[lane] = if self.is_e5m2 {
                    // It is the upper half of an f16.
                    (bytes & 0xff) << 8 | (bytes & 0xff00) << 16
                } else {
                    half_of_e4m3(bytes) | half_of_e4m3(bytes >> 8) << 16
                };
            }
        }
    }
}

/// The f16 that is the same as an e4m3. All numbers of it are normal ones.
#[inline(always)]
fn half_of_e4m3(byte: u32) -> u32 {
    let (sign, magnitude) = ((byte & 0x80) << 8, byte & 0x7f);
    // A subnormal number has the exponent of the smallest normal one, and no leading one.
    let (more, less) = if magnitude < 8 { (1 << 23, 121u32 << 23) } else { (0, 0) };
    let number = f32::from_bits((magnitude << 20) + (120 << 23) + more) - f32::from_bits(less);
    let bits = number.to_bits() >> 13;
    let half = if magnitude == 0 { 0 } else { bits.wrapping_sub(112 << 10) };
    sign | if magnitude == 0x7f { 0x7fff } else { half }
}
