//! Instructions that the interpreter executes for compiled code. It finds their sources in the activation and leaves their
//! results there (`dirty.rs` says which registers are there already).

use std::collections::BTreeSet;

use ptxvm_machine::code::Meaning;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Executed, LOOK};

use super::Emitter;
use super::block::Guard;
use super::value::Value;
use crate::analysis::Shape;

impl Emitter<'_> {
    /// A register has been written: it differs from what the activation holds, unless the interpreter has written it there
    /// or it goes there at once.
    pub(super) fn keep_in_place(&mut self, slot: Slot, value: &Value) {
        if self.analysis.is_late(slot) {
            return self.store_late(slot, value);
        }
        if self.alone.is_some() {
            return;
        }
        if self.executing {
            return self.is_in_place(slot);
        }
        self.is_written(slot);
        if self.dirty.is_some() && self.through.contains(&slot.offset()) {
            self.store_register(slot, value, None);
            self.is_in_place(slot);
        }
    }

    /// A register differs from what the activation holds.
    fn is_written(&mut self, slot: Slot) {
        self.changes.entry(self.block).or_default().write(slot.offset());
        if let Some(dirty) = &mut self.dirty {
            dirty.insert(slot.offset());
        }
    }

    /// A register does not differ from what the activation holds.
    fn is_in_place(&mut self, slot: Slot) {
        self.changes.entry(self.block).or_default().clean(slot.offset());
        if let Some(dirty) = &mut self.dirty {
            dirty.remove(&slot.offset());
        }
    }

    /// Whether nobody reads what a register holds just now.
    fn is_dead(&self, slot: Slot) -> bool {
        let Some(register) = self.analysis.register(slot) else { return false };
        !self.current.contains_key(&slot.offset()) && self.live_home(self.block, register).is_none()
    }

    /// Takes the price of a look at what others may change, if that is what has been done.
    pub(super) fn pay_for_look(&mut self, looked: &str) {
        let price = self.writer.value(format!("select i1 {looked}, i64 {LOOK}, i64 0"));
        self.spend(price);
    }

    /// Executes an instruction by the interpreter's own function: its sources go to their registers, its results are
    /// found there.
    pub(super) fn execute(&mut self, instruction: &Instruction, guard: &Guard) {
        self.writer.declare("declare i32 @ptxvm_execute(ptr, i32, i32)");
        self.executes = true;
        let described = &self.analysis.function.instructions[instruction.source.instruction as usize];
        let operands = self.analysis.function.operands_of(described);
        let prepared = matches!(instruction.meaning, Meaning::Prepared(_));
        if let Some(form) = self.analysis.code.program.forms.get(described.form.0 as usize) {
            self.writer.line(format!("; the interpreter executes {form}"));
        }
        let results = if prepared { 1 } else { operands.iter().filter(|operand| operand.written).count() };
        let carry = self.analysis.carry.map(Slot::offset);
        let is_result =
            |at: usize, slot: &Slot| at < results || at == results && carry == Some(slot.offset());
        // Results too: what is not written stays. What nobody reads stays as the last execution has left it: by that the
        // interpreter knows a load that sees what it saw before.
        let mut stored = BTreeSet::new();
        for (at, slot) in instruction.slots.iter().enumerate() {
            if slot.is_constant() || slot.is_sink() || is_result(at, slot) && self.is_dead(*slot) {
                continue;
            }
            if self.analysis.is_late(*slot) {
                continue;
            }
            let differs = self.dirty.as_ref().is_none_or(|dirty| dirty.contains(&slot.offset()));
            if stored.insert(slot.offset()) && differs {
                let value = self.whole(*slot);
                self.store_register(*slot, &value, None);
            }
            self.is_in_place(*slot);
            self.changes.entry(self.block).or_default().hand_over(slot.offset());
        }
        let lanes = self.lanes(guard);
        let (call, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        let none = self.writer.value(format!("icmp eq i32 {lanes}, 0"));
        let from = self.writer.label().to_owned();
        self.writer.line(format!("br i1 {none}, label %{rest}, label %{call}"));
        self.writer.begin(call.clone());
        self.tell_warp();
        let answer =
            self.writer.value(format!("call i32 @ptxvm_execute(ptr %frame, i32 {}, i32 {lanes})", self.at));
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let answer = self.writer.value(format!("phi i32 [ 0, %{from} ], [ {answer}, %{call} ]"));
        let stopped = self.writer.value(format!("icmp eq i32 {answer}, {}", Executed::Stopped.number()));
        self.fault_if(&stopped);
        if self.analysis.waits(described) {
            let waits = self.writer.value(format!("icmp eq i32 {answer}, {}", Executed::Waits.number()));
            self.leave_if(&waits);
        }
        let looked = self.writer.value(format!("icmp eq i32 {answer}, {}", Executed::Looked.number()));
        self.pay_for_look(&looked);
        let mask = self.mask.clone();
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {mask}, i1 true)"));
        let first = self.writer.value(format!("zext i32 {first} to i64"));
        for (at, slot) in instruction.slots.iter().enumerate() {
            if !is_result(at, slot) || slot.is_sink() || slot.is_constant() {
                continue;
            }
            if self.analysis.is_late(*slot) {
                self.current.remove(&slot.offset());
                self.held.remove(&slot.offset());
                continue;
            }
            let register = self.analysis.register(*slot);
            let home = register
                .and_then(|register| self.analysis.homes.written(instruction.source.instruction, register));
            let shape = match home.map(|home| self.analysis.homes.shape(home)) {
                Some(Shape::Uniform) => Shape::Uniform,
                _ => Shape::Varying,
            };
            let value = self.load_register(*slot, shape, &first);
            self.executing = true;
            self.write(*slot, value, &Guard::All);
            self.executing = false;
        }
    }
}
