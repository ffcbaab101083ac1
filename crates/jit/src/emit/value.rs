//! A value of a register where code is written: one number for the warp, a number that grows from lane to lane, or a
//! vector.

use super::writer::{LANES, Name, Writer};
use crate::analysis::Shape;

/// A value of a register.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its bits; 1 for a predicate.
    pub bits: u32,
    /// How it is kept.
    pub kept: Kept,
    /// Whether a NaN in it may have any bits: it is a result of single precision that nobody has looked at but other
    /// arithmetic.
    pub loose: bool,
}

/// How a value is kept.
#[derive(Clone, Debug)]
pub enum Kept {
    /// One number for all lanes that run.
    Scalar(Name),
    /// That of lane 0, and what each further lane adds.
    Affine(Name, i64),
    /// One for each lane.
    Vector(Name),
}

impl Value {
    /// One number for all lanes.
    pub fn scalar(bits: u32, name: impl Into<Name>) -> Self {
        Self { bits, kept: Kept::Scalar(name.into()), loose: false }
    }

    /// One for each lane.
    pub fn vector(bits: u32, name: impl Into<Name>) -> Self {
        Self { bits, kept: Kept::Vector(name.into()), loose: false }
    }

    /// That of lane 0, and what each further lane adds.
    pub fn affine(bits: u32, base: impl Into<Name>, step: i64) -> Self {
        Self { bits, kept: Kept::Affine(base.into(), step), loose: false }
    }

    /// The name that it has in LLVM IR.
    pub fn name(&self) -> &Name {
        match &self.kept {
            Kept::Scalar(name) | Kept::Affine(name, _) | Kept::Vector(name) => name,
        }
    }

    /// The type of that name.
    pub fn ty(&self) -> String {
        match self.kept {
            Kept::Vector(_) => format!("<{LANES} x i{}>", self.bits),
            _ => format!("i{}", self.bits),
        }
    }

    /// The same under another name.
    pub fn renamed(&self, name: Name) -> Self {
        let kept = match self.kept {
            Kept::Scalar(_) => Kept::Scalar(name),
            Kept::Affine(_, step) => Kept::Affine(name, step),
            Kept::Vector(_) => Kept::Vector(name),
        };
        Self { bits: self.bits, kept, loose: self.loose }
    }

    /// Its only number, if it has one.
    pub fn as_scalar(&self) -> Option<&Name> {
        match &self.kept {
            Kept::Scalar(name) => Some(name),
            _ => None,
        }
    }

    /// The number of lane 0 and the step; a number for all lanes has none.
    pub fn as_affine(&self) -> Option<(&Name, i64)> {
        match &self.kept {
            Kept::Scalar(name) => Some((name, 0)),
            Kept::Affine(name, step) => Some((name, *step)),
            Kept::Vector(_) => None,
        }
    }

    /// Its number for each lane.
    pub fn lanes(&self, writer: &mut Writer) -> Name {
        match &self.kept {
            Kept::Scalar(name) => writer.splat(self.bits, name),
            Kept::Affine(base, step) => writer.ramp(self.bits, base, *step),
            Kept::Vector(name) => name.clone(),
        }
    }

    /// Whether it is kept as a shape says.
    pub fn is_kept_as(&self, shape: Shape) -> bool {
        match (shape, &self.kept) {
            (Shape::Uniform, Kept::Scalar(_)) | (Shape::Varying, Kept::Vector(_)) => true,
            (Shape::Affine(a), Kept::Affine(_, b)) => a == *b,
            _ => false,
        }
    }

    /// The same, kept as a shape says. A vector stays one.
    pub fn kept_as(self, shape: Shape, writer: &mut Writer) -> Self {
        match (shape, &self.kept) {
            (Shape::Uniform, Kept::Scalar(_)) | (Shape::Affine(_), Kept::Affine(..)) => self,
            _ => Self { bits: self.bits, kept: Kept::Vector(self.lanes(writer)), loose: self.loose },
        }
    }
}
