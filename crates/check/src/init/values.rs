//! Between bytes of memory and bits of registers: what is undefined of what lanes store, and of what they load.

use ptxvm_ir::operation::matrix::{Matrix, MatrixLayout, MatrixMove};
use ptxvm_ir::operation::{Access as Operated, Operation};
use ptxvm_machine::door::executed::Executed;
use ptxvm_machine::registers::Slot;

use crate::init::bitwise::{extended, ones};
use crate::init::registers::{Origin, Registers, Undefined, lanes_in};

/// Undefined bytes, lane by lane, as bits from the first byte up.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    /// The bytes of which a bit is undefined.
    pub masks: [u32; 32],
    pub origins: [Origin; 32],
    /// The undefined bits of each, if those of one are not all.
    parts: Option<Box<[[u8; 32]; 32]>>,
}

impl Bytes {
    /// The undefined bits of a lane's byte.
    pub fn bits(&self, lane: usize, byte: usize) -> u8 {
        match self.masks[lane].checked_shr(byte as u32).unwrap_or(0) & 1 {
            0 => 0,
            _ => self.parts.as_ref().map_or(0xff, |parts| parts[lane][byte]),
        }
    }

    /// Those of all its bytes.
    pub fn of_lane(&self, lane: usize) -> [u8; 32] {
        std::array::from_fn(|byte| self.bits(lane, byte))
    }

    /// Bits of a lane's byte are undefined.
    pub fn mark(&mut self, lane: usize, byte: usize, bits: u8, origin: Origin) {
        if bits == 0 || byte >= 32 {
            return;
        }
        self.masks[lane] |= 1 << byte;
        self.origins[lane] = origin;
        if bits != 0xff || self.parts.is_some() {
            self.parts.get_or_insert_with(|| Box::new([[0xff; 32]; 32]))[lane][byte] = bits;
        }
    }
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
            for byte in 0..width {
                let bits = (value.bits >> (8 * byte)) as u8;
                bytes.mark(lane, (place * width + byte) as usize, bits, value.origin);
            }
        }
    }
    Some(bytes)
}

/// What is undefined of a destination, by the bytes that were loaded.
pub fn given(operation: &Operation, bytes: &Bytes, (index, slot): (usize, Slot), lane: usize) -> Undefined {
    let of_bytes = |first: u32, width: u32| {
        let bits = |byte: u32| u128::from(bytes.bits(lane, (first + byte) as usize)) << (8 * byte);
        (0..width).fold(0u128, |all, byte| all | bits(byte))
    };
    match operation {
        Operation::Access(Operated::Load(words)) => {
            let width = words.bits.div_ceil(8);
            let undefined = of_bytes(index as u32 * width, width);
            let undefined = if slot.is_signed() { extended(undefined, words.bits) } else { undefined };
            Undefined { bits: undefined & ones(slot.bits()), origin: bytes.origins[lane] }
        }
        Operation::Access(Operated::Atomic(atomic)) => {
            let width = atomic.ty.bits().div_ceil(8);
            let undefined = of_bytes(index as u32 * width, width);
            Undefined { bits: undefined, origin: bytes.origins[lane] }
        }
        Operation::Matrix(Matrix::Load(moved)) => {
            let (group, within) = (lane / 4, lane % 4);
            let row = |row: usize, byte: usize| bytes.bits((index * 8 + row) % 32, byte);
            let place = |byte: usize| match moved.layout {
                MatrixLayout::Rows => Some((group, 4 * within + byte)),
                MatrixLayout::Columns => Some((2 * within + byte / 2, 2 * group + byte % 2)),
                MatrixLayout::SixteenColumns | MatrixLayout::Accumulators => None,
            };
            let any = lanes_in(u32::MAX).find(|lane| bytes.masks[*lane] != 0);
            let origin = any.map_or_else(Origin::default, |lane| bytes.origins[lane]);
            let all = if any.is_some() { 0xff } else { 0 };
            let bits = |byte: usize| u128::from(place(byte).map_or(all, |(r, b)| row(r, b))) << (8 * byte);
            Undefined { bits: (0..4).fold(0, |all, byte| all | bits(byte)), origin }
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

/// The undefined bytes of the rows that `stmatrix` stores, by the lane that gives the row's address; `None` if nothing is
/// undefined, or which bytes they are is not known.
pub fn stored_rows(registers: &Registers, executed: &Executed<'_>, moved: &MatrixMove) -> Option<Box<Bytes>> {
    let first = moved.address.operand + 1;
    let values = executed.slots.get(first..first.checked_add(moved.registers)?)?;
    if !registers.has_any(executed.activation, values) {
        return None;
    }
    let mut bytes = Box::<Bytes>::default();
    for (matrix, slot) in values.iter().enumerate().take(4) {
        let Some(lanes) = registers.get(executed.activation, *slot) else { continue };
        for (row, byte) in (0..8).flat_map(|row| (0..16).map(move |byte| (row, byte))) {
            let (lane, at) = match moved.layout {
                MatrixLayout::Rows => (4 * row + byte / 4, byte % 4),
                MatrixLayout::Columns => (4 * (byte / 2) + row / 2, 2 * (row % 2) + byte % 2),
                MatrixLayout::SixteenColumns | MatrixLayout::Accumulators => return None,
            };
            let bits = (lanes[lane].bits >> (8 * at)) as u8;
            bytes.mark(8 * matrix + row, byte, bits, lanes[lane].origin);
        }
    }
    Some(bytes)
}
