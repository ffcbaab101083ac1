//! The value of a constant expression (manual 4.5.4 to 4.5.6), as ptxas computes it.
//!
//! Integers are 64 bits wide, signed or unsigned by the rules of 4.5.5; floats are doubles. Two
//! points where ptxas decides and the text is silent or differs: shift counts are taken modulo 64,
//! and a conditional has the type of the branch it takes. Every operand is evaluated, also the branch
//! not taken: a division by zero there is an error.

use crate::ast::{BinaryOp, CastType, Expression, ExpressionId, ExpressionKind, File, Span, UnaryOp};
use crate::codes;
use crate::diagnostic::Diagnostic;

/// A constant.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Integer {
        bits: u64,
        unsigned: bool,
    },
    /// A lone `0f…` literal, perhaps in parentheses: its bits, for a NaN's payload matters.
    Single(u32),
    Double(f64),
}

impl Value {
    fn signed(value: bool) -> Self {
        Self::Integer { bits: u64::from(value), unsigned: false }
    }

    #[must_use]
    pub fn is_integer(self) -> bool {
        matches!(self, Self::Integer { .. })
    }

    /// The bits of an integer.
    #[must_use]
    pub fn integer(self) -> Option<u64> {
        match self {
            Self::Integer { bits, .. } => Some(bits),
            Self::Single(_) | Self::Double(_) => None,
        }
    }
}

/// What makes an expression worthless, and the operation at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvalError {
    pub kind: EvalErrorKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvalErrorKind {
    /// An operator for integers has a floating-point operand.
    IntegerExpected,
    /// One operand is an integer, the other is not.
    MixedTypes,
    DivisionByZero,
    /// There was no expression, or a number out of range; a diagnostic has said so already.
    Missing,
}

impl EvalError {
    /// The error in words; `None` if it has been reported by the parser.
    #[must_use]
    pub fn diagnostic(self) -> Option<Diagnostic> {
        let (code, message, help) = match self.kind {
            EvalErrorKind::IntegerExpected => {
                (codes::INTEGER_EXPECTED, "this needs an integer constant, not a floating-point one", None)
            }
            EvalErrorKind::MixedTypes => (
                codes::MIXED_TYPES,
                "an integer and a floating-point constant cannot be combined",
                Some("write both with or both without a decimal point"),
            ),
            EvalErrorKind::DivisionByZero => {
                (codes::DIVISION_BY_ZERO, "this constant expression divides by zero", None)
            }
            EvalErrorKind::Missing => return None,
        };
        let mut diagnostic = Diagnostic::error(code, self.span, message).section("4.5.4");
        diagnostic.help = help.map(String::from);
        Some(diagnostic)
    }
}

/// The value of the expression `root` of `file`.
///
/// # Errors
/// If the operand types do not fit an operator, or a division is by zero.
pub fn eval(file: &File, root: ExpressionId) -> Result<Value, EvalError> {
    Evaluator::default().eval(file, root)
}

/// Evaluates without recursion, so that a million parentheses need no call stack; keeping one saves
/// the allocation of its own stacks.
#[derive(Clone, Debug, Default)]
pub struct Evaluator {
    work: Vec<EvalStep>,
    values: Vec<Value>,
}

#[derive(Clone, Copy, Debug)]
enum EvalStep {
    /// Look at the node: a literal gives its value, another node its operands and `Combine`.
    Visit(ExpressionId),
    /// The operands' values are on the stack.
    Combine(ExpressionId),
}

impl Evaluator {
    /// As [`eval`].
    ///
    /// # Errors
    /// As [`eval`].
    pub fn eval(&mut self, file: &File, root: ExpressionId) -> Result<Value, EvalError> {
        if let Some(value) = literal(&file[root]) {
            return Ok(value);
        }
        self.work.clear();
        self.values.clear();
        self.work.push(EvalStep::Visit(root));
        while let Some(step) = self.work.pop() {
            match step {
                EvalStep::Visit(id) => self.visit(file, id)?,
                EvalStep::Combine(id) => {
                    let value = self.combine(&file[id])?;
                    self.values.push(value);
                }
            }
        }
        self.values.pop().ok_or(EvalError { kind: EvalErrorKind::Missing, span: file[root].span })
    }

