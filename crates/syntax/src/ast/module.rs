//! What stands at module level: directives, functions, and the lists of arguments they take.

use super::{
    DebugItem, Declaration, DeclarationId, DirectiveId, ExpressionId, FunctionId, List, Modifier, Name,
    SectionId, Span, Statement, Text,
};

/// One thing at module level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    pub span: Span,
    pub kind: ItemKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// `.version 9.1`; the span covers the number alone, its text is for the checker to judge.
    Version { number: Span },
    /// `.target sm_90a, texmode_unified`
    Target(List<Name>),
    /// `.address_size 64`
    AddressSize(ExpressionId),
    /// A variable declaration, `;` included.
    Variable(DeclarationId),
    /// `.entry` or `.func`, with or without a body.
    Function(FunctionId),
    /// `.alias name, aliasee;`
    Alias { name: Name, aliasee: Name },
    /// Any other directive that is a word and a list of arguments: `.pragma`, `.file`, and so on.
    Directive(DirectiveId),
    /// `.section name { … }`
    Section(SectionId),
    /// `@@DWARF .byte 1, 2`: old-style debug data; the marks are those of a section.
    /// `@@DWARF .section .debug_info, "", @progbits` is Data section, Name .debug_info.
    Dwarf(List<DebugItem>),
}

/// `.extern`, `.visible`, `.weak` or `.common` before a declaration; the grammar allows one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkageKind {
    Extern,
    Visible,
    Weak,
    Common,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linkage {
    pub kind: LinkageKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    Entry,
    Func,
}

/// `.entry` or `.func`: a definition if it has a body, else a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// From the linkage or keyword to the closing brace or `;` (which a `.func` declaration at
    /// module level may lack).
    pub span: Span,
    pub linkage: Option<Linkage>,
    pub kind: FunctionKind,
    /// The word `.entry` or `.func`.
    pub keyword: Span,
    /// `.attribute(…)` of the function itself.
    pub attributes: List<Attribute>,
    /// `(.param .b32 r, …)` before the name; `None` when there are no parentheses.
    pub returns: Option<Parameters>,
    pub name: Name,
    /// `(…)` after the name; `None` when there are no parentheses.
    pub parameters: Option<Parameters>,
    /// `.maxntid 128`, `.noreturn`, `.pragma "…"`: what stands between signature and body.
    pub directives: List<Directive>,
    pub body: Option<Body>,
}

/// A parenthesised list of parameters: each declaration has exactly one declarator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Covers the parentheses.
    pub span: Span,
    pub list: List<Declaration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Body {
    /// Covers the braces.
    pub span: Span,
    /// What stands between them. Nested blocks are in the same run, between
    /// [`StatementKind::Open`](super::StatementKind::Open) and
    /// [`StatementKind::Close`](super::StatementKind::Close).
    pub statements: List<Statement>,
}

/// A directive that is a word and comma-separated arguments: `.maxntid 32, 2`, `.pragma "nounroll"`,
/// `.file 1 "a.cu", 7, 9` (no comma is needed before the name), `.noreturn`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Directive {
    pub span: Span,
    /// The word; no dot in the symbol.
    pub name: Modifier,
    pub arguments: List<Argument>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    Expression(ExpressionId),
    Text(Text),
}

/// One entry of `.attribute(.managed, .unified(1, 2))`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    pub span: Span,
    /// `managed`, `unified`.
    pub name: Modifier,
    pub arguments: List<Argument>,
}
