//! Floating point of single and double precision.
//!
//! What is a NaN at the end follows an H200: in single precision there is one, in double precision that of an operand
//! goes on (`double.rs`). Products and sums are never joined.

use ptxvm_ir::operation::compute::{Float, FloatFunction as F};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::float::compare::Class;

use super::super::block::Guard;
use super::super::nan::one_nan;
use super::super::value::Value;
use super::super::{Emitter, Name, Writer};
use super::arithmetic::{arithmetic, is_directed, rounded};
use super::directed::directed;
use super::double::QUIET;
use super::extreme::{SINGLE, extreme, of_doubles};
use super::finish::{flush, saturate};

impl Emitter<'_> {
    pub(super) fn float(&mut self, float: &Float, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Float { function, ty, rounding, finish } = *float;
        let bits = match ty {
            Type::F32 => 32,
            Type::F64 => 64,
            Type::F32x2 => return self.pairs(float, slots, guard),
            _ => return self.half(float, slots, guard),
        };
        let (to, from) = slots.split_first()?;
        if finish.relu || finish.oob || bits == 64 && (finish.sat || finish.ftz) {
            return None;
        }
        let rounds = matches!(function, F::Add | F::Sub | F::Mul | F::Fma | F::Div | F::Sqrt | F::Rcp);
        let nearest = rounds && rounding == Rounding::Rn;
        let looks = match function {
            _ if bits == 64 => !nearest,
            // The sign of a NaN may count.
            F::Copysign => true,
            F::Extreme { modifiers, .. } => modifiers.xorsign,
            _ => false,
        };
        let mut sources: Vec<Value> = Vec::new();
        for slot in from.get(..arity(function))? {
            sources.push(if looks { self.read(*slot, bits) } else { self.read_loose(*slot, bits) });
        }
        let value = match function {
            _ if nearest => {
                let value = self.map(&sources, bits, |writer, names| {
                    let value = arithmetic(writer, function, bits, names, finish.ftz);
                    if finish.sat { saturate(writer, &value) } else { value }
                });
                match bits {
                    64 => self.with_nans(function, &sources, value),
                    _ => Value { loose: !finish.ftz && !finish.sat, ..value },
                }
            }
            F::Add | F::Sub | F::Mul | F::Fma | F::Div | F::Sqrt | F::Rcp
                if bits == 32 && is_directed(rounding) && self.directs(function) =>
            {
                let value = self.map(&sources, bits, |writer, names| {
                    let value = directed(writer, function, names, rounding, finish.ftz);
                    if finish.sat { saturate(writer, &value) } else { value }
                });
                Value { loose: !finish.ftz && !finish.sat, ..value }
            }
            F::Add | F::Sub | F::Mul | F::Fma | F::Div | F::Sqrt | F::Rcp
                if is_directed(rounding) && self.writer.avx512 =>
            {
                self.map(&sources, bits, |writer, names| {
                    rounded(writer, function, bits, names, (rounding, false))
                })
            }
            F::Abs | F::Neg if bits == 32 => {
                let value = self.map(&sources, bits, |writer, names| {
                    let changed = signed(writer, function, 32, &names[0]);
                    let value = if finish.ftz { one_nan(writer, &changed) } else { changed };
                    flush(writer, &value, finish.ftz)
                });
                Value { loose: !finish.ftz, ..value }
            }
            // A NaN keeps even its sign.
            F::Abs | F::Neg => self.map(&sources, bits, |writer, names| {
                let changed = signed(writer, function, 64, &names[0]);
                let (number, ty) = (writer.as_float(64, &names[0]), writer.float_ty(64));
                let is = writer.value(format!("fcmp uno {ty} {number}, {number}"));
                let quiet = writer.with("or", 64, &names[0], QUIET);
                writer.select(&is, 64, &quiet, &changed)
            }),
            F::Extreme { which, modifiers, .. } if bits == 32 => self.map(&sources, bits, |writer, names| {
                let mut chosen = flush(writer, &names[0], modifiers.ftz);
                for name in &names[1..] {
                    let other = flush(writer, name, modifiers.ftz);
                    chosen = extreme(writer, &SINGLE, [&chosen, &other], which, modifiers);
                }
                chosen
            }),
            F::Extreme { which, three: false, .. } => {
                self.map(&sources, bits, |writer, names| of_doubles(writer, [&names[0], &names[1]], which))
            }
            F::Copysign => self.map(&sources, bits, |writer, names| {
                let sign = 1 << (bits - 1);
                let of_a = writer.with("and", bits, &names[0], sign);
                let of_b = writer.with("and", bits, &names[1], sign - 1);
                writer.two("or", bits, &of_a, &of_b)
            }),
            F::Testp(class) => self.map(&sources, 1, |writer, names| has(writer, bits, &names[0], class)),
            _ => return None,
        };
        self.write(*to, value, guard);
        Some(())
    }

    /// Writes a function of two numbers of single precision in each double word; `None` if it is not written here.
    fn pairs(&mut self, float: &Float, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Float { function, rounding, finish, .. } = *float;
        if !matches!(function, F::Add | F::Sub | F::Mul | F::Fma) {
            return None;
        }
        let (to, from) = slots.split_first()?;
        let sources: Vec<Value> =
            from.get(..arity(function))?.iter().map(|slot| self.read(*slot, 64)).collect();
        let known = rounding == Rounding::Rn || is_directed(rounding);
        let value = self.map(known.then_some(&sources)?, 64, |writer, names| {
            writer.in_parts((64, 32), names, |writer, names| {
                let value = match rounding {
                    Rounding::Rn => arithmetic(writer, function, 32, names, finish.ftz),
                    _ => directed(writer, function, names, rounding, finish.ftz),
                };
                one_nan(writer, &value)
            })
        });
        self.write(*to, value, guard);
        Some(())
    }
}

