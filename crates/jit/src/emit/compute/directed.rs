//! Single precision that is not rounded to nearest.
//!
//! AVX-512 has instructions for that. For others: a product of two numbers of single precision is exact in double precision, and the error of a sum is a number again.
//! So the result is first rounded to nearest, and then moved by one place if it lies on the wrong side of the exact one.

use ptxvm_ir::operation::compute::FloatFunction as F;
use ptxvm_num::Rounding;

use super::super::nan::one_nan;
use super::super::{Name, Writer};
use super::arithmetic::rounded;
use super::finish::flush;

/// A function of its sources, rounded down, up or towards zero; without AVX-512, a sum, a difference, a product or `fma`.
/// Without `ftz`, a NaN may have any bits.
pub fn directed(writer: &mut Writer, function: F, names: &[Name], rounding: Rounding, ftz: bool) -> Name {
    if writer.avx512 {
        let result = rounded(writer, function, 32, names, (rounding, ftz));
        return if ftz { one_nan(writer, &result) } else { result };
    }
    let single = writer.float_ty(32);
    let double = writer.float_ty(64);
    let mut numbers = Vec::new();
    for name in names {
        let number = flush(writer, name, ftz);
        let number = writer.as_float(32, &number);
        numbers.push(writer.value(format!("fpext {single} {number} to {double}")));
    }
    let two =
        |writer: &mut Writer, op: &str, a: &str, b: &str| writer.value(format!("{op} {double} {a}, {b}"));
    let zero = writer.constant(64, 0);
    let zero = writer.as_float(64, &zero);
    let (first, second) = match (function, &numbers[..]) {
        (F::Add, [a, b]) => (a.clone(), Some(b.clone())),
        (F::Sub, [a, b]) => (a.clone(), Some(writer.value(format!("fneg {double} {b}")))),
        (_, [a, b, further @ ..]) => (two(writer, "fmul", a, b), further.first().cloned()),
        _ => (zero.clone(), None),
    };
    let (sum, error) = match &second {
        None => (first.clone(), zero.clone()),
        Some(second) => {
            let sum = two(writer, "fadd", &first, second);
            let taken = two(writer, "fsub", &sum, &first);
            let rest = two(writer, "fsub", &sum, &taken);
            let of_first = two(writer, "fsub", &first, &rest);
            let of_second = two(writer, "fsub", second, &taken);
            (sum, two(writer, "fadd", &of_first, &of_second))
        }
    };
    let near = writer.value(format!("fptrunc {double} {sum} to {single}"));
    let bits = writer.as_bits(32, &near);
    let back = writer.value(format!("fpext {single} {near} to {double}"));
    let away = two(writer, "fsub", &sum, &back);
    let away = two(writer, "fadd", &away, &error);
    let sign = writer.constant(32, 31);
    let negative = writer.two("ashr", 32, &bits, &sign);
    let ones = writer.constant(32, u32::MAX.into());
    let one = writer.constant(32, 1);
    // -1 and 1: one place down or up, as the sign has it.
    let down = writer.two("xor", 32, &negative, &ones);
    let down = writer.two("or", 32, &down, &one);
    let up = writer.two("or", 32, &negative, &one);
    let below = writer.value(format!("fcmp olt {double} {away}, {zero}"));
    let above = writer.value(format!("fcmp ogt {double} {away}, {zero}"));
    let none = writer.constant(32, 0);
    let step = match rounding {
        Rounding::Rm => writer.select(&below, 32, &down, &none),
        Rounding::Rp => writer.select(&above, 32, &up, &none),
        _ => {
            let is_negative = writer.compare("slt", 32, &bits, &none);
            let wrong = writer.select(&is_negative, 1, &above, &below);
            writer.select(&wrong, 32, &ones, &none)
        }
    };
    let mut result = writer.two("add", 32, &bits, &step);
    // A sum of zero is minus zero where it is rounded down, unless both are plus zero.
    if let (Rounding::Rm, Some(second)) = (rounding, &second) {
        let (first, second) = (writer.as_bits(64, &first), writer.as_bits(64, second));
        let either = writer.two("or", 64, &first, &second);
        let by = writer.constant(64, 32);
        let high = writer.two("lshr", 64, &either, &by);
        let high = writer.cast("trunc", 64, &high, 32);
        let sign = writer.constant(32, 0x8000_0000);
        let signed = writer.two("and", 32, &high, &sign);
        let is_zero = writer.value(format!("fcmp oeq {double} {sum}, {zero}"));
        result = writer.select(&is_zero, 32, &signed, &result);
    }
    if !ftz {
        return result;
    }
    result = flush_exact(writer, &result, &sum, &error, rounding);
    one_nan(writer, &result)
}

/// A result, or zero of its sign where a wider exponent would hold less than the least normal number: the exact one, a
/// sum of two numbers of double precision, is then less than that, or than what is rounded to it.
fn flush_exact(writer: &mut Writer, result: &str, sum: &str, error: &str, rounding: Rounding) -> Name {
    /// 2^-126, and 2^-126 less 2^-150.
    const LEAST: u64 = (1023 - 126) << 52;
    const ROUNDED_UP: u64 = LEAST - (1 << 29);
    let double = writer.float_ty(64);
    let sign = writer.with("and", 32, result, 0x8000_0000);
    let negative = writer.is("ne", 32, &sign, 0);
    // Whether it is rounded away from zero.
    let away = match rounding {
        Rounding::Rm => negative.clone(),
        Rounding::Rp => writer.is("eq", 32, &sign, 0),
        _ => writer.constant(1, 0),
    };
    let (least, rounded_up) = (writer.constant(64, LEAST), writer.constant(64, ROUNDED_UP));
    let bound = writer.select(&away, 64, &rounded_up, &least);
    let bound = writer.as_float(64, &bound);
    let truth = writer.ty(1);
    let magnitude = writer.float_intrinsic("fabs", 64, &[sum]);
    let opposite = writer.value(format!("fneg {double} {error}"));
    let more = writer.value(format!("select {truth} {negative}, {double} {opposite}, {double} {error}"));
    let beyond = writer.value(format!("fsub {double} {magnitude}, {bound}"));
    let beyond = writer.value(format!("fadd {double} {beyond}, {more}"));
    let zero = writer.constant(64, 0);
    let zero = writer.as_float(64, &zero);
    let below = writer.value(format!("fcmp olt {double} {beyond}, {zero}"));
    let on_bound = writer.value(format!("fcmp oeq {double} {beyond}, {zero}"));
    let on_bound = writer.two("and", 1, &on_bound, &away);
    let below = writer.two("or", 1, &below, &on_bound);
    writer.select(&below, 32, &sign, result)
}
