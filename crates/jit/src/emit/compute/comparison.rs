//! Comparing and choosing.

use ptxvm_ir::operation::compute::{Comparing, Set, Setp};
use ptxvm_isa::{Kind, Type};
use ptxvm_machine::registers::Slot;
use ptxvm_num::float::compare::{Comparison as C, Junction};

use super::super::Emitter;
use super::super::block::Guard;
use super::super::value::Value;
use super::super::{Name, Writer};
use super::finish::flush;
use super::half;
use super::widths::{bf16_to_f32, f16_to_f32};

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
            Comparing::Slct { ty, by: Type::S32 | Type::F32, ftz } => {
                let [to, yes, no, by] = *slots else { return None };
                let bits = ty.bits();
                let sources = [self.read(by, 32), self.read(yes, bits), self.read(no, bits)];
                let value = self.map(&sources, bits, |writer, names| {
                    let zero = writer.constant(32, 0);
                    let positive = match comparing {
                        Comparing::Slct { by: Type::S32, .. } => writer.compare("sge", 32, &names[0], &zero),
                        _ => related(writer, Type::F32, C::Ge, *ftz, [&names[0], &zero]),
                    };
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
        let mut answers = self.holds(setp.ty, setp.relation, setp.ftz, from)?;
        if let [answer] = &answers[..] {
            let opposite = self
                .map(std::slice::from_ref(answer), 1, |writer, names| writer.with("xor", 1, &names[0], 1));
            answers.push(opposite);
        }
        let with = self.junction(setp.junction, from)?;
        let answers: Vec<Value> =
            answers.into_iter().map(|answer| self.joined(answer, with.as_ref())).collect();
        for (to, answer) in to.iter().zip(answers) {
            self.write(*to, answer, guard);
        }
        Some(())
    }

    fn set(&mut self, set: &Set, slots: &[Slot], guard: &Guard) -> Option<()> {
        let (to, from) = (*slots.first()?, slots.get(1..)?);
        let (bits, yes) = match set.destination {
            // Of packed sources each half has its answer.
            Type::U32 | Type::S32 if matches!(set.source, Type::F16x2 | Type::Bf16x2) => (16, 0xffff),
            Type::U32 | Type::S32 => (32, 0xffff_ffff),
            Type::U16 | Type::S16 => (16, 0xffff),
            Type::F32 => (32, 0x3f80_0000),
            Type::F16 | Type::F16x2 => (16, 0x3c00),
            Type::Bf16 | Type::Bf16x2 => (16, 0x3f80),
            _ => return None,
        };
        let answers = self.holds(set.source, set.relation, set.ftz, from)?;
        let with = self.junction(set.junction, from)?;
        let answers: Vec<Value> =
            answers.into_iter().map(|answer| self.joined(answer, with.as_ref())).collect();
        let all = bits * answers.len() as u32;
        let value = self.map(&answers, all, |writer, names| {
            let mut value = writer.constant(all, 0);
            for (at, name) in (0..).zip(names) {
                let (yes, no) = (writer.constant(all, yes << (at * bits)), writer.constant(all, 0));
                let part = writer.select(name, all, &yes, &no);
                value = writer.two("or", all, &value, &part);
            }
            value
        });
        self.write(to, value, guard);
        Some(())
    }

    /// The predicate that answers are joined with, if there is one.
    fn junction(&mut self, junction: Option<Junction>, from: &[Slot]) -> Option<Option<(Junction, Value)>> {
        let Some(junction) = junction else { return Some(None) };
        Some(Some((junction, self.predicate(*from.get(2)?))))
    }

    pub(super) fn joined(&mut self, answer: Value, with: Option<&(Junction, Value)>) -> Value {
        let Some((junction, predicate)) = with else { return answer };
        let op = match junction {
            Junction::And => "and",
            Junction::Or => "or",
            Junction::Xor => "xor",
        };
        self.map(&[answer, predicate.clone()], 1, |writer, names| writer.two(op, 1, &names[0], &names[1]))
    }

    /// Whether a relation holds between two sources; of packed ones, between the low halves and between the high ones.
    fn holds(&mut self, ty: Type, relation: C, ftz: bool, from: &[Slot]) -> Option<Vec<Value>> {
        let [a, b, ..] = *from else { return None };
        let bits = ty.bits();
        match (ty.kind(), ty) {
            (_, Type::F32 | Type::F64 | Type::F16 | Type::Bf16) => {
                let sources = [self.read_loose(a, bits), self.read_loose(b, bits)];
                Some(vec![self.map(&sources, 1, |writer, names| {
                    related(writer, ty, relation, ftz, [&names[0], &names[1]])
                })])
            }
            (_, Type::F16x2 | Type::Bf16x2) => {
                let half = if ty == Type::F16x2 { Type::F16 } else { Type::Bf16 };
                let sources = [self.read(a, 32), self.read(b, 32)];
                let answers = [0, 16].map(|at| {
                    self.map(&sources, 1, |writer, names| {
                        let [a, b] = [&names[0], &names[1]].map(|name| {
                            let moved = writer.with("lshr", 32, name, at);
                            writer.cast("trunc", 32, &moved, 16)
                        });
                        related(writer, half, relation, ftz, [&a, &b])
                    })
                });
                Some(answers.into())
            }
            (kind @ (Kind::Signed | Kind::Unsigned | Kind::Bits), _) if matches!(bits, 16 | 32 | 64) => {
                let name = integer_relation(relation, kind == Kind::Signed)?;
                let sources = [self.read(a, bits), self.read(b, bits)];
                Some(vec![
                    self.map(&sources, 1, |writer, names| writer.compare(name, bits, &names[0], &names[1])),
                ])
            }
            _ => None,
        }
    }
}

/// Whether a relation holds between two floats; those of half precision are widened first.
fn related(writer: &mut Writer, ty: Type, relation: C, ftz: bool, names: [&Name; 2]) -> Name {
    let bits = if ty == Type::F64 { 64 } else { 32 };
    let [a, b] = names.map(|name| {
        let wide = match ty {
            Type::F16 => {
                let name = half::flush(writer, name, ftz);
                f16_to_f32(writer, &name)
            }
            Type::Bf16 => bf16_to_f32(writer, name),
            _ => flush(writer, name, ftz && bits == 32),
        };
        writer.as_float(bits, &wide)
    });
    let (name, ty) = (float_relation(relation), writer.float_ty(bits));
    writer.value(format!("fcmp {name} {ty} {a}, {b}"))
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
