//! Which byte of a matrix in memory is which byte of a lane's registers.
//!
//! A matrix in memory is rows of sixteen bytes. `g` is the lane's group of four, `t` its place there, as in the manual's
//! figures; those of the 8-bit shapes are pictures, and CUTLASS's traits of these instructions
//! (copy_traits_sm100.hpp) say the same in numbers.

/// How the bytes of one shape are spread over a warp.
pub trait Layout: Send + Sync + 'static {
    /// Rows of a matrix in memory: as many lanes give their addresses.
    const ROWS: usize;
    /// Registers of a lane for one matrix.
    const REGISTERS: usize;
    /// The row and the column, in bytes, of a byte of a lane's register.
    fn place(lane: usize, register: usize, byte: usize) -> (usize, usize);
}

/// `.m8n8.b16`, and `.m8n16` once its elements are bytes: four lanes hold a row.
pub struct Rows;

impl Layout for Rows {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(lane: usize, _: usize, byte: usize) -> (usize, usize) {
        (lane / 4, lane % 4 * 4 + byte)
    }
}

/// `.m8n8.trans.b16`: four lanes hold a column of eight 16-bit elements.
pub struct Columns;

impl Layout for Columns {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(lane: usize, _: usize, byte: usize) -> (usize, usize) {
        let (g, t) = (lane / 4, lane % 4);
        (2 * t + byte / 2, 2 * g + byte % 2)
    }
}

/// `.m16n16.trans` of bytes: four lanes hold column `g` in their first register and column `g + 8` in their second.
pub struct SixteenColumns;

impl Layout for SixteenColumns {
    const ROWS: usize = 16;
    const REGISTERS: usize = 2;

    #[inline(always)]
    fn place(lane: usize, register: usize, byte: usize) -> (usize, usize) {
        let (g, t) = (lane / 4, lane % 4);
        (4 * t + byte, g + 8 * register)
    }
}

/// `.m16n8.trans.b8`: the accumulator of `mma`, whose columns become the rows in memory.
pub struct Accumulators;

impl Layout for Accumulators {
    const ROWS: usize = 8;
    const REGISTERS: usize = 1;

    #[inline(always)]
    fn place(lane: usize, _: usize, byte: usize) -> (usize, usize) {
        let (g, t) = (lane / 4, lane % 4);
        (2 * t + byte % 2, g + 8 * (byte / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::{Accumulators, Columns, Layout, Rows, SixteenColumns};

    /// Every byte of a matrix belongs to exactly one byte of one lane's registers.
    fn covers<L: Layout>() {
        let mut seen = vec![false; L::ROWS * 16];
        for lane in 0..32 {
            for register in 0..L::REGISTERS {
                for byte in 0..4 {
                    let (row, column) = L::place(lane, register, byte);
                    assert!(column < 16 && !std::mem::replace(&mut seen[row * 16 + column], true));
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
