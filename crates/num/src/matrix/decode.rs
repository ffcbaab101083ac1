//! Decodes whole matrices from packed elements in registers and memory.
//!
//! It does the same as [`Element::decode`], in loops without branches over neighbouring elements, so that they vectorise.

use super::by_format::{ByFormat, IEEE, ONE_NAN, OfFormat};
use super::element::NOTHING;
use super::operand::{Left, Right};
use super::packed::Packed;
use super::tile::dispatch::dispatch;
use super::tile::part;
use super::tile::quads::Quads;
use super::tile::vector::Vector;
use crate::level::Level;

impl Left {
    /// Makes it the matrix of these bytes, so many rows one after the other.
    pub fn decode(&mut self, packed: Packed, rows: usize, bytes: &[u8]) {
        let row_bytes = bytes.len() / rows.max(1);
        self.depth = row_bytes * 8 / packed.bits;
        self.belongs = None;
        let count = rows * self.depth;
        self.significands.resize(count, 0.0);
        self.exponents.resize(count, 0);
        let (significands, exponents) = (&mut self.significands[..], &mut self.exponents[..]);
        dispatch(Level::V4, ByFormat(packed, Decode { bytes, significands, exponents, turned: None }));
    }

    /// Changes the sign of every factor.
    pub fn negate(&mut self) {
        self.significands.iter_mut().for_each(|significand| *significand = -*significand);
    }
}

impl Right {
    /// Makes it the matrix of these bytes, so many columns one after the other.
    pub fn decode_columns(&mut self, packed: Packed, columns: usize, bytes: &[u8]) {
        self.change();
        let column_bytes = bytes.len() / columns.max(1);
        let depth = column_bytes * 8 / packed.bits;
        self.columns = columns;
        self.significands.resize(depth * columns, 0.0);
        self.exponents.resize(depth * columns, 0);
        if depth == 0 {
            return;
        }
        let (significands, exponents) = (&mut self.significands[..], &mut self.exponents[..]);
        let turned = Some((column_bytes, columns));
        dispatch(Level::V4, ByFormat(packed, Decode { bytes, significands, exponents, turned }));
    }

    /// Makes it the matrix of these bytes, row after row.
    pub fn decode_rows(&mut self, packed: Packed, columns: usize, bytes: &[u8]) {
        self.change();
        let row_bytes = (columns * packed.bits / 8).max(1);
        let count = bytes.len() / row_bytes * columns;
        self.columns = columns;
        self.significands.resize(count, 0.0);
        self.exponents.resize(count, 0);
        let (significands, exponents) = (&mut self.significands[..], &mut self.exponents[..]);
        dispatch(Level::V4, ByFormat(packed, Decode { bytes, significands, exponents, turned: None }));
    }

    /// Changes the sign of every factor.
    pub fn negate(&mut self) {
        self.change();
        self.significands.iter_mut().for_each(|significand| *significand = -*significand);
    }
}

struct Decode<'a> {
    bytes: &'a [u8],
    significands: &'a mut [f32],
    exponents: &'a mut [i16],
    /// The bytes of a column and the number of columns, where columns lie one after the other.
    turned: Option<(usize, usize)>,
}

/// Columns that are turned into rows together, and the bytes of each of them.
const PIECE: usize = 16;
const STRETCH: usize = 32;

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
        let Self { bytes, significands, exponents, turned } = self;
        let one = |bits: u32| one::<EXPONENT, MANTISSA, TOP>(bits >> BELOW);
        if let Some((column_bytes, columns)) = turned {
            for (piece, first) in bytes.chunks(column_bytes * PIECE).zip((0..columns).step_by(PIECE)) {
                let to = RowParts { significands, exponents, stride: columns, first };
                to.turn::<V, BITS, EXPONENT, MANTISSA, BELOW, TOP>(piece, column_bytes);
            }
            return;
        }
        let to = significands.iter_mut().zip(exponents);
        match BITS {
            32 => bytes.as_chunks::<4>().0.iter().zip(to).for_each(|(bits, (significand, exponent))| {
                (*significand, *exponent) = one(u32::from_le_bytes(*bits));
            }),
            16 => bytes.as_chunks::<2>().0.iter().zip(to).for_each(|(bits, (significand, exponent))| {
                (*significand, *exponent) = one(u16::from_le_bytes(*bits).into());
            }),
            8 => bytes.iter().zip(to).for_each(|(bits, (significand, exponent))| {
                (*significand, *exponent) = one((*bits).into());
            }),
            _ => {
                let nibbles = bytes.iter().flat_map(|byte| [byte & 15, byte >> 4]);
                nibbles.zip(to).for_each(|(bits, (significand, exponent))| {
                    (*significand, *exponent) = one(bits.into());
                });
            }
        }
    }
}

