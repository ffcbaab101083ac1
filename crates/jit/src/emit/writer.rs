//! Writes LLVM IR as text: names, types, constants, and the same instruction for one number or for all lanes of a warp.

use std::collections::BTreeSet;
use std::fmt::Write;

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
}

impl Writer {
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

    /// The type of integers of so many bits, for one lane or for all.
    pub fn ty(&self, bits: u32) -> String {
        if self.wide { format!("<{LANES} x i{bits}>") } else { format!("i{bits}") }
    }

    /// The type of floats of so many bits.
    pub fn float_ty(&self, bits: u32) -> String {
        let name = match bits {
            16 => "half",
            32 => "float",
            _ => "double",
        };
        if self.wide { format!("<{LANES} x {name}>") } else { name.into() }
    }

    /// What stands after the name of an intrinsic for a type.
    pub fn suffix(&self, letter: char, bits: u32) -> String {
        if self.wide { format!("v{LANES}{letter}{bits}") } else { format!("{letter}{bits}") }
    }

    /// An integer constant.
    pub fn constant(&mut self, bits: u32, value: u64) -> Name {
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        if !self.wide {
            return if bits == 1 { (value != 0).to_string() } else { value.to_string() };
        }
        if value == 0 {
            return "zeroinitializer".into();
        }
        let one = if bits == 1 { "true".into() } else { value.to_string() };
        self.vector(bits, std::iter::repeat_n(one, LANES))
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
        let steps = self.per_lane(bits, |lane| truncated(lane as i64 * step, bits));
        let sum = self.two("add", bits, &base, &steps);
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
            let steps = self.per_lane(bits, |lane| truncated((lane as i64 % i64::from(width)) * step, bits));
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
