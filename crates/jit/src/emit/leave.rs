//! How compiled code is left: what is live goes back to the registers of the activation, and the frame says where lanes
//! stand.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ptxvm_machine::code::Terminator;
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Left, Meeting, offset};

use super::value::Value;
use super::writer::{LANES, Name};
use super::{Emitter, Leave, Written};
use crate::analysis::HomeId;

/// So many instructions of a block share a way out: for each of them and each value written there is something to join.
const MOST_SHARING: usize = 24;

/// What goes back from homes to registers when a function is left: by slot and home the lanes that have it there, or none if
/// nobody else has anything. Lanes that wait often have the same homes as those that run.
#[derive(Default)]
pub(super) struct Back(BTreeMap<(u32, HomeId), (Slot, Vec<Name>)>);

impl Back {
    fn add(&mut self, slot: Slot, home: HomeId, lanes: Option<&Name>) {
        let (_, all) = self.0.entry((slot.offset(), home)).or_insert((slot, Vec::new()));
        all.extend(lanes.cloned());
    }
}

impl Emitter<'_> {
    /// Leaves the block before the instruction that is being written, if a condition holds. `ptxvm` executes it then.
    pub(super) fn leave_if(&mut self, condition: &str) {
        self.leave(condition, Left::Before);
    }

    /// Leaves the block at the instruction that is being written, which has met a fault, if a condition holds.
    pub(super) fn fault_if(&mut self, condition: &str) {
        self.leave(condition, Left::Fault);
    }

    fn leave(&mut self, condition: &str, left: Left) {
        self.look();
        if self.entering {
            return self.refuse_if(condition);
        }
        let next = self.writer.fresh_label();
        if let Some(alone) = self.alone.as_ref().filter(|alone| alone.pure) {
            let again = format!("alone{}.again", alone.first);
            self.writer.line(format!("br i1 {condition}, label %{again}, label %{next}, !prof !0"));
            return self.writer.begin(next);
        }
        let (from, at) = (self.writer.label().to_owned(), self.first_of_instruction());
        let out = self.out();
        self.writer.line(format!("br i1 {condition}, label %{out}, label %{next}, !prof !0"));
        self.leaves.push(Leave { from, at, written: self.log.len(), left });
        self.dirty_when_left = match (self.dirty_when_left.take(), &self.dirty) {
            (Some(before), Some(now)) => Some(before.union(now).copied().collect()),
            _ => None,
        };
        self.writer.begin(next);
    }

    /// The first instruction of the code that was made for the one that is being written: what the linker puts before it
    /// is executed again.
    pub(super) fn first_of_instruction(&self) -> u32 {
        let code = self.analysis.code;
        let start = code.blocks[self.block as usize].start;
        let source = code.instructions[self.at as usize].source;
        let earlier = (start..self.at).rev();
        earlier.take_while(|at| code.instructions[*at as usize].source == source).last().unwrap_or(self.at)
    }

    /// The way out of the block that its instructions share just now.
    fn out(&self) -> Name {
        let alone = if self.alone.is_some() { "alone." } else { "" };
        let alone = if self.one_way { "oneway." } else { alone };
        format!("{alone}out{}.{}", self.block, self.log_before)
    }

    /// Begins another way out of the block if many share the last one: what was written before it needs no join there.
    pub(super) fn leave_elsewhere(&mut self) {
        if self.leaves.len() < MOST_SHARING || self.log.len() == self.log_before {
            return;
        }
        let next = self.writer.fresh_label();
        self.writer.line(format!("br label %{next}"));
        self.leave_block();
        self.writer.begin(next);
        self.log_before = self.log.len();
        self.dirty_when_left = Some(BTreeSet::new());
    }

    /// Writes the way out of the block before some of its instructions, which all of them share.
    pub(super) fn leave_block(&mut self) {
        let leaves = std::mem::take(&mut self.leaves);
        if leaves.is_empty() {
            return;
        }
        let (analysis, block) = (self.analysis, self.block);
        let code = analysis.code;
        let out = self.out();
        self.writer.begin(out);
        let start = code.blocks[block as usize].start;
        let incoming = |value: &dyn Fn(&Leave) -> String| {
            let each: Vec<String> =
                leaves.iter().map(|leave| format!("[ {}, %{} ]", value(leave), leave.from)).collect();
            each.join(", ")
        };
        let number =
            self.writer.value(format!("phi i32 {}", incoming(&|leave| (leave.at - start).to_string())));
        let left =
            self.writer.value(format!("phi i32 {}", incoming(&|leave| leave.left.number().to_string())));
        let written = self.writer.value(format!("phi i32 {}", incoming(&|leave| leave.written.to_string())));
        // What is live before one of the instructions.
        let sources =
            leaves.iter().map(|leave| code.instructions[leave.at as usize].source.instruction).collect();
        let live = analysis.live_before(&sources);
        // Joins come first: one for each value that the block writes, as far as it has been written where it is left.
        let mut joined: HashMap<usize, Value> = HashMap::new();
        let values = self.log.iter().map(|written| written.value.clone()).enumerate();
        for (at, value) in values.skip(self.log_before) {
            if !self.log[at].slot_is_live(analysis, &live) || leaves.iter().all(|leave| leave.written <= at) {
                continue;
            }
            let ty = value.ty();
            let join = |name: &Name| {
                let came = incoming(&|leave| if leave.written > at { name.clone() } else { "poison".into() });
                self.writer.value(format!("phi {ty} {came}"))
            };
            joined.insert(at, value.renamed(join));
        }
        self.activate(None);
        self.leaving = self.dirty_when_left.clone();
        let only = self.blend_lanes();
        let mut back = Back::default();
        for (register, slot) in self.changed(&live) {
            let home = self.live_home(block, register);
            let is_slot = |written: &&Written| written.slot.offset() == slot.offset();
            let as_it_was = home.filter(|_| self.alone.is_none());
            if let Some(home) = as_it_was.filter(|_| !self.log.iter().any(|written| is_slot(&written))) {
                back.add(slot, home, only.as_ref());
                continue;
            }
            let mut value = home.map(|home| self.load_home(home, slot.bits()));
            let before = self.log[..self.log_before].iter().rev();
            if let Some(last) = before.into_iter().find(|written| written.slot.offset() == slot.offset()) {
                value = Some(last.value.clone());
            }
            for at in self.log_before..self.log.len() {
                let Some(new) = joined.get(&at).filter(|_| self.log[at].slot.offset() == slot.offset())
                else {
                    continue;
                };
                value = Some(match value {
                    None => new.clone(),
                    Some(old) => {
                        let (new, old) = (self.tight(new.clone()), self.tight(old));
                        let (new, old) = (new.lanes(&mut self.writer), old.lanes(&mut self.writer));
                        let after = self.writer.value(format!("icmp ugt i32 {written}, {at}"));
                        let ty = format!("<{LANES} x i{}>", slot.bits());
                        let either = format!("select i1 {after}, {ty} {new}, {ty} {old}");
                        Value::vector(slot.bits(), self.writer.value(either))
                    }
                });
            }
            if let Some(value) = value {
                self.store_register(slot, &value, only.as_deref());
            }
        }
        let waiting = self.waiting();
        let mask = self.mask.clone();
        let alone = self.alone.take();
        if let Some(alone) = &alone {
            self.join_others(alone, &mask);
        }
        self.stand((block, &number, &mask), &waiting, back);
        self.alone = alone;
        self.give(&left);
    }

    /// The home of a register at the beginning of a block, if it is live there.
    pub(super) fn live_home(&self, block: u32, register: u32) -> Option<HomeId> {
        let live = self.analysis.live_at(block);
        let at = live.binary_search_by_key(&register, |(live, _)| *live).ok()?;
        Some(live[at].1)
    }

    /// The lanes that go back to registers alone, if others wait whose registers must stay.
    pub(super) fn blend_lanes(&self) -> Option<Name> {
        (!self.waiting().is_empty()).then(|| self.mask.clone())
    }

    /// The blocks where lanes may wait while the block runs.
    pub(super) fn waiting(&self) -> BTreeSet<u32> {
        let at = |block: u32| self.region.waiting.get(&block).cloned().unwrap_or_default();
        match &self.alone {
            Some(alone) => {
                at(alone.first).into_iter().chain(alone.exits.iter().copied()).chain([alone.first]).collect()
            }
            None if self.one_way => BTreeSet::new(),
            None => at(self.block),
        }
    }

    /// The registers of a set that the region may have changed, with their slots: all others are where they were.
    fn changed(&self, set: &[u64]) -> Vec<(u32, Slot)> {
        let all = self.analysis.all_registers(set).into_iter();
        all.filter(|(register, slot)| self.may_differ(*register, *slot)).collect()
    }

    /// Whether a register may differ from what is in the activation: that of a function that is called has nothing in it.
    fn may_differ(&self, register: u32, slot: Slot) -> bool {
        let differs = self.leaving.as_ref().is_none_or(|dirty| dirty.contains(&slot.offset()));
        let kept = self.region.writes(register) && !self.analysis.leaves_out(register);
        self.called.is_some() || kept && differs
    }

    /// The same of those that are live at the beginning of a block, with their homes.
    pub(super) fn changed_at(&self, block: u32) -> Vec<(Slot, HomeId)> {
        let live = self.analysis.live_at(block).iter();
        let slots =
            live.filter_map(|(register, home)| Some((*register, self.analysis.slot(*register)?, *home)));
        let changed = slots.filter(|(register, slot, _)| self.may_differ(*register, *slot));
        changed.map(|(_, slot, home)| (slot, home)).collect()
    }

    /// Leaves at the end of the block, which the schedule executes.
    pub(super) fn leave_at_end(&mut self) {
        let (analysis, block) = (self.analysis, self.block);
        self.activate(None);
        self.leaving = self.dirty.clone();
        self.ends_elsewhere = true;
        let live = analysis.live_before(&[analysis.code.blocks[block as usize].source.instruction].into());
        let only = self.blend_lanes();
        for (_, slot) in self.changed(&live) {
            let value = self.whole(slot);
            self.store_register(slot, &value, only.as_deref());
        }
        // What the linker prepares for the end of a block lies in slots of its own.
        for at in 0..self.log.len() {
            let (slot, value) = (self.log[at].slot, self.log[at].value.clone());
            if analysis.register(slot).is_none() {
                self.store_register(slot, &value, only.as_deref());
            }
        }
        let waiting = self.waiting();
        let mask = self.mask.clone();
        if let Terminator::Barrier(arrival) = &analysis.code.blocks[block as usize].end_with
            && arrival.plain
        {
            self.next_warp_unless_parted(Meeting::Barrier(block), &mask);
        }
        self.stand((block, "0", &mask), &waiting, Back::default());
        self.give(&Left::End.number().to_string());
    }

    /// If the whole warp stands where warps meet, and those before it do, the next warp runs.
    fn next_warp_unless_parted(&mut self, meeting: Meeting, mask: &str) {
        let here = meeting.number();
        let alive = self.alive();
        let whole = self.writer.value(format!("icmp eq i32 {alive}, {mask}"));
        let before = self.writer.value("load i32, ptr %meeting");
        let first = self.writer.value(format!("icmp eq i32 {before}, {}", Meeting::Nowhere.number()));
        let same = self.writer.value(format!("icmp eq i32 {before}, {here}"));
        let same = self.writer.value(format!("or i1 {first}, {same}"));
        let all = self.writer.value(format!("and i1 {whole}, {same}"));
        let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {all}, label %{yes}, label %{no}"));
        self.writer.begin(yes);
        self.writer.line(format!("store i32 {here}, ptr %meeting"));
        self.writer.line("br label %done");
        self.writer.begin(no);
    }

    /// Says in the frame where lanes stand, which instruction of the block is next, and where others wait. What they have
    /// goes back to registers, beside what the lanes that stand there have.
    pub(super) fn stand(
        &mut self,
        (block, number, mask): (u32, &str, &str),
        waiting: &BTreeSet<u32>,
        mut back: Back,
    ) {
        for (at, value) in
            [(offset::BLOCK, block.to_string()), (offset::NUMBER, number.into()), (offset::MASK, mask.into())]
        {
            let to = self.frame(at);
            self.writer.line(format!("store i32 {value}, ptr {to}"));
        }
        self.tell_warp();
        self.tell();
        for waits in waiting {
            self.leaving = None;
            let lanes = self.writer.value(format!("load i32, ptr %wait{waits}"));
            for (slot, home) in self.changed_at(*waits) {
                back.add(slot, home, Some(&lanes));
            }
            self.group_if_some(*waits, &lanes, |_| {});
        }
        self.put_back(back);
    }

    fn put_back(&mut self, back: Back) {
        for ((_, home), (slot, lanes)) in back.0 {
            let mut lanes = lanes.into_iter();
            let first = lanes.next();
            let only = first.map(|first| {
                lanes.fold(first, |all, more| self.writer.value(format!("or i32 {all}, {more}")))
            });
            let value = self.load_home(home, slot.bits());
            self.store_register(slot, &value, only.as_deref());
        }
    }

    /// Lanes that wait at a block become a group of their own.
    pub(super) fn others(&mut self, block: u32) {
        self.leaving = None;
        let lanes = self.writer.value(format!("load i32, ptr %wait{block}"));
        self.group_if_some(block, &lanes, |emitter| {
            for (slot, home) in emitter.changed_at(block) {
                let value = emitter.load_home(home, slot.bits());
                emitter.store_register(slot, &value, Some(&lanes));
            }
        });
    }

    /// Lanes at the beginning of a block become a group of their own after something has been done, if there are some.
    fn group_if_some(&mut self, block: u32, lanes: &str, first: impl FnOnce(&mut Self)) {
        let (there, nobody) = (self.writer.fresh_label(), self.writer.fresh_label());
        let none = self.writer.value(format!("icmp eq i32 {lanes}, 0"));
        self.writer.line(format!("br i1 {none}, label %{nobody}, label %{there}"));
        self.writer.begin(there);
        first(self);
        self.group(block, lanes);
        self.writer.line(format!("br label %{nobody}"));
        self.writer.begin(nobody);
    }

    /// Lanes at the beginning of a block become a group of their own. If there are none, nobody will look at it.
    pub(super) fn group(&mut self, block: u32, lanes: &str) {
        let count_at = self.frame(offset::OTHERS);
        let count = self.writer.value(format!("load i32, ptr {count_at}"));
        let more = self.writer.value(format!("add i32 {count}, 1"));
        self.writer.line(format!("store i32 {more}, ptr {count_at}"));
        let list = self.frame(offset::OTHER);
        let wide = self.writer.value(format!("zext i32 {count} to i64"));
        let entry = self.writer.value(format!("getelementptr [3 x i32], ptr {list}, i64 {wide}"));
        let activation_at = self.frame(offset::ACTIVATED);
        let activation = self.writer.value(format!("load i32, ptr {activation_at}"));
        for (at, value) in [block.to_string().as_str(), lanes, &activation].into_iter().enumerate() {
            let to = self.writer.value(format!("getelementptr i32, ptr {entry}, i64 {at}"));
            self.writer.line(format!("store i32 {value}, ptr {to}"));
        }
    }

    /// Writes the ways out at the beginning of blocks.
    pub(super) fn leave_at_beginnings(&mut self) {
        for (block, waiting) in std::mem::take(&mut self.leaves_at) {
            self.writer.begin(format!("before{block}"));
            self.activate(None);
            self.leaving = self.dirty_at.get(&block).cloned();
            let mask = self.writer.value("load i32, ptr %mask");
            let only = (!waiting.is_empty()).then(|| mask.clone());
            let mut back = Back::default();
            for (slot, home) in self.changed_at(block) {
                back.add(slot, home, only.as_ref());
            }
            let seam = self.region.seams.contains(&block) && waiting.is_empty();
            if seam {
                self.put_back(std::mem::take(&mut back));
                self.next_warp_unless_parted(Meeting::Seam(block), &mask);
            }
            self.stand((block, "0", &mask), &waiting, back);
            let left = if seam { Left::Seam } else { Left::Before };
            self.give(&left.number().to_string());
        }
    }
}
