//! Which element of a matrix is which part of a lane's registers.

use ptxvm_ir::operation::matrix::{Shape, WmmaPart as Part};

use super::is_transposed;
use crate::matrix::fragment::{of_a, of_b, of_d};
use crate::registers::LANES;

/// The rows and columns of a matrix of a product. D is held as C.
pub const fn size(part: Part, shape: Shape) -> (usize, usize) {
    match part {
        Part::A => (shape.m, shape.k),
        Part::B => (shape.k, shape.n),
        Part::C => (shape.m, shape.n),
    }
}

/// Row and column of a lane's `index`-th element, `per` of which a register of 32 bits holds (1 also for f64).
pub fn place(part: Part, shape: Shape, per: usize, lane: usize, index: usize) -> (usize, usize) {
    if is_transposed(shape) {
        let other = match part {
            Part::A => Part::B,
            Part::B => Part::A,
            Part::C => Part::C,
        };
        let (row, column) = place(other, Shape { m: shape.n, n: shape.m, k: shape.k }, per, lane, index);
        return (column, row);
    }
    // What a lane has of the matrix: f16 fragments have eight registers, which repeat what is there until they are full.
    let (rows, columns) = size(part, shape);
    let index = index % (rows * columns / LANES);
    match part {
        Part::A => {
            // The elements of one fragment of `mma`: 16 rows, or all 8.
            let tile = rows.min(16) * columns / LANES;
            let (row, column) = of_a(lane, index % tile, per);
            (row + 16 * (index / tile), column)
        }
        Part::B => {
            let tile = rows * 8 / LANES;
            let (row, column) = of_b(lane, index % tile, per);
            (row, column + 8 * (index / tile))
        }
        Part::C if rows == 32 => {
            let (row, column) = of_d(lane, index % 4);
            (row + 16 * (index / 4), column)
        }
        Part::C => of_d(lane, index),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element is held, and as often as every other.
    #[test]
    fn every_element_is_held_alike() {
        let of = |m, n, k| Shape { m, n, k };
        // The shape, the elements of a register, and the registers of A, B and C.
        let cases = [
            (of(16, 16, 16), 2, [8, 8, 4]),
            (of(32, 8, 16), 2, [8, 8, 4]),
            (of(8, 32, 16), 2, [8, 8, 4]),
            (of(16, 16, 16), 2, [4, 4, 4]),
            (of(32, 8, 16), 2, [8, 2, 4]),
            (of(8, 32, 16), 2, [2, 8, 4]),
            (of(16, 16, 16), 4, [2, 2, 2]),
            (of(32, 8, 16), 4, [4, 1, 2]),
            (of(8, 32, 16), 4, [1, 4, 2]),
            (of(16, 16, 8), 1, [4, 4, 8]),
            (of(8, 8, 4), 1, [1, 1, 2]),
        ];
        for (shape, per, registers) in cases {
            for (part, count) in [Part::A, Part::B, Part::C].into_iter().zip(registers) {
                let (rows, columns) = size(part, shape);
                let mut held = vec![0; rows * columns];
                for lane in 0..LANES {
                    for index in 0..count * per {
                        let (row, column) = place(part, shape, per, lane, index);
                        assert!(row < rows && column < columns, "{part:?} of {shape:?}");
                        held[row * columns + column] += 1;
                    }
                }
                let times = count * per * LANES / (rows * columns);
                assert!(held.iter().all(|held| *held == times), "{part:?} of {shape:?}: {held:?}");
            }
        }
    }
}
