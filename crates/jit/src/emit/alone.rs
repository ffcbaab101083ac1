//! Lanes that go through a stretch alone, one after the other (`crate::alone` says where): the same blocks once more, for one
//! lane.
//!
//! What differs between lanes lies in memory meanwhile, from where each lane takes what it brings and where it leaves what
//! it takes out. Those that have come out wait at the exits. If a lane cannot go on, all begin again, together: so a finding
//! is that of whoever comes to it first. Where memory has been changed that cannot be; the lane is left to the interpreter
//! where it stands, and those that have not begun at the beginning.
//!
//! Whether this was faster than all lanes at once would have been is found out on the way (`weigh.rs`).

use std::collections::BTreeSet;
use std::rc::Rc;

use ptxvm_machine::code::Terminator;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::Left;

use super::Emitter;
use super::leave::Back;
use super::value::{Kept, Value};
use super::weigh::TRIES;
use super::writer::{LANES, Name};
use crate::alone::Alone;
use crate::analysis::{Analysis, HomeId, Shape};

impl Alone {
    /// Whether the lane has a home of its own for what lies in one: it changes it, or has brought it along.
    pub(super) fn is_own(&self, home: HomeId, analysis: &Analysis<'_>) -> bool {
        let brought = || self.inputs.iter().any(|(brought, _)| *brought == home);
        self.written.contains(&home) || analysis.homes.shape(home) != Shape::Uniform && brought()
    }

    /// What lanes bring or take out that differs between them.
    fn differing(&self, analysis: &Analysis<'_>) -> Vec<(HomeId, Slot)> {
        let all = self.inputs.iter().chain(self.outputs.values().flatten());
        let mut all: Vec<(HomeId, Slot)> =
            all.copied().filter(|(home, _)| analysis.homes.shape(*home) == Shape::Varying).collect();
        all.sort_by_key(|(home, _)| *home);
        all.dedup_by_key(|(home, _)| *home);
        all
    }
}

