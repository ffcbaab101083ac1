//! Short stretches between barriers, in which often only some warps have something to do: one function for one warp, and one
//! that calls it for each warp of the CTA by its number. LLVM writes it out each time. It knows the threads of that warp then,
//! and nothing is left for warps that have nothing to do.
//!
//! That is for whole CTAs that are all here. Else the usual function serves, a loop over the warps that there are.

use ptxvm_machine::code::{Block, Terminator};
use ptxvm_machine::schedule::compiled::{APART, Left, Meeting, offset};

use super::{Emitter, Text};

/// So many instructions of a stretch are written out, over all warps, and of a kernel.
const MOST: u64 = 256;
const MOST_IN_ALL: u64 = 6 * MOST;

/// What the function for one warp returns if it has been left, beside how: no place where warps meet has such a number.
const LEFT: u32 = u32::MAX << 8;

/// The name of the usual function, if there is one for whole CTAs too.
fn usual_name(block: u32) -> String {
    format!("each_{block}")
}

fn name_of_one(block: u32) -> String {
    format!("one_{block}")
}

impl Emitter<'_> {
    /// Whether the region is written out for each warp: the number of a thread says who has something to do, it is short, goes
    /// nowhere back, and is one of several of its CTA.
    pub(super) fn is_unrolled(&mut self) -> bool {
        let (analysis, region) = (self.analysis, self.region);
        let blocks = || region.waiting.keys().map(|block| (*block, &analysis.code.blocks[*block as usize]));
        let plain = |(block, described): (u32, &Block)| match &described.end_with {
            Terminator::Call(_) | Terminator::Index { .. } | Terminator::Return { .. } => false,
            Terminator::Barrier(arrival) => arrival.plain,
            end => end.successors().into_iter().all(|next| next > block),
        };
        let meets = |(_, described): (u32, &Block)| matches!(described.end_with, Terminator::Barrier(_));
        let splits = |(_, described): (u32, &Block)| described.of.is_some_and(|of| analysis.homes.splits(of));
        let warps = analysis.warps();
        let cost = u64::from(warps) * region.cost(analysis, |_| true);
        let unrolled = warps > 1
            && cost <= MOST.min(MOST_IN_ALL.saturating_sub(self.common.unrolled))
            && !self.executes
            && blocks().all(plain)
            && blocks().any(splits)
            && (!analysis.is_beginning(region.entry) || blocks().any(meets))
            && analysis.is_whole(region.entry);
        self.common.unrolled += if unrolled { cost } else { 0 };
        unrolled
    }

    /// The usual function, beside which there is one for whole CTAs.
    pub(super) fn finish_usual(self) -> Text {
        let head = format!("define internal i32 @{}(ptr noalias %frame) #0", usual_name(self.region.entry));
        self.text(&head)
    }

    /// The function for one warp.
    pub(super) fn finish_one(self) -> Text {
        let name = name_of_one(self.region.entry);
        self.text(&format!("define internal i32 @{name}(ptr noalias %frame, i32 %w, i32 %met) #0 #1"))
    }

    /// The function for all warps of a CTA.
    pub(super) fn write_all(&mut self) {
        let entry = self.region.entry;
        self.slot("%fuel", "i64");
        self.slot("%meeting", "i32");
        self.writer.begin("warps");
        let whole = self.all_are_whole();
        let (yes, no) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {whole}, label %{yes}, label %{no}, !prof !2"));
        self.writer.begin(no);
        let left = self.writer.value(format!("musttail call i32 @{}(ptr %frame)", usual_name(entry)));
        self.writer.line(format!("ret i32 {left}"));
        self.writer.begin(yes);
        let mut met = Meeting::Nowhere.number().to_string();
        for warp in 0..self.analysis.warps() {
            let call = format!("call i32 @{}(ptr %frame, i32 {warp}, i32 {met})", name_of_one(entry));
            met = self.writer.value(call);
            let how = self.writer.value(format!("sub i32 {met}, {LEFT}"));
            let left = self.writer.value(format!("icmp ult i32 {how}, {}", Left::ALL.len()));
            let (out, next) = (self.writer.fresh_label(), self.writer.fresh_label());
            self.writer.line(format!("br i1 {left}, label %{out}, label %{next}, !prof !0"));
            self.writer.begin(out);
            self.writer.line(format!("ret i32 {how}"));
            self.writer.begin(next);
        }
        let fuel = self.frame(offset::FUEL);
        let fuel = self.writer.value(format!("load i64, ptr {fuel}"));
        self.writer.line(format!("store i64 {fuel}, ptr %fuel"));
        self.writer.line(format!("store i32 {met}, ptr %meeting"));
        self.all_have_run();
    }

    /// Whether all warps of the CTA are here, and no lane has ended.
    fn all_are_whole(&mut self) -> String {
        let began = self.frame(offset::BEGAN);
        let began = self.writer.value(format!("load i32, ptr {began}"));
        let together = self.writer.value(format!("icmp ne i32 {began}, {APART}"));
        let warps = self.analysis.warps();
        let all: Vec<String> =
            (0..warps).map(|warp| format!("i32 {}", self.analysis.lanes_of(warp))).collect();
        let alive = self.frame(offset::ALIVE);
        let alive = self.writer.value(format!("load <{warps} x i32>, ptr {alive}, align 4"));
        let fewer = self.writer.value(format!("icmp ne <{warps} x i32> {alive}, <{}>", all.join(", ")));
        let fewer = self.writer.value(format!("bitcast <{warps} x i1> {fewer} to i{warps}"));
        let none = self.writer.value(format!("icmp eq i{warps} {fewer}, 0"));
        self.writer.value(format!("and i1 {together}, {none}"))
    }

    /// The end of the function for one warp: it has ended, or come to where warps meet.
    pub(super) fn one_has_run(&mut self) {
        self.writer.begin("done");
        self.tell_fuel();
        let meeting = self.writer.value("load i32, ptr %meeting");
        self.writer.line(format!("ret i32 {meeting}"));
    }

    /// Leaves the function for one warp.
    pub(super) fn one_is_left(&mut self, left: &str) {
        let left = self.writer.value(format!("or i32 {left}, {LEFT}"));
        self.writer.line(format!("ret i32 {left}"));
    }
}
