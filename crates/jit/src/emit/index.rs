//! `brx.idx`: lanes go to one of several blocks, by an index.

use std::collections::BTreeMap;

use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::value::Value;
use super::writer::LANES;
use crate::region::ways;

impl Emitter<'_> {
    /// Writes the end of a block that goes to one of several. What would go back, and an index that is past the end of
    /// the list, is the schedule's.
    pub(super) fn index(&mut self, guard: Option<Slot>, index: Slot, targets: &[u32], next: u32) {
        let Some(all) = ways(self.block, guard, targets, next).filter(|_| index.bits() == 32) else {
            return self.leave_at_end();
        };
        let guard = guard.map(|guard| self.predicate(guard));
        let index = self.read(index, 32);
        let all: Vec<u32> = all.into_iter().collect();
        let one_way = guard.as_ref().is_none_or(|guard| guard.as_scalar().is_some());
        match index.as_scalar().filter(|_| one_way) {
            Some(number) => self.switch(guard.as_ref(), number, targets, next, &all),
            None => self.scatter_lanes(guard.as_ref(), &index, targets, next, &all),
        }
    }

    /// All lanes go the same way.
    fn switch(&mut self, guard: Option<&Value>, number: &str, targets: &[u32], next: u32, all: &[u32]) {
        let waiting = self.waiting();
        let mut wrong = self.writer.is("uge", 32, number, targets.len() as u64);
        let goes = guard.and_then(Value::as_scalar).cloned();
        if let Some(goes) = &goes {
            wrong = self.writer.two("and", 1, &wrong, goes);
        }
        self.leave_at_end_if(&wrong);
        self.settle(all);
        if let Some(goes) = goes {
            let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
            self.writer.line(format!("br i1 {goes}, label %{yes}, label %{no}"));
            self.writer.begin(no);
            self.go(next, &waiting);
            self.writer.begin(yes);
        }
        let mut labels = BTreeMap::new();
        for target in targets {
            labels.entry(*target).or_insert_with(|| self.writer.fresh_label());
        }
        let cases: Vec<String> = (0..)
            .zip(targets)
            .map(|(number, target): (u32, _)| format!("i32 {number}, label %{}", labels[target]))
            .collect();
        // No index is past the end here.
        let Some(otherwise) = targets.first().map(|target| &labels[target]) else { return };
        self.writer.line(format!("switch i32 {number}, label %{otherwise} [ {} ]", cases.join(" ")));
        for (target, label) in labels {
            self.writer.begin(label);
            self.go(target, &waiting);
        }
    }

    /// Lanes part: all of them wait where they go, and the lowest block is next.
    fn scatter_lanes(
        &mut self,
        guard: Option<&Value>,
        index: &Value,
        targets: &[u32],
        next: u32,
        all: &[u32],
    ) {
        let mut waiting = self.waiting();
        let mask = self.mask.clone();
        let mut taken = mask.clone();
        if let Some(guard) = guard {
            let lanes = guard.lanes(&mut self.writer);
            let word = self.word_of(&lanes);
            taken = self.writer.value(format!("and i32 {word}, {mask}"));
        }
        let index = index.lanes(&mut self.writer);
        let wrong = self.lanes_where("uge", &index, targets.len(), &taken);
        let wrong = self.writer.is("ne", 32, &wrong, 0);
        self.leave_at_end_if(&wrong);
        self.settle(all);
        for target in all {
            let mut there = "0".to_owned();
            if guard.is_some() && *target == next {
                there = self.writer.value(format!("xor i32 {taken}, {mask}"));
            }
            for (number, _) in targets.iter().enumerate().filter(|(_, to)| *to == target) {
                let more = self.lanes_where("eq", &index, number, &taken);
                there = self.writer.value(format!("or i32 {there}, {more}"));
            }
            let known = self.writer.value(format!("load i32, ptr %wait{target}"));
            let sum = self.writer.value(format!("or i32 {known}, {there}"));
            self.writer.line(format!("store i32 {sum}, ptr %wait{target}"));
            self.waits.insert(*target);
            waiting.insert(*target);
        }
        self.next_of(&waiting);
    }

    /// The lanes of a mask whose word compares so with a number.
    fn lanes_where(&mut self, relation: &str, all: &str, number: usize, lanes: &str) -> String {
        let number = self.writer.splat(32, &number.to_string());
        let is = self.writer.value(format!("icmp {relation} <{LANES} x i32> {all}, {number}"));
        let word = self.word_of(&is);
        self.writer.value(format!("and i32 {word}, {lanes}"))
    }

    /// Leaves at the end of the block, if a condition holds.
    fn leave_at_end_if(&mut self, condition: &str) {
        let (out, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {condition}, label %{out}, label %{rest}, !prof !0"));
        self.writer.begin(out);
        let held = self.held.clone();
        self.leave_at_end();
        // What was loaded on the way out is not known beside it.
        self.held = held;
        self.writer.begin(rest);
    }
}
