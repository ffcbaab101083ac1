//! What a name can stand for: registers, variables and parameters, functions, labels, target lists, prototypes and
//! special registers.
//!
//! An [`Entity`] is small and `Copy`, and carries what an operand's check asks for; the rest (sizes, initialisers,
//! signatures) is in the tables of [`crate::module::Module`] under the ids given here.

use ptxvm_isa::Type;
use ptxvm_syntax::ast::{PrototypeId, SpaceKind, TargetListId};

/// A register's number within its function: dense, so that it can be a slot.
pub type RegisterIndex = u32;

/// A variable or parameter in [`crate::module::Module::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VariableId(pub u32);

/// A function in [`crate::module::Module::functions`], declared or defined, `.entry` or `.func`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FunctionId(pub u32);

/// A label: the position of its `Label` statement in the tree's `statements`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelId(pub u32);

/// What a resolved name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A register, also a `.reg` parameter.
    Register(Register),
    /// Something with an address, or an opaque variable.
    Variable(Variable),
    /// An `.entry` or `.func`.
    Function(FunctionId),
    /// A place in the current function.
    Label(LabelId),
    /// The label of a `.branchtargets` or `.calltargets`.
    Targets(TargetListId),
    /// The label of a `.callprototype`.
    Prototype(PrototypeId),
    /// A special register: its position in [`ptxvm_isa::Isa::sregs`].
    Special(u16),
}

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// The slot of the register, or of its first element.
    pub index: RegisterIndex,
    /// The type of the register, or of its elements.
    pub ty: Type,
    /// How many elements: 1 for a scalar, 2 or 4 for a vector.
    pub vector: u8,
}

/// A variable in memory, a parameter, or an opaque variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its full description.
    pub id: VariableId,
    /// Where it lies; never `Reg` or `Sreg`.
    pub space: SpaceKind,
    /// The type of its elements.
    pub ty: VariableType,
    /// How many elements its vector type has: 1, 2 or 4.
    pub vector: u8,
    /// Whether it is an array.
    pub array: bool,
    /// Which part it plays.
    pub role: Role,
}

/// The type of a variable: a fundamental type, or one of the opaque three.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariableType {
    /// Plain data.
    Data(Type),
    /// `.texref`
    Texref,
    /// `.samplerref`
    Samplerref,
    /// `.surfref`
    Surfref,
}

impl VariableType {
    /// The fundamental type, if it is data.
    #[must_use]
    pub fn data(self) -> Option<Type> {
        match self {
            Self::Data(ty) => Some(ty),
            _ => None,
        }
    }

    /// The size of one element in bytes; an opaque one is a handle of eight.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::Data(ty) => u64::from(ty.bits().div_ceil(8)),
            _ => 8,
        }
    }

    /// The name, with its dot.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Data(ty) => ty.name(),
            Self::Texref => "texref",
            Self::Samplerref => "samplerref",
            Self::Surfref => "surfref",
        }
    }
}

/// The part a variable plays; parameters follow their own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A variable of a module or a body; a `.param` one is an argument or result of calls.
    Plain,
    /// A parameter of an `.entry`.
    EntryParameter,
    /// An input parameter of a `.func`.
    Parameter,
    /// A return parameter of a `.func`.
    Return,
}