impl Emitter<'_> {
    /// Writes a stretch for one lane after the other, and where lanes come to it.
    pub(super) fn write_alone(&mut self, alone: &Rc<Alone>) {
        let (first, failed) = (alone.first, self.failed);
        let mark = self.writer.mark();
        self.choose(alone);
        self.each_lane(alone);
        self.alone = Some(Rc::clone(alone));
        for block in alone.first..=alone.last {
            self.block_alone(alone, block);
        }
        for exit in &alone.exits {
            self.come_out(alone, *exit);
        }
        self.give_up(alone);
        // Together all lanes find the same, and who is wrong first.
        self.writer.begin(format!("alone{first}.again"));
        self.writer.line(format!("br label %b{first}"));
        self.alone = None;
        self.all_are_out(alone);
        if self.failed && !failed {
            // An instruction has no code for one lane: lanes go together.
            self.failed = false;
            self.leaves.clear();
            self.writer.cut(mark);
            self.writer.begin(format!("enter{first}"));
            self.writer.line(format!("br label %b{first}"));
        }
    }

    /// A stack slot of a stretch.
    fn of_stretch(&mut self, alone: &Alone, name: &str, ty: &str) -> Name {
        let name = format!("%alone{}.{name}", alone.first);
        self.slot(name.clone(), ty);
        name
    }

    /// Where lanes come from outside: together, if that was faster before, else what they bring goes to memory.
    fn choose(&mut self, alone: &Alone) {
        let first = alone.first;
        self.writer.begin(format!("enter{first}"));
        let skip = self.turns_together(alone);
        let left = self.writer.value(format!("load i64, ptr {skip}"));
        let none = self.writer.value(format!("icmp ule i64 {left}, {TRIES}"));
        let (together, apart) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {none}, label %{apart}, label %{together}"));
        self.writer.begin(together);
        let fewer = self.writer.value(format!("sub i64 {left}, 1"));
        self.writer.line(format!("store i64 {fewer}, ptr {skip}"));
        self.writer.line(format!("br label %b{first}"));
        self.writer.begin(apart);
        for (home, slot) in alone.differing(self.analysis) {
            let value = self.load_home(home, slot.bits()).lanes(&mut self.writer);
            let to = self.of_all(alone, home, slot.bits());
            match slot.bits() {
                1 => {
                    let word = self.word_of(&value);
                    self.writer.line(format!("store i32 {word}, ptr {to}"));
                }
                bits => self.writer.line(format!("store <{LANES} x i{bits}> {value}, ptr {to}")),
            }
        }
        let mask = self.writer.value("load i32, ptr %mask");
        let left = self.of_stretch(alone, "left", "i32");
        self.writer.line(format!("store i32 {mask}, ptr {left}"));
        for exit in &alone.exits {
            let out = self.of_stretch(alone, &format!("out{exit}"), "i32");
            self.writer.line(format!("store i32 0, ptr {out}"));
        }
        let most = self.of_stretch(alone, "most", "i64");
        self.writer.line(format!("store i64 0, ptr {most}"));
        let began = self.of_stretch(alone, "began", "i64");
        let fuel = self.writer.value("load i64, ptr %fuel");
        self.writer.line(format!("store i64 {fuel}, ptr {began}"));
        self.writer.line(format!("br label %alone{first}.lane"));
    }

    /// Where what all lanes have in a home lies; predicates are a word.
    fn of_all(&mut self, alone: &Alone, home: HomeId, bits: u32) -> Name {
        let ty = if bits == 1 { "i32".into() } else { format!("<{LANES} x i{bits}>") };
        self.of_stretch(alone, &format!("all{}", home.0), &ty)
    }

    /// The next lane begins, with what it brings.
    fn each_lane(&mut self, alone: &Rc<Alone>) {
        let first = alone.first;
        self.writer.begin(format!("alone{first}.lane"));
        let left = self.writer.value(format!("load i32, ptr %alone{first}.left"));
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        self.writer.line(format!("%alone{first}.number = call i32 @llvm.cttz.i32(i32 {left}, i1 true)"));
        self.writer.line(format!("%alone{first}.wide = zext i32 %alone{first}.number to i64"));
        self.writer.line(format!("%alone{first}.bit = shl nuw i32 1, %alone{first}.number"));
        let (since, fuel) =
            (self.of_stretch(alone, "since", "i64"), self.writer.value("load i64, ptr %fuel"));
        self.writer.line(format!("store i64 {fuel}, ptr {since}"));
        for (home, slot) in &alone.inputs {
            if !alone.is_own(*home, self.analysis) {
                continue;
            }
            let bits = slot.bits();
            let value = match self.analysis.homes.shape(*home) {
                Shape::Varying => self.brought_by_lane(alone, *home, bits),
                _ => {
                    let value = self.load_home(*home, bits);
                    self.of_number(&value, first)
                }
            };
            let before = self.alone.replace(Rc::clone(alone));
            self.store_home(*home, &value);
            self.alone = before;
        }
        self.writer.line(format!("br label %alone{first}.b{first}"));
    }

    /// What the lane has in memory of a home.
    fn brought_by_lane(&mut self, alone: &Alone, home: HomeId, bits: u32) -> Value {
        let (first, all) = (alone.first, self.of_all(alone, home, bits));
        if bits == 1 {
            let word = self.writer.value(format!("load i32, ptr {all}"));
            let moved = self.writer.value(format!("lshr i32 {word}, %alone{first}.number"));
            return Value::scalar(1, self.writer.value(format!("trunc i32 {moved} to i1")));
        }
        let at = self.writer.value(format!("getelementptr i{bits}, ptr {all}, i64 %alone{first}.wide"));
        Value::scalar(bits, self.writer.value(format!("load i{bits}, ptr {at}")))
    }

    /// What the lane has of a value.
    fn of_number(&mut self, value: &Value, first: u32) -> Value {
        let bits = value.bits;
        match &value.kept {
            Kept::Scalar(_) => value.clone(),
            Kept::Affine(base, step) => {
                let op = if bits < 32 { "trunc" } else { "zext" };
                let lane = self.writer.cast(op, 32, &format!("%alone{first}.number"), bits);
                let more = self.writer.value(format!("mul i{bits} {lane}, {step}"));
                Value::scalar(bits, self.writer.value(format!("add i{bits} {base}, {more}")))
            }
            Kept::Pattern(..) | Kept::Rows(..) | Kept::Vector(_) => {
                self.of_lane(value, &format!("%alone{first}.number"))
            }
        }
    }

    /// Of a value the lane's, where it goes alone.
    pub(super) fn of_one_alone(&mut self, value: Value) -> Value {
        match self.alone.as_ref().map(|alone| alone.first) {
            Some(first) if value.as_scalar().is_none() => {
                let value = self.tight(value);
                self.of_number(&value, first)
            }
            _ => value,
        }
    }

    /// A block for one lane.
    fn block_alone(&mut self, alone: &Alone, block: u32) {
        self.begin_block(block);
        (self.dirty, self.dirty_when_left) = (None, None);
        self.writer.begin(format!("alone{}.b{block}", alone.first));
        self.mask = format!("%alone{}.bit", alone.first);
        self.instructions_of(block);
        match &self.analysis.code.blocks[block as usize].end_with {
            Terminator::Branch { guard: Some(guard), target, next } => {
                let predicate = self.predicate(*guard);
                self.settle(&[*target, *next]);
                let Some(taken) = predicate.as_scalar() else {
                    self.failed = true;
                    return;
                };
                let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
                self.writer.line(format!("br i1 {taken}, label %{yes}, label %{no}"));
                for (label, to) in [(yes, *target), (no, *next)] {
                    self.writer.begin(label);
                    self.go_alone(alone, to);
                }
            }
            Terminator::Branch { target: to, .. } | Terminator::Next(to) => {
                self.settle(&[*to]);
                self.go_alone(alone, *to);
            }
            _ => self.failed = true,
        }
        self.leave_block();
    }

    /// The lane goes to a block. Where it goes back, it pays for the loop once more.
    fn go_alone(&mut self, alone: &Alone, to: u32) {
        let first = alone.first;
        if !alone.has(to) {
            return self.writer.line(format!("br label %alone{first}.exit{to}"));
        }
        if to > self.block {
            return self.writer.line(format!("br label %alone{first}.b{to}"));
        }
        let (back, tired) = (format!("alone{first}.b{to}"), format!("alone{first}.tired{to}"));
        self.go_back(to, &back, &tired, |emitter, more| {
            for count in ["since", "began"] {
                let before = emitter.writer.value(format!("load i64, ptr %alone{first}.{count}"));
                let after = emitter.writer.value(format!("add i64 {before}, {more}"));
                emitter.writer.line(format!("store i64 {after}, ptr %alone{first}.{count}"));
            }
        });
    }

    /// The lane is out, with what it takes along.
    fn come_out(&mut self, alone: &Alone, exit: u32) {
        let first = alone.first;
        self.writer.begin(format!("alone{first}.exit{exit}"));
        for (home, slot) in alone.outputs.get(&exit).into_iter().flatten() {
            let bits = slot.bits();
            let all = self.of_all(alone, *home, bits);
            let Kept::Scalar(value) = self.load_home(*home, bits).kept else { continue };
            if bits == 1 {
                let word = self.writer.value(format!("load i32, ptr {all}"));
                let ones = self.writer.value(format!("sext i1 {value} to i32"));
                let different = self.writer.value(format!("xor i32 {word}, {ones}"));
                let changed = self.writer.value(format!("and i32 {different}, %alone{first}.bit"));
                let word = self.writer.value(format!("xor i32 {word}, {changed}"));
                self.writer.line(format!("store i32 {word}, ptr {all}"));
                continue;
            }
            let at = self.writer.value(format!("getelementptr i{bits}, ptr {all}, i64 %alone{first}.wide"));
            self.writer.line(format!("store i{bits} {value}, ptr {at}"));
        }
        let out = self.writer.value(format!("load i32, ptr %alone{first}.out{exit}"));
        let out = self.writer.value(format!("or i32 {out}, %alone{first}.bit"));
        self.writer.line(format!("store i32 {out}, ptr %alone{first}.out{exit}"));
        let fuel = self.writer.value("load i64, ptr %fuel");
        let since = self.writer.value(format!("load i64, ptr %alone{first}.since"));
        let spent = self.writer.value(format!("sub i64 {since}, {fuel}"));
        let most = self.writer.value(format!("load i64, ptr %alone{first}.most"));
        let most = self.writer.intrinsic("smax", 64, &[&most, &spent]);
        self.writer.line(format!("store i64 {most}, ptr %alone{first}.most"));
        let left = self.writer.value(format!("load i32, ptr %alone{first}.left"));
        let left = self.writer.value(format!("xor i32 {left}, %alone{first}.bit"));
        self.writer.line(format!("store i32 {left}, ptr %alone{first}.left"));
        let none = self.writer.value(format!("icmp eq i32 {left}, 0"));
        self.writer.line(format!("br i1 {none}, label %alone{first}.done, label %alone{first}.lane"));
    }

    /// There is no fuel where a lane goes back: it stands at the head of the loop.
    fn give_up(&mut self, alone: &Alone) {
        let heads: BTreeSet<u32> = (alone.first..=alone.last)
            .flat_map(|block| {
                let to = self.analysis.code.blocks[block as usize].end_with.successors();
                to.into_iter().filter(move |to| *to <= block)
            })
            .collect();
        for head in heads {
            self.writer.begin(format!("alone{}.tired{head}", alone.first));
            self.activate(None);
            self.leaving = None;
            let bit = format!("%alone{}.bit", alone.first);
            for (slot, home) in self.changed_at(head) {
                let value = self.load_home(home, slot.bits());
                self.store_register(slot, &value, Some(&bit));
            }
            let waiting = self.waiting();
            let one = self.alone.take();
            self.join_others(alone, &bit);
            self.stand((head, "0", &bit), &waiting, Back::default());
            self.alone = one;
            self.give(&Left::Before.number().to_string());
        }
    }

    /// Lanes that are out have in their homes what they took along, and wait; those that have not begun wait at the beginning,
    /// without one that is on the way.
    pub(super) fn join_others(&mut self, alone: &Alone, on_the_way: &str) {
        let first = alone.first;
        self.bring_home(alone);
        let left = self.writer.value(format!("load i32, ptr %alone{first}.left"));
        let rest = self.writer.value(format!("xor i32 {left}, {on_the_way}"));
        self.waits.insert(first);
        self.writer.line(format!("store i32 {rest}, ptr %wait{first}"));
    }

    /// What lanes took along goes to its homes.
    fn bring_home(&mut self, alone: &Alone) {
        for (home, slot) in alone.differing(self.analysis) {
            if !alone.outputs.values().flatten().any(|(taken, _)| *taken == home) {
                continue;
            }
            let bits = slot.bits();
            let all = self.of_all(alone, home, bits);
            let value = match bits {
                1 => {
                    let word = self.writer.value(format!("load i32, ptr {all}"));
                    self.bits_of(&word)
                }
                _ => self.writer.value(format!("load <{LANES} x i{bits}>, ptr {all}")),
            };
            self.store_home(home, &Value::vector(bits, value));
        }
        for exit in &alone.exits {
            self.waits.insert(*exit);
            let out = self.writer.value(format!("load i32, ptr %alone{}.out{exit}", alone.first));
            let known = self.writer.value(format!("load i32, ptr %wait{exit}"));
            let all = self.writer.value(format!("or i32 {known}, {out}"));
            self.writer.line(format!("store i32 {all}, ptr %wait{exit}"));
        }
    }

    /// All lanes are out. If they would have been sooner together, the next go so for a while.
    fn all_are_out(&mut self, alone: &Alone) {
        let first = alone.first;
        self.writer.begin(format!("alone{first}.done"));
        self.bring_home(alone);
        self.weigh(alone);
        let waiting = self.region.waiting.get(&first).into_iter().flatten().chain(&alone.exits);
        self.next_of(&waiting.copied().collect());
    }
}
