//! A value of a register where code is written: one number for the warp, a number that grows from lane to lane, one to which
//! each lane adds what is known, some that grow within the rows of a CTA, or a vector.

use super::writer::{LANES, Name, Writer, truncated};
use crate::analysis::{Pattern, Rows, Shape};

/// A value of a register.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its bits; 1 for a predicate.
    pub bits: u32,
    /// How it is kept.
    pub kept: Kept,
    /// Whether a NaN in it may have any bits: it is the result of an instruction that nobody has looked at but other
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
    /// That of lane 0, and what each lane adds.
    Pattern(Name, Pattern),
    /// That of the first lane of each row, or of the only one if all rows are alike.
    Rows(Vec<Name>, Rows),
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

    /// That of lane 0, and what each lane adds. What is the same in all lanes, or grows by a step, is simpler.
    pub fn patterned(bits: u32, base: impl Into<Name>, pattern: Pattern) -> Self {
        match pattern.step() {
            Some(0) => Self::scalar(bits, base),
            Some(step) => Self::affine(bits, base, step),
            None => Self { bits, kept: Kept::Pattern(base.into(), pattern), loose: false },
        }
    }

    /// Those of the first lanes of rows. What does not differ between them is simpler.
    pub fn rows(bits: u32, bases: Vec<Name>, rows: Rows) -> Self {
        let kept = match &bases[..] {
            [base] if rows.step == 0 => Kept::Scalar(base.clone()),
            _ => Kept::Rows(bases, rows),
        };
        Self { bits, kept, loose: false }
    }

    /// The names that it has in LLVM IR.
    pub fn names(&self) -> &[Name] {
        match &self.kept {
            Kept::Scalar(name) | Kept::Affine(name, _) | Kept::Pattern(name, _) | Kept::Vector(name) => {
                std::slice::from_ref(name)
            }
            Kept::Rows(names, _) => names,
        }
    }

    /// The type of these names.
    pub fn ty(&self) -> String {
        match self.kept {
            Kept::Vector(_) => format!("<{LANES} x i{}>", self.bits),
            _ => format!("i{}", self.bits),
        }
    }

    /// The same under other names, made one by one.
    pub fn renamed(&self, mut rename: impl FnMut(&Name) -> Name) -> Self {
        let kept = match &self.kept {
            Kept::Scalar(name) => Kept::Scalar(rename(name)),
            Kept::Affine(name, step) => Kept::Affine(rename(name), *step),
            Kept::Pattern(name, pattern) => Kept::Pattern(rename(name), *pattern),
            Kept::Rows(names, rows) => Kept::Rows(names.iter().map(rename).collect(), *rows),
            Kept::Vector(name) => Kept::Vector(rename(name)),
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
            Kept::Pattern(..) | Kept::Rows(..) | Kept::Vector(_) => None,
        }
    }

    /// The number of lane 0 and what each lane adds.
    pub fn as_pattern(&self) -> Option<(&Name, Pattern)> {
        match &self.kept {
            Kept::Pattern(name, pattern) => Some((name, *pattern)),
            _ => self.as_affine().and_then(|(name, step)| Some((name, Pattern::by_steps(step)?))),
        }
    }

    /// The number of a row's first lane and the step in it, if all rows are alike.
    fn as_alike(&self) -> Option<(&Name, i64)> {
        match &self.kept {
            Kept::Scalar(name) => Some((name, 0)),
            Kept::Rows(bases, rows) if rows.alike => Some((bases.first()?, rows.step)),
            _ => None,
        }
    }

    /// The lanes of its rows, if it has several.
    fn width(&self) -> Option<u32> {
        match &self.kept {
            Kept::Rows(_, rows) => Some(rows.width),
            _ => None,
        }
    }

    /// The numbers of the rows' first lanes and the step in them.
    pub fn in_rows(&self, width: u32, writer: &mut Writer) -> Option<(Vec<Name>, i64)> {
        let count = LANES / width as usize;
        match &self.kept {
            Kept::Scalar(name) => Some((vec![name.clone(); count], 0)),
            Kept::Affine(base, step) => {
                let further =
                    |row: usize| truncated(((row * width as usize) as i64).wrapping_mul(*step), self.bits);
                let each = (0..count)
                    .map(|row| writer.value(format!("add i{} {base}, {}", self.bits, further(row))));
                Some((each.collect(), *step))
            }
            Kept::Rows(bases, rows) if rows.alike => Some((vec![bases.first()?.clone(); count], rows.step)),
            Kept::Rows(bases, rows) => Some((bases.clone(), rows.step)),
            Kept::Pattern(..) | Kept::Vector(_) => None,
        }
    }

    /// What one value makes of another, number by number, where that is a value with a step again: both are the same in
    /// all lanes, grow from lane to lane, or do so within rows. `make` gets the numbers, `step` the steps.
    pub fn stepwise(
        &self,
        other: &Self,
        writer: &mut Writer,
        bits: u32,
        step: impl Fn(i64, i64) -> Option<i64>,
        mut make: impl FnMut(&mut Writer, &Name, &Name) -> Name,
    ) -> Option<Self> {
        if let (Some((a, step_a)), Some((b, step_b))) = (self.as_affine(), other.as_affine()) {
            let step = step(step_a, step_b)?;
            let base = make(writer, a, b);
            return Some(if step == 0 { Self::scalar(bits, base) } else { Self::affine(bits, base, step) });
        }
        if let (Some((a, adds_a)), Some((b, adds_b))) = (self.as_pattern(), other.as_pattern()) {
            let pattern = Pattern::of(|lane| step(adds_a.of_lane(lane), adds_b.of_lane(lane)))?;
            return Some(Self::patterned(bits, make(writer, a, b), pattern));
        }
        let width = self.width().or(other.width())?;
        if let (Some((a, step_a)), Some((b, step_b))) = (self.as_alike(), other.as_alike()) {
            let rows = Rows { width, alike: true, step: step(step_a, step_b)? };
            return Some(Self::rows(bits, vec![make(writer, a, b)], rows));
        }
        let (a, step_a) = self.in_rows(width, writer)?;
        let (b, step_b) = other.in_rows(width, writer)?;
        let rows = Rows { width, alike: false, step: step(step_a, step_b)? };
        Some(Self::rows(bits, a.iter().zip(&b).map(|(a, b)| make(writer, a, b)).collect(), rows))
    }

    /// Its number for each lane.
    pub fn lanes(&self, writer: &mut Writer) -> Name {
        match &self.kept {
            Kept::Scalar(name) => writer.splat(self.bits, name),
            Kept::Affine(base, step) => writer.ramp(self.bits, base, *step),
            Kept::Pattern(base, pattern) => writer.patterned(self.bits, base, pattern),
            Kept::Rows(bases, rows) => writer.rows(self.bits, bases, rows.width, rows.step),
            Kept::Vector(name) => name.clone(),
        }
    }

    /// Whether it is kept as a shape says.
    pub fn is_kept_as(&self, shape: Shape) -> bool {
        match (shape, &self.kept) {
            (Shape::Uniform, Kept::Scalar(_)) | (Shape::Varying, Kept::Vector(_)) => true,
            (Shape::Affine(a), Kept::Affine(_, b)) => a == *b,
            (Shape::Pattern(a), Kept::Pattern(_, b)) => a == *b,
            (Shape::Rows(a), Kept::Rows(_, b)) => a == *b,
            _ => false,
        }
    }

    /// The same, kept as a shape says. A vector stays one.
    pub fn kept_as(self, shape: Shape, writer: &mut Writer) -> Self {
        if self.is_kept_as(shape) {
            return self;
        }
        if let Shape::Rows(rows) = shape
            && !rows.alike
            && let Some((bases, step)) = self.in_rows(rows.width, writer)
            && step == rows.step
        {
            return Self { bits: self.bits, kept: Kept::Rows(bases, rows), loose: self.loose };
        }
        Self { bits: self.bits, kept: Kept::Vector(self.lanes(writer)), loose: self.loose }
    }
}