    fn visit(&mut self, file: &File, id: ExpressionId) -> Result<(), EvalError> {
        let node = &file[id];
        if let Some(value) = literal(node) {
            self.values.push(value);
            return Ok(());
        }
        self.work.push(EvalStep::Combine(id));
        // The last operand is pushed first, so that operands are evaluated from the left.
        match node.kind {
            ExpressionKind::Unary { operand, .. }
            | ExpressionKind::Cast { operand, .. }
            | ExpressionKind::Parenthesis(operand) => self.work.push(EvalStep::Visit(operand)),
            ExpressionKind::Binary { left, right, .. } => {
                self.work.push(EvalStep::Visit(right));
                self.work.push(EvalStep::Visit(left));
            }
            ExpressionKind::Conditional { condition, then } => {
                self.work.push(EvalStep::Visit(file.otherwise(id)));
                self.work.push(EvalStep::Visit(then));
                self.work.push(EvalStep::Visit(condition));
            }
            ExpressionKind::Integer { .. }
            | ExpressionKind::Single { .. }
            | ExpressionKind::Double { .. }
            | ExpressionKind::WarpSize
            | ExpressionKind::Missing => {
                return Err(EvalError { kind: EvalErrorKind::Missing, span: node.span });
            }
        }
        Ok(())
    }

    fn combine(&mut self, node: &Expression) -> Result<Value, EvalError> {
        let fail = |kind| EvalError { kind, span: node.span };
        let mut pop = || self.values.pop().ok_or(fail(EvalErrorKind::Missing));
        match node.kind {
            ExpressionKind::Unary { op, .. } => unary(op, pop()?).map_err(fail),
            ExpressionKind::Cast { to, .. } => match pop()? {
                Value::Integer { bits, .. } => Ok(Value::Integer { bits, unsigned: to == CastType::U64 }),
                Value::Single(_) | Value::Double(_) => Err(fail(EvalErrorKind::IntegerExpected)),
            },
            ExpressionKind::Binary { op, .. } => {
                let right = pop()?;
                let left = pop()?;
                binary(op, left, right).map_err(fail)
            }
            ExpressionKind::Conditional { .. } => {
                let otherwise = pop()?;
                let then = pop()?;
                match (pop()?, then, otherwise) {
                    (Value::Integer { bits, .. }, Value::Integer { .. }, Value::Integer { .. }) => {
                        Ok(if bits != 0 { then } else { otherwise })
                    }
                    _ => Err(fail(EvalErrorKind::IntegerExpected)),
                }
            }
            _ => pop(),
        }
    }
}

/// The value of a node without operands.
fn literal(node: &Expression) -> Option<Value> {
    match node.kind {
        ExpressionKind::Integer { value, unsigned } => Some(Value::Integer { bits: value, unsigned }),
        ExpressionKind::Single { bits } => Some(Value::Single(bits)),
        ExpressionKind::Double { bits } => Some(Value::Double(f64::from_bits(bits))),
        ExpressionKind::WarpSize => Some(Value::Integer { bits: 32, unsigned: false }),
        _ => None,
    }
}

fn unary(op: UnaryOp, operand: Value) -> Result<Value, EvalErrorKind> {
    Ok(match (op, operand) {
        (UnaryOp::Plus, value) => value,
        (UnaryOp::Minus, Value::Integer { bits, unsigned }) => {
            Value::Integer { bits: bits.wrapping_neg(), unsigned }
        }
        (UnaryOp::Minus, Value::Single(bits)) => Value::Single(bits ^ 1 << 31),
        (UnaryOp::Minus, Value::Double(value)) => Value::Double(-value),
        (UnaryOp::Not, Value::Integer { bits, .. }) => Value::signed(bits == 0),
        (UnaryOp::Complement, Value::Integer { bits, .. }) => Value::Integer { bits: !bits, unsigned: true },
        (UnaryOp::Not | UnaryOp::Complement, Value::Single(_) | Value::Double(_)) => {
            return Err(EvalErrorKind::IntegerExpected);
        }
    })
}

