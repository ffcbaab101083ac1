//! What a function's body is made of: labels, instructions, blocks, and the operands of instructions.

use super::{
    DeclarationId, Directive, DirectiveId, ExpressionId, FunctionId, InstructionId, List, LocId, Modifier,
    Name, OperandId, Parameters, PrototypeId, Span, StatementId, Symbol, TargetListId,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    pub span: Span,
    pub kind: StatementKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementKind {
    /// `name:`; a label of the statement that follows.
    Label(Symbol),
    Instruction(InstructionId),
    Variable(DeclarationId),
    /// `{`: a nested scope begins; the matching `Close` is `close`.
    Open {
        close: StatementId,
    },
    /// `}`
    Close,
    /// `name: .branchtargets …;` or `name: .calltargets …;`
    Targets(TargetListId),
    /// `name: .callprototype …;`
    Prototype(PrototypeId),
    /// `.pragma "…";` and other directives that are a word and arguments.
    Directive(DirectiveId),
    Loc(LocId),
    /// `.extern .func f (…);`: a function declared inside a body. It never has a body of its own.
    Function(FunctionId),
}

/// `@%p` or `@!%p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pub negated: bool,
    pub name: Name,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// From guard or opcode to the `;`, inclusive.
    pub span: Span,
    pub guard: Option<Guard>,
    /// The first word alone: `cp` of `cp.async.bulk`.
    pub opcode: Name,
    pub modifiers: List<Modifier>,
    /// For `call`: a `Group` for the return values if there, the function, a `Group` for the
    /// arguments if there, the prototype or target list if there.
    pub operands: List<Operand>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    pub span: Span,
    pub kind: OperandKind,
}

/// The shape of an operand, before any name is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A register, special register, variable, function or label.
    Name(Symbol),
    /// `%tid.x`, `%v.r`, `%r1.b0`, `%r1.h1`, `%r1.b3210`: `selector` without its dot.
    Member { name: Symbol, selector: Symbol },
    /// `_`
    Sink,
    /// A literal or constant expression.
    Constant(ExpressionId),
    /// `!a`: a negated predicate. The operand is a `Name` or `Member`.
    Not(OperandId),
    /// `-a`, which a few video instructions take. The operand is a `Name` or `Member`.
    Negate(OperandId),
    /// `a | b`: always two operands.
    Pair(List<Operand>),
    /// `{a, b, …}`
    Vector(List<Operand>),
    /// `[…]`: one operand (`Name`, `Offset` or `Constant`), or several:
    /// `[tensor, {c0, c1}]`, `[texture, sampler, {x, y}]`, `[a, b]`.
    Address(List<Operand>),
    /// `[…].unified` or `array[…].unified`: the operand is an `Address` of one, or an `Index`.
    Unified(OperandId),
    /// `name + offset`, as an operand or inside an address.
    Offset { name: Symbol, offset: ExpressionId },
    /// `array[index]`; the index is one `Name`, `Offset` or `Constant` operand.
    Index { name: Symbol, index: OperandId },
    /// `(a, b)`: returned values or arguments of a `call`.
    Group(List<Operand>),
}

/// `name: .branchtargets a, b;` or `name: .calltargets f, g;`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetList {
    pub span: Span,
    pub kind: TargetListKind,
    pub label: Name,
    pub targets: List<Target>,
}

/// A label or function in a target list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: Name,
    /// `name<N>` stands for `name0` to `name(N-1)`.
    pub count: Option<ExpressionId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetListKind {
    Branch,
    Call,
}

/// `name: .callprototype (returns) _ (parameters) .noreturn;`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prototype {
    pub span: Span,
    pub label: Name,
    pub returns: Option<Parameters>,
    pub parameters: Option<Parameters>,
    pub directives: List<Directive>,
}
