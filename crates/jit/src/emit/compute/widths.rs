//! Conversions between floats of different width, most of them rounded to nearest, and of a float to its own type.
//!
//! Each has the same steps as the function of its name in `ptxvm_num::convert::quick`.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::convert::Modifiers;

use super::super::block::Guard;
use super::super::nan::{NAN, one_nan};
use super::super::value::Value;
use super::super::{Emitter, Name, Writer};
use super::arithmetic::is_directed;
use super::finish::{flush, saturate};
use super::narrow::{Narrow, e4m3_to_f16, e5m2_to_f16, f32_to_e4m3, f32_to_e5m2, narrowed};

const INFINITY: u64 = 0x7f80_0000;

/// What is made of a number.
type Make = fn(&mut Writer, &Name) -> Name;

impl Emitter<'_> {
    /// Writes a conversion between floats; `None` if it is not written here.
    pub(super) fn widths(&mut self, convert: &Convert, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Convert { to, from, rounding, modifiers, .. } = *convert;
        let Modifiers { ftz, sat, relu, satfinite } = modifiers;
        let (destination, sources) = slots.split_first()?;
        let plain = !relu && !satfinite;
        let value = match (to, from) {
            _ if to == from && plain => self.same_width(convert, *sources.first()?)?,
            _ if sat => return None,
            (Type::Tf32, Type::F32) if rounding == Some(Rounding::Rna) && !relu && !ftz => {
                let a = self.read(*sources.first()?, 32);
                self.map(&[a], 32, |writer, names| f32_to_tf32(writer, &names[0], satfinite))
            }
            (Type::F32, Type::F64) if plain && !ftz && self.rounds_to(rounding).is_some() => {
                let (a, rounding) = (self.read(*sources.first()?, 64), self.rounds_to(rounding)?);
                self.map(&[a], 32, |writer, names| f64_to_f32(writer, &names[0], rounding))
            }
            _ if !matches!(rounding, None | Some(Rounding::Rn)) => return None,
            (Type::E4m3x2, Type::F32) if !relu => self.pair(sources, f32_to_e4m3, 8)?,
            (Type::E5m2x2, Type::F32) if !relu => self.pair(sources, f32_to_e5m2, 8)?,
            (Type::F16x2, Type::E4m3x2) if !relu => self.halves_of(*sources.first()?, e4m3_to_f16),
            (Type::F16x2, Type::E5m2x2) if !relu => self.halves_of(*sources.first()?, e5m2_to_f16),
            // `.ftz` is not heeded, or finds nothing.
            (Type::F32, Type::F16) if plain => self.one(*sources.first()?, (16, 32), f16_to_f32),
            (Type::F16 | Type::F16x2, Type::F32) => {
                let make: Make = match (relu, satfinite) {
                    (false, false) => f32_to_f16,
                    (true, false) => |writer, a| positive(writer, a, f32_to_f16),
                    (false, true) => f32_to_f16_satfinite,
                    (true, true) => |writer, a| positive(writer, a, f32_to_f16_satfinite),
                };
                self.one_or_two(to == Type::F16x2, sources, make)?
            }
            _ if ftz => return None,
            (Type::Bf16 | Type::Bf16x2, Type::F32) => {
                let make: Make = match (relu, satfinite) {
                    (false, false) => f32_to_bf16,
                    (true, false) => |writer, a| positive(writer, a, f32_to_bf16),
                    (false, true) => f32_to_bf16_satfinite,
                    (true, true) => |writer, a| positive(writer, a, f32_to_bf16_satfinite),
                };
                self.one_or_two(to == Type::Bf16x2, sources, make)?
            }
            (Type::F32, Type::Bf16) if plain => self.one(*sources.first()?, (16, 32), bf16_to_f32),
            (Type::F64, Type::F32) if plain => self.one(*sources.first()?, (32, 64), f32_to_f64),
            _ => return None,
        };
        self.write(*destination, value, guard);
        Some(())
    }

    /// How a conversion of double to single precision rounds, if it can be written.
    fn rounds_to(&self, rounding: Option<Rounding>) -> Option<Rounding> {
        rounding.filter(|rounding| *rounding == Rounding::Rn || self.writer.avx512 && is_directed(*rounding))
    }

    /// What is made of a number of so many bits, in so many.
    fn one(&mut self, source: Slot, (from, to): (u32, u32), make: Make) -> Value {
        let a = self.read(source, from);
        self.map(&[a], to, |writer, names| make(writer, &names[0]))
    }

    /// A number of 16 bits, or two of them in a word.
    fn one_or_two(&mut self, two: bool, sources: &[Slot], make: Make) -> Option<Value> {
        if two { self.pair(sources, make, 16) } else { Some(self.one(*sources.first()?, (32, 16), make)) }
    }

    /// Two narrow numbers of so many bits, the first above the second.
    fn pair(&mut self, sources: &[Slot], make: Make, part: u32) -> Option<Value> {
        let [high, low] = *sources else { return None };
        let sources = [self.read(high, 32), self.read(low, 32)];
        let all = 2 * part;
        Some(self.map(&sources, all, |writer, names| {
            let [high, low] = [&names[0], &names[1]].map(|name| {
                let narrow = make(writer, name);
                writer.cast("zext", part, &narrow, all)
            });
            let high = writer.with("shl", all, &high, part.into());
            writer.two("or", all, &high, &low)
        }))
    }

    /// Halves of the bytes of 16 bits.
    fn halves_of(&mut self, source: Slot, make: Make) -> Value {
        let a = self.read(source, 16);
        self.map(&[a], 32, |writer, names| {
            let [low, high] = [0, 8].map(|at| {
                let byte = writer.with("lshr", 16, &names[0], at);
                let byte = writer.cast("trunc", 16, &byte, 8);
                let half = make(writer, &byte);
                writer.cast("zext", 16, &half, 32)
            });
            let high = writer.with("shl", 32, &high, 16);
            writer.two("or", 32, &high, &low)
        })
    }

    /// The same type: rounded to a whole number, clamped, or only moved.
    fn same_width(&mut self, convert: &Convert, source: Slot) -> Option<Value> {
        let Convert { to, rounding, modifiers: Modifiers { ftz, sat, .. }, .. } = *convert;
        let bits = to.bits();
        match (to, rounding) {
            (Type::F32, None) if sat || !ftz => {
                let a = if sat { self.read_loose(source, 32) } else { self.read(source, 32) };
                Some(self.map(&[a], 32, |writer, names| {
                    let a = flush(writer, &names[0], ftz);
                    if sat { saturate(writer, &a) } else { a }
                }))
            }
            (Type::F64, None) if !sat && !ftz => Some(self.read(source, 64)),
            (Type::F16 | Type::Bf16 | Type::F32 | Type::F64, Some(rounding)) if !sat => {
                // A NaN of double precision stays what it is.
                let a = match to {
                    Type::F64 => self.read(source, 64),
                    _ => self.read_loose(source, bits),
                };
                (!ftz || to == Type::F32).then(|| {
                    self.map(&[a], bits, |writer, names| whole(writer, &names[0], to, rounding, ftz))
                })
            }
            _ => None,
        }
    }
}

