//! Which byte of a matrix in memory is which byte of a lane's registers.
//!
//! A matrix in memory is rows of sixteen bytes. `g` is the lane's group of four, `t` its place there, as in the manual's
//! figures; those of the 8-bit shapes are pictures, and CUTLASS's traits of these instructions
//! (copy_traits_sm100.hpp) say the same in numbers.

use crate::matrix::fragment::QUAD;
use crate::registers::LANES;

/// The groups of four lanes of a warp.
const GROUPS: usize = LANES / QUAD;

/// The bytes of a row.
pub const ROW: usize = 16;

/// The most rows of a matrix.
const ROWS: usize = 16;

/// How the bytes of one shape are spread over a warp.
pub trait WarpLayout: Send + Sync + 'static {
    /// Rows of a matrix in memory: as many lanes give their addresses.
    const ROWS: usize;
    /// Registers of a lane for one matrix.
    const REGISTERS: usize;
    /// The row and the column, in bytes, of a byte of a register of lane `4 g + t`.
    fn place(g: usize, t: usize, register: usize, byte: usize) -> (usize, usize);
}

/// A register of every lane, from the rows of its matrix.
#[inline(always)]
pub fn gather<L: WarpLayout>(rows: &[[u8; ROW]], register: usize) -> [u32; LANES] {
    // With a known length, and indices that cannot leave it, the loops become a few moves of vectors.
    let mut matrix = [[0; ROW]; ROWS];
    matrix[..L::ROWS].copy_from_slice(&rows[..L::ROWS]);
    let mut values = [0; LANES];
    for g in 0..GROUPS {
        for t in 0..QUAD {
            let mut bytes = [0; 4];
            for (byte, to) in bytes.iter_mut().enumerate() {
                let (row, column) = L::place(g, t, register, byte);
                *to = matrix[row % ROWS][column % ROW];
            }
            values[QUAD * g + t] = u32::from_le_bytes(bytes);
        }
    }
    values
}

/// Puts a register of every lane to its places in the rows of its matrix.
#[inline(always)]
pub fn scatter<L: WarpLayout>(values: &[u32; LANES], register: usize, rows: &mut [[u8; ROW]]) {
    let mut matrix = [[0; ROW]; ROWS];
    matrix[..L::ROWS].copy_from_slice(&rows[..L::ROWS]);
    for g in 0..GROUPS {
        for t in 0..QUAD {
            for (byte, from) in values[QUAD * g + t].to_le_bytes().into_iter().enumerate() {
                let (row, column) = L::place(g, t, register, byte);
                matrix[row % ROWS][column % ROW] = from;
            }
        }
    }
    rows[..L::ROWS].copy_from_slice(&matrix[..L::ROWS]);
}

/// `.m8n8.b16`, and `.m8n16` once its elements are bytes: four lanes hold a row.
pub struct Rows;

impl WarpLayout for Rows {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(g: usize, t: usize, _: usize, byte: usize) -> (usize, usize) {
        (g, 4 * t + byte)
    }
}

/// `.m8n8.trans.b16`: four lanes hold a column of eight 16-bit elements.
pub struct Columns;

impl WarpLayout for Columns {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(g: usize, t: usize, _: usize, byte: usize) -> (usize, usize) {
        (2 * t + byte / 2, 2 * g + byte % 2)
    }
}

/// `.m16n16.trans` of bytes: four lanes hold column `g` in their first register and column `g + 8` in their second.
pub struct SixteenColumns;

impl WarpLayout for SixteenColumns {
    const ROWS: usize = 16;
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn place(g: usize, t: usize, register: usize, byte: usize) -> (usize, usize) {
        (4 * t + byte, g + 8 * register)
    }
}

/// `.m16n8.trans.b8`: the accumulator of `mma`, whose columns become the rows in memory.
pub struct Accumulators;

impl WarpLayout for Accumulators {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(g: usize, t: usize, _: usize, byte: usize) -> (usize, usize) {
        (2 * t + byte % 2, g + 8 * (byte / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::{Accumulators, Columns, LANES, QUAD, ROW, Rows, SixteenColumns, WarpLayout};

    /// Every byte of a matrix belongs to exactly one byte of one lane's registers.
    fn covers<L: WarpLayout>() {
        let mut seen = vec![false; L::ROWS * ROW];
        for lane in 0..LANES {
            for register in 0..L::REGISTERS {
                for byte in 0..4 {
                    let (row, column) = L::place(lane / QUAD, lane % QUAD, register, byte);
                    assert!(column < ROW && !std::mem::replace(&mut seen[row * ROW + column], true));
                }
            }
        }
        assert!(seen.into_iter().all(|byte| byte));
    }

    #[test]
    fn every_byte_has_one_owner() {
        covers::<Rows>();
        covers::<Columns>();
        covers::<SixteenColumns>();
        covers::<Accumulators>();
    }
}
