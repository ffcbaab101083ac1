//! What is written for one register of AVX-512 at a time, because it has no other name in LLVM IR.

use ptxvm_ir::operation::compute::FloatFunction as F;
use ptxvm_num::Rounding;

use super::super::writer::{Name, Writer};

const REGISTER_BITS: usize = 512;

impl Writer {
    /// What is made of some vectors, register by register; a few numbers take the first places of one. Types are those of one
    /// number: what there is, with its bits, and what is made.
    pub fn by_registers(
        &mut self,
        (ty, bits): (&str, u32),
        result: &str,
        names: &[&str],
        mut make: impl FnMut(&mut Self, &str, &[Name]) -> Name,
    ) -> Name {
        let (lanes, count) = (REGISTER_BITS / bits as usize, self.count());
        let register = format!("<{lanes} x {ty}>");
        if count < lanes {
            let few = |ty: &str| if count == 1 { ty.to_owned() } else { format!("<{count} x {ty}>") };
            let place = |writer: &mut Self, name: &&str| match count {
                1 => writer.value(format!("insertelement {register} zeroinitializer, {ty} {name}, i64 0")),
                _ => {
                    let (few, order) = (few(ty), order((0..lanes).map(|place| place.min(count))));
                    writer.value(format!("shufflevector {few} {name}, {few} zeroinitializer, {order}"))
                }
            };
            let placed: Vec<Name> = names.iter().map(|name| place(self, name)).collect();
            let (made, all) = (make(self, &register, &placed), format!("<{lanes} x {result}>"));
            return match count {
                1 => self.value(format!("extractelement {all} {made}, i64 0")),
                _ => self.value(format!("shufflevector {all} {made}, {all} poison, {}", order(0..count))),
            };
        }
        let mut parts: Vec<Name> = Vec::new();
        for first in (0..count).step_by(lanes) {
            let order = order(first..first + lanes);
            let cut = |writer: &mut Self, name: &&str| {
                let all = format!("<{count} x {ty}>");
                writer.value(format!("shufflevector {all} {name}, {all} poison, {order}"))
            };
            let cut: Vec<Name> = names.iter().map(|name| cut(self, name)).collect();
            parts.push(make(self, &register, &cut));
        }
        let mut lanes = lanes;
        while parts.len() > 1 {
            let part = format!("<{lanes} x {result}>");
            lanes *= 2;
            let order = order(0..lanes);
            let join = |pair: &[Name]| {
                let both: Vec<String> = pair.iter().map(|name| format!("{part} {name}")).collect();
                self.value(format!("shufflevector {}, {order}", both.join(", ")))
            };
            parts = parts.chunks(2).map(join).collect();
        }
        parts.concat()
    }

    /// A function of numbers, rounded down, up or towards zero.
    pub fn rounded(&mut self, function: F, bits: u32, floats: &[&str], rounding: Rounding) -> Name {
        let name = match function {
            F::Add => "add",
            F::Sub => "sub",
            F::Mul => "mul",
            F::Fma => "vfmadd",
            F::Sqrt => "sqrt",
            _ => "div",
        };
        let (ty, suffix) = if bits == 32 { ("float", "ps") } else { ("double", "pd") };
        self.by_registers((ty, bits), ty, floats, |writer, ty, floats| {
            let types: String = floats.iter().map(|_| format!("{ty}, ")).collect();
            writer.declare(format!("declare {ty} @llvm.x86.avx512.{name}.{suffix}.512({types}i32)"));
            let passed: String = floats.iter().map(|float| format!("{ty} {float}, ")).collect();
            let way = way(rounding);
            writer.value(format!("call {ty} @llvm.x86.avx512.{name}.{suffix}.512({passed}i32 {way})"))
        })
    }

    /// Integers of 32 or 64 bits as floats of as many bits at most, rounded down, up or towards zero.
    pub fn rounded_integer(
        &mut self,
        signed: bool,
        a: &str,
        (from, to): (u32, u32),
        rounding: Rounding,
    ) -> Name {
        let result = if to == 32 { "float" } else { "double" };
        let name = if signed { "sitofp" } else { "uitofp" };
        self.by_registers((&format!("i{from}"), from), result, &[a], |writer, ty, part| {
            let lanes = REGISTER_BITS / from as usize;
            let name = format!("llvm.x86.avx512.{name}.round.v{lanes}f{to}.v{lanes}i{from}");
            writer.declare(format!("declare <{lanes} x {result}> @{name}({ty}, i32)"));
            let way = way(rounding);
            writer.value(format!("call <{lanes} x {result}> @{name}({ty} {}, i32 {way})", part[0]))
        })
    }