/// A number rounded to a whole one of its type.
fn whole(writer: &mut Writer, a: &Name, ty: Type, rounding: Rounding, ftz: bool) -> Name {
    let rounded = |writer: &mut Writer, bits: u32, a: &str| {
        let number = writer.as_float(bits, a);
        let number = integral(writer, bits, &number, rounding);
        writer.as_bits(bits, &number)
    };
    match ty {
        Type::F16 => {
            let wide = f16_to_f32(writer, a);
            let whole = whole(writer, &wide, Type::F32, rounding, false);
            f32_to_f16(writer, &whole)
        }
        Type::Bf16 => {
            let wide = bf16_to_f32(writer, a);
            let whole = whole(writer, &wide, Type::F32, rounding, false);
            f32_to_bf16(writer, &whole)
        }
        Type::F32 => {
            let a = flush(writer, a, ftz);
            let whole = rounded(writer, 32, &a);
            one_nan(writer, &whole)
        }
        // A NaN is made quiet.
        _ => {
            let whole = rounded(writer, 64, a);
            let (number, ty) = (writer.as_float(64, a), writer.float_ty(64));
            let is_nan = writer.value(format!("fcmp uno {ty} {number}, {number}"));
            let quiet = writer.with("or", 64, a, 1 << 51);
            writer.select(&is_nan, 64, &quiet, &whole)
        }
    }
}

/// A float rounded to a whole number.
pub(super) fn integral(writer: &mut Writer, bits: u32, number: &str, rounding: Rounding) -> Name {
    let name = match rounding {
        Rounding::Rn => "roundeven",
        Rounding::Rna => "round",
        Rounding::Rz => "trunc",
        Rounding::Rm => "floor",
        Rounding::Rp => "ceil",
    };
    writer.float_intrinsic(name, bits, &[number])
}

/// `.relu`: plus zero for everything with a sign; a NaN has none.
fn positive(writer: &mut Writer, a: &Name, make: Make) -> Name {
    let result = make(writer, a);
    let zero = writer.constant(16, 0);
    writer.intrinsic("smax", 16, &[&result, &zero])
}

/// `.rna` to tf32; `ptxvm_num::convert::tf32_rna_from_f32` says what becomes of what is not finite.
fn f32_to_tf32(writer: &mut Writer, a: &Name, satfinite: bool) -> Name {
    const UNIT: u64 = 1 << 13;
    let magnitude = writer.with("and", 32, a, 0x7fff_ffff);
    let more = writer.with("add", 32, a, UNIT / 2);
    let rounded = writer.choose(("ult", &magnitude, INFINITY), &more, a);
    let rounded = writer.with("and", 32, &rounded, !(UNIT - 1));
    if !satfinite {
        return rounded;
    }
    let magnitude = writer.with("and", 32, &rounded, 0x7fff_ffff);
    let less = writer.with("sub", 32, &rounded, UNIT);
    writer.choose(("uge", &magnitude, INFINITY), &less, &rounded)
}

