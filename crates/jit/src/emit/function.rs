//! The function around a region: a loop over the warps of a CTA, and around that one over the CTAs of a row of the grid.
//!
//! What stays the same is loaded once. Where a CTA is all in one region, the code begins the next one itself: it counts on,
//! and the machine catches up when it is called or finds the function left.

use std::fmt::Write;

use ptxvm_machine::code::Terminator;
use ptxvm_machine::schedule::compiled::{APART, Left, Meeting, offset};

use super::writer::Name;
use super::{Emitter, Text, name};

impl Emitter<'_> {
    /// The beginning of the function, a loop over warps.
    pub(super) fn enter(&mut self) {
        let fuel = self.of_frame("i64", offset::FUEL);
        let met = if self.one { "%met".to_owned() } else { Meeting::Nowhere.number().to_string() };
        for (name, ty, value) in [("%fuel", "i64", fuel), ("%meeting", "i32", met)] {
            self.slot(name, ty);
            self.prologue.push(format!("store {ty} {value}, ptr {name}"));
        }
        self.writer.begin("warps");
        if !self.one {
            let first = self.of_frame("i32", offset::FIRST);
            self.slot("%warp", "i32");
            self.prologue.push(format!("store i32 {first}, ptr %warp"));
            self.writer.line("%w = load i32, ptr %warp");
        }
        self.writer.line("%w.wide = zext i32 %w to i64");
        self.find_alive();
        self.enter_warp();
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
        !self.meetings().is_empty()
    }

    /// The end of the loop over warps: the next one has its turn, or all have come to the same place.
    pub(super) fn next_warp(&mut self) {
        if self.one {
            return self.one_has_run();
        }
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
        self.all_have_run();
    }

    /// The end of the function: all warps have ended, or come to the same place.
    pub(super) fn all_have_run(&mut self) {
        let last = self.of_frame("i32", offset::LAST);
        let to = self.frame(offset::WARP);
        self.writer.line(format!("store i32 {last}, ptr {to}"));
        self.tell();
        let meeting = self.writer.value("load i32, ptr %meeting");
        self.go_on_together(&meeting);
        let none = self.writer.value(format!("icmp eq i32 {meeting}, {}", Meeting::Nowhere.number()));
        let (ended, end, seam) = (Left::Ended.number(), Left::End.number(), Left::Seam.number());
        let barrier = self.writer.value(format!("icmp sge i32 {meeting}, 0"));
        let place = self.writer.value(format!("select i1 {barrier}, i32 {end}, i32 {seam}"));
        let left = self.writer.value(format!("select i1 {none}, i32 {ended}, i32 {place}"));
        self.writer.line(format!("ret i32 {left}"));
    }

    /// All warps have met: the function that begins there goes on at once, if it is at hand, the first fuel lasts, and the
    /// frame says that all warps of the CTA are here.
    fn go_on_together(&mut self, meeting: &str) {
        let meetings = self.meetings();
        if meetings.is_empty() {
            return;
        }
        let fuel = self.writer.value("load i64, ptr %fuel");
        let fuelled = self.writer.value(format!("icmp sge i64 {fuel}, 0"));
        let (began_at, refills) = (self.frame(offset::BEGAN), self.frame(offset::REFILLS));
        let began = self.writer.value(format!("load i32, ptr {began_at}"));
        let refills = self.writer.value(format!("load i32, ptr {refills}"));
        let all = self.writer.value(format!("icmp ne i32 {began}, {APART}"));
        let fresh = self.writer.value(format!("icmp eq i32 {refills}, 0"));
        let may = self.writer.value(format!("and i1 {all}, {fresh}"));
        let may = self.writer.value(format!("and i1 {may}, {fuelled}"));
        let (on, off) = (self.writer.fresh_label(), self.writer.fresh_label());
        self.writer.line(format!("br i1 {may}, label %{on}, label %{off}"));
        self.writer.begin(on);
        let next = |number: usize| format!("together{number}");
        let cases: String = (0..).zip(&meetings).fold(String::new(), |cases, (number, (meeting, _))| {
            format!("{cases} i32 {}, label %{}", meeting.number(), next(number))
        });
        self.writer.line(format!("switch i32 {meeting}, label %{off} [{cases} ]"));
        for (number, (_, block)) in meetings.into_iter().enumerate() {
            self.writer.begin(next(number));
            let has = self.writer.value(format!("load i1, ptr @has_{block}"));
            let there = self.writer.fresh_label();
            self.writer.line(format!("br i1 {has}, label %{there}, label %{off}"));
            self.writer.begin(there);
            self.writer.line(format!("store i32 {block}, ptr {began_at}"));
            let left = self.writer.value(format!("musttail call i32 @{}(ptr %frame)", name(block)));
            self.writer.line(format!("ret i32 {left}"));
            self.followers.insert(block);
        }
        self.writer.begin(off);
    }

    /// Where warps may meet, and the block that is next there.
    fn meetings(&self) -> Vec<(Meeting, u32)> {
        let ends =
            self.region.waiting.keys().map(|block| (block, &self.analysis.code.blocks[*block as usize]));
        let barriers = ends.filter_map(|(block, described)| match &described.end_with {
            Terminator::Barrier(arrival) if arrival.plain => Some((Meeting::Barrier(*block), arrival.next)),
            _ => None,
        });
        let seams = self.region.seams.iter().map(|seam| (Meeting::Seam(*seam), *seam));
        barriers.chain(seams).collect()
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
        let alive = self.frame(offset::ALIVE);
        for warp in 0..if self.ends_some { self.analysis.warps() } else { 0 } {
            let at = self.writer.value(format!("getelementptr i32, ptr {alive}, i64 {warp}"));
            let lanes = self.analysis.lanes_of(warp);
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
        let Emitter { repeated, calls, instructions, followers, uses_local, .. } = self;
        Text { definition, declarations, repeated, calls, instructions, followers, uses_local }
    }
}
