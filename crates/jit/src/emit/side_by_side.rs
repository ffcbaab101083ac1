//! Rows of words that are found when the code runs: addresses that are computed, not loaded, of which it is not known that
//! they are those of a row.
//!
//! Compilers unroll a loop that strides over an array, and have its odd rounds run before. Lanes may leave those at
//! different rounds, and what they count on has no shape from there on; but mostly all do the same. A stencil keeps its
//! indices within the image, where most are. So the code looks: where all lanes run, and their words lie side by side in
//! the region that the place met last, they are one row, else each lane's is moved as if nothing had been hoped for.

use ptxvm_ir::operation::AddressSpace;
use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::access::{Access, Place};
use super::bounds::Known;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};

/// A function with more instructions is a long one.
const LONG: usize = 256;

impl Emitter<'_> {
    /// Whether lanes' addresses may lie side by side though nothing is known of them.
    pub(super) fn may_lie_side_by_side(&self, slot: Slot, at: &Value, access: &Access) -> bool {
        // It costs more code: not where it is run once, in a kernel with much of that.
        let long = self.analysis.function.instructions.len() > LONG;
        if !self.analysis.tuning.close || long && !self.analysis.repeats(self.block) {
            return false;
        }
        let computed =
            self.analysis.register(slot).is_some_and(|register| !self.analysis.is_of_memory(register));
        let whole = access.bytes.is_power_of_two() && access.space != AddressSpace::Local;
        computed && whole && matches!(at.kept, Kept::Vector(_))
    }

    /// Checks an access whose words may lie side by side.
    pub(super) fn row_or_each(&mut self, at: &Value, access: &Access) -> Place {
        // What waits to be looked at would be on one of the two ways only.
        self.look();
        let align = access.bytes;
        let shared = matches!(access.space, AddressSpace::Shared | AddressSpace::SharedVariable);
        let at = if shared { at.clone() } else { self.widened(at) };
        let known = self.known_of_lane(access, align);
        let addresses = at.lanes(&mut self.writer);
        let ty = format!("<{LANES} x i{}>", at.bits);
        let first = self.writer.value(format!("extractelement {ty} {addresses}, i32 0"));
        let ramp = self.writer.ramp(at.bits, &first, access.bytes as i64);
        let same = self.writer.value(format!("icmp eq {ty} {addresses}, {ramp}"));
        let same = self.word_of(&same);
        let all = self.writer.value(format!("and i32 {same}, {}", access.lanes));
        let row = self.writer.value(format!("icmp eq i32 {all}, -1"));
        let first = self.writer.cast("zext", at.bits, &first, 64);
        let ends = [0, (LANES as i64 - 1) * access.bytes as i64];
        let row = self.are_within(row, (&first, ends), &known, access);
        let near = Place::Row(self.host_of(&first, &known));
        self.near_or_each((row, near), &at, known, access)
    }

    /// Goes a way of its own where words do not lie near by a condition: there each lane's address is checked.
    pub(super) fn near_or_each(
        &mut self,
        (is, near): (Name, Place),
        at: &Value,
        known: Known,
        access: &Access,
    ) -> Place {
        let from = self.writer.label().to_owned();
        let [each, rest] = std::array::from_fn(|_| self.writer.fresh_label());
        // A window is left only at the end of an array.
        let hint = if matches!(near, Place::Window(_)) { ", !prof !0" } else { "" };
        let apart = self.writer.value(format!("xor i1 {is}, true"));
        self.writer.line(format!("br i1 {apart}, label %{each}, label %{rest}{hint}"));
        self.writer.begin(each);
        let place = match access.space {
            AddressSpace::Shared | AddressSpace::SharedVariable => {
                self.each_within_shared(at, access.bytes, access)
            }
            _ => {
                let addresses = self.widened(at).lanes(&mut self.writer);
                Place::Each(self.each_of_site(known, &addresses, access.bytes, access))
            }
        };
        let place = self.only_from(place, &from, &rest);
        Place::Perhaps { is, near: Box::new(near), each: Box::new(place) }
    }

    /// Goes on to a block to which another leads too: what has been found here is nothing there.
    fn only_from(&mut self, place: Place, other: &str, rest: &str) -> Place {
        let here = self.writer.label().to_owned();
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest.to_owned());
        let mut kept = |ty: &str, name: &Name| {
            self.writer.value(format!("phi {ty} [ poison, %{other} ], [ {name}, %{here} ]"))
        };
        match place {
            Place::From(base, offsets) => Place::From(base, kept(&format!("<{LANES} x i32>"), &offsets)),
            Place::Each(pointers) => Place::Each(kept(&format!("<{LANES} x ptr>"), &pointers)),
            other => other,
        }
    }

    /// Loads words that lie side by side or not.
    pub(super) fn load_either(
        &mut self,
        (is, near, each): (&str, &Place, &Place),
        access: &Access,
        bits: u32,
        count: usize,
    ) -> Vec<Value> {
        let rest = self.writer.fresh_label();
        let [there, not] = self.fork(is);
        self.writer.begin(there);
        let close = self.load_words(near, &lanes_of(near, access), bits, count);
        let there = self.writer.label().to_owned();
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(not);
        let apart = self.load_words(each, access, bits, count);
        let not = self.writer.label().to_owned();
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
        let both = close.iter().zip(&apart);
        both.map(|(near, each)| {
            let [near, each] = [near, each].map(|value| value.names()[0].clone());
            let ty = format!("<{LANES} x i{bits}>");
            let word = self.writer.value(format!("phi {ty} [ {near}, %{there} ], [ {each}, %{not} ]"));
            Value::vector(bits, word)
        })
        .collect()
    }

    /// Stores words that lie side by side or not.
    pub(super) fn store_either(
        &mut self,
        (is, near, each): (&str, &Place, &Place),
        access: &Access,
        values: &[Value],
    ) {
        let rest = self.writer.fresh_label();
        let [there, not] = self.fork(is);
        self.writer.begin(there);
        self.store_words(near, &lanes_of(near, access), values);
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(not);
        self.store_words(each, access, values);
        self.writer.line(format!("br label %{rest}"));
        self.writer.begin(rest);
    }

    /// Goes to the first of two blocks if a condition holds, else to the second.
    fn fork(&mut self, condition: &str) -> [Name; 2] {
        let [yes, no] = std::array::from_fn(|_| self.writer.fresh_label());
        self.writer.line(format!("br i1 {condition}, label %{yes}, label %{no}"));
        [yes, no]
    }
}

/// An access that has been found to lie near. A row is one only if all lanes execute it.
fn lanes_of(near: &Place, access: &Access) -> Access {
    match near {
        Place::Row(_) => Access { lanes: "-1".into(), guarded: false, ..*access },
        _ => Access { lanes: access.lanes.clone(), ..*access },
    }
}