    /// Numbers of double precision in single precision, rounded down, up or towards zero.
    pub fn rounded_double(&mut self, a: &str, rounding: Rounding) -> Name {
        self.by_registers(("double", 64), "float", &[a], |writer, ty, part| {
            const NAME: &str = "@llvm.x86.avx512.mask.cvtpd2ps.512";
            let result = "<8 x float>";
            writer.declare(format!("declare {result} {NAME}({ty}, {result}, i8, i32)"));
            let (a, way) = (&part[0], way(rounding));
            writer
                .value(format!("call {result} {NAME}({ty} {a}, {result} zeroinitializer, i8 -1, i32 {way})"))
        })
    }
}

impl Writer {
    /// Numbers of single precision as integers of 32 bits without their fractions. What does not fit becomes the number with
    /// only the highest bit set, or with all of them if they have no sign.
    pub fn cut_off(&mut self, number: &str, signed: bool) -> Name {
        let name = if signed { "cvttps2dq" } else { "cvttps2udq" };
        self.by_registers(("float", 32), "i32", &[number], |writer, ty, part| {
            let name = format!("@llvm.x86.avx512.mask.{name}.512");
            let result = "<16 x i32>";
            writer.declare(format!("declare {result} {name}({ty}, {result}, i16, i32)"));
            writer.value(format!(
                "call {result} {name}({ty} {}, {result} zeroinitializer, i16 -1, i32 4)",
                part[0]
            ))
        })
    }

    /// The same, where what is too large becomes the largest number, what is too small the least, and NaN zero.
    pub fn clamped_word(&mut self, number: &str, signed: bool) -> Name {
        let (float, truth) = (self.float_ty(32), self.ty(1));
        let zero = self.constant(32, 0);
        if !signed {
            let zero = self.as_float(32, &zero);
            let above = self.value(format!("fcmp ogt {float} {number}, {zero}"));
            let positive = self.value(format!("select {truth} {above}, {float} {number}, {float} {zero}"));
            return self.cut_off(&positive, false);
        }
        let integer = self.cut_off(number, true);
        let (above, most) = (self.constant(32, 0x4f00_0000), self.constant(32, 0x7fff_ffff));
        let above = self.as_float(32, &above);
        let is_above = self.value(format!("fcmp oge {float} {number}, {above}"));
        let integer = self.select(&is_above, 32, &most, &integer);
        let is_nan = self.value(format!("fcmp uno {float} {number}, {number}"));
        self.select(&is_nan, 32, &zero, &integer)
    }

    /// The bits of one number where a mask has ones, and those of another elsewhere.
    pub fn mixed_bits(&mut self, mask: u64, a: &str, b: &str) -> Name {
        if !(self.wide && self.avx512) {
            let of_a = self.with("and", 32, a, mask);
            let of_b = self.with("and", 32, b, !mask & u64::from(u32::MAX));
            return self.two("or", 32, &of_a, &of_b);
        }
        /// Of three bits, the first of which is the mask's.
        const CHOOSES: u32 = 0xca;
        let mask = self.constant(32, mask);
        self.by_registers(("i32", 32), "i32", &[&mask, a, b], |writer, ty, parts| {
            const NAME: &str = "@llvm.x86.avx512.pternlog.d.512";
            writer.declare(format!("declare {ty} {NAME}({ty}, {ty}, {ty}, i32)"));
            let [mask, a, b] = [&parts[0], &parts[1], &parts[2]];
            writer.value(format!("call {ty} {NAME}({ty} {mask}, {ty} {a}, {ty} {b}, i32 {CHOOSES})"))
        })
    }
}

/// How an instruction is told to round: without exceptions, and in a direction.
fn way(rounding: Rounding) -> u32 {
    8 + match rounding {
        Rounding::Rm => 1,
        Rounding::Rp => 2,
        _ => 3,
    }
}

/// The constant that names some places of vectors, one after the other.
fn order(places: impl Iterator<Item = usize>) -> String {
    let places: Vec<String> = places.map(|place| format!("i32 {place}")).collect();
    format!("<{} x i32> <{}>", places.len(), places.join(", "))
}
