//! Where the elements of D lie in tensor memory (manual 9.7.16.10.5): the layouts A to G, which differ in how rows become
//! lanes and into how many parts the columns are split so that each part has lanes of its own.
//!
//! What else a part needs from tensor memory (A, the metadata of a sparse A, scale factors) lies in its own lanes too, so
//! that layouts of several parts hold it several times.

use ptxvm_memory::tensor::LANES;

use crate::matrix::instruction::{Asked, InstructionDescriptor};

/// The data path of one CTA's part of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataPath {
    /// The rows of A and D that the CTA has.
    pub rows: u32,
    /// Into how many parts the columns are split.
    pub parts: u32,
    /// Whether each 32 lanes hold 16 rows only.
    pub half: bool,
    /// The columns of each part.
    pub columns: u32,
}

impl DataPath {
    /// The data path of a product.
    #[must_use]
    pub fn of(instruction: &InstructionDescriptor, asked: &Asked) -> Self {
        let (parts, half) = match (instruction.m, asked.pair, asked.stationary) {
            // Layouts G and E.
            (32, ..) => (4, false),
            (64, _, true) => (2, false),
            // Layout F.
            (64, ..) => (1, true),
            // Layouts C and B.
            (128, true, _) => {
                if asked.sparse {
                    (1, true)
                } else {
                    (2, false)
                }
            }
            // Layouts D and A.
            _ => (1, false),
        };
        let rows = instruction.m >> u32::from(asked.pair);
        Self { rows, parts, half, columns: instruction.n / parts }
    }

    /// The lane of a row in a part, from the lane that the address names.
    #[must_use]
    pub const fn lane(&self, part: u32, row: u32) -> u32 {
        let within = if self.half { row / 16 * 32 + row % 16 } else { row };
        part * (LANES / self.parts) + within
    }

    /// Whether an address may name this lane.
    #[must_use]
    pub const fn begins_at(&self, lane: u32) -> bool {
        lane == 0 || self.half && lane == 16
    }
}
