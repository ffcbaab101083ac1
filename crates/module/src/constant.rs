//! Constant expressions as the checks of operands see them: a value, and its bits as a signed integer.

use ptxvm_syntax::ast::{ExpressionId, File};
use ptxvm_syntax::{EvalError, Value};

/// The value of a constant expression.
#[derive(Clone, Copy, Debug)]
pub struct Constant(pub Value);

impl Constant {
    /// The integer, its 64 bits taken as signed; `None` if it is a floating-point number.
    #[must_use]
    pub fn integer(self) -> Option<i64> {
        self.0.integer().map(u64::cast_signed)
    }
}

/// The value of an expression.
///
/// # Errors
/// If it has none: operand types that do not fit an operator, or a division by zero.
pub fn evaluate(file: &File, expression: ExpressionId) -> Result<Constant, EvalError> {
    ptxvm_syntax::eval(file, expression).map(Constant)
}
