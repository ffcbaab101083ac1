//! Half precision and bfloat16, one number or two in a word.
//!
//! Each function has the same steps as the one of its name in `ptxvm_num::float::half`: the numbers are widened, and the
//! result is rounded back. Of packed numbers, all halves of all lanes are one vector.

use ptxvm_ir::operation::compute::{Float, FloatFunction as F};
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::float::half::{Finish, OUT_OF_BOUNDS_NAN};

use super::super::block::Guard;
use super::super::value::Value;
use super::super::{Emitter, Name, Writer};
use super::extreme::{Format, extreme};
use super::float::{arity, signed};
use super::widths::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};

const SIGN: u64 = 0x8000;

/// The NaN of both formats.
const NAN: u64 = 0x7fff;

/// Half precision.
const HALF: Format = Format { bits: 16, infinity: 0x7c00, nan: NAN };

/// Bfloat16.
const BRAIN: Format = Format { bits: 16, infinity: 0x7f80, nan: NAN };

impl Emitter<'_> {
    /// Writes a function of half precision; `None` if it is not written here.
    pub(super) fn half(&mut self, float: &Float, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Float { function, ty, rounding, finish } = *float;
        let brain = match ty {
            Type::F16 | Type::F16x2 => false,
            Type::Bf16 | Type::Bf16x2 => true,
            _ => return None,
        };
        match function {
            F::Add | F::Sub | F::Mul | F::Abs | F::Neg | F::Extreme { three: false, .. } => {}
            F::Fma if rounding == Rounding::Rn => {}
            _ => return None,
        }
        let (to, from) = slots.split_first()?;
        let bits = ty.bits();
        let sources: Vec<Value> =
            from.get(..arity(function))?.iter().map(|slot| self.read(*slot, bits)).collect();
        let value = self.map(&sources, bits, |writer, names| match bits {
            16 => of_numbers(writer, function, brain, names, finish),
            _ => writer.in_parts((32, 16), names, |writer, names| {
                of_numbers(writer, function, brain, names, finish)
            }),
        });
        self.write(*to, value, guard);
        Some(())
    }
}

/// A function of numbers of one of the formats.
fn of_numbers(writer: &mut Writer, function: F, brain: bool, names: &[Name], finish: Finish) -> Name {
    let format = if brain { &BRAIN } else { &HALF };
    let sources: Vec<Name> = names.iter().map(|name| flush(writer, name, finish.ftz && !brain)).collect();
    match function {
        F::Abs | F::Neg => {
            let changed = signed(writer, function, 16, &sources[0]);
            let magnitude = writer.with("and", 16, &names[0], SIGN - 1);
            let is_nan = writer.is("ugt", 16, &magnitude, format.infinity);
            let nan = writer.constant(16, NAN);
            writer.select(&is_nan, 16, &nan, &changed)
        }
        F::Extreme { which, modifiers, .. } => {
            extreme(writer, format, [&sources[0], &sources[1]], which, modifiers)
        }
        _ if brain => brain_arithmetic(writer, function, &sources, finish),
        _ => half_arithmetic(writer, function, &sources, finish),
    }
}

/// `.ftz` of half precision.
pub(super) fn flush(writer: &mut Writer, a: &Name, ftz: bool) -> Name {
    if !ftz {
        return a.clone();
    }
    let exponent = writer.with("and", 16, a, HALF.infinity);
    let small = writer.is("eq", 16, &exponent, 0);
    let zero = writer.with("and", 16, a, SIGN);
    writer.select(&small, 16, &zero, a)
}

/// Numbers of one of the formats in single precision.
fn widened(writer: &mut Writer, brain: bool, names: &[Name]) -> Vec<Name> {
    let widen = if brain { bf16_to_f32 } else { f16_to_f32 };
    let of_one = |name: &Name| {
        let wide = widen(writer, name);
        writer.as_float(32, &wide)
    };
    names.iter().map(of_one).collect()
}

/// The sum, the difference or the product of two numbers of a width; `fma` begins with the product.
fn of_two(writer: &mut Writer, function: F, bits: u32, numbers: &[Name]) -> Name {
    let op = match function {
        F::Add => "fadd",
        F::Sub => "fsub",
        _ => "fmul",
    };
    let ty = writer.float_ty(bits);
    writer.value(format!("{op} {ty} {}, {}", numbers[0], numbers[1]))
}

/// Sums, differences and products, which single precision holds or rounds as one rounding would. `fma` rounds the sum to
/// odd.
fn half_arithmetic(writer: &mut Writer, function: F, names: &[Name], finish: Finish) -> Name {
    if writer.fp16 && !finish.ftz {
        let result = native(writer, function, names);
        return finished(writer, names, result, finish);
    }
    let numbers = widened(writer, false, names);
    let result = of_two(writer, function, 32, &numbers);
    let result = match numbers.get(2) {
        Some(c) => odd_sum(writer, 32, &result, c),
        None => writer.as_bits(32, &result),
    };
    let mut a = f32_to_f16(writer, &result);
    if finish.ftz {
        /// Numbers from here to 2^-14 would be rounded to 2^-14 if the exponent were wider.
        const LEAST: u64 = 0x387f_f000;
        let magnitude = writer.with("and", 32, &result, 0x7fff_ffff);
        let tiny = writer.is("ult", 32, &magnitude, LEAST);
        let signed = writer.with("and", 16, &a, SIGN);
        a = writer.select(&tiny, 16, &signed, &a);
    }
    finished(writer, names, a, finish)
}

