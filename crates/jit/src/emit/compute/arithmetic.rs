//! Arithmetic of single and double precision, of which the compiler has all that is rounded to nearest.

use ptxvm_ir::operation::compute::FloatFunction as F;
use ptxvm_num::Rounding;

use super::super::nan::one_nan;
use super::super::{Name, Writer};
use super::double::right_nan;
use super::finish::flush;

/// Whether a rounding goes one way, and not to the nearest number.
pub fn is_directed(rounding: Rounding) -> bool {
    matches!(rounding, Rounding::Rm | Rounding::Rp | Rounding::Rz)
}

/// A function of numbers to the nearest, as [`rounded`] has it.
pub fn arithmetic(writer: &mut Writer, function: F, bits: u32, names: &[Name], ftz: bool) -> Name {
    rounded(writer, function, bits, names, (Rounding::Rn, ftz))
}

/// A function of numbers, rounded somehow: other than to nearest only where there is AVX-512. A NaN of single precision without `.ftz`, and one in a vector of double precision,
/// may have any bits.
pub fn rounded(
    writer: &mut Writer,
    function: F,
    bits: u32,
    names: &[Name],
    (rounding, ftz): (Rounding, bool),
) -> Name {
    let sources: Vec<Name> = names.iter().map(|name| flush(writer, name, ftz)).collect();
    let mut floats: Vec<Name> = sources.iter().map(|name| writer.as_float(bits, name)).collect();
    if function == F::Rcp {
        let one = writer.constant(bits, if bits == 32 { 0x3f80_0000 } else { 0x3ff0_0000_0000_0000 });
        floats.insert(0, writer.as_float(bits, &one));
    }
    let operands: Vec<&str> = floats.iter().map(String::as_str).collect();
    let result = operate(writer, function, bits, &operands, rounding);
    let value = writer.as_bits(bits, &result);
    if bits == 64 && (rounding != Rounding::Rn || !writer.wide) {
        return right_nan(writer, function, &sources, &value);
    }
    if !ftz {
        return value;
    }
    let value = match function {
        F::Mul | F::Fma | F::Div | F::Rcp => flush_by(writer, function, &floats, &value, rounding),
        _ => value,
    };
    let value = one_nan(writer, &value);
    flush(writer, &value, ftz)
}

/// A function of numbers, of which a reciprocal is a quotient.
fn operate(writer: &mut Writer, function: F, bits: u32, floats: &[&str], rounding: Rounding) -> Name {
    if rounding != Rounding::Rn {
        return writer.rounded(function, bits, floats, rounding);
    }
    let op = match function {
        F::Add => "fadd",
        F::Sub => "fsub",
        F::Mul => "fmul",
        F::Fma => return writer.float_intrinsic("fma", bits, floats),
        F::Sqrt => return writer.float_intrinsic("sqrt", bits, floats),
        _ => "fdiv",
    };
    let ty = writer.float_ty(bits);
    writer.value(format!("{op} {ty} {}", floats.join(", ")))
}

/// A result, or zero of its sign where the same one, computed 2^24 times as large, falls short of the least normal
/// number: `ptxvm_num::float::f32` says why.
fn flush_by(writer: &mut Writer, function: F, floats: &[Name], result: &str, rounding: Rounding) -> Name {
    let ty = writer.float_ty(32);
    let scale = writer.constant(32, 0x4b80_0000);
    let scale = writer.as_float(32, &scale);
    let scaled = |writer: &mut Writer, a: &str| writer.value(format!("fmul {ty} {a}, {scale}"));
    let first = scaled(writer, &floats[0]);
    let more = match (function, floats) {
        (F::Fma, [_, b, c]) => {
            let c = scaled(writer, c);
            operate(writer, function, 32, &[&first, b, &c], rounding)
        }
        (_, [_, b, ..]) => operate(writer, function, 32, &[&first, b], rounding),
        _ => first,
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
