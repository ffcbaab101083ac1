//! What a value is made from: numbers, or the address of one object.

use ptxvm_ir::VariableId;
use ptxvm_machine::code::Source;

/// What addresses are followed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    /// A variable of shared, local, global or constant memory.
    Variable(VariableId),
    /// A block of local memory that this `alloca` has taken.
    Block(Source),
    /// The shared memory that system software keeps for itself.
    Reserved,
}

/// What a value is made from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Made {
    /// Nothing is written there.
    #[default]
    Nothing,
    /// Numbers.
    Number,
    /// The address of an object, moved by numbers; and the instruction that takes it, by its number in the function.
    Address(Object, u32),
    /// Bits of such an address and of numbers, as descriptors have them.
    Part(Object, u32),
    /// More than can be followed.
    Mixed,
}

impl Made {
    /// Either of two values.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, made) | (made, Self::Nothing) => made,
            (Self::Address(a, first), Self::Address(b, second)) if a == b => {
                Self::Address(a, first.min(second))
            }
            (Self::Part(a, first), Self::Part(b, second)) if a == b => Self::Part(a, first.min(second)),
            (Self::Number, Self::Number) => Self::Number,
            _ => Self::Mixed,
        }
    }

    /// An address and a number, whichever is which.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (Self::Number, made) | (made, Self::Number) => made,
            _ => Self::Mixed,
        }
    }

    /// Some bits of a value.
    #[must_use]
    pub fn part(self) -> Self {
        match self {
            Self::Address(object, from) => Self::Part(object, from),
            other => other,
        }
    }

    /// What is computed from a value so that an address is none any more.
    #[must_use]
    pub fn used_up(self) -> Self {
        if matches!(self, Self::Address(..) | Self::Part(..)) { Self::Mixed } else { self }
    }
}
