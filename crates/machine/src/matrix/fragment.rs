//! Which lane of a warp holds which element of a matrix, and how whole matrices are gathered from registers.
//!
//! All shapes but Volta's (`quad_pair.rs`) follow one pattern. Lane `4g + t` belongs to row `g` of an 8-row block of A
//! (column `g` of B), and the four lanes of such a quad hold, with one register each, the consecutive elements of 16
//! bytes. A's registers alternate between the two 8-row blocks and then go on along k; B's go on along k at once.
//! So a row of A, or a column of B, is nothing but 16-byte pieces put side by side: [`place_a`] and [`place_b`] do that.
//! A sparse A is laid out the same way, counted in the elements that it stores.

use crate::registers::LANES;

/// Words that the four lanes of a quad hold in one register.
pub const QUAD: usize = 4;

/// Row and column of an element of A: the `index`-th of a lane, `per` of which a register holds (1 also for f64).
#[must_use]
pub const fn of_a(lane: usize, index: usize, per: usize) -> (usize, usize) {
    let (register, within) = (index / per, index % per);
    (lane / QUAD + 8 * (register % 2), per * (lane % QUAD) + within + QUAD * per * (register / 2))
}

/// Row (k) and column of an element of B: the `index`-th of a lane, `per` of which a register holds (1 also for f64).
#[must_use]
pub const fn of_b(lane: usize, index: usize, per: usize) -> (usize, usize) {
    let (register, within) = (index / per, index % per);
    (per * (lane % QUAD) + within + QUAD * per * register, lane / QUAD)
}

/// Row and column of an element of C and D, the `index`-th of a lane, whatever its type: a matrix of 8 rows has two of
/// them, one of 16 rows four for each eight columns.
#[must_use]
pub const fn of_d(lane: usize, index: usize) -> (usize, usize) {
    (lane / QUAD + 8 * (index / 2 % 2), 2 * (lane % QUAD) + index % 2 + 8 * (index / QUAD))
}

/// Puts a register of A's fragment, the `index`-th of `count`, to its places among the rows of A: packed words, one row
/// after the other. A fragment of one register is of a matrix of 8 rows, one of more of a matrix of 16 rows.
pub fn place_a(words: &mut [u32], index: usize, count: usize, register: &[u32; LANES]) {
    let blocks = if count == 1 { 1 } else { 2 };
    let row_words = QUAD * count / blocks;
    let first = 8 * (index % blocks) * row_words + QUAD * (index / blocks);
    let rows = words[first..].chunks_mut(row_words);
    for (row, quad) in rows.zip(register.as_chunks::<QUAD>().0) {
        row[..QUAD].copy_from_slice(quad);
    }
}

/// Puts a register of B's fragment, the `index`-th of `count`, to its places among the columns of B: packed words, one
/// column after the other.
pub fn place_b(words: &mut [u32], index: usize, count: usize, register: &[u32; LANES]) {
    let columns = words[QUAD * index..].chunks_mut(QUAD * count);
    for (column, quad) in columns.zip(register.as_chunks::<QUAD>().0) {
        column[..QUAD].copy_from_slice(quad);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element in its own register, lane and place, by a number that says which.
    fn registers(count: usize, per: usize) -> Vec<[u32; LANES]> {
        let bits = 32 / per;
        (0..count)
            .map(|register| {
                std::array::from_fn(|lane| {
                    let number = |within: usize| (register * LANES + lane) * per + within;
                    (0..per).fold(0, |word, within| word | (number(within) as u32) << (bits * within))
                })
            })
            .collect()
    }

    /// Placing registers is what the element's formulas say.
    #[test]
    fn placing_agrees_with_the_formulas() {
        for (count, per) in [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1), (4, 2)] {
            let bits = 32 / per;
            let registers = registers(count, per);
            let of = |words: &[u32], line: usize, at: usize, line_words: usize| {
                words[line * line_words + at / per] >> (bits * (at % per)) & (u32::MAX >> (32 - bits))
            };
            let (mut a, mut b) = ([0; 256], [0; 256]);
            for (index, register) in registers.iter().enumerate() {
                place_a(&mut a, index, count, register);
                place_b(&mut b, index, count, register);
            }
            let a_words = if count == 1 { QUAD } else { QUAD * count / 2 };
            for lane in 0..LANES {
                for index in 0..count * per {
                    let number = ((index / per * LANES + lane) * per + index % per) as u32;
                    let (row, column) = of_a(lane, index, per);
                    assert_eq!(of(&a, row, column, a_words), number, "A of {count} registers of {per}");
                    let (row, column) = of_b(lane, index, per);
                    assert_eq!(of(&b, column, row, QUAD * count), number, "B of {count} registers of {per}");
                }
            }
        }
    }

    /// Every element of D is held once.
    #[test]
    fn accumulators_are_held_once() {
        for (elements, rows) in [(2, 8), (4, 16), (16, 16)] {
            let columns = elements * LANES / rows;
            let mut held = vec![0; rows * columns];
            for lane in 0..LANES {
                for index in 0..elements {
                    let (row, column) = of_d(lane, index);
                    held[row * columns + column] += 1;
                }
            }
            assert!(held.iter().all(|times| *times == 1));
        }
    }
}
