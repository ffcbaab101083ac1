//! The scale factors of A and B in tensor memory (manual 9.7.16.10.7): a byte for each block of a row of A or a column of
//! B, four of them in a word, 32 rows or columns in the lanes of a column.
//!
//! Every 32 lanes hold all of them; where the columns of D are split into parts, those of B that their part needs. The
//! layouts are those of CUTLASS's scale factor fragments, which say in formulas what the manual's figures show.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::LANES;

use crate::ops::tcgen05::place::TensorPlace;

/// The lanes that hold the scale factors once.
const PARTITION: u32 = 32;

/// Where the scale factors of a matrix lie.
#[derive(Clone, Copy, Debug)]
pub struct ScaleFactors {
    /// `scale-A` or `scale-B`
    pub name: &'static str,
    /// Where they begin.
    pub place: TensorPlace,
    /// The scale factor data ID: the byte of a word that has the first of each row.
    pub id: u32,
    /// How many a row or column has.
    pub each: u32,
    /// How many rows or columns there are in 32 lanes.
    pub count: u32,
    /// The columns of tensor memory from a word of a row to the next.
    pub stride: u32,
}

/// A scale factor that is not the same in all lanes that should hold it.
#[derive(Clone, Copy, Debug)]
pub struct Differs {
    /// The row or column.
    pub index: u32,
    /// The lane and the factor in the first 32 lanes, and in others.
    pub found: [(u32, u8); 2],
}

impl ScaleFactors {
    /// The columns of tensor memory that they lie in.
    #[must_use]
    pub const fn columns(&self) -> u32 {
        (self.id + self.each - 1) / 4 * self.stride + self.count.div_ceil(PARTITION)
    }

    /// Names the cells of tensor memory that hold them: the lane and the column.
    pub fn cells(&self, first: u32, end: u32, visit: &mut dyn FnMut(u32, u32)) {
        let words = self.id / 4..=(self.id + self.each - 1) / 4;
        for partition in (first..end.min(LANES)).step_by(PARTITION as usize) {
            for index in 0..self.count {
                for word in words.clone() {
                    let column = self.place.column + index / PARTITION + word * self.stride;
                    visit(partition + index % PARTITION, column);
                }
            }
        }
    }

    /// The factors of all rows or columns, which the lanes from `first` to `end` must hold alike.
    pub fn read(&self, memory: &TensorMemory, first: u32, end: u32) -> Result<Vec<u8>, Differs> {
        let byte = |partition: u32, index: u32, at: u32| {
            let at = self.id + at;
            let lane = partition + index % PARTITION;
            let column = self.place.column + index / PARTITION + at / 4 * self.stride;
            (lane, (memory.get(lane, column) >> (at % 4 * 8)) as u8)
        };
        let mut factors = Vec::with_capacity((self.count * self.each) as usize);
        for index in 0..self.count {
            for at in 0..self.each {
                let expected = byte(first, index, at);
                for partition in (first..end.min(LANES)).step_by(PARTITION as usize).skip(1) {
                    let other = byte(partition, index, at);
                    if other.1 != expected.1 {
                        return Err(Differs { index, found: [expected, other] });
                    }
                }
                factors.push(expected.1);
            }
        }
        Ok(factors)
    }
}
