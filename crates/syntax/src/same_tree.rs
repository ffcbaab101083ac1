//! Whether two trees are the same but for where their nodes stand in the source.
//!
//! The parser fills the arenas in the order of the text, so equal trees have equal arenas: it is
//! enough to erase the spans and compare. What a tree keeps only as a span (strings, the version
//! number) is compared as text first.

use crate::ast::*;

/// Compares `a`, parsed from `a_source`, with `b`, parsed from `b_source`; both with the same words.
#[must_use]
pub fn same_tree(a: &File, a_source: &str, b: &File, b_source: &str) -> bool {
    let words = |file: &File| file.interner.len();
    if words(a) != words(b)
        || (0..words(a) as u32).any(|i| a.text(Symbol(i)) != b.text(Symbol(i)))
        || !texts(a, a_source).eq(texts(b, b_source))
    {
        return false;
    }
    let (mut a, mut b) = (a.clone(), b.clone());
    a.erase();
    b.erase();
    a.items == b.items
        && a.functions == b.functions
        && a.statements == b.statements
        && a.instructions == b.instructions
        && a.modifiers == b.modifiers
        && a.operands == b.operands
        && a.expressions == b.expressions
        && a.declarations == b.declarations
        && a.declarators == b.declarators
        && a.aligns == b.aligns
        && a.dimensions == b.dimensions
        && a.initializers == b.initializers
        && a.attributes == b.attributes
        && a.directives == b.directives
        && a.arguments == b.arguments
        && a.names == b.names
        && a.targets == b.targets
        && a.target_lists == b.target_lists
        && a.prototypes == b.prototypes
        && a.locs == b.locs
        && a.sections == b.sections
        && a.debug_items == b.debug_items
}

/// The parts of the text that a tree refers to and does not hold.
fn texts<'s>(file: &'s File, source: &'s str) -> impl Iterator<Item = &'s str> {
    let versions = file.items.iter().filter_map(|item| match item.kind {
        ItemKind::Version { number } => Some(number),
        _ => None,
    });
    let strings = file.arguments.iter().filter_map(|argument| match argument {
        Argument::Text(text) => Some(text.span),
        Argument::Expression(_) => None,
    });
    versions.chain(strings).map(|span| span.text(source))
}

/// Sets every span to nothing.
trait Erase {
    fn erase(&mut self);
}

impl Erase for Span {
    fn erase(&mut self) {
        *self = Self::default();
    }
}

impl<T: Erase> Erase for Option<T> {
    fn erase(&mut self) {
        if let Some(inner) = self {
            inner.erase();
        }
    }
}

impl<T: Erase> Erase for Vec<T> {
    fn erase(&mut self) {
        for node in self {
            node.erase();
        }
    }
}

/// Names the fields of a node that hold spans.
macro_rules! erase {
    ($($node:ident { $($field:ident),* })*) => {$(
        impl Erase for $node {
            fn erase(&mut self) {
                $(self.$field.erase();)*
            }
        }
    )*};
}

erase! {
    File {
        items, functions, statements, instructions, modifiers, operands, expressions, declarations,
        declarators, aligns, dimensions, initializers, attributes, directives, arguments, names, targets,
        target_lists, prototypes, locs, sections, debug_items
    }
    Item { span, kind }
    Function { span, linkage, keyword, returns, name, parameters, body }
    Linkage { span }
    Parameters { span }
    Body { span }
    Statement { span }
    Instruction { span, guard, opcode }
    Guard { name }
    Name { span }
    Modifier { span }
    Text { span }
    Operand { span }
    Expression { span }
    Declaration { span, linkage, space, align, align_after_type, vector, ty, pointer }
    Space { span }
    Align { span }
    Pointer { span, space, align }
    Declarator { span, name }
    Dimension { span }
    Initializer { span }
    Attribute { span, name }
    Directive { span, name }
    Target { name }
    TargetList { span, label }
    Prototype { span, label, returns, parameters }
    Loc { span, function_name }
    FunctionName { label }
    Section { span, name }
    DebugItem { span }
}

impl Erase for ItemKind {
    fn erase(&mut self) {
        match self {
            Self::Version { number } => number.erase(),
            Self::Alias { name, aliasee } => {
                name.erase();
                aliasee.erase();
            }
            _ => {}
        }
    }
}

impl Erase for Argument {
    fn erase(&mut self) {
        if let Self::Text(text) = self {
            text.erase();
        }
    }
}
