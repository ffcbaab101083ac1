//! The ends of blocks: where lanes go, who waits, and when the function is left.

use std::collections::BTreeSet;

use ptxvm_machine::code::Terminator;
use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::value::{Kept, Value};
use super::writer::LANES;
use crate::analysis::Shape;
use crate::callee::callee;
use crate::region::ways;

impl Emitter<'_> {
    /// Writes the end of the block.
    pub(super) fn end(&mut self) {
        let described = &self.analysis.code.blocks[self.block as usize];
        let waiting = self.waiting();
        if described.class.is_some() {
            let itself = match &described.end_with {
                Terminator::Barrier(arrival) => arrival.plain,
                Terminator::Index { guard, targets, next, .. } => {
                    ways(self.block, *guard, targets, *next).is_some()
                }
                Terminator::Call(call) => callee(call, self.callees).is_some(),
                Terminator::Return { .. } => self.called.is_some(),
                Terminator::Next(_) | Terminator::Branch { .. } | Terminator::Exit { .. } => true,
            };
            self.note(described.source.instruction, itself);
        }
        if self.ends_in_use() {
            return self.leave_at_end();
        }
        match &described.end_with {
            Terminator::Next(next) => {
                self.settle(&[*next]);
                self.go(*next, &waiting);
            }
            Terminator::Branch { guard: None, target, .. } => {
                self.settle(&[*target]);
                self.go(*target, &waiting);
            }
            Terminator::Branch { guard: Some(guard), target, next } => {
                let predicate = self.predicate(*guard);
                self.settle(&[*target, *next]);
                match &predicate.kept {
                    Kept::Scalar(taken) => {
                        let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
                        self.writer.line(format!("br i1 {taken}, label %{yes}, label %{no}"));
                        self.writer.begin(yes);
                        self.go(*target, &waiting);
                        self.writer.begin(no);
                        self.go(*next, &waiting);
                    }
                    _ if self.one_way => self.one_way_or_part(&predicate, *target, *next),
                    _ => self.part(&predicate, *target, *next, &waiting),
                }
            }
            Terminator::Index { guard, index, targets, next } => self.index(*guard, *index, targets, *next),
            Terminator::Exit { guard, next } => {
                let predicate = guard.map(|guard| self.predicate(guard));
                self.settle(&[*next]);
                match &predicate {
                    Some(predicate) if self.one_way => self.one_way_or_exit(predicate, *next),
                    _ => self.exit(predicate.as_ref(), *next, &waiting),
                }
            }
            Terminator::Return { guard, next } if self.called.is_some() => {
                self.return_from(*guard, *next, &waiting)
            }
            Terminator::Call(call) => match callee(call, self.callees) {
                Some(id) => self.call(call, id),
                None => self.leave_at_end(),
            },
            Terminator::Return { .. } | Terminator::Barrier(_) => self.leave_at_end(),
        }
    }

    /// Puts what the block has written into homes, as far as somebody reads it after it.
    pub(super) fn settle(&mut self, next: &[u32]) {
        let live: BTreeSet<_> =
            next.iter().flat_map(|block| self.analysis.live_at(*block)).map(|(_, home)| *home).collect();
        let waiting = self.waiting();
        let waits: BTreeSet<_> =
            waiting.iter().flat_map(|block| self.analysis.live_at(*block)).map(|(_, home)| *home).collect();
        for at in 0..self.log.len() {
            let written = &self.log[at];
            let (slot, home) = (written.slot, written.home);
            let is_last = self.current.get(&slot.offset()) == Some(&at);
            let Some(home) = home.filter(|home| is_last && live.contains(home)) else { continue };
            let mut value = written.value.clone();
            // Lanes that wait keep what they have.
            if waits.contains(&home) && self.shape(home) == Shape::Varying {
                let old = self.load_home(home, value.bits).lanes(&mut self.writer);
                let new = value.lanes(&mut self.writer);
                let mask = self.mask.clone();
                let lanes = self.bits_of(&mask);
                let ty = format!("<{LANES} x i{}>", value.bits);
                let either = format!("select <{LANES} x i1> {lanes}, {ty} {new}, {ty} {old}");
                value = Value { loose: value.loose, ..Value::vector(value.bits, self.writer.value(either)) };
            }
            self.store_home(home, &value);
        }
    }

    /// Lanes part: those with the higher block wait.
    pub(super) fn part(&mut self, predicate: &Value, target: u32, next: u32, waiting: &BTreeSet<u32>) {
        let lanes = predicate.lanes(&mut self.writer);
        let word = self.word_of(&lanes);
        let mask = self.mask.clone();
        let taken = self.writer.value(format!("and i32 {word}, {mask}"));
        let rest = self.writer.value(format!("xor i32 {taken}, {mask}"));
        let (low, low_lanes, high, high_lanes) =
            if target < next { (target, taken, next, rest) } else { (next, rest, target, taken) };
        self.waits.insert(high);
        let known = self.writer.value(format!("load i32, ptr %wait{high}"));
        let more = self.writer.value(format!("or i32 {known}, {high_lanes}"));
        self.writer.line(format!("store i32 {more}, ptr %wait{high}"));
        let mut waiting = waiting.clone();
        waiting.insert(high);
        self.go_on(&low_lanes, low, &waiting);
    }

    /// Lanes end: all of them, or those of a predicate.
    pub(super) fn exit(&mut self, predicate: Option<&Value>, next: u32, waiting: &BTreeSet<u32>) {
        let mask = self.mask.clone();
        let Some(predicate) = predicate else {
            if !waiting.is_empty() || self.has_meeting() || self.called.is_some() {
                self.end_lanes(&mask);
            }
            return self.next_of(waiting);
        };
        let lanes = predicate.lanes(&mut self.writer);
        let word = self.word_of(&lanes);
        let gone = self.writer.value(format!("and i32 {word}, {mask}"));
        let rest = self.writer.value(format!("xor i32 {gone}, {mask}"));
        self.end_lanes(&gone);
        self.go_on(&rest, next, waiting);
    }

    /// Lanes return from the function: all, or those that a guard lets through.
    fn return_from(&mut self, guard: Option<Slot>, next: u32, waiting: &BTreeSet<u32>) {
        let (mask, guarded) = (self.mask.clone(), guard.is_some());
        let guard = self.guard(guard);
        let gone = self.return_lanes(&guard);
        if !guarded {
            return self.next_of(waiting);
        }
        self.settle(&[next]);
        let rest = self.writer.value(format!("xor i32 {gone}, {mask}"));
        self.go_on(&rest, next, waiting);
    }

    /// Some of the lanes that run go to a block, if there are any; the others have gone.
    pub(super) fn go_on(&mut self, lanes: &str, next: u32, waiting: &BTreeSet<u32>) {
        let (some, nobody) = (self.writer.fresh_label(), self.writer.fresh_label());
        let none = self.writer.value(format!("icmp eq i32 {lanes}, 0"));
        self.writer.line(format!("br i1 {none}, label %{nobody}, label %{some}"));
        self.writer.begin(nobody);
        self.next_of(waiting);
        self.writer.begin(some);
        let mask = std::mem::replace(&mut self.mask, lanes.to_owned());
        self.go(next, waiting);
        self.mask = mask;
    }

    /// Says in the frame that lanes have ended. Nobody has to say that all have that were left of a warp, unless some
    /// warps end and others meet: those before the one where the code is left have ended then.
    fn end_lanes(&mut self, lanes: &str) {
        self.ends_some = true;
        let alive = self.writer.value("load i32, ptr %alive");
        let left = self.writer.value(format!("xor i32 {alive}, {lanes}"));
        self.writer.line(format!("store i32 {left}, ptr %alive"));
    }

    /// The lanes that run go to a block, unless others wait at lower ones.
    pub(super) fn go(&mut self, to: u32, waiting: &BTreeSet<u32>) {
        if self.one_way {
            return self.go_one_way(to);
        }
        let mask = self.mask.clone();
        let seam = self.region.seams.contains(&to);
        if !self.region.has(to) && !seam {
            self.writer.line(format!("store i32 {mask}, ptr %mask"));
            return self.leave_before(to, waiting);
        }
        if to <= self.block {
            self.writer.line(format!("store i32 {mask}, ptr %mask"));
            self.leaves_at.entry(to).or_default().extend(waiting);
            let back = self.back_to(to);
            return self.go_back(to, &back, &format!("before{to}"), |_, _| {});
        }
        if waiting.first().is_some_and(|lowest| *lowest < to) {
            self.waits.insert(to);
            let known = self.writer.value(format!("load i32, ptr %wait{to}"));
            let more = self.writer.value(format!("or i32 {known}, {mask}"));
            self.writer.line(format!("store i32 {more}, ptr %wait{to}"));
            let mut waiting = waiting.clone();
            waiting.insert(to);
            return self.next_of(&waiting);
        }
        let mut mask = mask;
        if waiting.contains(&to) {
            let there = self.writer.value(format!("load i32, ptr %wait{to}"));
            mask = self.writer.value(format!("or i32 {there}, {mask}"));
            self.writer.line(format!("store i32 0, ptr %wait{to}"));
        }
        self.writer.line(format!("store i32 {mask}, ptr %mask"));
        if seam {
            return self.leave_before(to, &waiting.range(to + 1..).copied().collect());
        }
        let label = self.label_of(to);
        self.writer.line(format!("br label %{label}"));
    }

    /// Lanes go back to a block, and pay for the loop once more. If there is no fuel they go elsewhere; if there was some more,
    /// `refuelled` is told how much.
    pub(super) fn go_back(
        &mut self,
        to: u32,
        back: &str,
        elsewhere: &str,
        refuelled: impl FnOnce(&mut Self, &str),
    ) {
        let block = self.block;
        self.spend(self.region.cost(self.analysis, |again| (to..=block).contains(&again)));
        let fuel = self.writer.value("load i64, ptr %fuel");
        let over = self.writer.value(format!("icmp slt i64 {fuel}, 0"));
        let ask = self.writer.fresh_label();
        self.writer.line(format!("br i1 {over}, label %{ask}, label %{back}, !prof !0"));
        self.writer.begin(ask);
        let more = self.ask("refuel", "i64", &[]);
        let sum = self.writer.value(format!("add i64 {fuel}, {more}"));
        self.writer.line(format!("store i64 {sum}, ptr %fuel"));
        refuelled(self, &more);
        let none = self.writer.value(format!("icmp eq i64 {more}, 0"));
        self.writer.line(format!("br i1 {none}, label %{elsewhere}, label %{back}"));
    }

    /// Where lanes go on that come to a block from before it.
    fn label_of(&self, block: u32) -> String {
        let begins = self.alones.iter().any(|alone| alone.first == block);
        if begins { format!("enter{block}") } else { format!("b{block}") }
    }

    fn leave_before(&mut self, to: u32, waiting: &BTreeSet<u32>) {
        self.leaves_at.entry(to).or_default().extend(waiting);
        self.writer.line(format!("br label %before{to}"));
    }

    /// The lowest of those who wait is next.
    pub(super) fn next_of(&mut self, waiting: &BTreeSet<u32>) {
        let mut waiting = waiting.iter();
        match waiting.next() {
            Some(lowest) => {
                self.chain.entry(*lowest).or_default().extend(waiting);
                self.writer.line(format!("br label %next{lowest}"));
            }
            None => self.writer.line("br label %done"),
        }
    }

    /// Writes the chain that looks for the lowest block at which lanes wait. A link knows who may wait beyond it, so that
    /// code which never runs one after the other does not meet there.
    pub(super) fn write_chain(&mut self) {
        while let Some((block, above)) = self.chain.pop_first() {
            self.writer.begin(format!("next{block}"));
            let lanes = self.writer.value(format!("load i32, ptr %wait{block}"));
            let none = self.writer.value(format!("icmp eq i32 {lanes}, 0"));
            let (some, nobody) = (self.writer.fresh_label(), self.writer.fresh_label());
            self.writer.line(format!("br i1 {none}, label %{nobody}, label %{some}"));
            self.writer.begin(some);
            self.writer.line(format!("store i32 0, ptr %wait{block}"));
            self.writer.line(format!("store i32 {lanes}, ptr %mask"));
            if self.region.has(block) {
                let label = self.label_of(block);
                self.writer.line(format!("br label %{label}"));
            } else {
                self.leave_before(block, &above);
            }
            self.writer.begin(nobody);
            self.next_of(&above);
        }
    }
}
