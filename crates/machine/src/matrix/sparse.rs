//! The metadata of a sparse A (manual 9.7.14.6.1): for each element that is stored, the column that it belongs to.
//!
//! A row of A is cut into chunks of four elements, of which two are stored; of eight in pairs for 4-bit elements; of two,
//! of which one is stored, for tf32. Four bits of metadata tell of one chunk: two indices of two bits, the first stored
//! element's (or pair's) in the low ones. A tf32 takes the place of two, so that its four bits are `0100` or `1110`.

use ptxvm_num::matrix::{Element, Right};

use crate::context::Context;
use crate::finding::Kind;
use crate::lanes::Flow;
use crate::registers::{LANES, Slot, Value};

/// What a chunk is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Granularity {
    /// One of two (tf32).
    OneOfTwo,
    /// Two of four.
    TwoOfFour,
    /// Two pairs of four (4-bit elements that lie side by side).
    PairsOfEight,
}

/// Which lanes of a quad have the metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holders {
    /// One: the low half of its word is of row `g`, the high half of row `g + 8`.
    One,
    /// Two: each of one half of k, its word split in the same way.
    Two,
    /// Four: the lowest bit of the lane says which row, the next which half of k.
    Four,
}

/// Where the rows of B begin that only wrong metadata of tf32 ask for.
const MIXED: u16 = 1 << 12;

/// The row of B that stands for two halves of different elements of a chunk.
const fn mixed_row(chunk: usize, low: u16, high: u16) -> u16 {
    MIXED + 4 * chunk as u16 + 2 * (low & 1) + (high & 1)
}

/// Metadata of a tf32 are two indices of halves of elements. If they name halves of different elements, the H200
/// multiplies with a number put together from these. Adds such numbers to B behind its own rows, and has `belongs`
/// name them there. `words` are B's, column after column.
pub fn add_mixed_rows(belongs: &mut [u16], words: &[u32], depth: usize, b: &mut Right) {
    if belongs.iter().all(|row| *row < MIXED) {
        return;
    }
    for chunk in 0..depth / 2 {
        for halves in 0..4 {
            for column in words.chunks_exact(depth).take(b.columns) {
                let [first, second] = [column[2 * chunk], column[2 * chunk + 1]];
                let low = if halves & 2 == 0 { first & 0xffff } else { first >> 16 };
                let high = if halves & 1 == 0 { second << 16 } else { second & 0xffff_0000 };
                let (significand, exponent) = Element::Tf32.decode(high | low);
                b.significands.push(significand);
                b.exponents.push(exponent);
            }
        }
    }
    for row in belongs.iter_mut().filter(|row| **row >= MIXED) {
        *row = *row - MIXED + depth as u16;
    }
}

/// How a sparse instruction finds the columns.
#[derive(Clone, Copy, Debug)]
pub struct Sparse {
    granularity: Granularity,
    holders: Holders,
    /// The first lane of each quad that has metadata.
    first: usize,
    /// Whether the indices of a chunk must ascend.
    ordered: bool,
    rows: usize,
    /// The elements that a row stores.
    stored: usize,
}

impl Sparse {
    /// That of an instruction with so many rows and so many products of an element of D, by the name of A's type;
    /// `None` if there is no such instruction.
    #[must_use]
    pub fn new(element: &str, (rows, k): (usize, usize), selector: usize, ordered: bool) -> Option<Self> {
        let four_bits = matches!(element, "u4" | "s4") || element == "e2m1" && k == 128;
        let granularity = match element {
            "tf32" => Granularity::OneOfTwo,
            _ if four_bits => Granularity::PairsOfEight,
            _ => Granularity::TwoOfFour,
        };
        let (holders, first) = match k / granularity.chunk() {
            4 => (Holders::One, selector),
            8 => (Holders::Two, 2 * selector),
            16 => (Holders::Four, 0),
            _ => return None,
        };
        Some(Self { granularity, holders, first, ordered, rows, stored: k / 2 })
    }

    /// The column of each stored element, row after row; `slots` begin with that of the metadata.
    pub fn belongs(&self, context: &mut Context<'_>, slots: &[Slot], to: &mut Vec<u16>) -> Result<(), Flow> {
        let Some(slot) = slots.first() else { return Ok(()) };
        let metadata = u32::read(&context.bank, *slot);
        to.clear();
        let chunks = 2 * self.stored / self.granularity.chunk();
        for row in 0..self.rows {
            for chunk in 0..chunks {
                let (lane, bit) = self.place(row, chunk);
                let bits = metadata[lane] >> bit & 0xf;
                if let Some(why) = self.wrong(bits) {
                    return Err(self.refuse(context, (row, chunk), (lane, bit), metadata[lane], why));
                }
                self.granularity.columns(chunk, bits, to);
            }
        }
        Ok(())
    }

    /// The lane that tells of a chunk of a row, and the lowest of its four bits.
    fn place(&self, row: usize, chunk: usize) -> (usize, usize) {
        let quad = row % 8 * 4 + self.first;
        match self.holders {
            Holders::One => (quad, 4 * chunk + 16 * (row / 8)),
            Holders::Two => (quad + chunk / 4, 4 * (chunk % 4) + 16 * (row / 8)),
            Holders::Four => (quad + row / 8 + 2 * (chunk / 8), 4 * (chunk % 8)),
        }
    }

    /// Why four bits of metadata mean nothing.
    fn wrong(&self, bits: u32) -> Option<&'static str> {
        let (first, second) = (bits & 3, bits >> 2);
        if self.granularity == Granularity::OneOfTwo && first >= second {
            return Some("of a .tf32 chunk 0b0100 stands for the first element and 0b1110 for the second");
        }
        if first == second {
            return Some("the two indices of a chunk must differ");
        }
        (self.ordered && first > second).then_some("ordered metadata has the lower index of a chunk first")
    }

    #[cold]
    fn refuse(
        &self,
        context: &mut Context<'_>,
        (row, chunk): (usize, usize),
        (lane, bit): (usize, usize),
        metadata: u32,
        why: &str,
    ) -> Flow {
        let wide = self.granularity.chunk();
        let message = format!(
            "the sparsity metadata {metadata:#010x} has {:#06b} in bits {bit} to {}: {why}",
            metadata >> bit & 0xf,
            bit + 3
        );
        let (from, to) = (wide * chunk, wide * chunk + wide - 1);
        let note = format!("they say which elements of row {row} of A, columns {from} to {to}, are stored");
        debug_assert!(lane < LANES);
        context.fault(Kind::Misuse, lane, message, vec![note])
    }
}

impl Granularity {
    /// The elements of a chunk.
    const fn chunk(self) -> usize {
        match self {
            Self::OneOfTwo => 2,
            Self::TwoOfFour => 4,
            Self::PairsOfEight => 8,
        }
    }

    /// Adds the columns of a chunk's stored elements.
    fn columns(self, chunk: usize, bits: u32, to: &mut Vec<u16>) {
        let begin = (chunk * self.chunk()) as u16;
        let (first, second) = ((bits & 3) as u16, (bits >> 2) as u16);
        match self {
            Self::OneOfTwo => to.push(match (first, second) {
                (0, 1) => begin,
                (2, 3) => begin + 1,
                _ => mixed_row(chunk, first, second),
            }),
            Self::TwoOfFour => to.extend([begin + first, begin + second]),
            Self::PairsOfEight => {
                to.extend(
                    [first, second].into_iter().flat_map(|pair| [begin + 2 * pair, begin + 2 * pair + 1]),
                );
            }
        }
    }
}
