//! Debugging directives (manual 11.5).

use super::{ExpressionId, List, Name, Span, Symbol};

/// `.loc file line column, function_name label + offset, inlined_at file line column`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loc {
    pub span: Span,
    pub position: Position,
    pub function_name: Option<FunctionName>,
    pub inlined_at: Option<Position>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub file: ExpressionId,
    pub line: ExpressionId,
    pub column: ExpressionId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FunctionName {
    pub label: Name,
    pub offset: Option<ExpressionId>,
}

/// `.section name { … }`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub span: Span,
    /// With its dot if it has one: `.debug_str`.
    pub name: Name,
    pub items: List<DebugItem>,
}

/// One mark of a section's flat stream: `L: .b32 a+4, b-a` is
/// Label L, Data b32, Name a, Offset 4, Name b, Minus a.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DebugItem {
    pub span: Span,
    pub kind: DebugItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugItemKind {
    /// `name:`
    Label(Symbol),
    /// `.b8`, `.b16`, `.b32`, `.b64`: a line of data begins, its values follow.
    Data(Symbol),
    /// A plain unsuffixed decimal integer literal below 2^32.
    Integer(u32),
    Expression(ExpressionId),
    /// A label or section name.
    Name(Symbol),
    /// Added to the `Name` before it.
    Offset(ExpressionId),
    /// Subtracted from the `Name` before it.
    Minus(Symbol),
}
