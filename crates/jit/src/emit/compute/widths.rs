//! Conversions between floats of different width, rounded to nearest, and of a float to its own type.
//!
//! Each has the same steps as the function of its name in `ptxvm_num::convert::quick`.

use ptxvm_ir::operation::compute::Convert;
use ptxvm_isa::Type;
use ptxvm_machine::registers::Slot;
use ptxvm_num::Rounding;
use ptxvm_num::convert::Modifiers;

use super::super::block::Guard;
use super::super::value::Value;
use super::super::{Emitter, Name, Writer};
use super::float::{flush, saturate};

const INFINITY: u64 = 0x7f80_0000;
const NAN: u64 = 0x7fff_ffff;

impl Emitter<'_> {
    /// Writes a conversion between floats; `None` if it is not written here.
    pub(super) fn widths(&mut self, convert: &Convert, slots: &[Slot], guard: &Guard) -> Option<()> {
        let Convert { to, from, rounding, modifiers, .. } = *convert;
        let Modifiers { ftz, sat, relu: false, satfinite: false } = modifiers else { return None };
        let nearest = matches!(rounding, None | Some(Rounding::Rn));
        let (destination, sources) = slots.split_first()?;
        let make: fn(&mut Writer, &Name) -> Name = match (to, from) {
            (Type::F32, Type::F32) if rounding.is_none() && (sat || !ftz) => {
                let a = self.read(*sources.first()?, 32);
                let value = self.map(&[a], 32, |writer, names| {
                    let a = flush(writer, &names[0], ftz);
                    if sat { saturate(writer, &a) } else { a }
                });
                self.write(*destination, value, guard);
                return Some(());
            }
            _ if sat || !nearest => return None,
            // `.ftz` is not heeded, or finds nothing.
            (Type::F32, Type::F16) => f16_to_f32,
            (Type::F16, Type::F32) => f32_to_f16,
            _ if ftz => return None,
            (Type::F16x2, Type::F32) => f32_to_f16,
            (Type::F64, Type::F32) => f32_to_f64,
            (Type::F32, Type::F64) => f64_to_f32,
            (Type::F32, Type::Bf16) => bf16_to_f32,
            (Type::Bf16 | Type::Bf16x2, Type::F32) => f32_to_bf16,
            _ => return None,
        };
        let value = match (to, sources) {
            (Type::F16x2 | Type::Bf16x2, [high, low]) => {
                let sources = [self.read(*high, 32), self.read(*low, 32)];
                self.map(&sources, 32, |writer, names| {
                    let [high, low] = [&names[0], &names[1]].map(|name| {
                        let half = make(writer, name);
                        writer.cast("zext", 16, &half, 32)
                    });
                    let by = writer.constant(32, 16);
                    let high = writer.two("shl", 32, &high, &by);
                    writer.two("or", 32, &high, &low)
                })
            }
            (Type::F16x2 | Type::Bf16x2, _) => return None,
            (_, [source]) => {
                let a = self.read(*source, from.bits());
                self.map(&[a], to.bits(), |writer, names| make(writer, &names[0]))
            }
            _ => return None,
        };
        self.write(*destination, Value { loose: false, ..value }, guard);
        Some(())
    }
}

/// An instruction with a constant.
fn with(writer: &mut Writer, op: &str, bits: u32, a: &str, by: u64) -> Name {
    let by = writer.constant(bits, by);
    writer.two(op, bits, a, &by)
}

/// One of two words by how a word compares with a number.
fn choose(writer: &mut Writer, (relation, a, with): (&str, &str, u64), yes: &str, no: &str) -> Name {
    let with = writer.constant(32, with);
    let is = writer.compare(relation, 32, a, &with);
    writer.select(&is, 32, yes, no)
}

fn f32_to_f64(writer: &mut Writer, a: &Name) -> Name {
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    let number = writer.as_float(32, a);
    let wide = writer.value(format!("fpext {single} {number} to {double}"));
    let wide = writer.as_bits(64, &wide);
    let bits = writer.cast("zext", 32, a, 64);
    let sign = with(writer, "and", 64, &bits, 0x8000_0000);
    let sign = with(writer, "shl", 64, &sign, 32);
    let payload = with(writer, "and", 64, &bits, 0x007f_ffff);
    let payload = with(writer, "shl", 64, &payload, 29);
    let nan = writer.two("or", 64, &sign, &payload);
    let nan = with(writer, "or", 64, &nan, 0x7ff8_0000_0000_0000);
    let is = writer.value(format!("fcmp uno {single} {number}, {number}"));
    writer.select(&is, 64, &nan, &wide)
}

