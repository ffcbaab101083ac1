//! Which constants fit an operand of which type.
//!
//! ptxas checks the kind of the literal, not its size: it truncates an integer to the operand's width without a message.

use ptxvm_isa::table::Operand;
use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::ast::{ExpressionId, ExpressionKind, File, UnaryOp};
use ptxvm_syntax::eval::{EvalError, Value, eval};

use super::Why;

/// What kind of constant an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    /// An integer.
    Integer,
    /// `0f…`
    Single,
    /// `0d…` or a decimal fraction.
    Double,
}

impl Literal {
    /// The kind in words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "an integer",
            Self::Single => "a single-precision constant",
            Self::Double => "a floating-point constant",
        }
    }
}

impl From<Value> for Literal {
    fn from(value: Value) -> Self {
        match value {
            Value::Integer { .. } => Self::Integer,
            Value::Single(_) => Self::Single,
            Value::Double(_) => Self::Double,
        }
    }
}

/// The kind of a constant expression. A literal, and a minus sign before one, need no evaluation.
pub fn literal(file: &File, expression: ExpressionId) -> Result<Literal, EvalError> {
    match file[expression].kind {
        ExpressionKind::Integer { .. } | ExpressionKind::WarpSize => Ok(Literal::Integer),
        ExpressionKind::Single { .. } => Ok(Literal::Single),
        ExpressionKind::Double { .. } => Ok(Literal::Double),
        ExpressionKind::Unary { op: UnaryOp::Minus, operand }
            if matches!(file[operand].kind, ExpressionKind::Integer { .. }) =>
        {
            Ok(Literal::Integer)
        }
        _ => eval(file, expression).map(Literal::from),
    }
}

/// The value of a constant that should be an integer; a literal, and a minus sign before one, need no evaluation.
pub fn integer(file: &File, expression: ExpressionId) -> Result<Option<i64>, EvalError> {
    match file[expression].kind {
        ExpressionKind::Integer { value, .. } => Ok(Some(value as i64)),
        _ => Ok(eval(file, expression)?.integer().map(|bits| bits as i64)),
    }
}

/// Whether a literal of this kind can be a value of this type.
pub fn takes(ty: Type, literal: Literal) -> bool {
    match (ty.kind(), literal) {
        (Kind::Bits | Kind::Unsigned | Kind::Signed | Kind::Predicate, Literal::Integer) => true,
        (Kind::Bits, Literal::Single) => ty == Type::B32,
        (Kind::Bits, Literal::Double) => ty == Type::B64,
        (Kind::Float, Literal::Single | Literal::Double) => matches!(ty, Type::F32 | Type::F64),
        (Kind::Packed, Literal::Single) => ty == Type::Tf32,
        _ => false,
    }
}

/// Whether a constant fits a place of this type, its range included.
pub fn fits(file: &File, place: &Operand, ty: Option<Type>, expression: ExpressionId) -> Result<(), Why> {
    let kind = literal(file, expression).map_err(Why::Expression)?;
    if let Some(ty) = ty
        && !takes(ty, kind)
    {
        return Err(Why::Literal(ty, kind));
    }
    if place.share && !share(file, expression)? {
        return Err(Why::Share);
    }
    in_range(file, place, expression)
}

/// Whether a constant lies above 0.0 and is at most 1.0 once it has single precision.
fn share(file: &File, expression: ExpressionId) -> Result<bool, Why> {
    let value = match eval(file, expression).map_err(Why::Expression)? {
        Value::Single(bits) => f32::from_bits(bits),
        Value::Double(value) => value as f32,
        Value::Integer { .. } => return Ok(true),
    };
    Ok(value > 0.0 && value <= 1.0)
}

/// Whether a constant is one of those that the place allows.
pub fn in_range(file: &File, place: &Operand, expression: ExpressionId) -> Result<(), Why> {
    if place.ranges.is_empty() {
        return Ok(());
    }
    match integer(file, expression).map_err(Why::Expression)? {
        Some(value) => {
            let kept = if place.cut { i64::from(value as u32) } else { value };
            let allowed = place.ranges.iter().any(|range| range.contains(kept));
            if allowed { Ok(()) } else { Err(Why::Range(value)) }
        }
        None => Ok(()),
    }
}