/// The same by the host's own instructions for half precision, which round once and know subnormals.
fn native(writer: &mut Writer, function: F, names: &[Name]) -> Name {
    let numbers: Vec<Name> = names.iter().map(|name| writer.as_float(16, name)).collect();
    let result = match function {
        F::Fma => {
            let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
            writer.float_intrinsic("fma", 16, &numbers)
        }
        _ => of_two(writer, function, 16, &numbers),
    };
    let ty = writer.float_ty(16);
    let is_nan = writer.value(format!("fcmp uno {ty} {result}, {result}"));
    let (nan, result) = (writer.constant(16, NAN), writer.as_bits(16, &result));
    writer.select(&is_nan, 16, &nan, &result)
}

/// What `.sat`, `.relu` and `.oob` make of a result.
fn finished(writer: &mut Writer, names: &[Name], result: Name, finish: Finish) -> Name {
    let (mut a, zero) = (result, writer.constant(16, 0));
    if finish.sat {
        // All that is negative or NaN lies above plus infinity when the bits are read as an integer.
        let outside = writer.is("ugt", 16, &a, HALF.infinity);
        let one = writer.constant(16, 0x3c00);
        let least = writer.intrinsic("umin", 16, &[&a, &one]);
        a = writer.select(&outside, 16, &zero, &least);
    }
    if finish.relu {
        a = writer.intrinsic("smax", 16, &[&a, &zero]);
    }
    within_bounds(writer, names, a, finish)
}

/// The same of bfloat16; the product in `fma` is one of double precision, and two sums are rounded to odd.
fn brain_arithmetic(writer: &mut Writer, function: F, names: &[Name], finish: Finish) -> Name {
    let mut numbers = widened(writer, true, names);
    if function != F::Fma {
        let result = of_two(writer, function, 32, &numbers);
        let result = writer.as_bits(32, &result);
        return f32_to_bf16(writer, &result);
    }
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    numbers.iter_mut().for_each(|number| {
        *number = writer.value(format!("fpext {single} {number} to {double}"));
    });
    let product = of_two(writer, function, 64, &numbers);
    let sum = odd_sum(writer, 64, &product, &numbers[2]);
    let narrow = odd_narrow(writer, &sum);
    let mut a = f32_to_bf16(writer, &narrow);
    if finish.relu {
        let zero = writer.constant(16, 0);
        a = writer.intrinsic("smax", 16, &[&a, &zero]);
    }
    within_bounds(writer, names, a, finish)
}

/// The result of `fma` after `.oob`: plus zero where a factor is the NaN of what lies out of bounds.
fn within_bounds(writer: &mut Writer, names: &[Name], result: Name, finish: Finish) -> Name {
    if !finish.oob {
        return result;
    }
    let [a, b] = [&names[0], &names[1]].map(|name| {
        let magnitude = writer.with("and", 16, name, SIGN - 1);
        writer.is("eq", 16, &magnitude, OUT_OF_BOUNDS_NAN.into())
    });
    let outside = writer.two("or", 1, &a, &b);
    let zero = writer.constant(16, 0);
    writer.select(&outside, 16, &zero, &result)
}

/// The bits of a sum rounded to odd; `ptxvm_num::float::half::odd` says why.
fn odd_sum(writer: &mut Writer, bits: u32, a: &str, b: &str) -> Name {
    let ty = writer.float_ty(bits);
    let two = |writer: &mut Writer, op: &str, a: &str, b: &str| writer.value(format!("{op} {ty} {a}, {b}"));
    let sum = two(writer, "fadd", a, b);
    let of_b = two(writer, "fsub", &sum, a);
    let rest = two(writer, "fsub", &sum, &of_b);
    let of_a = two(writer, "fsub", a, &rest);
    let rest = two(writer, "fsub", b, &of_b);
    let error = two(writer, "fadd", &of_a, &rest);
    let zero = writer.constant(bits, 0);
    let none = writer.as_float(bits, &zero);
    let inexact = writer.value(format!("fcmp one {ty} {error}, {none}"));
    let (sum, error) = (writer.as_bits(bits, &sum), writer.as_bits(bits, &error));
    let differs = writer.two("xor", bits, &sum, &error);
    let away = writer.compare("sge", bits, &differs, &zero);
    odd(writer, bits, &sum, &away, &inexact)
}

/// The bits of a double, rounded to odd in single precision.
pub(super) fn odd_narrow(writer: &mut Writer, a: &str) -> Name {
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    let a = writer.as_float(64, a);
    let rounded = writer.value(format!("fptrunc {double} {a} to {single}"));
    let back = writer.value(format!("fpext {single} {rounded} to {double}"));
    let [less, all] = [&back, &a].map(|name| writer.float_intrinsic("fabs", 64, &[name]));
    let away = writer.value(format!("fcmp olt {double} {less}, {all}"));
    let inexact = writer.value(format!("fcmp one {double} {back}, {a}"));
    let rounded = writer.as_bits(32, &rounded);
    odd(writer, 32, &rounded, &away, &inexact)
}

/// A number, or where it is inexact and even its neighbour, away from zero or towards it.
fn odd(writer: &mut Writer, bits: u32, a: &str, away: &str, inexact: &str) -> Name {
    let (more, less) = (writer.with("add", bits, a, 1), writer.with("sub", bits, a, 1));
    let neighbour = writer.select(away, bits, &more, &less);
    let last = writer.with("and", bits, a, 1);
    let even = writer.is("eq", bits, &last, 0);
    let moves = writer.two("and", 1, inexact, &even);
    writer.select(&moves, bits, &neighbour, a)
}
