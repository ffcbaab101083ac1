//! Writes LLVM IR as text: names, types, constants, and the same instruction for one number or for all lanes of a warp.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::analysis::Pattern;
use crate::tuning::Tuning;

/// Something that an instruction of LLVM's can name: a local value or a constant.
pub type Name = String;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// The text of a function in the making.
#[derive(Default)]
pub struct Writer {
    text: String,
    last: u32,
    declared: BTreeSet<String>,
    /// The basic block that is being written.
    label: Name,
    /// Whether instructions are for all lanes.
    pub wide: bool,
    /// Whether instructions of AVX-512 are named.
    pub avx512: bool,
    /// Whether the host computes in half precision.
    pub fp16: bool,
    /// Whether it looks bytes up in tables.
    pub vbmi: bool,
    /// Into how many parts each lane's word is split, as a power of two.
    split: u32,
}

impl Writer {
    /// Nothing so far; whether instructions of AVX-512 may be named in it.
    pub fn new(avx512: bool) -> Self {
        let (fp16, vbmi) = (avx512 && Tuning::has_fp16(), avx512 && Tuning::has_vbmi());
        Self { avx512, fp16, vbmi, ..Self::default() }
    }

    /// A new name.
    pub fn fresh(&mut self) -> Name {
        self.last += 1;
        format!("%v{}", self.last)
    }

    /// A new label.
    pub fn fresh_label(&mut self) -> Name {
        self.last += 1;
        format!("l{}", self.last)
    }

    /// How many numbers an instruction is for.
    pub fn count(&self) -> usize {
        (if self.wide { LANES } else { 1 }) << self.split
    }

    /// The type of integers of so many bits, for one lane or for all.
    pub fn ty(&self, bits: u32) -> String {
        match self.count() {
            1 => format!("i{bits}"),
            count => format!("<{count} x i{bits}>"),
        }
    }

    /// The type of floats of so many bits.
    pub fn float_ty(&self, bits: u32) -> String {
        let name = match bits {
            16 => "half",
            32 => "float",
            _ => "double",
        };
        match self.count() {
            1 => name.into(),
            count => format!("<{count} x {name}>"),
        }
    }

    /// What stands after the name of an intrinsic for a type.
    pub fn suffix(&self, letter: char, bits: u32) -> String {
        match self.count() {
            1 => format!("{letter}{bits}"),
            count => format!("v{count}{letter}{bits}"),
        }
    }

    /// An integer constant.
    pub fn constant(&mut self, bits: u32, value: u64) -> Name {
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        let count = self.count();
        if count == 1 {
            return if bits == 1 { (value != 0).to_string() } else { value.to_string() };
        }
        if value == 0 {
            return "zeroinitializer".into();
        }
        let one = if bits == 1 { "true".into() } else { value.to_string() };
        self.vector(bits, std::iter::repeat_n(one, count))
    }

    /// What is made of the parts of words, all at once: of each word's lowest first.
    pub fn in_parts(
        &mut self,
        (bits, part): (u32, u32),
        names: &[Name],
        make: impl FnOnce(&mut Self, &[Name]) -> Name,
    ) -> Name {
        let words = self.ty(bits);
        let split = std::mem::replace(&mut self.split, (bits / part).trailing_zeros());
        let parts = self.ty(part);
        let cut: Vec<Name> =
            names.iter().map(|name| self.value(format!("bitcast {words} {name} to {parts}"))).collect();
        let made = make(self, &cut);
        self.split = split;
        self.value(format!("bitcast {parts} {made} to {words}"))
    }

    /// The numbers of two vectors in another order, the same for each `group` of them: what `order` gives for a place is
    /// one of the first vector's group, or, from the size of a group on, one of the second's.
    pub fn shuffle(
        &mut self,
        bits: u32,
        [a, b]: [&str; 2],
        group: usize,
        order: impl Fn(usize) -> usize,
    ) -> Name {
        let (ty, count) = (self.ty(bits), self.count());
        let from = |at: usize| {
            let source = order(at % group);
            let vector = if source < group { 0 } else { count };
            format!("i32 {}", vector + at - at % group + source % group)
        };
        let each: Vec<String> = (0..count).map(from).collect();
        self.value(format!("shufflevector {ty} {a}, {ty} {b}, <{count} x i32> <{}>", each.join(", ")))
    }

    /// A constant with a number for each lane.
    pub fn per_lane(&mut self, bits: u32, value: impl Fn(usize) -> i64) -> Name {
        self.vector(bits, (0..LANES).map(|lane| value(lane).to_string()))
    }

    fn vector(&self, bits: u32, values: impl Iterator<Item = String>) -> Name {
        let each: Vec<String> = values.map(|value| format!("i{bits} {value}")).collect();
        format!("<{}>", each.join(", "))
    }

