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
    let plain = !modifiers.nan && !modifiers.abs && !modifiers.xorsign;
    if plain && bits == 32 && writer.wide && writer.avx512 {
        return writer.extreme_of_singles([a, b], which);
    }
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

impl Writer {
    /// The same of single precision by an instruction that orders zeros by their signs. Of a NaN it makes what is not wanted only
    /// if that signals or the other is one too.
    fn extreme_of_singles(&mut self, [a, b]: [&str; 2], which: Extreme) -> Name {
        const NAME: &str = "@llvm.x86.avx512.mask.range.ps.512";
        /// The sign is that of the number that is chosen.
        const SIGN_OF_RESULT: u32 = 4;
        /// As usual.
        const ROUNDING: u32 = 4;
        let control = SIGN_OF_RESULT + u32::from(which == Extreme::Max);
        let [float_a, float_b] = [a, b].map(|name| self.as_float(32, name));
        let number = self.by_registers(("float", 32), "float", &[&float_a, &float_b], |writer, ty, parts| {
            writer.declare(format!("declare {ty} {NAME}({ty}, {ty}, i32, {ty}, i16, i32)"));
            let [a, b] = [&parts[0], &parts[1]];
            writer.value(format!(
                "call {ty} {NAME}({ty} {a}, {ty} {b}, i32 {control}, {ty} zeroinitializer, i16 -1, i32 {ROUNDING})"
            ))
        });
        let number = self.as_bits(32, &number);
        let ty = self.float_ty(32);
        let [a_nan, b_nan] =
            [&float_a, &float_b].map(|float| self.value(format!("fcmp uno {ty} {float}, {float}")));
        let number = self.select(&a_nan, 32, b, &number);
        let number = self.select(&b_nan, 32, a, &number);
        let none = self.two("and", 1, &a_nan, &b_nan);
        let canonical = self.constant(32, NAN);
        self.select(&none, 32, &canonical, &number)
    }
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