/// Where columns go: parts of rows that begin with a column.
struct RowParts<'a> {
    significands: &'a mut [f32],
    exponents: &'a mut [i16],
    stride: usize,
    first: usize,
}

impl RowParts<'_> {
    /// Turns up to [`PIECE`] columns: first words, since each load is of one column, then what is in them.
    #[inline(always)]
    fn turn<
        V: Vector,
        const BITS: usize,
        const EXPONENT: u32,
        const MANTISSA: u32,
        const BELOW: u32,
        const TOP: u8,
    >(
        self,
        columns: &[u8],
        column_bytes: usize,
    ) {
        let count = columns.len() / column_bytes;
        let depth = column_bytes * 8 / BITS;
        for first in (0..column_bytes).step_by(STRETCH) {
            let mut words = [[0; PIECE]; STRETCH / 4];
            for (half, columns) in columns.chunks(column_bytes * PIECE / 2).enumerate() {
                // Missing columns are as good as any, since what comes of them is not stored.
                let mut stretches = [[0; STRETCH]; PIECE / 2];
                let mut whole = [&[0; STRETCH]; PIECE / 2];
                for (lane, column) in columns.chunks_exact(column_bytes).enumerate() {
                    match column[first..].first_chunk() {
                        Some(stretch) => whole[lane] = stretch,
                        None => part(&mut stretches[lane], &column[first..]),
                    }
                }
                if column_bytes - first < STRETCH {
                    whole = stretches.each_ref();
                }
                for (words, turned) in words.iter_mut().zip(V::turn(whole)) {
                    words[half * PIECE / 2..][..PIECE / 2].copy_from_slice(&turned);
                }
            }
            let elements =
                words.iter().flat_map(|words| (0..32).step_by(BITS).map(move |shift| (words, shift)));
            for ((words, shift), k) in elements.zip(first * 8 / BITS..depth) {
                let (mut row, mut powers) = ([0.0; PIECE], [0; PIECE]);
                for lane in 0..PIECE {
                    (row[lane], powers[lane]) = one::<EXPONENT, MANTISSA, TOP>(words[lane] >> shift >> BELOW);
                }
                let at = k * self.stride + self.first;
                let to = &mut self.significands[at..at + count];
                let powers_to = &mut self.exponents[at..at + count];
                if let (Some(to), Some(powers_to)) = (to.as_mut_array(), powers_to.as_mut_array()) {
                    (*to, *powers_to) = (row, powers);
                } else {
                    to.copy_from_slice(&row[..count]);
                    powers_to.copy_from_slice(&powers[..count]);
                }
            }
        }
    }
}

/// The significand and the exponent of an element.
#[inline(always)]
pub(super) fn one<const EXPONENT: u32, const MANTISSA: u32, const TOP: u8>(bits: u32) -> (f32, i16) {
    let sign = bits << (31 - EXPONENT - MANTISSA) & 1 << 31;
    let magnitude = bits & ((1 << (EXPONENT + MANTISSA)) - 1);
    let field = magnitude >> MANTISSA;
    let fraction = magnitude << (23 - MANTISSA) & 0x7f_ffff;
    let top = (1 << EXPONENT) - 1;
    let special = match TOP {
        IEEE => magnitude >= top << MANTISSA,
        ONE_NAN => magnitude == (1 << (EXPONENT + MANTISSA)) - 1,
        _ => false,
    };
    // Infinity and NaN have the fraction that they have in an f32; subnormal numbers have no leading one.
    let number = f32::from_bits(fraction | if special { 255 << 23 } else { 127 << 23 });
    let number = number - if field == 0 { 1.0 } else { 0.0 };
    let exponent = field.max(1) as i16 - top as i16 / 2;
    let exponent = if special | (magnitude == 0) { NOTHING } else { exponent };
    (f32::from_bits(number.to_bits() | sign), exponent)
}