    /// A line that gives a value.
    pub fn value(&mut self, instruction: impl AsRef<str>) -> Name {
        let name = self.fresh();
        let _ = writeln!(self.text, "  {name} = {}", instruction.as_ref());
        name
    }

    /// A line that gives none.
    pub fn line(&mut self, instruction: impl AsRef<str>) {
        let _ = writeln!(self.text, "  {}", instruction.as_ref());
    }

    /// How much there is so far.
    pub fn mark(&self) -> usize {
        self.text.len()
    }

    /// The text since there was so much.
    pub fn since(&self, mark: usize) -> &str {
        self.text.get(mark..).unwrap_or("")
    }

    /// Takes the text since there was so much away.
    pub fn cut(&mut self, mark: usize) {
        self.text.truncate(mark);
    }

    /// Begins a basic block.
    pub fn begin(&mut self, label: impl Into<Name>) {
        self.label = label.into();
        let _ = writeln!(self.text, "{}:", self.label);
    }

    /// The basic block that is being written.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// A declaration that the text needs.
    pub fn declare(&mut self, declaration: impl Into<String>) {
        self.declared.insert(declaration.into());
    }

    /// The text, and the declarations that it needs.
    pub fn finish(self) -> (String, BTreeSet<String>) {
        (self.text, self.declared)
    }

    /// An instruction with two operands of one type.
    pub fn two(&mut self, op: &str, bits: u32, a: &str, b: &str) -> Name {
        let ty = self.ty(bits);
        self.value(format!("{op} {ty} {a}, {b}"))
    }

    /// A comparison of integers.
    pub fn compare(&mut self, relation: &str, bits: u32, a: &str, b: &str) -> Name {
        let ty = self.ty(bits);
        self.value(format!("icmp {relation} {ty} {a}, {b}"))
    }

    /// One of two values.
    pub fn select(&mut self, condition: &str, bits: u32, yes: &str, no: &str) -> Name {
        let (truth, ty) = (self.ty(1), self.ty(bits));
        self.value(format!("select {truth} {condition}, {ty} {yes}, {ty} {no}"))
    }

    /// An instruction with a constant.
    pub fn with(&mut self, op: &str, bits: u32, a: &str, number: u64) -> Name {
        let number = self.constant(bits, number);
        self.two(op, bits, a, &number)
    }

    /// A comparison with a constant.
    pub fn is(&mut self, relation: &str, bits: u32, a: &str, number: u64) -> Name {
        let number = self.constant(bits, number);
        self.compare(relation, bits, a, &number)
    }

    /// One of two words by how a word compares with a constant.
    pub fn choose(&mut self, (relation, a, number): (&str, &str, u64), yes: &str, no: &str) -> Name {
        let is = self.is(relation, 32, a, number);
        self.select(&is, 32, yes, no)
    }

    /// A change of width: `zext`, `sext` or `trunc`.
    pub fn cast(&mut self, op: &str, from: u32, a: &str, to: u32) -> Name {
        if from == to {
            return a.into();
        }
        let (from, to) = (self.ty(from), self.ty(to));
        self.value(format!("{op} {from} {a} to {to}"))
    }

    /// Bits as a float.
    pub fn as_float(&mut self, bits: u32, a: &str) -> Name {
        let (from, to) = (self.ty(bits), self.float_ty(bits));
        self.value(format!("bitcast {from} {a} to {to}"))
    }

    /// A float as bits.
    pub fn as_bits(&mut self, bits: u32, a: &str) -> Name {
        let (from, to) = (self.float_ty(bits), self.ty(bits));
        self.value(format!("bitcast {from} {a} to {to}"))
    }

    /// An intrinsic of integers of one type.
    pub fn intrinsic(&mut self, name: &str, bits: u32, arguments: &[&str]) -> Name {
        let (ty, suffix) = (self.ty(bits), self.suffix('i', bits));
        self.call(&format!("llvm.{name}.{suffix}"), &ty, &ty, arguments)
    }

    /// An intrinsic of floats of one type.
    pub fn float_intrinsic(&mut self, name: &str, bits: u32, arguments: &[&str]) -> Name {
        let (ty, suffix) = (self.float_ty(bits), self.suffix('f', bits));
        self.call(&format!("llvm.{name}.{suffix}"), &ty, &ty, arguments)
    }

    /// A call of a function whose arguments have one type.
    pub fn call(&mut self, name: &str, result: &str, ty: &str, arguments: &[&str]) -> Name {
        let types = vec![ty; arguments.len()].join(", ");
        self.declare(format!("declare {result} @{name}({types})"));
        let passed: Vec<String> = arguments.iter().map(|argument| format!("{ty} {argument}")).collect();
        self.value(format!("call {result} @{name}({})", passed.join(", ")))
    }

