//! Between bytes of memory and bits of registers: what is undefined of what lanes store, and of what they load.

use ptxvm_ir::operation::matrix::{Matrix, MatrixLayout};
use ptxvm_ir::operation::{Access as Operated, Operation};
use ptxvm_machine::door::executed::Executed;
use ptxvm_machine::registers::Slot;

use crate::init::bitwise::{extended, ones};
use crate::init::registers::{Origin, Registers, Undefined, lanes_in};

/// Undefined bytes, lane by lane, as bits from the first byte up.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    pub masks: [u32; 32],
    pub origins: [Origin; 32],
}

/// The undefined bytes of the values that lanes store one after the other.
pub fn stored(
    registers: &Registers,
    executed: &Executed<'_>,
    first: usize,
    count: usize,
    bits: u32,
) -> Option<Box<Bytes>> {
    let values = executed.slots.get(first..first.checked_add(count)?)?;
    if !registers.has_any(executed.activation, values) {
        return None;
    }
    let width = bits.div_ceil(8).max(1);
    let mut bytes = Box::<Bytes>::default();
    for (place, slot) in (0u32..).zip(values) {
        let Some(lanes) = registers.get(executed.activation, *slot) else { continue };
        for (lane, value) in lanes.iter().enumerate() {
            let undefined = value.bits;
            let mask = (0..width).filter(|byte| undefined >> (8 * byte) & 0xff != 0);
            let mask = mask.fold(0u32, |mask, byte| mask | 1 << byte);
            if mask != 0 {
                bytes.masks[lane] |= mask.checked_shl(place * width).unwrap_or(0);
                bytes.origins[lane] = value.origin;
            }
        }
    }
    Some(bytes)
}

/// What is undefined of a destination, by the bytes that were loaded.
pub fn given(operation: &Operation, bytes: &Bytes, (index, slot): (usize, Slot), lane: usize) -> Undefined {
    let of_bytes = |mask: u32, first: u32, width: u32| {
        let bits = (0..width).filter(|byte| first + byte < 32 && mask >> (first + byte) & 1 != 0);
        bits.fold(0u128, |all, byte| all | 0xff << (8 * byte))
    };
    match operation {
        Operation::Access(Operated::Load(words)) => {
            let width = words.bits.div_ceil(8);
            let undefined = of_bytes(bytes.masks[lane], index as u32 * width, width);
            let undefined = if slot.is_signed() { extended(undefined, words.bits) } else { undefined };
            Undefined { bits: undefined & ones(slot.bits()), origin: bytes.origins[lane] }
        }
        Operation::Access(Operated::Atomic(atomic)) => {
            let width = atomic.ty.bits().div_ceil(8);
            let undefined = of_bytes(bytes.masks[lane], index as u32 * width, width);
            Undefined { bits: undefined, origin: bytes.origins[lane] }
        }
        Operation::Matrix(Matrix::Load(moved)) => {
            let (group, within) = (lane / 4, lane % 4);
            let row = |row: usize, byte: usize| bytes.masks[(index * 8 + row) % 32] >> byte & 1 != 0;
            let place = |byte: usize| match moved.layout {
                MatrixLayout::Rows => Some((group, 4 * within + byte)),
                MatrixLayout::Columns => Some((2 * within + byte / 2, 2 * group + byte % 2)),
                MatrixLayout::SixteenColumns | MatrixLayout::Accumulators => None,
            };
            let any = lanes_in(u32::MAX).find(|lane| bytes.masks[*lane] != 0);
            let origin = any.map_or_else(Origin::default, |lane| bytes.origins[lane]);
            let bits = (0..4).filter(|byte| place(*byte).map_or(any.is_some(), |(r, b)| row(r, b)));
            Undefined { bits: bits.fold(0, |all, byte| all | 0xff << (8 * byte)), origin }
        }
        _ => {
            let any = lanes_in(u32::MAX).find(|lane| bytes.masks[*lane] != 0);
            any.map_or_else(Undefined::default, |lane| Undefined {
                bits: u128::MAX,
                origin: bytes.origins[lane],
            })
        }
    }
}
