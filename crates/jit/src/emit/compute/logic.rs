//! Logic and shifts.

use ptxvm_ir::operation::compute::{Logic, LogicFunction as F, Overflow};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::super::writer::{Name, Writer};

impl Emitter<'_> {
    pub(super) fn logic(&mut self, logic: &Logic, slots: &[Slot], guard: &Guard) -> Option<()> {
        let to = *slots.first()?;
        let bits = if logic.ty == Type::Pred { 1 } else { logic.ty.bits() };
        let mut source = |at: usize, bits: u32| {
            let slot = *slots.get(at)?;
            Some(if bits == 1 { self.predicate(slot) } else { self.read(slot, bits) })
        };
        let value = match logic.function {
            F::And | F::Or | F::Xor => {
                let sources = [source(1, bits)?, source(2, bits)?];
                let op = match logic.function {
                    F::And => "and",
                    F::Or => "or",
                    _ => "xor",
                };
                self.map_in_shape(to, &sources, bits, |writer, names| {
                    writer.two(op, bits, &names[0], &names[1])
                })
            }
            F::Not => {
                let a = source(1, bits)?;
                self.map(&[a], bits, |writer, names| {
                    let ones = writer.constant(bits, u64::MAX);
                    writer.two("xor", bits, &names[0], &ones)
                })
            }
            F::Cnot => {
                let a = source(1, bits)?;
                self.map(&[a], bits, |writer, names| {
                    let zero = writer.constant(bits, 0);
                    let none = writer.compare("eq", bits, &names[0], &zero);
                    writer.cast("zext", 1, &none, bits)
                })
            }
            F::Shl | F::Shr => {
                let (a, by) = (source(1, bits)?, source(2, 32)?);
                let op = match (logic.function == F::Shl, logic.ty.kind() == Kind::Signed) {
                    (true, _) => "shl",
                    (false, false) => "lshr",
                    (false, true) => "ashr",
                };
                self.shift(op, to, &a, &by)
            }
            F::Lop3 { table, junction: None } => {
                let sources = [source(1, 32)?, source(2, 32)?, source(3, 32)?];
                self.map(&sources, 32, |writer, names| by_table(writer, names, table))
            }
            F::Lop3 { table, junction: Some(junction) } => {
                let [to, holds, a, b, c, _, with] = *slots else { return None };
                let sources = [a, b, c].map(|slot| self.read(slot, 32));
                let value = self.map(&sources, 32, |writer, names| by_table(writer, names, table));
                let some = self
                    .map(std::slice::from_ref(&value), 1, |writer, names| writer.is("ne", 32, &names[0], 0));
                let with = self.predicate(with);
                let holds_value = self.joined(some, Some(&(junction, with)));
                self.write(to, value, guard);
                self.write(holds, holds_value, guard);
                return Some(());
            }
            F::Funnel { left, overflow } => {
                let sources = [source(1, 32)?, source(2, 32)?, source(3, 32)?];
                self.map(&sources, 32, |writer, names| {
                    let [low, high, by] = names else { return "poison".into() };
                    let name = if left { "fshl" } else { "fshr" };
                    let shifted = writer.intrinsic(name, 32, &[high, low, by]);
                    match overflow {
                        Overflow::Wrap => shifted,
                        Overflow::Clamp => {
                            let most = writer.constant(32, 31);
                            let beyond = writer.compare("ugt", 32, by, &most);
                            writer.select(&beyond, 32, if left { low } else { high }, &shifted)
                        }
                    }
                })
            }
        };
        self.write(to, value, guard);
        Some(())
    }

    /// A shift; by the width or more it gives zeros, or all sign.
    fn shift(&mut self, op: &'static str, to: Slot, a: &Value, by: &Value) -> Value {
        let bits = a.bits;
        let few = by.as_scalar().and_then(|by| by.parse::<u32>().ok()).filter(|by| *by < 24);
        if let ("shl", Some(few), 32..) = (op, few, bits) {
            let amount = Value::scalar(bits, few.to_string());
            let make = |writer: &mut Writer, a: &Name, by: &Name| writer.two("shl", bits, a, by);
            let shifted =
                a.stepwise(&amount, &mut self.writer, bits, |step, _| step.checked_mul(1 << few), make);
            if let Some(shifted) = shifted {
                return shifted;
            }
        }
        self.map_in_shape(to, &[a.clone(), by.clone()], bits, |writer, names| {
            shifted(writer, op, bits, &names[0], &names[1])
        })
    }
}

/// A shift by a word; by the width or more it gives zeros, or all sign.
pub(super) fn shifted(writer: &mut Writer, op: &str, bits: u32, a: &str, by: &str) -> Name {
    let inside = writer.is("ult", 32, by, bits.into());
    let most = writer.constant(32, if op == "ashr" { u64::from(bits) - 1 } else { 0 });
    let by = writer.select(&inside, 32, by, &most);
    let by = writer.cast(if bits < 32 { "trunc" } else { "zext" }, 32, &by, bits);
    let shifted = writer.two(op, bits, a, &by);
    if op == "ashr" {
        return shifted;
    }
    let zero = writer.constant(bits, 0);
    writer.select(&inside, bits, &shifted, &zero)
}

/// Chooses by three bits among the eight of a table.
fn by_table(writer: &mut Writer, names: &[String], table: u8) -> String {
    let ones = writer.constant(32, u64::MAX);
    let zero = writer.constant(32, 0);
    let mut not = Vec::new();
    for name in names {
        not.push(writer.two("xor", 32, name, &ones));
    }
    let mut all = zero;
    for place in 0..8u8 {
        if table >> place & 1 == 0 {
            continue;
        }
        let term =
            |at: usize, bit: u8| if place >> bit & 1 != 0 { names[at].clone() } else { not[at].clone() };
        let two = writer.two("and", 32, &term(0, 2), &term(1, 1));
        let three = writer.two("and", 32, &two, &term(2, 0));
        all = writer.two("or", 32, &all, &three);
    }
    all
}