    /// What lies at each lane's pointer, in the lanes of a vector of predicates; the others get `otherwise`, or zero.
    pub fn gather(&mut self, pointers: &str, bits: u32, lanes: &str, otherwise: &str) -> Name {
        let (ty, name) =
            (format!("<{LANES} x i{bits}>"), format!("llvm.masked.gather.v{LANES}i{bits}.v{LANES}p0"));
        self.declare(format!("declare {ty} @{name}(<{LANES} x ptr>, i32, <{LANES} x i1>, {ty})"));
        let bytes = bits / 8;
        self.value(format!(
            "call {ty} @{name}(<{LANES} x ptr> {pointers}, i32 {bytes}, <{LANES} x i1> {lanes}, {ty} {otherwise})"
        ))
    }

    /// The bits of a number of single precision, times a power of two.
    pub fn scaled(&mut self, bits: &str, power: u64) -> Name {
        let ty = self.float_ty(32);
        let scale = self.constant(32, (127 + power) << 23);
        let (number, scale) = (self.as_float(32, bits), self.as_float(32, &scale));
        let product = self.value(format!("fmul {ty} {number}, {scale}"));
        self.as_bits(32, &product)
    }

    /// A number in all lanes.
    pub fn splat(&mut self, bits: u32, a: &str) -> Name {
        if let Ok(value) = a.parse::<u64>() {
            let wide = std::mem::replace(&mut self.wide, true);
            let constant = self.constant(bits, value);
            self.wide = wide;
            return constant;
        }
        if let Ok(value) = a.parse::<bool>() {
            return if value { self.all_true() } else { "zeroinitializer".into() };
        }
        if bits == 1 {
            // A word is a mask of lanes; a vector of predicates would be made by way of wider ones.
            let word = self.value(format!("sext i1 {a} to i{LANES}"));
            return self.value(format!("bitcast i{LANES} {word} to <{LANES} x i1>"));
        }
        let first = self.value(format!("insertelement <{LANES} x i{bits}> poison, i{bits} {a}, i64 0"));
        self.value(format!(
            "shufflevector <{LANES} x i{bits}> {first}, <{LANES} x i{bits}> poison, <{LANES} x i32> zeroinitializer"
        ))
    }

    pub fn all_true(&self) -> Name {
        self.vector(1, std::iter::repeat_n("true".into(), LANES))
    }

    /// The lane after lane numbers of a base that grows by a step.
    pub fn ramp(&mut self, bits: u32, base: &str, step: i64) -> Name {
        let base = self.splat(bits, base);
        let wide = std::mem::replace(&mut self.wide, true);
        let steps = self.per_lane(bits, |lane| truncated((lane as i64).wrapping_mul(step), bits));
        let sum = self.two("add", bits, &base, &steps);
        self.wide = wide;
        sum
    }

    /// A vector of a number and what each lane adds to it.
    pub fn patterned(&mut self, bits: u32, base: &str, pattern: &Pattern) -> Name {
        let base = self.splat(bits, base);
        let wide = std::mem::replace(&mut self.wide, true);
        let adds = self.per_lane(bits, |lane| truncated(pattern.of_lane(lane), bits));
        let sum = self.two("add", bits, &base, &adds);
        self.wide = wide;
        sum
    }

    /// A vector of rows of lanes, each of which begins with a number and grows by a step. One number is that of all rows.
    pub fn rows(&mut self, bits: u32, bases: &[Name], width: u32, step: i64) -> Name {
        let mut all = if let [base] = bases {
            self.splat(bits, base)
        } else {
            let ty = format!("<{} x i{bits}>", bases.len());
            let mut few = "poison".to_owned();
            for (row, base) in bases.iter().enumerate() {
                few = self.value(format!("insertelement {ty} {few}, i{bits} {base}, i64 {row}"));
            }
            let each: Vec<String> = (0..LANES).map(|lane| format!("i32 {}", lane as u32 / width)).collect();
            self.value(format!(
                "shufflevector {ty} {few}, {ty} poison, <{LANES} x i32> <{}>",
                each.join(", ")
            ))
        };
        if step != 0 {
            let wide = std::mem::replace(&mut self.wide, true);
            let steps = self
                .per_lane(bits, |lane| truncated((lane as i64 % i64::from(width)).wrapping_mul(step), bits));
            all = self.two("add", bits, &all, &steps);
            self.wide = wide;
        }
        all
    }
}

/// A number as LLVM takes it for so many bits.
pub fn truncated(value: i64, bits: u32) -> i64 {
    if bits >= 64 { value } else { value << (64 - bits) >> (64 - bits) }
}
