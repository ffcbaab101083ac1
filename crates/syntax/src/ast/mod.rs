//! The abstract syntax tree of a PTX file: flat arenas of small plain records, addressed by `u32` ids.
//!
//! A PTX file is a long list of short statements, so the tree is kept as a handful of vectors in
//! [`File`]; nodes refer to each other by typed ids and by [`List`]s (runs of an arena).
//! `file[id]` gives a node, `file[list]` a slice, `file.text(symbol)` the spelling of a name.
//! Nothing here is recursive: blocks and nested initialisers are flat streams with open and close
//! marks, so that no reader of the tree needs a call stack as deep as the guest's nesting.
//!
//! The parser is generic: it knows the shapes of operands and declarations, not which instructions,
//! types or directives' words exist. Words (opcode, modifier, type, name) are [`Symbol`]s; the words
//! the interner was seeded with have the numbers of their seeds, so the checker can compare ids.
//! A modifier's or type's symbol has no leading dot (`s32`, `L2::cache_hint`); its span does cover it.

mod debug;
mod declaration;
mod expression;
mod module;
mod statement;

use std::marker::PhantomData;
use std::ops::Index;

use crate::intern::Interner;
pub use crate::intern::Symbol;
pub use debug::*;
pub use declaration::*;
pub use expression::*;
pub use module::*;
pub use statement::*;

/// A half-open range of byte offsets into the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The source text under the span; empty if the span does not lie in `source`.
    #[must_use]
    pub fn text(self, source: &str) -> &str {
        source.get(self.start as usize..self.end as usize).unwrap_or("")
    }
}

/// A run of consecutive nodes in the arena of `T`.
pub struct List<T> {
    pub start: u32,
    pub len: u32,
    of: PhantomData<fn() -> T>,
}

impl<T> List<T> {
    #[must_use]
    pub const fn new(start: u32, len: u32) -> Self {
        Self { start, len, of: PhantomData }
    }

    pub const EMPTY: Self = Self::new(0, 0);

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    #[must_use]
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// The positions of the nodes in their arena.
    #[must_use]
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for List<T> {}
impl<T> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.start, self.len) == (other.start, other.len)
    }
}
impl<T> Eq for List<T> {}
impl<T> Default for List<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}
impl<T> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.range())
    }
}

/// A name as it stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    pub symbol: Symbol,
    pub span: Span,
}

/// A dotted word: an instruction's modifier, a type, a member selector.
/// The symbol has no dot, `::` parts are one word with it; the span begins at the dot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modifier {
    pub symbol: Symbol,
    pub span: Span,
}

/// A string literal; `file.string(text)` gives what stands between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Covers the quotes.
    pub span: Span,
}

/// A whole file. `.version`, `.target` and `.address_size` are items like any other: the parser checks
/// their own syntax, not that they come first, once, and in order.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub interner: Interner,
    /// The module-level items in source order.
    pub items: Vec<Item>,
    pub functions: Vec<Function>,
    pub statements: Vec<Statement>,
    pub instructions: Vec<Instruction>,
    pub modifiers: Vec<Modifier>,
    pub operands: Vec<Operand>,
    pub expressions: Vec<Expression>,
    pub declarations: Vec<Declaration>,
    pub declarators: Vec<Declarator>,
    pub aligns: Vec<Align>,
    pub dimensions: Vec<Dimension>,
    pub initializers: Vec<Initializer>,
    pub attributes: Vec<Attribute>,
    pub directives: Vec<Directive>,
    pub arguments: Vec<Argument>,
    pub names: Vec<Name>,
    pub targets: Vec<Target>,
    pub target_lists: Vec<TargetList>,
    pub prototypes: Vec<Prototype>,
    pub locs: Vec<Loc>,
    pub sections: Vec<Section>,
    pub debug_items: Vec<DebugItem>,
    /// Comments and `#` lines, in source order. They are no part of the tree.
    pub trivia: Vec<Trivia>,
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident => $arena:ident: $node:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);

        impl Index<$id> for File {
            type Output = $node;
            fn index(&self, id: $id) -> &$node {
                &self.$arena[id.0 as usize]
            }
        }
    )*};
}

macro_rules! lists {
    ($($arena:ident: $node:ident;)*) => {$(
        impl Index<List<$node>> for File {
            type Output = [$node];
            fn index(&self, list: List<$node>) -> &[$node] {
                &self.$arena[list.range()]
            }
        }
    )*};
}

ids! {
    FunctionId => functions: Function;
    StatementId => statements: Statement;
    InstructionId => instructions: Instruction;
    OperandId => operands: Operand;
    ExpressionId => expressions: Expression;
    DeclarationId => declarations: Declaration;
    DirectiveId => directives: Directive;
    TargetListId => target_lists: TargetList;
    PrototypeId => prototypes: Prototype;
    LocId => locs: Loc;
    SectionId => sections: Section;
}

lists! {
    statements: Statement;
    modifiers: Modifier;
    operands: Operand;
    declarations: Declaration;
    declarators: Declarator;
    aligns: Align;
    dimensions: Dimension;
    initializers: Initializer;
    attributes: Attribute;
    directives: Directive;
    arguments: Argument;
    names: Name;
    targets: Target;
    debug_items: DebugItem;
}

impl File {
    /// The spelling of a symbol.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    /// The memory the tree holds on the heap, in bytes.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        fn of<T>(arena: &Vec<T>) -> usize {
            arena.capacity() * size_of::<T>()
        }
        self.interner.heap_bytes()
            + of(&self.items)
            + of(&self.functions)
            + of(&self.statements)
            + of(&self.instructions)
            + of(&self.modifiers)
            + of(&self.operands)
            + of(&self.expressions)
            + of(&self.declarations)
            + of(&self.declarators)
            + of(&self.aligns)
            + of(&self.dimensions)
            + of(&self.initializers)
            + of(&self.attributes)
            + of(&self.directives)
            + of(&self.arguments)
            + of(&self.names)
            + of(&self.targets)
            + of(&self.target_lists)
            + of(&self.prototypes)
            + of(&self.locs)
            + of(&self.sections)
            + of(&self.debug_items)
            + of(&self.trivia)
    }

    /// What stands between the quotes of a string literal; PTX has no escapes to resolve.
    #[must_use]
    pub fn string<'s>(&self, text: Text, source: &'s str) -> &'s str {
        Span::new(text.span.start + 1, text.span.end.saturating_sub(1)).text(source)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trivia {
    pub span: Span,
    pub kind: TriviaKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriviaKind {
    /// `// …` up to the end of the line.
    Line,
    /// `/* … */`
    Block,
    /// `# 1 "file.c"`
    Hash,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes that make up nearly all of a file must stay small: memory is promised per source byte.
    #[test]
    fn nodes_are_small() {
        assert!(size_of::<Operand>() <= 24);
        assert!(size_of::<Expression>() <= 24);
        assert!(size_of::<Statement>() <= 16);
        assert!(size_of::<Instruction>() <= 56);
        assert!(size_of::<Initializer>() <= 16);
        assert!(size_of::<DebugItem>() <= 16);
    }
}
