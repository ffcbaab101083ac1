//! Whether lanes that go through a stretch alone are faster so than all at once would be. That follows from how far each of
//! them went: the warp would have gone as far as the lane that went furthest. One warp says little where a few rows are
//! much longer than the others, so several are added up; if they were slower, the next ones go together for a while.

use ptxvm_machine::schedule::compiled::offset;

use super::Emitter;
use super::writer::Name;
use crate::alone::Alone;

/// What something takes, in sixteenths of the time of an instruction for one lane: an instruction for all lanes; an access
/// without a pattern, of all lanes and what it takes more than another instruction for one; to begin with a lane and find
/// out where it ends.
const OF_ALL: u32 = 100;
const GATHER: u32 = 3_000;
const LOAD: u32 = 96;
const LANE: u32 = 1_600;

/// Of so many warps that go alone it is found out whether they would have been faster together; if so, so many go together
/// before the next try.
pub(super) const TRIES: u32 = 8;
const TOGETHER: u32 = 248;

impl Alone {
    /// What an instruction takes on average, for one lane and for all.
    fn prices(&self) -> [u32; 2] {
        let each = |more: u32| self.irregular * more / self.instructions.max(1);
        [16 + each(LOAD), OF_ALL + each(GATHER)]
    }
}

impl Emitter<'_> {
    /// Where the worker keeps how often warps go together, and after it what was found out so far: the next call finds it too.
    pub(super) fn turns_together(&mut self, alone: &Alone) -> Name {
        let place = *self.turns.entry(alone.first).or_insert_with(|| {
            self.common.sites += 1;
            self.common.sites - 1
        });
        let weights = self.of_frame("ptr", offset::WEIGHTS);
        self.writer.value(format!("getelementptr i8, ptr {weights}, i64 {}", u64::from(place) * 16))
    }

    /// Adds up what warps took and would have taken together. After some tries it says how the next ones go.
    pub(super) fn weigh(&mut self, alone: &Alone) {
        let first = alone.first;
        let mask = self.writer.value("load i32, ptr %mask");
        self.writer.declare("declare i32 @llvm.ctpop.i32(i32)");
        let lanes = self.writer.value(format!("call i32 @llvm.ctpop.i32(i32 {mask})"));
        let lanes = self.writer.value(format!("zext i32 {lanes} to i64"));
        let fuel = self.writer.value("load i64, ptr %fuel");
        let began = self.writer.value(format!("load i64, ptr %alone{first}.began"));
        let most = self.writer.value(format!("load i64, ptr %alone{first}.most"));
        let spent = self.writer.value(format!("sub i64 {began}, {fuel}"));
        let [for_one, for_all] = alone.prices();
        let spent = self.writer.value(format!("mul i64 {spent}, {for_one}"));
        let begun = self.writer.value(format!("mul i64 {lanes}, {LANE}"));
        let apart = self.writer.value(format!("add i64 {spent}, {begun}"));
        let together = self.writer.value(format!("mul i64 {most}, {for_all}"));
        let turns_at = self.turns_together(alone);
        let sum_at = self.writer.value(format!("getelementptr i8, ptr {turns_at}, i64 8"));
        let sum = self.writer.value(format!("load i64, ptr {sum_at}"));
        let gain = self.writer.value(format!("sub i64 {together}, {apart}"));
        let sum = self.writer.value(format!("add i64 {sum}, {gain}"));
        let left = self.writer.value(format!("load i64, ptr {turns_at}"));
        let last = self.writer.value(format!("icmp eq i64 {left}, 0"));
        let slower = self.writer.value(format!("icmp slt i64 {sum}, 0"));
        let most = if alone.always { TRIES } else { TRIES + TOGETHER };
        let turns = self.writer.value(format!("select i1 {slower}, i64 {most}, i64 {TRIES}"));
        let fewer = self.writer.value(format!("sub i64 {left}, 1"));
        let turns = self.writer.value(format!("select i1 {last}, i64 {turns}, i64 {fewer}"));
        let sum = self.writer.value(format!("select i1 {last}, i64 0, i64 {sum}"));
        self.writer.line(format!("store i64 {turns}, ptr {turns_at}"));
        self.writer.line(format!("store i64 {sum}, ptr {sum_at}"));
    }
}
