//! Where a warp enters: which of its lanes do, and what its registers hold.
//!
//! What depends on the thread's place alone is made again, by the instructions that made it before (`analysis/remade.rs`); the
//! rest is loaded. If a register is not as the analysis says, which can only be where an index wraps
//! (`analysis/promise.rs`), or if a lane has ended though that is rare, nothing is entered and the interpreter goes on.

use std::collections::{BTreeSet, HashMap};

use ptxvm_ir::flow::ValueId;
use ptxvm_machine::code::Terminator;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Left, offset};

use super::block::Guard;
use super::leave::Back;
use super::one_way::decision;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};
use super::{Emitter, REGISTERS};
use crate::analysis::{HomeId, Maker, Promise, Rows, Shape};

/// Where it is found that a warp cannot enter.
const REFUSED: &str = "refused";

impl Emitter<'_> {
    /// Finds the lanes of a warp, and puts the registers that are live into their homes.
    pub(super) fn enter_warp(&mut self) {
        let entry = self.region.entry;
        self.entering = true;
        let mask = self.lanes_at_entry();
        self.slot("%mask", "i32");
        self.writer.line(format!("store i32 {mask}, ptr %mask"));
        let banks = self.frame(offset::BANKS);
        let bank = self.writer.value(format!("getelementptr ptr, ptr {banks}, i64 %w.wide"));
        // Only what is left or called needs it: LLVM may load it there.
        self.writer.line(format!("{REGISTERS} = load ptr, ptr {bank}, !invariant.load !1"));
        let stacks = self.frame(offset::STACKS);
        let stack = self.writer.value(format!("getelementptr i64, ptr {stacks}, i64 %w.wide"));
        self.writer.line(format!("%stack = load i64, ptr {stack}"));
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {mask}, i1 true)"));
        let first = self.writer.value(format!("zext i32 {first} to i64"));
        self.mask = mask;
        let mut made = HashMap::new();
        for (register, home) in self.analysis.live_at(entry) {
            if !self.region.uses(*register) {
                continue;
            }
            let Some(slot) = self.analysis.slot(*register) else { continue };
            let value = match self.made_again(*home, &mut made) {
                Some(value) => value,
                None => self.loaded(slot, *home, &first),
            };
            self.store_home(*home, &value);
        }
        self.entering = false;
        self.spend(self.region.cost(self.analysis, |_| true));
        match self.twice {
            true => self.writer.line(format!("br label %{}", decision(entry))),
            false => self.writer.line(format!("br label %b{entry}")),
        }
        self.refuse();
    }

    /// The lanes of a warp that enter: those that have not ended, of which there is one at least. All warps of a CTA begin
    /// whole, except for the last.
    fn lanes_at_entry(&mut self) -> Name {
        let (entry, whole) = (self.region.entry, self.whole_warp());
        if self.analysis.is_beginning(entry) || self.one {
            return whole;
        }
        let mask = self.writer.value("load i32, ptr %alive");
        let none = self.writer.value(format!("icmp eq i32 {mask}, 0"));
        let some = self.writer.fresh_label();
        self.writer.line(format!("br i1 {none}, label %done, label %{some}, !prof !0"));
        self.writer.begin(some);
        if !self.analysis.is_whole(entry) {
            return mask;
        }
        let fewer = self.writer.value(format!("icmp ne i32 {mask}, {whole}"));
        self.leave_if(&fewer);
        whole
    }

    /// The lanes of the warp that have a thread.
    fn whole_warp(&mut self) -> Name {
        let last = self.analysis.warps() - 1;
        let lanes = self.analysis.lanes_of(last);
        if lanes == u32::MAX {
            return lanes.to_string();
        }
        let is_last = self.writer.value(format!("icmp eq i32 %w, {last}"));
        self.writer.value(format!("select i1 {is_last}, i32 {lanes}, i32 {}", u32::MAX))
    }

    /// The lanes of the warp that have not ended: all, if it was whole and none can end here.
    pub(super) fn alive(&mut self) -> Name {
        let blocks = self.region.waiting.keys().map(|block| &self.analysis.code.blocks[*block as usize]);
        let ends = blocks.map(|block| &block.end_with).any(|end| matches!(end, Terminator::Exit { .. }));
        if self.one && !ends { self.whole_warp() } else { self.writer.value("load i32, ptr %alive") }
    }

    /// What is in a home, if that can be made again; `made` has what has been made so far.
    fn made_again(&mut self, home: HomeId, made: &mut HashMap<ValueId, Value>) -> Option<Value> {
        let value = self.analysis.homes.remade(home)?;
        self.make(value, made)
    }

    fn make(&mut self, value: ValueId, made: &mut HashMap<ValueId, Value>) -> Option<Value> {
        if let Some(made) = made.get(&value) {
            return Some(made.clone());
        }
        let Maker { instruction, register, reads } = self.analysis.homes.maker(value)?;
        let mut sources = HashMap::new();
        for (register, read) in reads {
            sources.insert(self.analysis.slot(register)?.offset(), self.make(read, made)?);
        }
        self.log.clear();
        self.current.clear();
        self.held = sources;
        for at in self.analysis.linked_at(instruction) {
            self.at = at;
            self.write_itself(&self.analysis.code.instructions[at as usize], &Guard::All)?;
        }
        let result = self.whole(self.analysis.slot(register)?);
        made.insert(value, result.clone());
        Some(result)
    }

    /// What is in a home, from a register of the activation; `first` is the lowest lane that runs.
    fn loaded(&mut self, slot: Slot, home: HomeId, first: &str) -> Value {
        let value = self.load_register(slot, self.analysis.homes.shape(home), first);
        let differs = match (self.analysis.homes.promise(home), &value.kept) {
            (Promise::Sure, _) | (_, Kept::Vector(_)) => return value,
            (Promise::One(_), Kept::Affine(..)) if slot.width() != 0 => self.differs_in_last(slot, &value),
            (Promise::One(_), Kept::Rows(_, rows)) if self.mask == u32::MAX.to_string() => {
                self.differs_at_ends(slot, &value, *rows)
            }
            _ => self.differs_somewhere(slot, &value),
        };
        self.leave_if(&differs);
        value
    }

    /// Whether the last lane that runs has something else in a register than a value says.
    fn differs_in_last(&mut self, slot: Slot, value: &Value) -> Name {
        let mask = self.mask.clone();
        self.writer.declare("declare i32 @llvm.ctlz.i32(i32, i1)");
        let above = self.writer.value(format!("call i32 @llvm.ctlz.i32(i32 {mask}, i1 true)"));
        let last = self.writer.value(format!("xor i32 {above}, 31"));
        let last = self.writer.value(format!("zext i32 {last} to i64"));
        let all = value.lanes(&mut self.writer);
        self.differs_at(&last, slot, &all)
    }

    /// Whether the last lane of a row has something else in a register than a value says; all lanes run.
    fn differs_at_ends(&mut self, slot: Slot, value: &Value, rows: Rows) -> Name {
        let all = value.lanes(&mut self.writer);
        let mut some = "false".to_owned();
        for last in (0..LANES).step_by(rows.width as usize).map(|row| row + rows.width as usize - 1) {
            let differs = self.differs_at(&last.to_string(), slot, &all);
            some = self.writer.value(format!("or i1 {some}, {differs}"));
        }
        some
    }

    /// Whether a lane has something else in a register than a vector says.
    fn differs_at(&mut self, lane: &str, slot: Slot, all: &str) -> Name {
        let bits = slot.bits();
        let held = self.load_register(slot, Shape::Uniform, lane);
        let held = held.as_scalar().cloned().unwrap_or_default();
        let said = self.writer.value(format!("extractelement <{LANES} x i{bits}> {all}, i64 {lane}"));
        self.writer.value(format!("icmp ne i{bits} {held}, {said}"))
    }

    /// Whether some lane that runs has something else in a register than a value says.
    fn differs_somewhere(&mut self, slot: Slot, value: &Value) -> Name {
        let (bits, mask) = (slot.bits(), self.mask.clone());
        let held = self.load_register(slot, Shape::Varying, "0").lanes(&mut self.writer);
        let said = value.lanes(&mut self.writer);
        let differ = self.writer.value(format!("icmp ne <{LANES} x i{bits}> {held}, {said}"));
        let differ = self.word_of(&differ);
        let differ = self.writer.value(format!("and i32 {differ}, {mask}"));
        self.writer.value(format!("icmp ne i32 {differ}, 0"))
    }

    /// The way out of a function that a warp cannot enter.
    fn refuse(&mut self) {
        self.writer.begin(REFUSED);
        let lanes = self.writer.value("load i32, ptr %alive");
        self.stand((self.region.entry, "0", &lanes), &BTreeSet::new(), Back::default());
        self.give(&Left::Before.number().to_string());
    }

    /// Does not enter if a condition holds.
    pub(super) fn refuse_if(&mut self, condition: &str) {
        let next = self.writer.fresh_label();
        self.writer.line(format!("br i1 {condition}, label %{REFUSED}, label %{next}, !prof !0"));
        self.writer.begin(next);
    }
}
