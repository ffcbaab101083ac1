//! The registers of the activation, where the interpreter finds them: how values get there and come from there.

use ptxvm_machine::registers::Slot;

use super::Emitter;
use super::value::Value;
use super::writer::{LANES, Name, Writer, truncated};
use crate::analysis::{Rows, Shape};

impl Emitter<'_> {
    /// Where a slot lies in the activation's registers.
    fn in_registers(&mut self, slot: Slot) -> Name {
        if self.registers.is_empty() {
            self.failed = true;
        }
        self.writer.value(format!("getelementptr i8, ptr {}, i64 {}", self.registers, slot.offset()))
    }

    /// What a register holds, as a shape says; `first` is the lowest lane that runs, in 64 bits.
    pub(super) fn load_register(&mut self, slot: Slot, shape: Shape, first: &str) -> Value {
        let (at, bits) = (self.in_registers(slot), slot.bits());
        if slot.width() == 0 {
            let word = self.writer.value(format!("load i32, ptr {at}"));
            return match shape {
                Shape::Uniform => {
                    let first = self.writer.value(format!("trunc i64 {first} to i32"));
                    let moved = self.writer.value(format!("lshr i32 {word}, {first}"));
                    Value::scalar(1, self.writer.value(format!("trunc i32 {moved} to i1")))
                }
                _ => Value::vector(1, self.bits_of(&word)),
            };
        }
        let one = |writer: &mut Writer| {
            let lane = writer.value(format!("getelementptr i{bits}, ptr {at}, i64 {first}"));
            writer.value(format!("load i{bits}, ptr {lane}"))
        };
        match shape {
            Shape::Uniform => Value::scalar(bits, one(&mut self.writer)),
            Shape::Affine(step) => {
                let value = one(&mut self.writer);
                let lane = self.writer.cast(if bits < 64 { "trunc" } else { "zext" }, 64, first, bits);
                let more = self.writer.value(format!("mul i{bits} {lane}, {step}"));
                let base = self.writer.value(format!("sub i{bits} {value}, {more}"));
                Value::affine(bits, base, step)
            }
            Shape::Pattern(pattern) => {
                let value = one(&mut self.writer);
                let all = self.writer.per_lane(bits, |lane| truncated(pattern.of_lane(lane), bits));
                let ty = format!("<{LANES} x i{bits}>");
                let more = self.writer.value(format!("extractelement {ty} {all}, i64 {first}"));
                let base = self.writer.value(format!("sub i{bits} {value}, {more}"));
                Value::patterned(bits, base, pattern)
            }
            Shape::Rows(rows) => {
                let firsts = (0..LANES).step_by(rows.width as usize);
                let bases = match rows.alike {
                    true => vec![self.base_of_row(&at, bits, first, rows)],
                    false => firsts
                        .map(|row| {
                            let first = self.first_of_row(row as u32, rows.width);
                            self.base_of_row(&at, bits, &first, rows)
                        })
                        .collect(),
                };
                Value::rows(bits, bases, rows)
            }
            Shape::Varying => {
                let all = self.writer.value(format!("load <{LANES} x i{bits}>, ptr {at}, align 64"));
                Value::vector(bits, all)
            }
        }
    }

    /// The first lane of a row that runs, in 64 bits; of a row that does not, the last.
    fn first_of_row(&mut self, row: u32, width: u32) -> Name {
        let mask = self.writer.value("load i32, ptr %mask");
        let moved = self.writer.value(format!("lshr i32 {mask}, {row}"));
        let some = self.writer.value(format!("or i32 {moved}, {}", 1u32 << (width - 1)));
        let first = self.writer.value(format!("call i32 @llvm.cttz.i32(i32 {some}, i1 true)"));
        let lane = self.writer.value(format!("add i32 {first}, {row}"));
        self.writer.value(format!("zext i32 {lane} to i64"))
    }

    /// What the first lane of a row has in a register, by what one of its lanes has.
    fn base_of_row(&mut self, at: &str, bits: u32, lane: &str, rows: Rows) -> Name {
        let place = self.writer.value(format!("getelementptr i{bits}, ptr {at}, i64 {lane}"));
        let value = self.writer.value(format!("load i{bits}, ptr {place}"));
        let within = self.writer.value(format!("and i64 {lane}, {}", rows.width - 1));
        let within = self.writer.cast(if bits < 64 { "trunc" } else { "zext" }, 64, &within, bits);
        let more = self.writer.value(format!("mul i{bits} {within}, {}", rows.step));
        self.writer.value(format!("sub i{bits} {value}, {more}"))
    }

    /// Puts a value back into a register: in some lanes if others keep what they have.
    pub(super) fn store_register(&mut self, slot: Slot, value: &Value, only: Option<&str>) {
        let value = &self.tight(value.clone());
        let at = self.in_registers(slot);
        let all = value.lanes(&mut self.writer);
        let bits = value.bits;
        if slot.width() == 0 {
            let mut word = self.word_of(&all);
            if let Some(lanes) = only {
                let old = self.writer.value(format!("load i32, ptr {at}"));
                let different = self.writer.value(format!("xor i32 {old}, {word}"));
                let changed = self.writer.value(format!("and i32 {different}, {lanes}"));
                word = self.writer.value(format!("xor i32 {old}, {changed}"));
            }
            return self.writer.line(format!("store i32 {word}, ptr {at}"));
        }
        let ty = format!("<{LANES} x i{bits}>");
        let all = match only {
            Some(lanes) => {
                let lanes = self.bits_of(lanes);
                let old = self.writer.value(format!("load {ty}, ptr {at}, align 64"));
                self.writer.value(format!("select <{LANES} x i1> {lanes}, {ty} {all}, {ty} {old}"))
            }
            None => all,
        };
        let align = if bits >= 16 { 64 } else { 32 };
        self.writer.line(format!("store {ty} {all}, ptr {at}, align {align}"));
    }
}
