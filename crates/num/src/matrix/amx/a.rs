//! A in tiles, made of what lanes hold in their registers.
//!
//! A word of a row of A meets the word of B in the row of the same number: two bf16 each. Of split numbers, A has one half
//! twice in a word, in a tile for each half, and B has both halves in one word. Others share words by twos.

use super::super::by_format::{ByFormat, OfFormat};
use super::super::fragment::LANES;
use super::super::integer::IntegerElement;
use super::super::packed::Packed;
use super::super::tile::dispatch::dispatch;
use super::super::tile::quads::Quads;
use super::factors::{Seen, each_twice, halves, pairs, values};
use super::tile::{ROWS, Tile, ZEROS};
use super::unit::Kind;
use crate::level::Level;

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
        self.kind = Kind::of(packed, registers.len() / 2 * 128 / packed.bits);
        let flip = u32::from(negate) << 31;
        let rows = registers.as_flattened().as_chunks().0;
        dispatch(Level::V4, ByFormat(packed, Decode { flip, rows, to: self }));
    }

    /// The same of bytes that are multiplied with those of a B; [`super::fits_bytes`] has said that it can.
    pub fn copy_bytes(&mut self, elements: [IntegerElement; 2], registers: &[[u32; LANES]]) {
        let units = registers.as_flattened().as_chunks::<4>().0;
        self.kind = Kind::of_bytes(elements, 16 * units.len() / ROWS).unwrap_or_default();
        self.suits = true;
        for (chunk, units) in units.chunks(ROWS).enumerate() {
            for (row, unit) in self.parts[0].iter_mut().zip(units) {
                row.0[4 * chunk..4 * chunk + 4].copy_from_slice(unit);
            }
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

    /// What is multiplied with B, one after the other.
    pub(super) const fn parts(&self) -> &[Tile; 2] {
        &self.parts
    }
}

/// Units of four words: the first of all rows, then the second, if there are any.
struct Decode<'a> {
    flip: u32,
    rows: &'a [[u32; 4]],
    to: &'a mut AmxA,
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
        let Self { flip, rows, to } = self;
        let (first, second) = rows.split_at(ROWS.min(rows.len()));
        let (mut seen, mut seen_words) = (Seen::<16>::NOTHING, Seen::<8>::NOTHING);
        macro_rules! at {
            ($words:expr, $place:expr, $seen:expr) => {
                values::<_, EXPONENT, MANTISSA, BELOW>($words, $place * BITS, flip, $seen)
            };
        }
        for (row, first) in first.iter().enumerate() {
            let units = [*first, second.get(row).copied().unwrap_or_default()];
            let Some(words) = units.as_flattened().as_array::<8>() else { continue };
            if MANTISSA > 7 && BITS == 16 {
                let [high, low] = each_twice(&halves::<V>(words, flip, &mut seen));
                (to.parts[0][row].0, to.parts[1][row].0) = (high, low);
            } else if MANTISSA > 7 {
                let [high, low] = each_twice(&at!(words, 0, &mut seen_words));
                to.parts[0][row].0[..8].copy_from_slice(&high);
                to.parts[1][row].0[..8].copy_from_slice(&low);
            } else if BITS == 16 {
                let (low, high) = (at!(words, 0, &mut seen_words), at!(words, 1, &mut seen_words));
                to.parts[0][row].0[..8].copy_from_slice(&pairs(&low, &high));
            } else {
                let mut twos = [0; 16];
                for word in 0..8 {
                    (twos[2 * word], twos[2 * word + 1]) = (words[word] & 0xffff, words[word] >> 16);
                }
                to.parts[0][row].0 = pairs(&at!(&twos, 0, &mut seen), &at!(&twos, 1, &mut seen));
            }
        }
        to.suits = seen.suits::<EXPONENT, MANTISSA, TOP>() && seen_words.suits::<EXPONENT, MANTISSA, TOP>();
    }
}
