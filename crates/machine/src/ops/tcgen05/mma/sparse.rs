//! The metadata of a sparse A in tensor memory (manual 9.7.16.10.8): four bits for each chunk of a row, which say where
//! the stored elements of the chunk belong.
//!
//! The layouts are those of CUTLASS's metadata fragments, which say in formulas what the manual's figures show.

use ptxvm_memory::TensorMemory;

use super::data_path::DataPath;
use crate::matrix::instruction::{InstructionDescriptor, MmaKind};
use crate::ops::tcgen05::place::TensorPlace;

/// How a kind's metadata speaks of its elements.
#[derive(Clone, Copy, Debug)]
pub struct Sparsity {
    kind: MmaKind,
    /// Where the metadata begins.
    pub place: TensorPlace,
    selector: u32,
}

/// A chunk whose four bits mean nothing.
#[derive(Clone, Copy, Debug)]
pub struct BadChunk {
    /// The row of the CTA's A.
    pub row: u32,
    /// The chunk of the row.
    pub chunk: u32,
    /// Its bits.
    pub bits: u32,
}

impl Sparsity {
    /// The sparsity of a product.
    #[must_use]
    pub fn new(kind: MmaKind, place: TensorPlace, instruction: &InstructionDescriptor) -> Self {
        Self { kind, place, selector: instruction.selector }
    }

    /// Whether 32 bits hold a part of two rows, so that a selector chooses a column.
    const fn wide(&self) -> bool {
        matches!(self.kind, MmaKind::F16 | MmaKind::Tf32)
    }

    /// The columns of tensor memory that it lies in: the first and how many.
    #[must_use]
    pub const fn columns(&self) -> (u32, u32) {
        if self.wide() { (self.place.column + self.selector, 1) } else { (self.place.column, 2) }
    }

    /// The elements of a chunk, stored ones and zeros.
    const fn chunk(&self) -> u32 {
        match self.kind {
            MmaKind::Tf32 => 2,
            MmaKind::Mxf4 | MmaKind::Mxf4nvf4 => 8,
            _ => 4,
        }
    }

    /// The bits of a chunk.
    fn bits(&self, memory: &TensorMemory, path: &DataPath, part: u32, row: u32, chunk: u32) -> u32 {
        let (column, _) = self.columns();
        let (lane, column, shift) = if self.wide() {
            // Eight lanes have the first half of K, the next eight the second; a word has row r and row r + 8.
            (row / 16 * 16 + row % 8 + chunk / 4 * 8, column, row / 8 % 2 * 16 + chunk % 4 * 4)
        } else {
            (row, column + chunk / 8, chunk % 8 * 4)
        };
        memory.get(self.place.lane + path.lane(part, lane), column) >> shift & 0xf
    }

    /// Where each stored element of a part's rows belongs, row after row.
    pub fn belongs(
        &self,
        memory: &TensorMemory,
        path: &DataPath,
        part: u32,
        k: u32,
    ) -> Result<Vec<u16>, BadChunk> {
        let size = self.chunk();
        let mut belongs = Vec::with_capacity((path.rows * k / 2) as usize);
        for row in 0..path.rows {
            for chunk in 0..k / size {
                let bits = self.bits(memory, path, part, row, chunk);
                let valid = match self.kind {
                    MmaKind::Tf32 => matches!(bits, 0b0100 | 0b1110),
                    _ => matches!(bits, 0b0100 | 0b1000 | 0b1100 | 0b1001 | 0b1101 | 0b0110 | 0b1110),
                };
                if !valid {
                    return Err(BadChunk { row, chunk, bits });
                }
                let first = (chunk * size) as u16;
                let [low, high] = [bits as u16 & 3, bits as u16 >> 2];
                match size {
                    // The indices are those of halves of an element.
                    2 => belongs.push(first + low / 2),
                    4 => belongs.extend([first + low, first + high]),
                    _ => belongs.extend([2 * low, 2 * low + 1, 2 * high, 2 * high + 1].map(|at| first + at)),
                }
            }
        }
        Ok(belongs)
    }
}
