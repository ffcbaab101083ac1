//! The blocks of a region once more, for warps that are whole and of which all lanes go one way.
//!
//! Where lanes may leave a loop at different rounds, what they count on in it has no shape: some lanes may have stopped. But
//! mostly all do the same, and then it is one number, or one that grows from lane to lane. So such regions are written twice.
//! Where the lanes of a warp part, what they have goes to the homes of the usual code, which goes on from there: until they are
//! all together at the head of a loop again, or to the end of the region. Stretches through which lanes go alone are the usual
//! code's too.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ptxvm_ir::operation::{Access, Operation};
use ptxvm_machine::code::Terminator;

use super::Emitter;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};
use crate::analysis::{Analysis, HomeId, Shape};
use crate::callee::callee;
use crate::tuning::OneWay;

/// Where it is decided how lanes go on that come to a block.
pub(super) fn decision(block: u32) -> Name {
    format!("decide{block}")
}

/// Longer regions are not written twice.
const MOST_INSTRUCTIONS: u64 = 768;

/// All lanes of a warp.
const ALL: u32 = u32::MAX;

impl Emitter<'_> {
    /// Whether a region is to be written once more: addresses in a loop have a shape then.
    pub(super) fn pays_one_way(&self) -> bool {
        let (analysis, region, callees) = (self.analysis, self.region, self.callees);
        let blocks = || region.waiting.keys().map(|block| &analysis.code.blocks[*block as usize]);
        let goes = |end: &Terminator| match end {
            Terminator::Index { .. } => false,
            Terminator::Call(call) => callee(call, callees).is_none(),
            _ => true,
        };
        let pays = |block: u32| analysis.repeats(block) && self.gains(block);
        let wanted = match analysis.tuning.one_way {
            OneWay::WhereItPays => {
                region.cost(analysis, |_| true) <= MOST_INSTRUCTIONS
                    && self.blocks_of_one_way().into_iter().any(pays)
            }
            OneWay::Always => true,
            OneWay::Never => false,
        };
        wanted
            && analysis.late.is_empty()
            && analysis.carry.is_none()
            && blocks().all(|described| goes(&described.end_with))
    }

    /// Whether an access of a block has an address with a shape only where all lanes go one way.
    fn gains(&self, block: u32) -> bool {
        let analysis = self.analysis;
        let described = &analysis.code.blocks[block as usize];
        let start = analysis.begins_as(described);
        let mut written: HashMap<u32, HomeId> = HashMap::new();
        for linked in &analysis.code.instructions[described.start as usize..described.end as usize] {
            let number = linked.source.instruction;
            let instruction = &analysis.function.instructions[number as usize];
            let address = match analysis.code.program.operation(instruction) {
                Some(Operation::Access(Access::Load(words) | Access::Store(words))) => Some(words.address),
                Some(Operation::Access(Access::Atomic(atomic))) => Some(atomic.address),
                _ => None,
            };
            let slot = address.and_then(|address| linked.slots.get(address.operand).copied());
            if let Some(register) = slot.and_then(|slot| analysis.register(slot)) {
                let home = written.get(&register).copied();
                if gains_shape(analysis, home.unwrap_or_else(|| analysis.homes.at_start(start, register))) {
                    return true;
                }
            }
            for register in analysis.function.writes(instruction).map(|written| written.register.0) {
                if let Some(home) = analysis.homes.written(number, register) {
                    written.insert(register, home);
                }
            }
        }
        false
    }

    /// The blocks that are written once more: those that the lanes can come to together.
    fn blocks_of_one_way(&self) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        let mut open = vec![self.region.entry];
        while let Some(block) = open.pop() {
            if self.is_of_one_way(block) && found.insert(block) {
                open.extend(self.analysis.code.blocks[block as usize].end_with.successors());
            }
        }
        found
    }

    /// Whether a block that lanes come to is written once more.
    fn is_of_one_way(&self, block: u32) -> bool {
        self.region.has(block) && !self.alones.iter().any(|alone| alone.has(block))
    }

    /// Whether what lies in a home differs less where all lanes go one way.
    pub(super) fn is_else_on_one_way(&self, home: HomeId) -> bool {
        self.analysis.homes.shape(home) != self.analysis.homes.shape_of_one_way(home)
    }

    /// Writes the blocks once more, and where it is decided which of both lanes go on with: where a warp begins, and where lanes
    /// go back.
    pub(super) fn write_one_way(&mut self) {
        let (mark, failed) = (self.writer.mark(), self.failed);
        let blocks = self.blocks_of_one_way();
        self.one_way = true;
        blocks.iter().for_each(|block| self.block_of_one_way(*block));
        self.one_way = false;
        let mut decided = std::mem::take(&mut self.decided);
        decided.insert(self.region.entry);
        if self.executes || self.failed && !failed {
            self.failed = failed;
            self.leaves.clear();
            self.writer.cut(mark);
            for block in decided {
                self.writer.begin(decision(block));
                self.writer.line(format!("br label %b{block}"));
            }
            return;
        }
        for block in decided {
            self.begin_one_way(block, blocks.contains(&block));
        }
    }

    /// Where lanes of the usual code go back to: they may be all together again.
    pub(super) fn back_to(&mut self, block: u32) -> Name {
        if !self.twice || !self.is_of_one_way(block) {
            return format!("b{block}");
        }
        self.decided.insert(block);
        decision(block)
    }

    /// All lanes of a whole warp go one way from a block on, if what they bring is as it is there.
    fn begin_one_way(&mut self, entry: u32, is_written: bool) {
        self.writer.begin(decision(entry));
        if !is_written {
            return self.writer.line(format!("br label %b{entry}"));
        }
        let mask = self.writer.value("load i32, ptr %mask");
        let whole = self.writer.value(format!("icmp eq i32 {mask}, {ALL}"));
        let look = self.writer.fresh_label();
        self.writer.line(format!("br i1 {whole}, label %{look}, label %b{entry}"));
        self.writer.begin(look);
        let mut brought = Vec::new();
        for (home, bits) in self.brought_to(&[entry]) {
            let all = self.load_home(home, bits).lanes(&mut self.writer);
            let ty = format!("<{} x i{bits}>", LANES);
            let value = self.in_shape(&all, (home, bits));
            let expected = value.lanes(&mut self.writer);
            let same = self.writer.value(format!("icmp eq {ty} {all}, {expected}"));
            let same = self.word_of(&same);
            let same = self.writer.value(format!("icmp eq i32 {same}, {ALL}"));
            let next = self.writer.fresh_label();
            self.writer.line(format!("br i1 {same}, label %{next}, label %b{entry}"));
            self.writer.begin(next);
            brought.push((home, value));
        }
        self.one_way = true;
        for (home, value) in brought {
            self.failed |= !value.is_kept_as(self.shape(home));
            self.store_home(home, &value);
        }
        self.one_way = false;
        self.writer.line(format!("br label %{}", label(entry)));
    }

    /// A vector's numbers of the first lanes, in the shape that a home has on one way.
    fn in_shape(&mut self, all: &str, (home, bits): (HomeId, u32)) -> Value {
        let ty = format!("<{} x i{bits}>", LANES);
        let mut of_lane =
            |lane: usize| -> Name { self.writer.value(format!("extractelement {ty} {all}, i32 {lane}")) };
        match self.analysis.homes.shape_of_one_way(home) {
            Shape::Uniform => Value::scalar(bits, of_lane(0)),
            Shape::Affine(step) => Value::affine(bits, of_lane(0), step),
            Shape::Pattern(pattern) => Value::patterned(bits, of_lane(0), pattern),
            Shape::Rows(rows) => {
                let count = if rows.alike { 1 } else { LANES / rows.width as usize };
                Value::rows(bits, (0..count).map(|row| of_lane(row * rows.width as usize)).collect(), rows)
            }
            Shape::Varying => Value::vector(bits, all),
        }
    }

    /// What lanes bring to some blocks that is kept otherwise on one way: homes, and how many bits they have.
    fn brought_to(&self, blocks: &[u32]) -> BTreeMap<HomeId, u32> {
        let live = blocks.iter().flat_map(|block| self.analysis.live_at(*block));
        let other =
            live.filter(|(register, home)| self.region.uses(*register) && self.is_else_on_one_way(*home));
        other.filter_map(|(register, home)| Some((*home, self.analysis.slot(*register)?.bits()))).collect()
    }

    /// Lanes go on in the usual code at some blocks: what they bring goes to its homes.
    fn bring(&mut self, blocks: &[u32]) {
        for (home, bits) in self.brought_to(blocks) {
            let value = self.load_home(home, bits);
            self.one_way = false;
            let value = value.kept_as(self.shape(home), &mut self.writer);
            self.failed |= !value.is_kept_as(self.shape(home));
            self.store_home(home, &value);
            self.one_way = true;
        }
    }

    /// The same, and then what the usual code does there.
    fn bring_and(&mut self, blocks: &[u32], go_on: impl FnOnce(&mut Self)) {
        self.bring(blocks);
        self.one_way = false;
        go_on(self);
        self.one_way = true;
    }

    fn block_of_one_way(&mut self, block: u32) {
        self.begin_block(block);
        (self.dirty, self.dirty_when_left) = (None, None);
        self.writer.begin(label(block));
        self.mask = ALL.to_string();
        self.instructions_of(block);
        self.end();
        self.leave_block();
    }

    /// All lanes go to a block.
    pub(super) fn go_one_way(&mut self, to: u32) {
        if !self.is_of_one_way(to) {
            return self.bring_and(&[to], |emitter| emitter.go(to, &BTreeSet::new()));
        }
        if to > self.block {
            return self.writer.line(format!("br label %{}", label(to)));
        }
        let tired = self.writer.fresh_label();
        self.go_back(to, &label(to), &tired, |_, _| {});
        self.writer.begin(tired);
        self.bring(&[to]);
        self.writer.line(format!("store i32 {ALL}, ptr %mask"));
        self.leaves_at.entry(to).or_default();
        self.writer.line(format!("br label %before{to}"));
    }

    /// Lanes go where a predicate says: all of them one way, or they part.
    pub(super) fn one_way_or_part(&mut self, predicate: &Value, target: u32, next: u32) {
        self.unless_all_agree(
            predicate,
            &[target, next],
            [&mut |emitter| emitter.go(target, &BTreeSet::new()), &mut |emitter| {
                emitter.go(next, &BTreeSet::new());
            }],
            |emitter| emitter.part(predicate, target, next, &BTreeSet::new()),
        );
    }

    /// The lanes of a predicate end: all of them, nobody, or some.
    pub(super) fn one_way_or_exit(&mut self, predicate: &Value, next: u32) {
        self.unless_all_agree(
            predicate,
            &[next],
            [&mut |emitter| emitter.exit(None, next, &BTreeSet::new()), &mut |emitter| {
                emitter.go(next, &BTreeSet::new());
            }],
            |emitter| emitter.exit(Some(predicate), next, &BTreeSet::new()),
        );
    }

    /// Writes what is done if a predicate holds in all lanes and in none, and what the usual code does otherwise, having been
    /// brought what it needs at some blocks.
    fn unless_all_agree(
        &mut self,
        predicate: &Value,
        blocks: &[u32],
        [all, none]: [&mut dyn FnMut(&mut Self); 2],
        otherwise: impl FnOnce(&mut Self),
    ) {
        if let Kept::Scalar(taken) = &predicate.kept {
            let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
            self.writer.line(format!("br i1 {taken}, label %{yes}, label %{no}"));
            self.writer.begin(yes);
            all(self);
            self.writer.begin(no);
            return none(self);
        }
        let lanes = predicate.lanes(&mut self.writer);
        let word = self.word_of(&lanes);
        let [yes, not_all, no, some] = std::array::from_fn(|_| self.writer.fresh_label());
        let is_all = self.writer.value(format!("icmp eq i32 {word}, {ALL}"));
        self.writer.line(format!("br i1 {is_all}, label %{yes}, label %{not_all}"));
        self.writer.begin(not_all);
        let is_none = self.writer.value(format!("icmp eq i32 {word}, 0"));
        self.writer.line(format!("br i1 {is_none}, label %{no}, label %{some}, !prof !2"));
        self.writer.begin(yes);
        all(self);
        self.writer.begin(no);
        none(self);
        self.writer.begin(some);
        self.bring_and(blocks, otherwise);
    }
}

/// Whether what lies in a home has a shape only where all lanes go one way.
fn gains_shape(analysis: &Analysis<'_>, home: HomeId) -> bool {
    analysis.homes.shape(home) == Shape::Varying && analysis.homes.shape_of_one_way(home) != Shape::Varying
}

/// The label of a block for one way.
fn label(block: u32) -> Name {
    format!("oneway.b{block}")
}