/// How many sources a function has.
pub(super) fn arity(function: F) -> usize {
    match function {
        F::Sqrt | F::Rcp | F::Abs | F::Neg | F::Testp(_) => 1,
        F::Fma | F::Extreme { three: true, .. } => 3,
        _ => 2,
    }
}

impl Emitter<'_> {
    /// Whether a function of numbers of single precision is written that is not rounded to nearest.
    fn directs(&self, function: F) -> bool {
        self.writer.avx512 || matches!(function, F::Add | F::Sub | F::Mul | F::Fma)
    }
}

/// Whether a number is of a class, by its bits.
fn has(writer: &mut Writer, bits: u32, a: &str, class: Class) -> Name {
    let (infinity, least) = if bits == 32 { (0x7f80_0000, 1 << 23) } else { (0x7ff << 52, 1 << 52) };
    let magnitude = writer.with("and", bits, a, (1 << (bits - 1)) - 1);
    match class {
        Class::Finite => writer.is("ult", bits, &magnitude, infinity),
        Class::Infinite => writer.is("eq", bits, &magnitude, infinity),
        Class::Number => writer.is("ule", bits, &magnitude, infinity),
        Class::NotANumber => writer.is("ugt", bits, &magnitude, infinity),
        Class::Normal | Class::Subnormal => {
            // Zero counts as normal.
            let below = writer.with("sub", bits, &magnitude, 1);
            let subnormal = writer.is("ult", bits, &below, least - 1);
            if class == Class::Subnormal {
                return subnormal;
            }
            let finite = writer.is("ult", bits, &magnitude, infinity);
            let others = writer.with("xor", 1, &subnormal, 1);
            writer.two("and", 1, &finite, &others)
        }
    }
}

/// A number without its sign, or with the other one.
pub(super) fn signed(writer: &mut Writer, function: F, bits: u32, a: &str) -> Name {
    let sign = 1 << (bits - 1);
    let (op, by) = if function == F::Abs { ("and", sign - 1) } else { ("xor", sign) };
    let by = writer.constant(bits, by);
    writer.two(op, bits, a, &by)
}
