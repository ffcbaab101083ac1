//! Floating point of single and double precision.
//!
//! What is a NaN at the end follows an H200: in single precision there is one, in double precision that of an operand
//! goes on. Products and sums are never joined.

use ptxvm_ir::operation::compute::{Float, FloatFunction as F};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::float::minmax::{Extreme, Modifiers};

use super::super::block::Guard;
use super::super::nan::{NAN, one_nan};
use super::super::value::Value;
use super::super::{Emitter, Name, Writer};
use super::directed::directed;

/// The NaN that an invalid operation of double precision gives, and the bit that makes one quiet.
const INVALID: u64 = 0xfff8_0000_0000_0000;
const QUIET: u64 = 0x0008_0000_0000_0000;

impl Emitter<'_> {
    pub(super) fn float(&mut self, float: &Float, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Float { function, ty, rounding, finish } = *float;
        let bits = match ty {
            Type::F32 => 32,
            Type::F64 => 64,
            _ => return None,
        };
        let (to, from) = slots.split_first()?;
        if finish.relu || finish.oob || bits == 64 && (finish.sat || finish.ftz) {
            return None;
        }
        let sources: Vec<Value> = from.iter().map(|slot| self.read_loose(*slot, bits)).collect();
        let value = match function {
            F::Add | F::Sub | F::Mul | F::Fma if rounding != Rounding::Rn && bits == 32 && !finish.ftz => {
                let rounding_is_known = matches!(rounding, Rounding::Rm | Rounding::Rp | Rounding::Rz);
                if !rounding_is_known || sources.len() != if function == F::Fma { 3 } else { 2 } {
                    return None;
                }
                self.map(&sources, bits, |writer, names| {
                    let value = directed(writer, function, names, rounding);
                    if finish.sat { saturate(writer, &value) } else { value }
                })
            }
            F::Add | F::Sub | F::Mul | F::Fma | F::Div | F::Sqrt | F::Rcp if rounding == Rounding::Rn => {
                let arity = match function {
                    F::Sqrt | F::Rcp => 1,
                    F::Fma => 3,
                    _ => 2,
                };
                let sources = sources.get(..arity)?;
                let value = self.map(sources, bits, |writer, names| {
                    let value = arithmetic(writer, function, bits, names, finish.ftz);
                    if finish.sat { saturate(writer, &value) } else { value }
                });
                Value { loose: bits == 32 && !finish.ftz && !finish.sat, ..value }
            }
            F::Abs | F::Neg if bits == 32 => self.map(sources.get(..1)?, bits, |writer, names| {
                let changed = signed(writer, function, 32, &names[0]);
                let value = one_nan(writer, &changed);
                flush(writer, &value, finish.ftz)
            }),
            // A NaN keeps even its sign.
            F::Abs | F::Neg => self.map(sources.get(..1)?, bits, |writer, names| {
                let changed = signed(writer, function, 64, &names[0]);
                let (number, ty) = (writer.as_float(64, &names[0]), writer.float_ty(64));
                let is = writer.value(format!("fcmp uno {ty} {number}, {number}"));
                let quiet = writer.constant(64, QUIET);
                let quiet = writer.two("or", 64, &names[0], &quiet);
                writer.select(&is, 64, &quiet, &changed)
            }),
            F::Extreme { which, modifiers, three: false } if bits == 32 => {
                let Modifiers { abs: false, xorsign: false, nan, ftz } = modifiers else { return None };
                self.map(sources.get(..2)?, bits, |writer, names| {
                    let (a, b) = (flush(writer, &names[0], ftz), flush(writer, &names[1], ftz));
                    extreme(writer, &a, &b, which, nan)
                })
            }
            _ => return None,
        };
        self.write(*to, value, guard);
        Some(())
    }
}

/// A number without its sign, or with the other one.
fn signed(writer: &mut Writer, function: F, bits: u32, a: &str) -> Name {
    let sign = 1 << (bits - 1);
    let (op, by) = if function == F::Abs { ("and", sign - 1) } else { ("xor", sign) };
    let by = writer.constant(bits, by);
    writer.two(op, bits, a, &by)
}

/// `.sat`: into the range from plus zero to one, NaN to plus zero.
pub(super) fn saturate(writer: &mut Writer, a: &str) -> Name {
    let (one, infinity) = (writer.constant(32, 0x3f80_0000), writer.constant(32, 0x7f80_0000));
    let zero = writer.constant(32, 0);
    let least = writer.intrinsic("umin", 32, &[a, &one]);
    // All that is negative or NaN lies above plus infinity when the bits are read as an integer.
    let outside = writer.compare("ugt", 32, a, &infinity);
    writer.select(&outside, 32, &zero, &least)
}

