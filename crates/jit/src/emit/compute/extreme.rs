//! `min` and `max` of floats, with the same steps as in `ptxvm_num::float::minmax`.

use ptxvm_num::float::minmax::{Extreme, Modifiers};

use super::super::nan::NAN;
use super::super::{Name, Writer};

/// A format of floats that has one NaN.
pub struct Format {
    pub bits: u32,
    pub infinity: u64,
    pub nan: u64,
}

/// Single precision.
pub const SINGLE: Format = Format { bits: 32, infinity: 0x7f80_0000, nan: NAN };

/// The smaller or the larger of two numbers: minus zero is below plus zero, and a NaN loses unless `.NaN` says otherwise.
pub fn extreme(
    writer: &mut Writer,
    format: &Format,
    [a, b]: [&str; 2],
    which: Extreme,
    modifiers: Modifiers,
) -> Name {
    let Format { bits, infinity, nan } = *format;
    let sign = 1 << (bits - 1);
    let turned = writer.two("xor", bits, a, b);
    let [a, b] = [a, b].map(|name| match modifiers.abs {
        true => writer.with("and", bits, name, sign - 1),
        false => name.to_owned(),
    });
    let mut number = first(writer, bits, [&a, &b], which);
    let [a_nan, b_nan] = [&a, &b].map(|name| {
        let magnitude = writer.with("and", bits, name, sign - 1);
        writer.is("ugt", bits, &magnitude, infinity)
    });
    number = writer.select(&a_nan, bits, &b, &number);
    number = writer.select(&b_nan, bits, &a, &number);
    if modifiers.xorsign {
        let turned = writer.with("and", bits, &turned, sign);
        number = writer.two("xor", bits, &number, &turned);
    }
    let none = writer.two(if modifiers.nan { "or" } else { "and" }, 1, &a_nan, &b_nan);
    let canonical = writer.constant(bits, nan);
    writer.select(&none, bits, &canonical, &number)
}

/// The same of double precision, where of two NaN the second comes out, made quiet.
pub fn of_doubles(writer: &mut Writer, [a, b]: [&str; 2], which: Extreme) -> Name {
    const QUIET: u64 = 0x0008_0000_0000_0000;
    let number = first(writer, 64, [a, b], which);
    let ty = writer.float_ty(64);
    let [a_nan, b_nan] = [a, b].map(|name| {
        let float = writer.as_float(64, name);
        writer.value(format!("fcmp uno {ty} {float}, {float}"))
    });
    let quiet = writer.with("or", 64, b, QUIET);
    let other = writer.select(&b_nan, 64, &quiet, b);
    let number = writer.select(&b_nan, 64, a, &number);
    writer.select(&a_nan, 64, &other, &number)
}

/// One of two numbers: with the bits of negative ones inverted except for the sign, floats order like integers.
fn first(writer: &mut Writer, bits: u32, [a, b]: [&str; 2], which: Extreme) -> Name {
    let [order_a, order_b] = [a, b].map(|name| {
        let sign = writer.with("ashr", bits, name, u64::from(bits) - 1);
        let rest = writer.with("lshr", bits, &sign, 1);
        writer.two("xor", bits, name, &rest)
    });
    let relation = if which == Extreme::Min { "slt" } else { "sgt" };
    let is = writer.compare(relation, bits, &order_a, &order_b);
    writer.select(&is, bits, a, b)
}