fn binary(op: BinaryOp, left: Value, right: Value) -> Result<Value, EvalErrorKind> {
    match (left, right) {
        (Value::Integer { bits: a, unsigned: ua }, Value::Integer { bits: b, unsigned: ub }) => {
            integers(op, a, ua, b, ua || ub)
        }
        (Value::Integer { .. }, _) | (_, Value::Integer { .. }) => {
            Err(if takes_floats(op) { EvalErrorKind::MixedTypes } else { EvalErrorKind::IntegerExpected })
        }
        (left, right) => doubles(op, double(left), double(right)),
    }
}

fn takes_floats(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        Multiply | Divide | Add | Subtract | Less | Greater | LessEqual | GreaterEqual | Equal | NotEqual
    )
}

fn double(value: Value) -> f64 {
    match value {
        Value::Single(bits) => f64::from(f32::from_bits(bits)),
        Value::Double(value) => value,
        Value::Integer { bits, .. } => bits as f64,
    }
}

/// `left_unsigned` rules a shift; `unsigned`, true if either operand is, rules the rest.
fn integers(
    op: BinaryOp,
    a: u64,
    left_unsigned: bool,
    b: u64,
    unsigned: bool,
) -> Result<Value, EvalErrorKind> {
    let (signed_a, signed_b) = (a.cast_signed(), b.cast_signed());
    let less = |strict: bool| match (unsigned, strict) {
        (true, true) => a < b,
        (true, false) => a <= b,
        (false, true) => signed_a < signed_b,
        (false, false) => signed_a <= signed_b,
    };
    let bits = match op {
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide | BinaryOp::Remainder if b == 0 => return Err(EvalErrorKind::DivisionByZero),
        BinaryOp::Divide if unsigned => a / b,
        BinaryOp::Divide => signed_a.wrapping_div(signed_b).cast_unsigned(),
        BinaryOp::Remainder => return Ok(Value::Integer { bits: a % b, unsigned: true }),
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::ShiftLeft => {
            return Ok(Value::Integer { bits: a << (b & 63), unsigned: left_unsigned });
        }
        BinaryOp::ShiftRight => {
            let count = b & 63;
            let bits = if left_unsigned { a >> count } else { (signed_a >> count).cast_unsigned() };
            return Ok(Value::Integer { bits, unsigned: left_unsigned });
        }
        BinaryOp::Less => return Ok(Value::signed(less(true))),
        BinaryOp::Greater => return Ok(Value::signed(!less(false))),
        BinaryOp::LessEqual => return Ok(Value::signed(less(false))),
        BinaryOp::GreaterEqual => return Ok(Value::signed(!less(true))),
        BinaryOp::Equal => return Ok(Value::signed(a == b)),
        BinaryOp::NotEqual => return Ok(Value::signed(a != b)),
        BinaryOp::And => a & b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Or => a | b,
        BinaryOp::LogicalAnd => return Ok(Value::signed(a != 0 && b != 0)),
        BinaryOp::LogicalOr => return Ok(Value::signed(a != 0 || b != 0)),
    };
    Ok(Value::Integer { bits, unsigned })
}

fn doubles(op: BinaryOp, a: f64, b: f64) -> Result<Value, EvalErrorKind> {
    Ok(match op {
        BinaryOp::Multiply => Value::Double(a * b),
        BinaryOp::Divide if b == 0.0 => return Err(EvalErrorKind::DivisionByZero),
        BinaryOp::Divide => Value::Double(a / b),
        BinaryOp::Add => Value::Double(a + b),
        BinaryOp::Subtract => Value::Double(a - b),
        BinaryOp::Less => Value::signed(a < b),
        BinaryOp::Greater => Value::signed(a > b),
        BinaryOp::LessEqual => Value::signed(a <= b),
        BinaryOp::GreaterEqual => Value::signed(a >= b),
        BinaryOp::Equal => Value::signed(a == b),
        BinaryOp::NotEqual => Value::signed(a != b),
        _ => return Err(EvalErrorKind::IntegerExpected),
    })
}
