//! Declarations of variables and parameters, and their initialisers.

use super::{Attribute, ExpressionId, Linkage, List, Modifier, Name, Span, Symbol};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpaceKind {
    Reg,
    Const,
    Global,
    Local,
    Param,
    Shared,
    Tex,
}

/// Where a declaration lives. A declaration without a space is a syntax error; the tree then has a
/// stand-in (`.reg`, or `.global` at module level).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    pub kind: SpaceKind,
    /// `.const[3]`: the old bank number.
    pub bank: Option<u32>,
    pub span: Span,
}

/// A variable declaration (`.global .align 4 .v2 .f32 a, b[4] = {…};`) or one parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declaration {
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub space: Space,
    pub attributes: List<Attribute>,
    /// `.align N`, the alignment of the variable; the last one if several were written.
    pub align: Option<Align>,
    /// The others, if several were written.
    pub overridden_aligns: List<Align>,
    /// `.align N` after the type, which only a kernel's parameters may have.
    pub align_after_type: Option<Align>,
    /// `.v2` or `.v4`; the grammar knows no other.
    pub vector: Option<Modifier>,
    /// `.b32`, `.pred`, `.texref`, …
    pub ty: Modifier,
    /// `.ptr .global .align 16` of a parameter.
    pub pointer: Option<Pointer>,
    /// May be empty: `.reg .b32;` declares nothing and is legal.
    pub declarators: List<Declarator>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Align {
    /// From `.align` to the end of the number.
    pub span: Span,
    pub value: ExpressionId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// From `.ptr` to the end of its parts.
    pub span: Span,
    /// `.global`, `.shared`, …: what it points into; `None` is generic.
    pub space: Option<Modifier>,
    pub align: Option<Align>,
}

/// One declared name with what belongs to it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declarator {
    pub span: Span,
    /// A parameter of a prototype may be `_`.
    pub name: Name,
    /// `name<N>`: N names, `name0` to `name(N-1)`.
    pub count: Option<ExpressionId>,
    pub dimensions: List<Dimension>,
    /// After `=`: one [`Initializer`], or a stream from `Open` to the matching `Close`.
    pub initializer: List<Initializer>,
}

/// One `[n]` or `[]` of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// Covers the brackets.
    pub span: Span,
    pub size: Option<ExpressionId>,
}

/// One mark of an initialiser's flat stream.
/// `{ 1, { 2, 3 } }` is Open, Integer 1, Open, Integer 2, Integer 3, Close, Close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initializer {
    pub span: Span,
    pub kind: InitializerKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitializerKind {
    /// `{`
    Open,
    /// `}`
    Close,
    /// A plain unsuffixed decimal integer literal below 2^32; the common case, kept small.
    /// It means the same as an expression of that one literal.
    Integer(u32),
    /// Any other constant expression.
    Expression(ExpressionId),
    /// The address of a variable, function or label: `x`.
    Name(Symbol),
    /// `generic(x)`: the generic address of a variable.
    Generic(Symbol),
    /// A byte offset added to the `Name` or `Generic` mark just before it: `x + 8`.
    /// The span covers the offset without its `+`.
    Offset(ExpressionId),
    /// `0xff00(x + 4)`: the byte of a value that the mask selects. The value is the next mark
    /// (`Integer`, `Expression`, or `Name` or `Generic`, perhaps with an `Offset`), then the
    /// parenthesis ends. The span covers the mask number alone.
    Mask(ExpressionId),
    /// `name = ` inside a `.texref`, `.samplerref` or `.surfref` initialiser; its value is the next
    /// mark: an `Integer`, an `Expression` or a `Name` such as `clamp_to_edge`.
    Field(Symbol),
}
