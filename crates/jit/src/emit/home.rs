//! Where values live between blocks: stack slots, which LLVM turns into registers. A home that differs between lanes is a
//! vector; where one lane goes alone, it has homes of its own.

use super::Emitter;
use super::value::Value;
use super::writer::{LANES, Name};
use crate::analysis::{HomeId, Shape};

impl Emitter<'_> {
    pub(super) fn store_home(&mut self, home: HomeId, value: &Value) {
        for (part, kept) in value.names().iter().enumerate() {
            let (name, ty) = self.home(home, part, value.bits);
            let kept = if ty == "float" { self.writer.as_float(32, kept) } else { kept.clone() };
            self.writer.line(format!("store {ty} {kept}, ptr {name}"));
        }
    }

    pub(super) fn load_home(&mut self, home: HomeId, bits: u32) -> Value {
        if let Some(constant) = self.analysis.homes.constant(home) {
            return Value::scalar(bits, constant.to_string());
        }
        let part = |emitter: &mut Self, part: usize| {
            let (name, ty) = emitter.home(home, part, bits);
            let kept = emitter.writer.value(format!("load {ty}, ptr {name}"));
            if ty == "float" { emitter.writer.as_bits(32, &kept) } else { kept }
        };
        let value = match self.shape(home) {
            Shape::Uniform => Value::scalar(bits, part(self, 0)),
            Shape::Affine(step) => Value::affine(bits, part(self, 0), step),
            Shape::Pattern(pattern) => Value::patterned(bits, part(self, 0), pattern),
            Shape::Rows(rows) => {
                let count = if rows.alike { 1 } else { LANES / rows.width as usize };
                Value::rows(bits, (0..count).map(|row| part(self, row)).collect(), rows)
            }
            Shape::Varying => Value::vector(bits, part(self, 0)),
        };
        let value = Value { loose: bits == 32 && self.analysis.homes.is_loose(home), ..value };
        self.of_one_alone(value)
    }

    /// How a home's value differs between lanes: not at all, if it belongs to a lane that goes alone, and less where all lanes
    /// go one way.
    pub(super) fn shape(&self, home: HomeId) -> Shape {
        match self.one_way {
            true => self.analysis.homes.shape_of_one_way(home),
            false if self.is_own(home) => Shape::Uniform,
            false => self.analysis.homes.shape(home),
        }
    }

    fn is_own(&self, home: HomeId) -> bool {
        self.alone.as_ref().is_some_and(|alone| alone.is_own(home, self.analysis))
    }

    /// The stack slot of a part of a home, and its type.
    fn home(&mut self, home: HomeId, part: usize, bits: u32) -> (Name, String) {
        let name = match &self.alone {
            Some(alone) if self.is_own(home) => format!("%alone{}.home{}", alone.first, home.0),
            _ if self.one_way && self.is_else_on_one_way(home) => format!("%oneway.home{}.{part}", home.0),
            _ => format!("%home{}.{part}", home.0),
        };
        let ty = match self.shape(home) {
            Shape::Varying => format!("<{LANES} x i{bits}>"),
            // One number of single precision would else go through general registers from block to block.
            Shape::Uniform if bits == 32 && self.analysis.homes.is_loose(home) => "float".into(),
            _ => format!("i{bits}"),
        };
        self.slot(name.clone(), ty.clone());
        (name, ty)
    }
}
