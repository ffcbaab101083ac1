//! Constant expressions (manual 4.5.4). [`crate::eval`] gives their values.

use super::{ExpressionId, File, Span};

/// A node of a constant expression. Its operands come before it in the arena. Some places (`.align`,
/// array sizes, `name<N>`, performance directives, `.loc`) take one integer literal or `WARP_SZ`
/// only; they hold an expression all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expression {
    pub span: Span,
    pub kind: ExpressionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionKind {
    /// An integer literal. `unsigned` when it has the suffix `U` or does not fit in 63 bits.
    Integer {
        value: u64,
        unsigned: bool,
    },
    /// `0f3F800000`: the bits of a single.
    Single {
        bits: u32,
    },
    /// `0d3FF0000000000000` or a decimal float: the bits of a double.
    Double {
        bits: u64,
    },
    /// `WARP_SZ`
    WarpSize,
    Unary {
        op: UnaryOp,
        operand: ExpressionId,
    },
    /// `(.s64) e` and `(.u64) e`
    Cast {
        to: CastType,
        operand: ExpressionId,
    },
    Binary {
        op: BinaryOp,
        left: ExpressionId,
        right: ExpressionId,
    },
    /// `condition ? then : otherwise`; `otherwise` is the node just before this one,
    /// see [`File::otherwise`].
    Conditional {
        condition: ExpressionId,
        then: ExpressionId,
    },
    /// `( e )`, kept so that printing gives the same tree.
    Parenthesis(ExpressionId),
    /// Stands where an expression was expected and none was found; a diagnostic says so.
    Missing,
}

impl File {
    /// The third operand of a conditional expression.
    #[must_use]
    pub fn otherwise(&self, conditional: ExpressionId) -> ExpressionId {
        ExpressionId(conditional.0.saturating_sub(1))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    Not,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastType {
    S64,
    U64,
}

/// Binary operators, loosest binding last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}
