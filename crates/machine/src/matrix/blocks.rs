//! C and D between the registers of a warp and blocks of 8 rows and 8 columns, which products of fragments are made in.
//!
//! A block's elements lie in two registers, those of the even columns in the first, or in the halves of one. Blocks of
//! the upper rows and of the lower ones alternate, and then go on to the right.

use ptxvm_num::matrix::Accumulator;
use ptxvm_num::matrix::fragment::Block;

use crate::registers::{ALL, Bank, LANES, Slot};
use crate::vector::value::{Converted, Value};

/// The registers of a block.
const fn registers(accumulator: Accumulator) -> usize {
    match accumulator {
        Accumulator::F32 => 2,
        Accumulator::F16 => 1,
    }
}

/// The blocks that registers hold.
pub const fn count(accumulator: Accumulator, slots: &[Slot]) -> usize {
    slots.len() / registers(accumulator)
}

/// The blocks where they lie, if the registers lie one after the other.
pub fn in_place<'a>(
    bank: &'a mut Bank<'_>,
    accumulator: Accumulator,
    slots: &[Slot],
) -> Option<&'a mut [Block]> {
    match accumulator {
        Accumulator::F32 => Some(bank.neighbours(slots)?.as_flattened_mut().as_chunks_mut().0),
        Accumulator::F16 => None,
    }
}

/// C's blocks.
pub fn read(bank: &Bank<'_>, accumulator: Accumulator, slots: &[Slot], to: &mut [Block]) {
    for (slots, block) in slots.chunks_exact(registers(accumulator)).zip(to) {
        let (even, odd) = block.split_at_mut(LANES);
        match slots {
            [first, second] => {
                even.copy_from_slice(u32::source(bank, *first, &mut Converted::uninit()));
                odd.copy_from_slice(u32::source(bank, *second, &mut Converted::uninit()));
            }
            [both] => {
                let halves = u32::read(bank, *both);
                for (lane, halves) in halves.into_iter().enumerate() {
                    (even[lane], odd[lane]) = (halves & 0xffff, halves >> 16);
                }
            }
            _ => {}
        }
    }
}

/// Writes D's blocks.
pub fn write(bank: &mut Bank<'_>, accumulator: Accumulator, slots: &[Slot], from: &[Block]) {
    for (slots, block) in slots.chunks_exact(registers(accumulator)).zip(from) {
        let (Some(even), Some(odd)) = (block.first_chunk::<LANES>(), block.last_chunk::<LANES>()) else {
            continue;
        };
        match slots {
            [first, second] => {
                u32::write(bank, *first, ALL, even);
                u32::write(bank, *second, ALL, odd);
            }
            [both] => {
                let halves = std::array::from_fn(|lane| even[lane] | odd[lane] << 16);
                u32::write(bank, *both, ALL, &halves);
            }
            _ => {}
        }
    }
}
