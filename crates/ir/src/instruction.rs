//! Instructions and their operands.
//!
//! Operands stand in one flat list per instruction, each with the place in the table's row that it fills, so that an
//! engine can ask for "the sources" without knowing the instruction.

use ptxvm_isa::Type;
use ptxvm_isa::form::Filling;
use ptxvm_syntax::ast::Span;

use crate::id::{FormId, FunctionId, OperationId, RegisterId, VariableId};

/// A row of the table with its slots filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormUse {
    /// The row's index in the table.
    pub row: u16,
    /// The word in each of its slots.
    pub filling: Filling,
}

/// One instruction.
#[derive(Clone, Copy, Debug)]
pub struct Instruction {
    /// Its row and modifiers.
    pub form: FormId,
    /// What it means; `None` if nothing that is known.
    pub operation: Option<OperationId>,
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Its operands: a run of `Function::operands`, from the first to one past the last.
    pub operands: (u32, u32),
    /// Where it stands in the PTX.
    pub span: Span,
    /// Where what it was made from stands: an index into `Program::locations`, `u32::MAX` if not known.
    pub location: u32,
}

/// The predicate in front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub register: RegisterId,
    /// Whether `!` stands before it.
    pub negated: bool,
}

/// An operand and the place it fills.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// The operand of the row that it belongs to: an index into `Row::operands`.
    pub place: u8,
    /// For parts of a pair: which one, from 0. For parts of a bracket: which of the places that the row names in it,
    /// given or not, so that the coordinates of a texture have the same number with and without a sampler. Elements
    /// of a vector share it.
    pub part: u8,
    /// Whether the instruction writes it.
    pub written: bool,
    /// The type that the row gives it, if it has one.
    pub ty: Option<Type>,
    /// What stands there.
    pub kind: OperandKind,
}

/// What stands in an operand's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperandKind {
    /// A register.
    Register {
        /// Which one.
        register: RegisterId,
        /// `-a` of a video instruction, `!p` of a predicate.
        negated: bool,
        /// A selector of a video instruction: 0 for none, 1 + an index into [`SELECTORS`], or for the SIMD ones
        /// (`.h32`, `.b7210`) a number from [`SIMD_SELECTOR`] on.
        selector: u16,
    },
    /// A constant, as the bits of the operand's type: cut to its width, then sign-extended if the type is signed and
    /// zero-extended if not (also to 128 bits); a predicate is 0 or 1; without a type, all 64 bits.
    Immediate(u64),
    /// A special register.
    Special {
        /// Its index in the table.
        sreg: u16,
        /// 0 to 3 for `.x .y .z .w`; 0 if it is no vector.
        member: u8,
    },
    /// `[base + offset]`, with nothing else in this part of the bracket.
    Address {
        /// What the offset is added to.
        base: Base,
        /// Bytes.
        offset: i64,
    },
    /// The address of a variable in its own space, plus an offset (`mov.u64 %rd, x+8`).
    Variable {
        /// Which one.
        variable: VariableId,
        /// Bytes.
        offset: i64,
    },
    /// The address of a function.
    Function(FunctionId),
    /// A call: an index into `Function::calls`.
    Call(u32),
    /// `_`
    Sink,
}

/// What an address is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// Nothing: an absolute address.
    Absolute,
    /// A register.
    Register(RegisterId),
    /// A variable, in its own space.
    Variable(VariableId),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Where the results go.
    pub returns: Vec<Argument>,
    /// What is passed.
    pub arguments: Vec<Argument>,
    /// For an indirect call: the sizes and alignments that the prototype gives its results and parameters.
    pub prototype: Option<Prototype>,
}

/// The parameters of a `.callprototype`, or those that a `.calltargets` list agrees on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The size of each result.
    pub returns: Vec<u64>,
    /// The size of each parameter.
    pub parameters: Vec<u64>,
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A function by name.
    Direct(FunctionId),
    /// The function whose address is in a register.
    Indirect(RegisterId),
}

/// An actual parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument {
    /// A register.
    Register(RegisterId),
    /// A constant, as the bits of the parameter's type.
    Immediate(u64),
    /// A `.param` variable of the caller.
    Param(VariableId),
    /// `_`: the result is dropped.
    Sink,
}

/// What is added to the selector of a SIMD video operand that names several parts. Below it, for a source, its
/// digits, three bits each, the last digit lowest; for a destination, a bit for each part that is written.
pub const SIMD_SELECTOR: u16 = 0x8000;

/// The selectors of scalar video operands, by their number less one.
pub const SELECTORS: &[&str] = &["b0", "b1", "b2", "b3", "h0", "h1"];