/// A result, or zero of its sign where the same one, computed 2^24 times as large, falls short of the least normal
/// number: `ptxvm_num::float::f32` says why.
fn flush_by(writer: &mut Writer, function: F, floats: &[Name], result: &str) -> Name {
    let ty = writer.float_ty(32);
    let scale = writer.constant(32, 0x4b80_0000);
    let scale = writer.as_float(32, &scale);
    let scaled = |writer: &mut Writer, a: &str| writer.value(format!("fmul {ty} {a}, {scale}"));
    let more = match function {
        F::Mul => {
            let a = scaled(writer, &floats[0]);
            writer.value(format!("fmul {ty} {a}, {}", floats[1]))
        }
        F::Fma => {
            let (a, c) = (scaled(writer, &floats[0]), scaled(writer, &floats[2]));
            writer.float_intrinsic("fma", 32, &[&a, &floats[1], &c])
        }
        F::Div => {
            let a = scaled(writer, &floats[0]);
            writer.value(format!("fdiv {ty} {a}, {}", floats[1]))
        }
        // One, scaled.
        _ => writer.value(format!("fdiv {ty} {scale}, {}", floats[0])),
    };
    let magnitude = writer.float_intrinsic("fabs", 32, &[&more]);
    // The least normal number, scaled.
    let least = writer.constant(32, 0x0080_0000 + (24 << 23));
    let least = writer.as_float(32, &least);
    let tiny = writer.value(format!("fcmp olt {ty} {magnitude}, {least}"));
    let sign = writer.constant(32, 0x8000_0000);
    let zero = writer.two("and", 32, result, &sign);
    writer.select(&tiny, 32, &zero, result)
}

/// A subnormal number becomes the zero of its sign, if that is asked for.
pub(super) fn flush(writer: &mut Writer, a: &str, ftz: bool) -> Name {
    if !ftz {
        return a.into();
    }
    let exponent = writer.constant(32, 0x7f80_0000);
    let (zero, sign) = (writer.constant(32, 0), writer.constant(32, 0x8000_0000));
    let kept = writer.two("and", 32, a, &exponent);
    let small = writer.compare("eq", 32, &kept, &zero);
    let signed = writer.two("and", 32, a, &sign);
    writer.select(&small, 32, &signed, a)
}

fn arithmetic(writer: &mut Writer, function: F, bits: u32, names: &[Name], ftz: bool) -> Name {
    let sources: Vec<Name> = names.iter().map(|name| flush(writer, name, ftz)).collect();
    let floats: Vec<Name> = sources.iter().map(|name| writer.as_float(bits, name)).collect();
    let ty = writer.float_ty(bits);
    let result = match function {
        F::Add => writer.value(format!("fadd {ty} {}, {}", floats[0], floats[1])),
        F::Sub => writer.value(format!("fsub {ty} {}, {}", floats[0], floats[1])),
        F::Mul => writer.value(format!("fmul {ty} {}, {}", floats[0], floats[1])),
        F::Div => writer.value(format!("fdiv {ty} {}, {}", floats[0], floats[1])),
        F::Fma => writer.float_intrinsic("fma", bits, &[&floats[0], &floats[1], &floats[2]]),
        F::Rcp => {
            let one = writer.constant(bits, if bits == 32 { 0x3f80_0000 } else { 0x3ff0_0000_0000_0000 });
            let one = writer.as_float(bits, &one);
            writer.value(format!("fdiv {ty} {one}, {}", floats[0]))
        }
        _ => writer.float_intrinsic("sqrt", bits, &[&floats[0]]),
    };
    let value = writer.as_bits(bits, &result);
    if bits == 32 && !ftz {
        return value;
    }
    if bits == 32 {
        let value = match function {
            F::Mul | F::Fma | F::Div | F::Rcp => flush_by(writer, function, &floats, &value),
            _ => value,
        };
        let value = one_nan(writer, &value);
        return flush(writer, &value, ftz);
    }
    // The first in this order that is a NaN goes on.
    let order: &[usize] = match function {
        F::Add | F::Sub | F::Mul => &[1, 0],
        F::Fma => &[1, 2, 0],
        F::Div => &[0, 1],
        _ => &[0],
    };
    let is = writer.value(format!("fcmp uno {ty} {result}, {result}"));
    let invalid = writer.constant(64, INVALID);
    let mut nan = invalid;
    for at in order.iter().rev() {
        let operand = &floats[*at];
        let is = writer.value(format!("fcmp uno {ty} {operand}, {operand}"));
        let quiet = writer.constant(64, QUIET);
        let quiet = writer.two("or", 64, &sources[*at], &quiet);
        nan = writer.select(&is, 64, &quiet, &nan);
    }
    writer.select(&is, 64, &nan, &value)
}

/// The smaller or the larger of two numbers: minus zero is below plus zero, and a NaN loses unless `nan` says otherwise.
fn extreme(writer: &mut Writer, a: &str, b: &str, which: Extreme, nan: bool) -> Name {
    let order = |writer: &mut Writer, a: &str| {
        let by = writer.constant(32, 31);
        let sign = writer.two("ashr", 32, a, &by);
        let one = writer.constant(32, 1);
        let rest = writer.two("lshr", 32, &sign, &one);
        writer.two("xor", 32, a, &rest)
    };
    let (order_a, order_b) = (order(writer, a), order(writer, b));
    let relation = if which == Extreme::Min { "slt" } else { "sgt" };
    let first = writer.compare(relation, 32, &order_a, &order_b);
    let ty = writer.float_ty(32);
    let is_nan = |writer: &mut Writer, a: &str| {
        let float = writer.as_float(32, a);
        writer.value(format!("fcmp uno {ty} {float}, {float}"))
    };
    let (a_nan, b_nan) = (is_nan(writer, a), is_nan(writer, b));
    let number = writer.select(&first, 32, a, b);
    let number = writer.select(&a_nan, 32, b, &number);
    let number = writer.select(&b_nan, 32, a, &number);
    let none = writer.two(if nan { "or" } else { "and" }, 1, &a_nan, &b_nan);
    let canonical = writer.constant(32, NAN);
    writer.select(&none, 32, &canonical, &number)
}
