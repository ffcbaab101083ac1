//! Integer arithmetic over several words, with the carry flag.
//!
//! The flag is a predicate like any other: the last source of what reads it, and the last destination of what writes it. A
//! subtraction adds the complement, so it reads and writes the opposite of a borrow.

use ptxvm_ir::operation::compute::{Extended, ExtendedFunction as F};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::super::writer::{Name, Writer};

impl Emitter<'_> {
    pub(super) fn extended(&mut self, extended: &Extended, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Extended { function, ty, writes_carry, sat } = *extended;
        let bits = match ty {
            Type::U32 | Type::S32 => 32,
            Type::U64 | Type::S64 => 64,
            _ => return None,
        };
        let (to, from) = slots.split_at_checked(1 + usize::from(writes_carry))?;
        let multiplies = matches!(function, F::MadLo | F::MadHi | F::MadcLo | F::MadcHi);
        let subtracts = matches!(function, F::Sub | F::Subc);
        let (words, flag) = from.split_at_checked(if multiplies { 3 } else { 2 })?;
        let words: Vec<Value> = words.iter().map(|slot| self.read(*slot, bits)).collect();
        let carry = match extended.reads_carry() {
            true => self.predicate(*flag.first()?),
            false => Value::scalar(1, subtracts.to_string()),
        };
        let (a, b) = match function {
            F::MadLo | F::MadcLo => (self.product(&words[0], &words[1]), &words[2]),
            F::MadHi | F::MadcHi => {
                (self.high_product(&words[0], &words[1], ty.kind() == Kind::Signed), &words[2])
            }
            _ => (words[0].clone(), &words[1]),
        };
        let mut b = b.clone();
        if subtracts {
            b = self.map(&[b], bits, |writer, names| writer.with("xor", bits, &names[0], u64::MAX));
        }
        // ptxas drops `.sat` from `madc.hi`.
        if sat && !multiplies {
            let sum = self.map(&[a, b, carry], 32, saturated);
            self.write(*to.first()?, sum, guard);
            return Some(());
        }
        let part =
            self.map(&[a.clone(), b], bits, |writer, names| writer.two("add", bits, &names[0], &names[1]));
        let sum = self.map(&[part.clone(), carry], bits, |writer, names| {
            let carry = writer.cast("zext", 1, &names[1], bits);
            writer.two("add", bits, &names[0], &carry)
        });
        if writes_carry {
            let carry = self.map(&[a, part, sum.clone()], 1, |writer, names| {
                let [a, part, sum] = names else { return "poison".into() };
                let first = writer.compare("ult", bits, part, a);
                let second = writer.compare("ult", bits, sum, part);
                writer.two("or", 1, &first, &second)
            });
            self.write(to[0], sum, guard);
            self.write(to[1], carry, guard);
            return Some(());
        }
        self.write(*to.first()?, sum, guard);
        Some(())
    }
}

/// A sum of two words and a carry, kept within the range of signed ones.
fn saturated(writer: &mut Writer, names: &[Name]) -> Name {
    let wide: Vec<Name> = names[..2].iter().map(|name| writer.cast("sext", 32, name, 64)).collect();
    let carry = writer.cast("zext", 1, &names[2], 64);
    let sum = writer.two("add", 64, &wide[0], &wide[1]);
    let sum = writer.two("add", 64, &sum, &carry);
    let (least, most) = (writer.constant(64, i32::MIN as u64), writer.constant(64, i32::MAX as u64));
    let sum = writer.intrinsic("smax", 64, &[&sum, &least]);
    let sum = writer.intrinsic("smin", 64, &[&sum, &most]);
    writer.cast("trunc", 64, &sum, 32)
}
