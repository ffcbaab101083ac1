//! Comparing and choosing.

use ptxvm_ir::operation::compute::{Comparing, Set, Setp};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;
use ptxvm_num::float::compare::{Comparison as C, Junction};

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::float::flush;

impl Emitter<'_> {
    pub(super) fn comparing(&mut self, comparing: &Comparing, slots: &[Slot], guard: &Guard) -> Option<()> {
        match comparing {
            Comparing::Setp(setp) => self.setp(setp, slots, guard),
            Comparing::Set(set) => self.set(set, slots, guard),
            Comparing::Selp(ty) => {
                let [to, yes, no, by] = *slots else { return None };
                let bits = ty.bits();
                let sources = [self.predicate(by), self.read(yes, bits), self.read(no, bits)];
                let value = self.map(&sources, bits, |writer, names| {
                    writer.select(&names[0], bits, &names[1], &names[2])
                });
                self.write(to, value, guard);
                Some(())
            }
            Comparing::Slct { ty, by: Type::S32, .. } => {
                let [to, yes, no, by] = *slots else { return None };
                let bits = ty.bits();
                let sources = [self.read(by, 32), self.read(yes, bits), self.read(no, bits)];
                let value = self.map(&sources, bits, |writer, names| {
                    let zero = writer.constant(32, 0);
                    let positive = writer.compare("sge", 32, &names[0], &zero);
                    writer.select(&positive, bits, &names[1], &names[2])
                });
                self.write(to, value, guard);
                Some(())
            }
            Comparing::Slct { .. } => None,
        }
    }

    fn setp(&mut self, setp: &Setp, slots: &[Slot], guard: &Guard) -> Option<()> {
        let destinations = if setp.two { 2 } else { 1 };
        let (to, from) = slots.split_at_checked(destinations)?;
        let answer = self.holds(setp.ty, setp.relation, setp.ftz, from)?;
        let with = match setp.junction {
            Some(junction) => Some((junction, self.predicate(*from.get(2)?))),
            None => None,
        };
        let opposite = self.map(std::slice::from_ref(&answer), 1, |writer, names| {
            let yes = writer.constant(1, 1);
            writer.two("xor", 1, &names[0], &yes)
        });
        let answers: Vec<Value> =
            [answer, opposite].into_iter().map(|answer| self.joined(answer, with.as_ref())).collect();
        for (to, answer) in to.iter().zip(answers) {
            self.write(*to, answer, guard);
        }
        Some(())
    }

    fn set(&mut self, set: &Set, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (to, from) = (*slots.first()?, slots.get(1..)?);
        let yes = match set.destination {
            Type::U32 | Type::S32 => 0xffff_ffff,
            Type::F32 => 0x3f80_0000,
            _ => return None,
        };
        let answer = self.holds(set.source, set.relation, set.ftz, from)?;
        let with = match set.junction {
            Some(junction) => Some((junction, self.predicate(*from.get(2)?))),
            None => None,
        };
        let answer = self.joined(answer, with.as_ref());
        let value = self.map(&[answer], 32, |writer, names| {
            let (yes, no) = (writer.constant(32, yes), writer.constant(32, 0));
            writer.select(&names[0], 32, &yes, &no)
        });
        self.write(to, value, guard);
        Some(())
    }

    fn joined(&mut self, answer: Value, with: Option<&(Junction, Value)>) -> Value {
        let Some((junction, predicate)) = with else { return answer };
        let op = match junction {
            Junction::And => "and",
            Junction::Or => "or",
            Junction::Xor => "xor",
        };
        self.map(&[answer, predicate.clone()], 1, |writer, names| writer.two(op, 1, &names[0], &names[1]))
    }

    /// Whether a relation holds between two sources.
    fn holds(&mut self, ty: Type, relation: C, ftz: bool, from: &[Slot]) -> Option<Value> {
        let [a, b, ..] = *from else { return None };
        let bits = ty.bits();
        match (ty.kind(), ty) {
            (_, Type::F32 | Type::F64) => {
                let name = float_relation(relation);
                let sources = [self.read_loose(a, bits), self.read_loose(b, bits)];
                Some(self.map(&sources, 1, |writer, names| {
                    let ftz = ftz && bits == 32;
                    let (a, b) = (flush(writer, &names[0], ftz), flush(writer, &names[1], ftz));
                    let (a, b) = (writer.as_float(bits, &a), writer.as_float(bits, &b));
                    let float = writer.float_ty(bits);
                    writer.value(format!("fcmp {name} {float} {a}, {b}"))
                }))
            }
            (kind @ (Kind::Signed | Kind::Unsigned | Kind::Bits), _) if matches!(bits, 16 | 32 | 64) => {
                let name = integer_relation(relation, kind == Kind::Signed)?;
                let sources = [self.read(a, bits), self.read(b, bits)];
                Some(self.map(&sources, 1, |writer, names| writer.compare(name, bits, &names[0], &names[1])))
            }
            _ => None,
        }
    }
}

fn integer_relation(relation: C, signed: bool) -> Option<&'static str> {
    Some(match (relation, signed) {
        (C::Eq, _) => "eq",
        (C::Ne, _) => "ne",
        (C::Lt, false) => "ult",
        (C::Lt, true) => "slt",
        (C::Le, false) => "ule",
        (C::Le, true) => "sle",
        (C::Gt, false) => "ugt",
        (C::Gt, true) => "sgt",
        (C::Ge, false) => "uge",
        (C::Ge, true) => "sge",
        _ => return None,
    })
}

fn float_relation(relation: C) -> &'static str {
    match relation {
        C::Eq => "oeq",
        C::Ne => "one",
        C::Lt => "olt",
        C::Le => "ole",
        C::Gt => "ogt",
        C::Ge => "oge",
        C::Equ => "ueq",
        C::Neu => "une",
        C::Ltu => "ult",
        C::Leu => "ule",
        C::Gtu => "ugt",
        C::Geu => "uge",
        C::Num => "ord",
        C::Nan => "uno",
    }
}
