//! The metadata of a sparse A (manual 9.7.14.6.1): for each element that is stored, the column that it belongs to.
//!
//! A row of A is cut into chunks of four elements, of which two are stored; of eight in pairs for 4-bit elements; of two,
//! of which one is stored, for tf32. Four bits of metadata tell of one chunk: two indices of two bits, the first stored
//! element's (or pair's) in the low ones. A tf32 takes the place of two, so that its four bits are `0100` or `1110`.

use ptxvm_isa::Type;

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::Flow;
use crate::vector::value::Value;

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
    Halves,
    /// Two: the first of row `g`, the second of row `g + 8`.
    Rows,
    /// Four: the lowest bit of the lane says which row, the next which half of k.
    Four,
}

impl Holders {
    /// How many lanes of a quad they are.
    const fn lanes(self) -> usize {
        match self {
            Self::One => 1,
            Self::Halves | Self::Rows => 2,
            Self::Four => 4,
        }
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
    /// That of an instruction with so many rows and so many products of an element of D, by A's type;
    /// `None` if there is no such instruction.
    #[must_use]
    pub fn new(element: Type, (rows, k): (usize, usize), selector: usize, ordered: bool) -> Option<Self> {
        let four_bits = matches!(element, Type::U4 | Type::S4) || element == Type::E2m1 && k == 128;
        let granularity = match element {
            Type::Tf32 => Granularity::OneOfTwo,
            _ if four_bits => Granularity::PairsOfEight,
            _ => Granularity::TwoOfFour,
        };
        let wide = matches!(element, Type::F16 | Type::Bf16 | Type::Tf32);
        let (holders, first) = match k / granularity.chunk() {
            4 => (Holders::One, selector),
            8 if wide => (Holders::Halves, 2 * selector),
            8 => (Holders::Rows, 2 * selector),
            16 => (Holders::Four, 4 * selector),
            _ => return None,
        };
        Some(Self { granularity, holders, first, ordered, rows, stored: k / 2 })
    }

    /// Whether the columns count pairs of 16-bit halves: a chunk has sixteen, by its four bits of metadata. That is
    /// what an H200 makes of a tf32's metadata, whatever it is; it matters where metadata that means nothing is forgiven.
    #[must_use]
    pub fn pairs_halves(&self, forgiving: bool) -> bool {
        forgiving && self.granularity == Granularity::OneOfTwo
    }

    /// The column of each stored element, row after row; `slots` begin with that of the metadata.
    pub fn belongs(&self, context: &mut Context<'_>, slots: &[Slot], to: &mut Vec<u16>) -> Result<(), Flow> {
        let Some(slot) = slots.first() else { return Ok(()) };
        if self.first + self.holders.lanes() > 4 {
            let message = format!(
                "sparsity selector {}, but there are {} groups of lanes in a quad that can hold this metadata",
                self.first / self.holders.lanes(),
                4 / self.holders.lanes()
            );
            return Err(context.fault(Kind::Misuse, 0, message, Vec::new()));
        }
        let metadata = u32::read(&context.bank, *slot);
        to.clear();
        let chunks = 2 * self.stored / self.granularity.chunk();
        for row in 0..self.rows {
            for chunk in 0..chunks {
                let (lane, bit) = self.place(row, chunk);
                let bits = metadata[lane] >> bit & 0xf;
                if self.pairs_halves(context.worker.forgiving) {
                    to.push((16 * chunk) as u16 + bits as u16);
                    continue;
                }
                if let Some(why) = self.wrong(bits) {
                    self.complain(context, (row, chunk), (lane, bit), metadata[lane], why)?;
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
            Holders::Halves => (quad + chunk / 4, 4 * (chunk % 4) + 16 * (row / 8)),
            Holders::Rows => (quad + row / 8, 4 * chunk),
            Holders::Four => (quad + row / 8 + 2 * (chunk / 8), 4 * (chunk % 8)),
        }
    }

    /// Why four bits of metadata mean nothing.
    fn wrong(&self, bits: u32) -> Option<&'static str> {
        let (first, second) = (bits & 3, bits >> 2);
        if self.granularity == Granularity::OneOfTwo {
            let known = bits == 0b0100 || bits == 0b1110;
            return (!known).then_some("a .tf32 chunk can only have 0b0100 (first) or 0b1110 (second)");
        }
        if first == second {
            return Some("the two indices of a chunk must differ");
        }
        (self.ordered && first > second).then_some("ordered metadata has the lower index of a chunk first")
    }

    #[cold]
    fn complain(
        &self,
        context: &mut Context<'_>,
        (row, chunk): (usize, usize),
        (lane, bit): (usize, usize),
        metadata: u32,
        why: &str,
    ) -> Result<(), Flow> {
        let message = || {
            let (bits, last) = (metadata >> bit & 0xf, bit + 3);
            format!("the sparsity metadata {metadata:#010x} has {bits:#06b} in bits {bit} to {last}: {why}")
        };
        let notes = || {
            let wide = self.granularity.chunk();
            let (from, to) = (wide * chunk, wide * chunk + wide - 1);
            vec![format!("they say which elements of row {row} of A, columns {from} to {to}, are stored")]
        };
        debug_assert!(lane < LANES);
        context.mistake(Kind::Misuse, lane, message, notes)
    }
}

/// For each two words every pair of their four 16-bit halves: the low one by the low two bits of its number.
#[must_use]
pub fn pairs_of_halves(words: &[u32]) -> Vec<[u8; 4]> {
    let pairs = |two: &[u32; 2]| {
        let [first, second] = two.map(u32::to_le_bytes);
        let halves =
            [[first[0], first[1]], [first[2], first[3]], [second[0], second[1]], [second[2], second[3]]];
        (0..16).map(move |pair| {
            let ([a, b], [c, d]) = (halves[pair % 4], halves[pair / 4]);
            [a, b, c, d]
        })
    };
    words.as_chunks::<2>().0.iter().flat_map(pairs).collect()
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
            Self::OneOfTwo => to.push(begin + first / 2),
            Self::TwoOfFour => to.extend([begin + first, begin + second]),
            Self::PairsOfEight => {
                to.extend(
                    [first, second].into_iter().flat_map(|pair| [begin + 2 * pair, begin + 2 * pair + 1]),
                );
            }
        }
    }
}
