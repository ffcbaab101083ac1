//! C and D between the registers of a warp and a plain matrix.

use ptxvm_num::matrix::Accumulator;

use crate::context::Context;
use crate::matrix::fragment::of_d;
use crate::registers::{Bank, LANES, Slot, Value};

/// The most elements that D has: 16 rows of 8.
pub const ELEMENTS: usize = 16 * 8;

/// Which way the plain matrix lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Row after row of eight.
    Rows,
    /// Column after column of sixteen.
    Columns,
}

impl Order {
    /// Where the `index`-th element of a lane lies.
    const fn place(self, lane: usize, index: usize) -> usize {
        let (row, column) = of_d(lane, index);
        match self {
            Self::Rows => 8 * row + column,
            Self::Columns => row + 16 * column,
        }
    }
}

/// C as a plain matrix. Integers are like f32: one in each register.
pub fn read(bank: &Bank, accumulator: Accumulator, slots: &[Slot], order: Order) -> [u32; ELEMENTS] {
    let mut values = [0; ELEMENTS];
    for (index, slot) in slots.iter().enumerate() {
        for (lane, word) in u32::read(bank, *slot).into_iter().enumerate() {
            match accumulator {
                Accumulator::F32 => values[order.place(lane, index)] = word,
                Accumulator::F16 => {
                    values[order.place(lane, 2 * index)] = word & 0xffff;
                    values[order.place(lane, 2 * index + 1)] = word >> 16;
                }
            }
        }
    }
    values
}

/// Writes D, a plain matrix.
pub fn write(
    context: &mut Context<'_>,
    accumulator: Accumulator,
    (slots, mask): (&[Slot], u32),
    values: &[u32; ELEMENTS],
    order: Order,
) {
    let at = |lane: usize, index: usize| values[order.place(lane, index)];
    for (index, slot) in slots.iter().enumerate() {
        let mut register = [0; LANES];
        for (lane, word) in register.iter_mut().enumerate() {
            *word = match accumulator {
                Accumulator::F32 => at(lane, index),
                Accumulator::F16 => at(lane, 2 * index) | at(lane, 2 * index + 1) << 16,
            };
        }
        u32::write(&mut context.bank, *slot, mask, &register);
    }
}
