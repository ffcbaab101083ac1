//! Calls between functions of the code: who is called gets the values that are passed and gives back results, as vectors.
//!
//! A function that is called has no activation. When it must be left, it asks for one, puts its registers there, and says
//! so to its caller, which does the same: so the interpreter finds every call as if it had made it itself.

use std::fmt::Write;

use ptxvm_ir::FunctionId;
use ptxvm_machine::code::{Call, Function};
use ptxvm_machine::registers::Slot;
use ptxvm_machine::schedule::compiled::{Left, NO_FUNCTION, offset};

use super::block::Guard;
use super::value::Value;
use super::writer::{LANES, Name, Writer};
use super::{Emitter, REGISTERS, Text};
use crate::callee::{Callee, slots};
use crate::region::MOST_INSTRUCTIONS;

/// The name of the function that is called.
fn name(function: FunctionId) -> String {
    format!("function_{}", function.0)
}

/// A vector of so many bits for each lane.
fn vector(bits: u32) -> String {
    format!("<{LANES} x i{bits}>")
}

impl Emitter<'_> {
    /// What a function gives back that is called: where it has been left, the lanes that have returned, and its results.
    fn answer(function: &Function) -> Option<String> {
        let results = slots(&function.returns)?;
        let results: String = results.iter().map(|slot| format!(", {}", vector(slot.bits()))).collect();
        Some(format!("{{ i32, i32{results} }}"))
    }

    /// The beginning of a function that is called: what is passed goes to its registers, and those that nobody has written
    /// are zero.
    pub(super) fn enter_called(&mut self) {
        let entry = self.region.entry;
        let fuel = self.of_frame("i64", offset::FUEL);
        for (name, ty, value) in
            [("%fuel", "i64", &*fuel), ("%mask", "i32", "%lanes"), ("%returned", "i32", "0")]
        {
            self.slot(name, ty);
            self.prologue.push(format!("store {ty} {value}, ptr {name}"));
        }
        for (number, slot) in self.results().into_iter().enumerate() {
            self.slot(format!("%result{number}"), vector(slot.bits()));
            self.prologue.push(format!("store {} zeroinitializer, ptr %result{number}", vector(slot.bits())));
        }
        self.writer.begin("warps");
        self.writer.line("%w.wide = zext i32 %w to i64");
        self.find_alive();
        // As the schedule lays out the frame of a call.
        let linked = self.analysis.linked;
        let (align, frame_bytes) = (linked.call_align(), linked.frame_bytes);
        let up = linked.toll() + align - 1;
        self.writer.line(format!("%base.up = add i64 %stack.before, {up}"));
        self.writer.line(format!("%base = and i64 %base.up, {}", align.wrapping_neg() as i64));
        self.writer.line(format!("%stack = add i64 %base, {frame_bytes}"));
        self.writer.declare("declare i32 @llvm.cttz.i32(i32, i1)");
        self.spend(self.region.cost(self.analysis, |_| true));
        let passed = slots(&self.analysis.linked.parameters).unwrap_or_default();
        for (register, home) in self.analysis.live_at(entry) {
            let Some(slot) = self.analysis.slot(*register) else { continue };
            let bits = slot.bits();
            let value = match passed.iter().position(|passed| passed.offset() == slot.offset()) {
                Some(number) => Value::vector(bits, format!("%passed{number}")),
                None => Value::vector(bits, "zeroinitializer"),
            };
            self.failed |= !value.is_kept_as(self.analysis.homes.shape(*home));
            self.store_home(*home, &value);
        }
        self.writer.line(format!("br label %b{entry}"));
    }

    /// Where the results of the function are that is called.
    fn results(&self) -> Vec<Slot> {
        slots(&self.analysis.linked.returns).unwrap_or_default()
    }

    /// Lanes return from the function that is called: all that run, or those of a predicate.
    pub(super) fn return_lanes(&mut self, guard: &Guard) -> Name {
        let gone = self.lanes(guard);
        let vectors = self.bits_of(&gone);
        for (number, slot) in self.results().into_iter().enumerate() {
            let (bits, value) = (slot.bits(), self.whole(slot));
            let value = self.tight(value).lanes(&mut self.writer);
            let ty = vector(bits);
            let old = self.writer.value(format!("load {ty}, ptr %result{number}"));
            let either = format!("select <{LANES} x i1> {vectors}, {ty} {value}, {ty} {old}");
            let either = self.writer.value(either);
            self.writer.line(format!("store {ty} {either}, ptr %result{number}"));
        }
        let known = self.writer.value("load i32, ptr %returned");
        let all = self.writer.value(format!("or i32 {known}, {gone}"));
        self.writer.line(format!("store i32 {all}, ptr %returned"));
        gone
    }

    /// The end of a function that is called: no lane is in it any more.
    pub(super) fn all_returned(&mut self) {
        self.writer.begin("done");
        self.tell();
        self.give(&Left::Ended.number().to_string());
    }

    /// Leaves the function, which says how.
    pub(super) fn give(&mut self, left: &str) {
        if self.called.is_none() {
            self.registers = REGISTERS.to_owned();
            if self.one {
                return self.one_is_left(left);
            }
            return self.writer.line(format!("ret i32 {left}"));
        }
        self.registers.clear();
        let Some(ty) = Self::answer(self.analysis.linked) else { return self.failed = true };
        let returned = self.writer.value("load i32, ptr %returned");
        let mut answer = self.writer.value(format!("insertvalue {ty} poison, i32 {left}, 0"));
        answer = self.writer.value(format!("insertvalue {ty} {answer}, i32 {returned}, 1"));
        for (number, slot) in self.results().into_iter().enumerate() {
            let of = vector(slot.bits());
            let value = self.writer.value(format!("load {of}, ptr %result{number}"));
            answer = self.writer.value(format!("insertvalue {ty} {answer}, {of} {value}, {}", number + 2));
        }
        self.writer.line(format!("ret {ty} {answer}"));
    }

    /// The function is about to be left: asks for the registers of its activation, if it is called or has called one that
    /// was left, at the end of the block `site`.
    pub(super) fn activate(&mut self, site: Option<u32>) {
        let (function, lanes) = match self.called {
            Some(id) => {
                // Who is in it still.
                let returned = self.writer.value("load i32, ptr %returned");
                let alive = self.writer.value("load i32, ptr %alive");
                let gone = self.writer.value(format!("xor i32 {returned}, -1"));
                let left = self.writer.value(format!("and i32 %lanes, {gone}"));
                (id.0, self.writer.value(format!("and i32 {left}, {alive}")))
            }
            None if site.is_some() => (NO_FUNCTION, "0".to_owned()),
            None => return,
        };
        self.writer.declare("declare ptr @ptxvm_activate(ptr, i32, i32, i32)");
        self.tell_warp();
        let site = site.unwrap_or(0);
        self.registers = self
            .writer
            .value(format!("call ptr @ptxvm_activate(ptr %frame, i32 {function}, i32 {lanes}, i32 {site})"));
    }

    /// Ends a block with a call of another function of the code.
    pub(super) fn call(&mut self, call: &Call, id: FunctionId) {
        let waiting = self.waiting();
        let code = self.analysis.code;
        let linked = code.functions.get(id.0 as usize).and_then(Option::as_ref);
        let parts = linked.and_then(|linked| {
            Some((Self::answer(linked)?, slots(&linked.parameters)?, slots(&linked.returns)?))
        });
        let (Some((ty, formal, results)), Some(passed), Some(wanted)) =
            (parts, slots(&call.arguments), slots(&call.returns))
        else {
            return self.failed = true;
        };
        self.failed |= passed.len() != formal.len();
        self.at_end = true;
        self.ends_some |= self.callees.get(&id).is_some_and(|callee| callee.ends);
        self.calls.insert(id);
        let guard = self.guard(call.guard);
        let lanes = self.lanes(&guard);
        let mut arguments = String::new();
        for (slot, formal) in passed.iter().zip(&formal) {
            let value = self.read(*slot, formal.bits()).lanes(&mut self.writer);
            let _ = write!(arguments, ", {} {value}", vector(formal.bits()));
        }
        self.tell_fuel();
        let types = ["i32".to_owned(), "i32".to_owned()].into_iter();
        let types: Vec<_> = types.chain(results.iter().map(|slot| vector(slot.bits()))).collect();
        let how = self.written_in_place(id);
        let given = format!("@{}(ptr %frame, i32 %w, i64 %stack, i32 {lanes}{arguments}){how}", name(id));
        let answers = self.unless_nobody(&guard, &lanes, &types, |writer| {
            let answer = writer.value(format!("call fastcc {ty} {given}"));
            let part = |at: usize| writer.value(format!("extractvalue {ty} {answer}, {at}"));
            (0..types.len()).map(part).collect()
        });
        let (left, returned) = (answers[0].clone(), answers[1].clone());
        let fuel_at = self.frame(offset::FUEL);
        let fuel = self.writer.value(format!("load i64, ptr {fuel_at}"));
        self.writer.line(format!("store i64 {fuel}, ptr %fuel"));
        for ((slot, result), value) in wanted.iter().zip(&results).zip(&answers[2..]) {
            self.write(*slot, Value::vector(result.bits(), value.clone()), &guard);
        }
        let mask = self.mask.clone();
        let others = self.writer.value(format!("xor i32 {lanes}, -1"));
        let others = self.writer.value(format!("and i32 {mask}, {others}"));
        let next = self.writer.value(format!("or i32 {others}, {returned}"));
        self.leave_in_call(call.next, &left, &next);
        self.at_end = false;
        self.settle(&[call.next]);
        self.go_on(&next, call.next, &waiting);
    }

    /// Has LLVM write a small function where it is called, unless there are many such calls; gives the words for that.
    fn written_in_place(&mut self, id: FunctionId) -> &'static str {
        let expanded = self.callees.get(&id).map_or(u64::MAX, |callee| callee.expanded);
        if expanded > SMALL || self.inlined + expanded > MOST_INLINED {
            return "";
        }
        self.inlined += expanded;
        " #1"
    }

    /// Writes what gives some values, and is only done if there are lanes; else all of them are zero.
    fn unless_nobody(
        &mut self,
        guard: &Guard,
        lanes: &str,
        types: &[String],
        write: impl FnOnce(&mut Writer) -> Vec<Name>,
    ) -> Vec<Name> {
        if matches!(guard, Guard::All) {
            return write(&mut self.writer);
        }
        let (some, rest) = (self.writer.fresh_label(), self.writer.fresh_label());
        let none = self.writer.value(format!("icmp eq i32 {lanes}, 0"));
        let from = self.writer.label().to_owned();
        self.writer.line(format!("br i1 {none}, label %{rest}, label %{some}"));
        self.writer.begin(some.clone());
        let values = write(&mut self.writer);
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let joined = values.iter().zip(types).map(|(value, ty)| {
            self.writer.value(format!("phi {ty} [ zeroinitializer, %{from} ], [ {value}, %{some} ]"))
        });
        joined.collect()
    }

    /// Where the function that was called has been left, this one is left too. The lanes that are not in it any more stand
    /// at the block that comes next.
    fn leave_in_call(&mut self, next: u32, left: &str, lanes: &str) {
        let (out, on) = (self.writer.fresh_label(), self.writer.fresh_label());
        let returned = self.writer.value(format!("icmp eq i32 {left}, {}", Left::Ended.number()));
        self.writer.line(format!("br i1 {returned}, label %{on}, label %{out}, !prof !2"));
        self.writer.begin(out);
        self.activate(Some(self.block));
        self.leaving = self.dirty.clone();
        let only = self.blend_lanes();
        // What is loaded here is not known on the other way.
        let held = self.held.clone();
        for (slot, _) in self.changed_at(next) {
            let value = self.whole(slot);
            self.store_register(slot, &value, only.as_deref());
        }
        self.held = held;
        self.group(next, lanes);
        for waits in self.waiting() {
            self.others(waits);
        }
        self.tell();
        self.give(left);
        self.writer.begin(on);
    }

    /// What those who call the function must know of it; `None` if too much is inside of one another.
    pub(super) fn described(&self) -> Option<Callee> {
        let inner = || self.calls.iter().filter_map(|id| self.callees.get(id));
        let linked = self.analysis.linked;
        let own = linked.toll() + linked.frame_bytes + linked.call_align();
        let height = 1 + inner().map(|callee| callee.height).max().unwrap_or(0);
        let own_instructions = self.region.cost(self.analysis, |_| true);
        let instructions = own_instructions + inner().map(|callee| callee.instructions).max().unwrap_or(0);
        let small = height <= MOST_HEIGHT && instructions <= MOST_INSTRUCTIONS as u64 / 2;
        small.then(|| Callee {
            height,
            instructions,
            expanded: own_instructions + self.inlined,
            stack: own + inner().map(|callee| callee.stack).max().unwrap_or(0),
            ends: self.ends_some,
            frames: linked.frame_bytes != 0 || inner().any(|callee| callee.frames),
        })
    }

    /// The text of the function that is called.
    pub(super) fn finish_called(self, id: FunctionId) -> Option<Text> {
        let ty = Self::answer(self.analysis.linked)?;
        let parameters = slots(&self.analysis.linked.parameters)?;
        let passed: String = (0..)
            .zip(&parameters)
            .map(|(number, slot): (u32, _)| format!(", {} %passed{number}", vector(slot.bits())))
            .collect();
        let head = format!(
            "define internal fastcc {ty} @{}(ptr noalias %frame, i32 %w, i64 %stack.before, i32 %lanes{passed}) #0",
            name(id),
        );
        Some(self.text(&head))
    }
}

/// More calls than this are not made inside of one another: each takes some of the host's stack.
const MOST_HEIGHT: u32 = 16;

/// Functions of so many instructions are written where they are called, as long as they are no more than this together.
const SMALL: u64 = 64;
const MOST_INLINED: u64 = 512;
