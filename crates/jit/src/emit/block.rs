//! A block: its instructions one after the other, what they read and what they write.

use std::collections::BTreeSet;

use ptxvm_ir::operation::{Access, Operation};
use ptxvm_machine::code::Meaning;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::registers::Slot;

use super::dirty::Changes;
use super::nan::one_nan;
use super::value::{Kept, Value};
use super::writer::{LANES, Name};
use super::{Emitter, Written};
use crate::analysis::{HomeId, Shape};
use crate::together::Together;

/// The lanes that execute an instruction: those that run, less those whose guard says no.
pub enum Guard {
    /// All that run.
    All,
    /// All or none, as one predicate says.
    Uniform(Name),
    /// Those that a vector of predicates names.
    Varying(Name),
}

impl Emitter<'_> {
    /// Writes a block.
    pub(super) fn block(&mut self, block: u32) {
        self.begin_block(block);
        self.dirty = self.dirty_at.get(&block).cloned();
        self.dirty_when_left = Some(BTreeSet::new());
        self.changes.insert(block, Changes::default());
        self.writer.begin(format!("b{block}"));
        self.mask = self.writer.value("load i32, ptr %mask");
        let described = &self.analysis.code.blocks[block as usize];
        // Others may wait in a function that has called this one.
        let parted = !self.waiting().is_empty() || self.called.is_some();
        if described.converge.is_some() && parted {
            let alive = self.writer.value("load i32, ptr %alive");
            let absent = self.writer.value(format!("icmp ne i32 {alive}, {}", self.mask));
            self.leave_if(&absent);
        }
        self.instructions_of(block);
        self.end();
        self.leave_block();
    }

    /// Nothing is known of a block that begins.
    pub(super) fn begin_block(&mut self, block: u32) {
        self.block = block;
        self.at = self.analysis.code.blocks[block as usize].start;
        self.log.clear();
        self.current.clear();
        self.held.clear();
        self.together = Together::of(self.analysis, block);
        self.places.clear();
        self.looked_at.clear();
        self.log_before = 0;
        self.begin_late();
    }

    pub(super) fn instructions_of(&mut self, block: u32) {
        let described = &self.analysis.code.blocks[block as usize];
        for at in described.start..described.end {
            self.at = at;
            if self.first_of_instruction() == at {
                self.leave_elsewhere();
            }
            self.instruction(&self.analysis.code.instructions[at as usize]);
        }
        self.look();
    }

    fn instruction(&mut self, instruction: &Instruction) {
        let guard = self.guard(instruction.guard);
        if !self.only_computes(instruction) {
            self.look();
        }
        self.before_use(instruction, &guard);
        let written = self.write_itself(instruction, &guard);
        if written.is_none() && self.alone.is_some() {
            self.failed = true;
            return;
        }
        self.note(instruction.source.instruction, written.is_some());
        if written.is_none() {
            self.look();
            self.execute(instruction, &guard);
        }
        self.after_products(instruction);
    }

    /// Writes code for an instruction; `None` if there is none.
    pub(super) fn write_itself(&mut self, instruction: &Instruction, guard: &Guard) -> Option<()> {
        if let Meaning::Prepared(what) = instruction.meaning {
            return self.prepared(what, instruction, guard);
        }
        let described = &self.analysis.function.instructions[instruction.source.instruction as usize];
        match self.analysis.code.program.operation(described)? {
            Operation::Compute(compute) => self.compute(compute, instruction, guard),
            Operation::Generic(generic) => self.generic(*generic, instruction, guard),
            Operation::Warp(warp) => self.warp(warp, instruction, guard),
            Operation::Access(Access::Load(load)) => self.load(load, instruction, guard),
            Operation::Access(Access::Store(store)) => self.store(store, instruction, guard),
            Operation::Access(Access::Atomic(atomic)) => self.atomic(atomic, instruction, guard),
            Operation::Access(Access::LoadParameter(load)) => self.load_parameter(load, instruction, guard),
            _ => None,
        }
    }

    /// Whether an instruction makes values of others, and does nothing else.
    fn only_computes(&self, instruction: &Instruction) -> bool {
        let described = &self.analysis.function.instructions[instruction.source.instruction as usize];
        matches!(instruction.meaning, Meaning::Program)
            && matches!(self.analysis.code.program.operation(described), Some(Operation::Compute(_)))
    }

    /// The lanes that a guard lets through.
    pub(super) fn guard(&mut self, guard: Option<Slot>) -> Guard {
        let Some(slot) = guard else { return Guard::All };
        let predicate = self.predicate(slot);
        match predicate.kept {
            Kept::Scalar(name) => Guard::Uniform(name),
            Kept::Affine(..) | Kept::Pattern(..) | Kept::Rows(..) | Kept::Vector(_) => {
                Guard::Varying(predicate.lanes(&mut self.writer))
            }
        }
    }

    /// The lanes that execute an instruction, as a mask.
    pub(super) fn lanes(&mut self, guard: &Guard) -> Name {
        match guard {
            Guard::All => self.mask.clone(),
            Guard::Uniform(yes) => {
                let mask = self.mask.clone();
                self.writer.value(format!("select i1 {yes}, i32 {mask}, i32 0"))
            }
            Guard::Varying(predicates) => {
                let word = self.word_of(predicates);
                let mask = self.mask.clone();
                self.writer.value(format!("and i32 {word}, {mask}"))
            }
        }
    }

    /// What a slot holds, as wide as it is.
    pub(super) fn whole(&mut self, slot: Slot) -> Value {
        let value = self.as_written(slot);
        if value.loose && value.bits == 64 { self.looked_at(value) } else { value }
    }

    /// What a slot holds; a NaN in a result of double precision may have any bits.
    pub(super) fn as_written(&mut self, slot: Slot) -> Value {
        if slot.is_constant() {
            return self.constant(slot);
        }
        if let Some(at) = self.current.get(&slot.offset()) {
            return self.log[*at].value.clone();
        }
        if let Some(held) = self.held.get(&slot.offset()) {
            return held.clone();
        }
        let of = self.analysis.begins_as(&self.analysis.code.blocks[self.block as usize]);
        let home = self.analysis.register(slot).map(|register| self.analysis.homes.at_start(of, register));
        let is_frame = self.analysis.linked.frame.offset() == slot.offset();
        let value = match home.filter(|home| *home != HomeId(u32::MAX)) {
            None if is_frame && self.called.is_some() => Value::scalar(64, "%base"),
            // The frame of an entry begins where local memory does.
            None if is_frame && self.analysis.function.entry => Value::scalar(64, "0"),
            Some(_) if self.analysis.is_late(slot) => self.load_late(slot),
            Some(home) => self.load_home(home, slot.bits()),
            // Hidden slots of an activation, and what nobody has written.
            None => {
                let mask = self.mask.clone();
                let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {mask}, i1 true)"));
                let first = self.writer.value(format!("zext i32 {first} to i64"));
                let all = self.load_register(slot, Shape::Varying, &first);
                self.of_one_alone(all)
            }
        };
        self.held.insert(slot.offset(), value.clone());
        value
    }

    fn constant(&mut self, slot: Slot) -> Value {
        let bytes = self.analysis.code.constants.bytes();
        let (at, width) = (slot.offset() as usize, usize::from(slot.width()));
        if width == 0 {
            let word = bytes.get(at..at + 4).is_some_and(|word| word.iter().any(|byte| *byte != 0));
            return Value::scalar(1, word.to_string());
        }
        let mut value = [0; 16];
        if let Some(from) = bytes.get(at..at + width) {
            value[..width].copy_from_slice(from);
        }
        Value::scalar(slot.bits(), u128::from_le_bytes(value).to_string())
    }

    /// A source of so many bits: the low bits of a wider register, a narrower one zero-extended.
    pub(super) fn read(&mut self, slot: Slot, bits: u32) -> Value {
        let value = self.whole(slot);
        let value = self.tight(value);
        if slot.width() == 0 {
            let value = self.predicate(slot);
            return self.resized(&value, bits, "sext");
        }
        self.resized(&value, bits, "zext")
    }

    /// A number, of which a NaN may have any bits.
    pub(super) fn read_loose(&mut self, slot: Slot, bits: u32) -> Value {
        let value = self.as_written(slot);
        if value.loose && value.bits == bits { self.as_looked_at(value) } else { self.read(slot, bits) }
    }

    /// A value whose NaNs are the right ones.
    pub(super) fn tight(&mut self, value: Value) -> Value {
        // Those that are loose are no NaN (`Homes::is_loose`).
        let is_constant = value.as_scalar().is_some_and(|name| name.parse::<u64>().is_ok());
        if !value.loose || is_constant {
            return Value { loose: false, ..value };
        }
        if value.bits == 64 {
            return self.looked_at(value);
        }
        self.map(&[value], 32, |writer, names| one_nan(writer, &names[0]))
    }

    /// A predicate, negated if the slot says so. Of a register that stands for one, the lowest bit counts.
    pub(super) fn predicate(&mut self, slot: Slot) -> Value {
        let value = self.whole(slot);
        let value = self.resized(&value, 1, "zext");
        if !slot.is_negated() {
            return value;
        }
        self.map(&[value], 1, |writer, names| {
            let yes = writer.constant(1, 1);
            writer.two("xor", 1, &names[0], &yes)
        })
    }

    /// A value in another number of bits.
    pub(super) fn resized(&mut self, value: &Value, bits: u32, extend: &str) -> Value {
        if value.bits == bits {
            return value.clone();
        }
        let (from, op) = (value.bits, if bits < value.bits { "trunc" } else { extend });
        if let (Kept::Affine(..) | Kept::Pattern(..) | Kept::Rows(..), "trunc") = (&value.kept, op) {
            let cut = value.renamed(|base| self.writer.cast(op, from, base, bits));
            return Value { bits, ..cut };
        }
        self.map(std::slice::from_ref(value), bits, |writer, names| writer.cast(op, from, &names[0], bits))
    }

    /// Makes a value of others, for one lane if all of them are the same in all, else for every lane.
    pub(super) fn map(
        &mut self,
        sources: &[Value],
        bits: u32,
        make: impl FnOnce(&mut super::Writer, &[Name]) -> Name,
    ) -> Value {
        let scalars: Option<Vec<Name>> = sources.iter().map(|source| source.as_scalar().cloned()).collect();
        self.writer.wide = scalars.is_none();
        let names = match scalars {
            Some(names) => names,
            None => sources.iter().map(|source| source.lanes(&mut self.writer)).collect(),
        };
        let mark = self.writer.mark();
        let name = make(&mut self.writer, &names);
        if !std::mem::replace(&mut self.writer.wide, false) {
            return Value::scalar(bits, name);
        }
        self.computed(mark, sources, &names, Value::vector(bits, name))
    }

    /// The same for the result of an instruction that may have a shape though it is no sum: the numbers of lane 0 make that
    /// of lane 0 then.
    pub(super) fn map_in_shape(
        &mut self,
        to: Slot,
        sources: &[Value],
        bits: u32,
        make: impl FnOnce(&mut super::Writer, &[Name]) -> Name,
    ) -> Value {
        let firsts: Option<Vec<Name>> =
            sources.iter().map(|source| source.as_pattern().map(|(first, _)| first.clone())).collect();
        let shape = self.home_of(to).map(|home| self.shape(home));
        match (firsts, shape) {
            (Some(firsts), Some(Shape::Uniform)) => Value::scalar(bits, make(&mut self.writer, &firsts)),
            (Some(firsts), Some(Shape::Affine(step))) => {
                Value::affine(bits, make(&mut self.writer, &firsts), step)
            }
            (Some(firsts), Some(Shape::Pattern(pattern))) => {
                Value::patterned(bits, make(&mut self.writer, &firsts), pattern)
            }
            _ => self.map(sources, bits, make),
        }
    }

    /// The home of what the instruction that is being written makes.
    fn home_of(&self, slot: Slot) -> Option<HomeId> {
        let code = self.analysis.code;
        let source = match self.at_end {
            true => code.blocks[self.block as usize].source,
            false => code.instructions[self.at as usize].source,
        };
        let register = self.analysis.register(slot)?;
        self.analysis.homes.written(source.instruction, register)
    }

    /// Writes a result of an instruction to a register, in the lanes that its guard lets through.
    pub(super) fn write(&mut self, slot: Slot, value: Value, guard: &Guard) {
        if slot.is_sink() {
            return;
        }
        let bits = slot.bits();
        let value = self.of_one_alone(value);
        let value = if slot.width() == 0 && value.bits != 1 {
            let from = value.bits;
            self.map(&[value], 1, |writer, names| {
                let zero = writer.constant(from, 0);
                writer.compare("ne", from, &names[0], &zero)
            })
        } else {
            self.resized(&value, bits, if slot.is_signed() { "sext" } else { "zext" })
        };
        let value = if matches!(guard, Guard::All) { value } else { self.tight(value) };
        let value = self.where_guarded(slot, value, guard);
        let home = self.home_of(slot);
        // One of double precision is looked at before the block ends.
        let loose = value.bits == 64 || home.is_some_and(|home| self.analysis.homes.is_loose(home));
        let value = if loose { value } else { self.tight(value) };
        let value = match home {
            Some(home) => value.kept_as(self.shape(home), &mut self.writer),
            None => value,
        };
        if let Some(home) = home {
            self.failed |= !value.is_kept_as(self.shape(home));
        }
        self.keep_in_place(slot, &value);
        self.current.insert(slot.offset(), self.log.len());
        self.log.push(Written { slot, value, home });
    }

    /// A value where a guard lets it through, and what the register holds elsewhere.
    fn where_guarded(&mut self, slot: Slot, value: Value, guard: &Guard) -> Value {
        let bits = value.bits;
        match guard {
            Guard::All => value,
            Guard::Uniform(yes) => {
                let old = self.whole(slot);
                let old = self.tight(old);
                match (value.as_scalar(), old.as_scalar()) {
                    (Some(new), Some(old)) => Value::scalar(
                        bits,
                        self.writer.value(format!("select i1 {yes}, i{bits} {new}, i{bits} {old}")),
                    ),
                    _ => {
                        let (new, old) = (value.lanes(&mut self.writer), old.lanes(&mut self.writer));
                        let ty = format!("<{LANES} x i{bits}>");
                        Value::vector(
                            bits,
                            self.writer.value(format!("select i1 {yes}, {ty} {new}, {ty} {old}")),
                        )
                    }
                }
            }
            Guard::Varying(yes) => {
                let old = self.whole(slot);
                let old = self.tight(old).lanes(&mut self.writer);
                let new = value.lanes(&mut self.writer);
                let ty = format!("<{LANES} x i{bits}>");
                let either = format!("select <{LANES} x i1> {yes}, {ty} {new}, {ty} {old}");
                Value::vector(bits, self.writer.value(either))
            }
        }
    }
}
