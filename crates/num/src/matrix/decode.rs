//! Many elements decoded at once.
//!
//! The same as [`Element::decode`] without branches, so that the loops vectorise.

use super::element::{Element, NOTHING};
use super::tile::level::{Level, Work, dispatch};
use super::tile::vector::Vector;

/// Integers that hold an element's bits in their low ones.
pub trait Raw: Copy {
    /// How many of them a word has.
    const IN_WORD: usize;
    /// The bits.
    fn bits(self) -> u32;
}

macro_rules! raw {
    ($($ty:ty, $in_word:literal;)*) => {$(
        impl Raw for $ty {
            const IN_WORD: usize = $in_word;
            #[inline(always)]
            fn bits(self) -> u32 {
                self.into()
            }
        }
    )*};
}

raw!(u8, 4; u16, 2; u32, 1;);

/// What is above the largest numbers of a format.
const IEEE: u8 = 0;
const ONE_NAN: u8 = 1;
const FINITE: u8 = 2;

/// Decodes as many elements as all three slices have.
pub(super) fn decode<T: Raw>(element: Element, bits: &[T], significands: &mut [f32], exponents: &mut [i16]) {
    dispatch(Level::V4, Decode { element, bits, significands, exponents, turned: None });
}

/// Decodes columns that lie one after the other, each of `depth` elements, to rows with a stride.
pub(super) fn decode_columns<T: Raw>(
    element: Element,
    bits: &[T],
    (depth, stride): (usize, usize),
    significands: &mut [f32],
    exponents: &mut [i16],
) {
    if depth > 0 {
        dispatch(Level::V4, Decode { element, bits, significands, exponents, turned: Some((depth, stride)) });
    }
}

struct Decode<'a, T> {
    element: Element,
    bits: &'a [T],
    significands: &'a mut [f32],
    exponents: &'a mut [i16],
    /// The elements of a column and the stride of rows, where columns lie one after the other.
    turned: Option<(usize, usize)>,
}

impl<T: Raw> Work for Decode<'_, T> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.element {
            Element::F16 => self.all::<5, 10, 0, IEEE>(),
            Element::Bf16 => self.all::<8, 7, 0, IEEE>(),
            Element::Tf32 => self.all::<8, 10, 13, IEEE>(),
            Element::E4m3 => self.all::<4, 3, 0, ONE_NAN>(),
            Element::E5m2 => self.all::<5, 2, 0, IEEE>(),
            Element::E3m2 => self.all::<3, 2, 0, FINITE>(),
            Element::E2m3 => self.all::<2, 3, 0, FINITE>(),
            Element::E2m1 => self.all::<2, 1, 0, FINITE>(),
        }
    }
}

/// Columns that are turned into rows together.
const PIECE: usize = 16;

impl<T: Raw> Decode<'_, T> {
    /// All elements of a format with so many bits of exponent and mantissa, above so many that do not count.
    #[inline(always)]
    fn all<const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(self) {
        let Self { bits, significands, exponents, turned, .. } = self;
        let Some((depth, stride)) = turned else {
            let to = significands.iter_mut().zip(exponents);
            for (&bits, (significand, exponent)) in bits.iter().zip(to) {
                (*significand, *exponent) = one::<EXPONENT, MANTISSA, TOP>(bits.bits() >> BELOW);
            }
            return;
        };
        for (piece, columns) in bits.chunks(depth * PIECE).enumerate() {
            for first in (0..depth).step_by(T::IN_WORD) {
                let words = words(columns, depth, first);
                for (k, shift) in (first..depth).zip((0..32).step_by(32 / T::IN_WORD)) {
                    let at = k * stride + piece * PIECE;
                    let to = at..at + columns.len() / depth;
                    let (mut row, mut shifts) = ([0.0; PIECE], [0; PIECE]);
                    for (lane, word) in words.into_iter().enumerate() {
                        (row[lane], shifts[lane]) = one::<EXPONENT, MANTISSA, TOP>(word >> shift >> BELOW);
                    }
                    match <&mut [f32; PIECE]>::try_from(&mut significands[to.clone()]) {
                        Ok(to) => *to = row,
                        Err(_) => significands[to.clone()].copy_from_slice(&row[..to.len()]),
                    }
                    match <&mut [i16; PIECE]>::try_from(&mut exponents[to.clone()]) {
                        Ok(to) => *to = shifts,
                        Err(_) => exponents[to.clone()].copy_from_slice(&shifts[..to.len()]),
                    }
                }
            }
        }
    }
}

/// The elements of some columns that are a word's from here on; elements beyond a column are zero.
#[inline(always)]
fn words<T: Raw>(columns: &[T], depth: usize, first: usize) -> [u32; PIECE] {
    let mut words = [0; PIECE];
    let width = 32 / T::IN_WORD;
    if columns.len() == PIECE * depth && first + T::IN_WORD <= depth {
        for lane in 0..PIECE {
            let from = &columns[lane * depth + first..][..T::IN_WORD];
            // One load, in the end.
            words[lane] = (0..T::IN_WORD).fold(0, |word, i| word | from[i].bits() << (i * width));
        }
    } else {
        for (word, column) in words.iter_mut().zip(columns.chunks_exact(depth)) {
            let from = column[first..].iter().take(T::IN_WORD);
            *word = from.enumerate().fold(0, |word, (i, bits)| word | bits.bits() << (i * width));
        }
    }
    words
}

#[inline(always)]
fn one<const EXPONENT: u32, const MANTISSA: u32, const TOP: u8>(bits: u32) -> (f32, i16) {
    let sign = (bits >> (EXPONENT + MANTISSA) & 1) << 31;
    let magnitude = bits & ((1 << (EXPONENT + MANTISSA)) - 1);
    let field = magnitude >> MANTISSA;
    let mantissa = magnitude & ((1 << MANTISSA) - 1);
    let top = (1 << EXPONENT) - 1;
    let bias = top as i16 / 2;
    let normal = 127 << 23 | mantissa << (23 - MANTISSA);
    let subnormal = (mantissa as f32 * (1.0 / (1u32 << MANTISSA) as f32)).to_bits();
    let number = if field == 0 { subnormal } else { normal };
    let (infinity, nan) = match TOP {
        IEEE => (magnitude == top << MANTISSA, magnitude > top << MANTISSA),
        ONE_NAN => (false, magnitude == (1 << (EXPONENT + MANTISSA)) - 1),
        _ => (false, false),
    };
    let number = if infinity { 0x7f80_0000 } else { number };
    let significand = if nan { f32::NAN.to_bits() } else { sign | number };
    let exponent = if infinity | nan | (magnitude == 0) { NOTHING } else { field.max(1) as i16 - bias };
    (f32::from_bits(significand), exponent)
}
