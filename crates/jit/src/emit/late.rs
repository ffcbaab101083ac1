//! The registers of `wgmma` (`analysis/late.rs`): code reads them from the activation and writes them there.
//!
//! An instruction that uses one while products may be under way asks the machine first, which waits for them as it does for
//! the interpreter's. One that has been asked for is free until the next product is issued.

use ptxvm_machine::code::Meaning;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::block::Guard;
use super::value::Value;
use crate::analysis::{Shape, wgmma};

impl Emitter<'_> {
    /// Nothing is known of the registers when a block begins.
    pub(super) fn begin_late(&mut self) {
        let of = self.analysis.begins_as(&self.analysis.code.blocks[self.block as usize]);
        self.products = self.analysis.late.before(of);
        self.free.clear();
    }

    /// Those of some slots that a product under way may use.
    fn in_use(&self, slots: &[Slot]) -> Vec<u32> {
        if !self.products.under_way {
            return Vec::new();
        }
        let late = slots.iter().filter(|slot| !slot.is_constant() && !slot.is_sink());
        let late = late.filter(|slot| self.analysis.is_late(**slot)).map(|slot| slot.offset());
        late.filter(|slot| !self.free.contains(slot)).collect()
    }

    /// Whether the end of the block uses registers that a product under way may use.
    pub(super) fn ends_in_use(&self) -> bool {
        !self.in_use(&self.analysis.code.blocks[self.block as usize].end_with.slots()).is_empty()
    }

    /// Has the machine wait for the products whose registers an instruction is about to use.
    pub(super) fn before_use(&mut self, instruction: &Instruction, guard: &Guard) {
        let used = if instruction.wgmma { Vec::new() } else { self.in_use(&instruction.slots) };
        if used.is_empty() {
            return;
        }
        let lanes = self.lanes(guard);
        let at = self.at.to_string();
        let stopped = self.ask("settle", "i32", &[("i32", &at), ("i32", &lanes)]);
        let stopped = self.writer.value(format!("icmp ne i32 {stopped}, 0"));
        self.fault_if(&stopped);
        // Where its guard lets nobody through, nobody has waited.
        if matches!(guard, Guard::All) {
            self.free.extend(used);
        }
    }

    /// An instruction has been executed: products may be under way since, or no longer.
    pub(super) fn after_products(&mut self, instruction: &Instruction) {
        if self.analysis.late.is_empty() || !matches!(instruction.meaning, Meaning::Program) {
            return;
        }
        let program = &self.analysis.code.program;
        let described = &self.analysis.function.instructions[instruction.source.instruction as usize];
        if wgmma(program, described).is_none() {
            return;
        }
        self.products = self.products.after(program, described);
        self.free.clear();
        let late = (0..).zip(&self.analysis.linked.registers).filter(|(at, _)| self.analysis.late.has(*at));
        for slot in late.map(|(_, slot)| slot.offset()) {
            self.current.remove(&slot);
            self.held.remove(&slot);
        }
    }

    /// What a register holds in the activation.
    pub(super) fn load_late(&mut self, slot: Slot) -> Value {
        self.load_register(slot, Shape::Varying, "0")
    }

    /// A register has been written: it goes to the activation at once, unless the interpreter has written it there.
    pub(super) fn store_late(&mut self, slot: Slot, value: &Value) {
        if !self.executing {
            let only = self.blend_lanes();
            self.store_register(slot, value, only.as_deref());
        }
    }
}
