//! The function around a region: a loop over the warps of a CTA, and around that one over the CTAs of a row of the grid.
//!
//! What stays the same is loaded once. Where a CTA is all in one region, the code begins the next one itself: it counts on,
//! and the machine catches up when it is called or finds the function left.

use std::fmt::Write;

use ptxvm_machine::code::Terminator;
use ptxvm_machine::schedule::compiled::{Left, Meeting, offset};

use super::writer::{LANES, Name};
use super::{Emitter, REGISTERS, Text, name};

impl Emitter<'_> {
    /// The beginning of the function, a loop over warps: finds the registers of each that are live, and puts them into
    /// their homes.
    pub(super) fn enter(&mut self) {
        let entry = self.region.entry;
        for (name, ty, from) in [("%warp", "i32", offset::FIRST), ("%fuel", "i64", offset::FUEL)] {
            let value = self.of_frame(ty, from);
            self.slot(name, ty);
            self.prologue.push(format!("store {ty} {value}, ptr {name}"));
        }
        self.slot("%meeting", "i32");
        self.prologue.push(format!("store i32 {}, ptr %meeting", Meeting::Nowhere.number()));
        self.writer.begin("warps");
        self.writer.line("%w = load i32, ptr %warp");
        self.writer.line("%w.wide = zext i32 %w to i64");
        self.find_alive();
        let mask = self.lanes_at_entry();
        self.slot("%mask", "i32");
        self.writer.line(format!("store i32 {mask}, ptr %mask"));
        self.spend(self.region.cost(self.analysis, |_| true));
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
        for (register, home) in self.analysis.live_at(entry) {
            if !self.region.uses(*register) {
                continue;
            }
            let Some(slot) = self.analysis.slot(*register) else { continue };
            let value = self.load_register(slot, self.analysis.homes.shape(*home), &first);
            self.store_home(*home, &value);
        }
        self.writer.line(format!("br label %b{entry}"));
    }

    /// Where the frame says which lanes of the warp have not ended.
    pub(super) fn find_alive(&mut self) {
        let alive = self.frame(offset::ALIVE);
        self.writer.line(format!("%alive = getelementptr i32, ptr {alive}, i64 %w.wide"));
    }

    /// Whether a whole CTA runs in the region: it begins with it, and warps do not meet before they end.
    fn holds_cta(&self) -> bool {
        self.analysis.is_beginning(self.region.entry) && !self.has_meeting()
    }

    /// Whether warps may come to a barrier of all warps or to a seam, and the next one runs.
    pub(super) fn has_meeting(&self) -> bool {
        let blocks = self.region.waiting.keys().map(|block| &self.analysis.code.blocks[*block as usize]);
        let plain = |end: &Terminator| matches!(end, Terminator::Barrier(arrival) if arrival.plain);
        !self.region.seams.is_empty() || blocks.map(|block| &block.end_with).any(plain)
    }

    /// The lanes of a warp that enter: those that have not ended, of which there is one at least. All warps of a CTA begin
    /// whole, except for the last.
    fn lanes_at_entry(&mut self) -> Name {
        let threads = self.analysis.cta.iter().product::<u32>();
        if self.analysis.is_beginning(self.region.entry) {
            let (last, count) = ((threads - 1) / LANES as u32, (threads - 1) % LANES as u32 + 1);
            if count == LANES as u32 {
                return u32::MAX.to_string();
            }
            let is_last = self.writer.value(format!("icmp eq i32 %w, {last}"));
            return self.writer.value(format!(
                "select i1 {is_last}, i32 {}, i32 {}",
                (1u32 << count) - 1,
                u32::MAX
            ));
        }
        let mask = self.writer.value("load i32, ptr %alive");
        let none = self.writer.value(format!("icmp eq i32 {mask}, 0"));
        let some = self.writer.fresh_label();
        self.writer.line(format!("br i1 {none}, label %done, label %{some}"));
        self.writer.begin(some);
        mask
    }

    /// The end of the loop over warps: the next one has its turn, or all have come to the same place.
    pub(super) fn next_warp(&mut self) {
        self.writer.begin("done");
        let next = self.writer.value("add i32 %w, 1");
        self.writer.line(format!("store i32 {next}, ptr %warp"));
        let last = self.of_frame("i32", offset::LAST);
        let more = self.writer.value(format!("icmp ult i32 {next}, {last}"));
        let over = self.writer.fresh_label();
        self.writer.line(format!("br i1 {more}, label %warps, label %{over}"));
        self.writer.begin(over);
        if self.holds_cta() {
            self.next_cta();
        }
        let to = self.frame(offset::WARP);
        self.writer.line(format!("store i32 {last}, ptr {to}"));
        self.tell();
        let meeting = self.writer.value("load i32, ptr %meeting");
        let none = self.writer.value(format!("icmp eq i32 {meeting}, {}", Meeting::Nowhere.number()));
        let (ended, end, seam) = (Left::Ended.number(), Left::End.number(), Left::Seam.number());
        let barrier = self.writer.value(format!("icmp sge i32 {meeting}, 0"));
        let place = self.writer.value(format!("select i1 {barrier}, i32 {end}, i32 {seam}"));
        let left = self.writer.value(format!("select i1 {none}, i32 {ended}, i32 {place}"));
        self.writer.line(format!("ret i32 {left}"));
    }

    /// Begins the next CTA of the row, if the machine has left some to the code and there is fuel.
    fn next_cta(&mut self) {
        let left_at = self.frame(offset::CTAS);
        let left = self.writer.value(format!("load i32, ptr {left_at}"));
        let fuel = self.writer.value("load i64, ptr %fuel");
        let some = self.writer.value(format!("icmp ne i32 {left}, 0"));
        let fuelled = self.writer.value(format!("icmp sge i64 {fuel}, 0"));
        let may = self.writer.value(format!("and i1 {some}, {fuelled}"));
        let (next, end) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {may}, label %{next}, label %{end}"));
        self.writer.begin(next);
        let fewer = self.writer.value(format!("sub i32 {left}, 1"));
        self.writer.line(format!("store i32 {fewer}, ptr {left_at}"));
        let place = self.frame(offset::CTAID);
        let x = self.writer.value(format!("load i32, ptr {place}"));
        let x = self.writer.value(format!("add i32 {x}, 1"));
        self.writer.line(format!("store i32 {x}, ptr {place}"));
        let threads = self.analysis.cta.iter().product::<u32>();
        let threads = if self.ends_some { threads } else { 0 };
        let alive = self.frame(offset::ALIVE);
        for (warp, first) in (0..threads).step_by(LANES).enumerate() {
            let at = self.writer.value(format!("getelementptr i32, ptr {alive}, i64 {warp}"));
            let lanes = u32::MAX >> (LANES as u32 - (threads - first).min(LANES as u32));
            self.writer.line(format!("store i32 {lanes}, ptr {at}"));
        }
        self.writer.line("store i32 0, ptr %warp");
        self.writer.line("br label %ctas");
        self.writer.begin(end);
    }

    /// Says in the frame which warp runs, for a function that is called, or for those that find it left.
    pub(super) fn tell_warp(&mut self) {
        let running = self.frame(offset::WARP);
        self.writer.line(format!("store i32 %w, ptr {running}"));
    }

    /// Takes some of the fuel.
    pub(super) fn spend(&mut self, cost: impl std::fmt::Display) {
        let fuel = self.writer.value("load i64, ptr %fuel");
        let left = self.writer.value(format!("sub i64 {fuel}, {cost}"));
        self.writer.line(format!("store i64 {left}, ptr %fuel"));
    }

    /// Says in the frame what fuel is left, and where the warps are that have met.
    pub(super) fn tell(&mut self) {
        self.tell_fuel();
        if self.called.is_none() {
            let value = self.writer.value("load i32, ptr %meeting");
            let to = self.frame(offset::MEETING);
            self.writer.line(format!("store i32 {value}, ptr {to}"));
        }
    }

    /// Says in the frame what fuel is left.
    pub(super) fn tell_fuel(&mut self) {
        let value = self.writer.value("load i64, ptr %fuel");
        let to = self.frame(offset::FUEL);
        self.writer.line(format!("store i64 {value}, ptr {to}"));
    }

    /// Something of the frame that stays the same while the function runs, or at least one CTA.
    pub(super) fn of_frame(&mut self, ty: &str, at: usize) -> Name {
        let name = format!("%frame{at}");
        if self.known.insert(name.clone()) {
            let lines = if at == offset::CTAID { &mut self.cta_prologue } else { &mut self.prologue };
            lines.push(format!("{name}.at = getelementptr i8, ptr %frame, i64 {at}"));
            lines.push(format!("{name} = load {ty}, ptr {name}.at"));
        }
        name
    }

    /// A word that lies at some bytes from a pointer of the frame, and stays the same while the function runs.
    pub(super) fn of_list(&mut self, ty: &str, list: usize, at: u64) -> Name {
        let list_at = self.of_frame("ptr", list);
        let name = format!("{list_at}.{at}.{ty}");
        if self.known.insert(name.clone()) {
            self.prologue.push(format!("{name}.at = getelementptr i8, ptr {list_at}, i64 {at}"));
            self.prologue.push(format!("{name} = load {ty}, ptr {name}.at, align 1"));
        }
        name
    }

    pub(super) fn finish(self) -> Text {
        let head = format!("define i32 @{}(ptr noalias %frame) #0", name(self.region.entry));
        self.text(&head)
    }

    /// The function, of which the head is given.
    pub(super) fn text(self, head: &str) -> Text {
        let (body, declarations) = self.writer.finish();
        let mut definition = format!("{head} {{\nentry:\n");
        for (slot, ty) in &self.slots {
            let _ = writeln!(definition, "  {slot} = alloca {ty}");
        }
        for block in &self.waits {
            let _ = writeln!(definition, "  %wait{block} = alloca i32\n  store i32 0, ptr %wait{block}");
        }
        for line in &self.prologue {
            let _ = writeln!(definition, "  {line}");
        }
        definition.push_str("  br label %ctas\nctas:\n");
        for line in &self.cta_prologue {
            let _ = writeln!(definition, "  {line}");
        }
        definition.push_str("  br label %warps\n");
        definition.push_str(&body);
        definition.push_str("}\n");
        let Emitter { repeated, calls, instructions, uses_local, .. } = self;
        Text { definition, declarations, repeated, calls, instructions, uses_local }
    }
}
