//! C and D between the registers of a warp and a plain matrix.

use ptxvm_num::matrix::Accumulator;

use crate::context::Context;
use crate::matrix::fragment::of_d;
use crate::registers::{Bank, LANES, Slot};
use crate::vector::value::Value;

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
    /// Where the first element of a lane lies ...
    const fn of_lane(self, lane: usize) -> usize {
        let (row, column) = of_d(lane, 0);
        self.of(row, column)
    }

    /// ... and how far from it another.
    const fn of_index(self, index: usize) -> usize {
        let (row, column) = of_d(0, index);
        self.of(row, column)
    }

    const fn of(self, row: usize, column: usize) -> usize {
        match self {
            Self::Rows => 8 * row + column,
            Self::Columns => row + 16 * column,
        }
    }

    /// Where the first element of each lane lies.
    const fn of_lanes(self) -> [usize; LANES] {
        let mut places = [0; LANES];
        let mut lane = 0;
        while lane < LANES {
            places[lane] = self.of_lane(lane);
            lane += 1;
        }
        places
    }

    fn places(self) -> &'static [usize; LANES] {
        const ROWS: [usize; LANES] = Order::Rows.of_lanes();
        const COLUMNS: [usize; LANES] = Order::Columns.of_lanes();
        match self {
            Self::Rows => &ROWS,
            Self::Columns => &COLUMNS,
        }
    }
}

/// C as a plain matrix. Integers are like f32: one in each register.
pub fn read(bank: &Bank<'_>, accumulator: Accumulator, slots: &[Slot], order: Order) -> [u32; ELEMENTS] {
    let mut values = [0; ELEMENTS];
    let mut put = |index: usize, elements: [u32; LANES]| {
        let rest = &mut values[order.of_index(index)..];
        for (place, element) in order.places().iter().zip(elements) {
            rest[*place] = element;
        }
    };
    for (index, slot) in slots.iter().enumerate() {
        let words = u32::read(bank, *slot);
        match accumulator {
            Accumulator::F32 => put(index, words),
            Accumulator::F16 => {
                put(2 * index, words.map(|word| word & 0xffff));
                put(2 * index + 1, words.map(|word| word >> 16));
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
    let get = |index: usize| {
        let rest = &values[order.of_index(index)..];
        order.places().map(|place| rest[place])
    };
    for (index, slot) in slots.iter().enumerate() {
        let register = match accumulator {
            Accumulator::F32 => get(index),
            Accumulator::F16 => {
                let (low, high) = (get(2 * index), get(2 * index + 1));
                std::array::from_fn(|lane| low[lane] | high[lane] << 16)
            }
        };
        u32::write(&mut context.bank, *slot, mask, &register);
    }
}
