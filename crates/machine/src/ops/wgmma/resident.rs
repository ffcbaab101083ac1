//! The accumulators of a warp while products by the host's matrix unit are added to them: in tiles, not in registers.
//!
//! Most products of a loop have the same D, which nobody else may use until the warp has waited for the last of them. So
//! D goes into tiles once, and back when it has been waited for, or somebody uses its registers all the same.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_num::matrix::Accumulator;
use ptxvm_num::matrix::amx::{AmxA, AmxB, AmxD};
use ptxvm_num::matrix::fragment::Block;

use crate::matrix::blocks;
use crate::registers::{KeptBank, Slot};

/// What accumulators are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Float(Accumulator),
    Integer,
}

impl Values {
    /// How they lie in registers: integers are like f32, one in each.
    const fn in_registers(self) -> Accumulator {
        match self {
            Self::Float(accumulator) => accumulator,
            Self::Integer => Accumulator::F32,
        }
    }
}

/// The accumulators of a warp's last product.
#[derive(Debug, Default)]
pub struct ResidentD {
    /// The activation whose registers they are of, and their type; nothing if they are of none.
    of: Option<(KeptBank, Values)>,
    /// The operands of their product, the registers first.
    slots: Arc<[Slot]>,
    registers: usize,
    /// Whether the registers lie one after the other.
    is_plain: bool,
    tiles: AmxD,
    /// The group of the last product that was added.
    pub group: u32,
    /// Room on the way from and to registers.
    blocks: Vec<Block>,
}

impl ResidentD {
    /// Whether there are registers whose values are here.
    pub const fn is_live(&self) -> bool {
        self.of.is_some()
    }

    /// Forgets all, for a fresh warp.
    pub const fn forget(&mut self) {
        self.of = None;
    }

    /// Whether the values are here of the accumulators that are the first of these operands.
    pub fn is(&self, bank: &KeptBank, slots: &Arc<[Slot]>) -> bool {
        let same = || slots.get(..self.registers).is_some_and(|slots| *slots == self.slots[..self.registers]);
        self.of.is_some_and(|(own, _)| own.is_that_of(bank)) && (Arc::ptr_eq(&self.slots, slots) || same())
    }

    /// Whether the value of one of these registers is here.
    pub fn has_any(&self, bank: &KeptBank, slots: &[Slot]) -> bool {
        self.of.is_some_and(|(own, _)| own.is_that_of(bank))
            && slots.iter().any(|slot| self.slots[..self.registers].contains(slot))
    }

    /// Where the A of the next product should be decoded.
    pub fn next_a(&mut self) -> &mut AmxA {
        self.tiles.next_a()
    }

    /// Adds the product of that A and a B to the accumulators in these registers, or to zeros. What else is here goes back
    /// before.
    ///
    /// # Safety
    /// As for [`Self::put_back`], and of this activation too.
    pub unsafe fn add(
        &mut self,
        (bank, values, slots, registers): (&KeptBank, Values, &Arc<[Slot]>, usize),
        to_zeros: bool,
        b: &Arc<AmxB>,
    ) {
        let accumulator = values.in_registers();
        let same_values = self.of.is_some_and(|(_, own)| own == values);
        if !same_values || !self.is(bank, slots) || self.registers != registers {
            // SAFETY: the caller's promise, passed on.
            unsafe { self.put_back() };
            (self.slots, self.registers) = (Arc::clone(slots), registers);
            // SAFETY: the caller's promise, passed on.
            self.is_plain = unsafe { bank.bank() }.neighbours(&slots[..registers]).is_some();
            if !to_zeros {
                // SAFETY: the caller's promise, passed on.
                unsafe { self.fetch(bank, accumulator) };
            }
        }
        if to_zeros {
            self.tiles.clear(blocks::count(accumulator, &slots[..registers]) / 2);
        }
        self.tiles.add(b);
        self.tiles.round(accumulator);
        self.of = Some((*bank, values));
        if !self.is_plain {
            // A register may be there twice.
            // SAFETY: the caller's promise, passed on.
            unsafe { self.put_back() };
        }
    }

    /// Takes the values of the registers.
    ///
    /// # Safety
    /// As for [`Self::put_back`], and of this activation.
    unsafe fn fetch(&mut self, bank: &KeptBank, accumulator: Accumulator) {
        // SAFETY: the caller's promise, passed on.
        let mut bank = unsafe { bank.bank() };
        let slots = &self.slots[..self.registers];
        if let Some(d) = blocks::in_place(&mut bank, accumulator, slots) {
            return self.tiles.read(accumulator, d);
        }
        self.blocks.resize(blocks::count(accumulator, slots), [0; _]);
        blocks::read(&bank, accumulator, slots, &mut self.blocks);
        self.tiles.read(accumulator, &self.blocks);
    }

    /// Gives the registers their values.
    ///
    /// # Safety
    /// The activation whose registers they are still exists, and nobody else reads or writes these meanwhile: only the
    /// host thread that runs the warp calls it, between two reads or writes of an operation.
    pub unsafe fn put_back(&mut self) {
        let Some((bank, values)) = self.of.take() else { return };
        let accumulator = values.in_registers();
        // SAFETY: the caller's promise, passed on.
        let mut bank = unsafe { bank.bank() };
        let slots = &self.slots[..self.registers];
        if let Some(d) = blocks::in_place(&mut bank, accumulator, slots) {
            return self.tiles.write(accumulator, d);
        }
        self.blocks.resize(blocks::count(accumulator, slots), [0; _]);
        self.tiles.write(accumulator, &mut self.blocks);
        blocks::write(&mut bank, accumulator, slots, &self.blocks);
    }
}