fn f64_to_f32(writer: &mut Writer, a: &Name) -> Name {
    let (single, double) = (writer.float_ty(32), writer.float_ty(64));
    let number = writer.as_float(64, a);
    let narrow = writer.value(format!("fptrunc {double} {number} to {single}"));
    let narrow = writer.as_bits(32, &narrow);
    let high = with(writer, "lshr", 64, a, 32);
    let high = writer.cast("trunc", 64, &high, 32);
    let sign = with(writer, "and", 32, &high, 0x8000_0000);
    let payload = with(writer, "lshr", 64, a, 29);
    let payload = writer.cast("trunc", 64, &payload, 32);
    let payload = with(writer, "and", 32, &payload, 0x007f_ffff);
    let nan = writer.two("or", 32, &sign, &payload);
    let nan = with(writer, "or", 32, &nan, 0x7fc0_0000);
    let is = writer.value(format!("fcmp uno {double} {number}, {number}"));
    writer.select(&is, 32, &nan, &narrow)
}

fn f16_to_f32(writer: &mut Writer, a: &Name) -> Name {
    const SCALE: u64 = (127 + 112) << 23;
    let bits = writer.cast("zext", 16, a, 32);
    let magnitude = with(writer, "and", 32, &bits, 0x7fff);
    let magnitude = with(writer, "shl", 32, &magnitude, 13);
    let sign = with(writer, "and", 32, &bits, 0x8000);
    let sign = with(writer, "shl", 32, &sign, 16);
    let ty = writer.float_ty(32);
    let (number, scale) = (writer.as_float(32, &magnitude), writer.constant(32, SCALE));
    let scale = writer.as_float(32, &scale);
    let number = writer.value(format!("fmul {ty} {number}, {scale}"));
    let number = writer.as_bits(32, &number);
    let infinity = writer.constant(32, INFINITY);
    let number = choose(writer, ("eq", &magnitude, 0x7c00 << 13), &infinity, &number);
    let number = writer.two("or", 32, &number, &sign);
    let nan = writer.constant(32, NAN);
    choose(writer, ("ugt", &magnitude, 0x7c00 << 13), &nan, &number)
}

fn f32_to_f16(writer: &mut Writer, a: &Name) -> Name {
    const DROPPED: u64 = 23 - 10;
    const BESIDE: u64 = (127 - 15 + DROPPED + 1) << 23;
    let magnitude = with(writer, "and", 32, a, 0x7fff_ffff);
    let odd = with(writer, "lshr", 32, &magnitude, DROPPED);
    let odd = with(writer, "and", 32, &odd, 1);
    let normal = with(writer, "sub", 32, &magnitude, (127 - 15) << 23);
    let normal = with(writer, "add", 32, &normal, (1 << (DROPPED - 1)) - 1);
    let normal = writer.two("add", 32, &normal, &odd);
    let normal = with(writer, "lshr", 32, &normal, DROPPED);
    let ty = writer.float_ty(32);
    let (number, beside) = (writer.as_float(32, &magnitude), writer.constant(32, BESIDE));
    let beside = writer.as_float(32, &beside);
    let small = writer.value(format!("fadd {ty} {number}, {beside}"));
    let small = writer.as_bits(32, &small);
    let small = with(writer, "sub", 32, &small, BESIDE);
    let narrow = choose(writer, ("ult", &magnitude, (127 - 15 + 1) << 23), &small, &normal);
    let most = writer.constant(32, 0x7c00);
    let narrow = writer.intrinsic("umin", 32, &[&narrow, &most]);
    let sign = with(writer, "lshr", 32, a, 16);
    let sign = with(writer, "and", 32, &sign, 0x8000);
    let narrow = writer.two("or", 32, &narrow, &sign);
    let nan = writer.constant(32, 0x7fff);
    let narrow = choose(writer, ("ugt", &magnitude, INFINITY), &nan, &narrow);
    writer.cast("trunc", 32, &narrow, 16)
}

fn bf16_to_f32(writer: &mut Writer, a: &Name) -> Name {
    let bits = writer.cast("zext", 16, a, 32);
    with(writer, "shl", 32, &bits, 16)
}

fn f32_to_bf16(writer: &mut Writer, a: &Name) -> Name {
    let odd = with(writer, "lshr", 32, a, 16);
    let odd = with(writer, "and", 32, &odd, 1);
    let rounded = with(writer, "add", 32, a, 0x7fff);
    let rounded = writer.two("add", 32, &rounded, &odd);
    let rounded = with(writer, "lshr", 32, &rounded, 16);
    let magnitude = with(writer, "and", 32, a, 0x7fff_ffff);
    let nan = writer.constant(32, 0x7fff);
    let rounded = choose(writer, ("ugt", &magnitude, INFINITY), &nan, &rounded);
    writer.cast("trunc", 32, &rounded, 16)
}