fn f32_to_f64(writer: &mut Writer, a: &Name) -> Name {
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    let number = writer.as_float(32, a);
    let wide = writer.value(format!("fpext {single} {number} to {double}"));
    let wide = writer.as_bits(64, &wide);
    let bits = writer.cast("zext", 32, a, 64);
    let sign = writer.with("and", 64, &bits, 0x8000_0000);
    let sign = writer.with("shl", 64, &sign, 32);
    let payload = writer.with("and", 64, &bits, 0x007f_ffff);
    let payload = writer.with("shl", 64, &payload, 29);
    let nan = writer.two("or", 64, &sign, &payload);
    let nan = writer.with("or", 64, &nan, 0x7ff8_0000_0000_0000);
    let is = writer.value(format!("fcmp uno {single} {number}, {number}"));
    writer.select(&is, 64, &nan, &wide)
}

fn f64_to_f32(writer: &mut Writer, a: &Name, rounding: Rounding) -> Name {
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    let number = writer.as_float(64, a);
    let narrow = match rounding {
        Rounding::Rn => writer.value(format!("fptrunc {double} {number} to {single}")),
        _ => writer.rounded_double(&number, rounding),
    };
    let narrow = writer.as_bits(32, &narrow);
    let high = writer.with("lshr", 64, a, 32);
    let high = writer.cast("trunc", 64, &high, 32);
    let sign = writer.with("and", 32, &high, 0x8000_0000);
    let payload = writer.with("lshr", 64, a, 29);
    let payload = writer.cast("trunc", 64, &payload, 32);
    let payload = writer.with("and", 32, &payload, 0x007f_ffff);
    let nan = writer.two("or", 32, &sign, &payload);
    let nan = writer.with("or", 32, &nan, 0x7fc0_0000);
    let is = writer.value(format!("fcmp uno {double} {number}, {number}"));
    writer.select(&is, 32, &nan, &narrow)
}

pub(super) fn f16_to_f32(writer: &mut Writer, a: &Name) -> Name {
    let bits = writer.cast("zext", 16, a, 32);
    let magnitude = writer.with("and", 32, &bits, 0x7fff);
    let magnitude = writer.with("shl", 32, &magnitude, 13);
    let sign = writer.with("and", 32, &bits, 0x8000);
    let sign = writer.with("shl", 32, &sign, 16);
    let number = writer.scaled(&magnitude, 112);
    let infinity = writer.constant(32, INFINITY);
    let number = writer.choose(("eq", &magnitude, 0x7c00 << 13), &infinity, &number);
    let number = writer.two("or", 32, &number, &sign);
    let nan = writer.constant(32, NAN);
    writer.choose(("ugt", &magnitude, 0x7c00 << 13), &nan, &number)
}

pub(super) fn f32_to_f16(writer: &mut Writer, a: &Name) -> Name {
    narrowed(writer, a, &Narrow { mantissa: 10, bias: 15, most: 0x7c00, nan: 0x7fff, bits: 16 })
}

/// The same, with the largest number in place of infinity.
fn f32_to_f16_satfinite(writer: &mut Writer, a: &Name) -> Name {
    narrowed(writer, a, &Narrow { mantissa: 10, bias: 15, most: 0x7bff, nan: 0x7fff, bits: 16 })
}

pub(super) fn bf16_to_f32(writer: &mut Writer, a: &Name) -> Name {
    let bits = writer.cast("zext", 16, a, 32);
    writer.with("shl", 32, &bits, 16)
}

pub(super) fn f32_to_bf16(writer: &mut Writer, a: &Name) -> Name {
    let odd = writer.with("lshr", 32, a, 16);
    let odd = writer.with("and", 32, &odd, 1);
    let rounded = writer.with("add", 32, a, 0x7fff);
    let rounded = writer.two("add", 32, &rounded, &odd);
    let rounded = writer.with("lshr", 32, &rounded, 16);
    let magnitude = writer.with("and", 32, a, 0x7fff_ffff);
    let nan = writer.constant(32, 0x7fff);
    let rounded = writer.choose(("ugt", &magnitude, INFINITY), &nan, &rounded);
    writer.cast("trunc", 32, &rounded, 16)
}

/// The same, with the largest number in place of infinity.
fn f32_to_bf16_satfinite(writer: &mut Writer, a: &Name) -> Name {
    let rounded = f32_to_bf16(writer, a);
    let magnitude = writer.with("and", 16, &rounded, 0x7fff);
    let infinite = writer.is("eq", 16, &magnitude, INFINITY >> 16);
    let less = writer.with("sub", 16, &rounded, 1);
    writer.select(&infinite, 16, &less, &rounded)
}
