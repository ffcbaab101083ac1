//! What goes with what in a row: conditions on its modifiers, operands, version and target, and ranges of constants.

use crate::table::Word;
use crate::target::{Need, Target, Version};

/// Constants from `low` to `high`, both included, in steps of `step`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i64,
    /// The greatest.
    pub high: i64,
    /// The distance between neighbours.
    pub step: i64,
}

impl Range {
    /// Whether the constant is one of them.
    pub const fn contains(self, value: i64) -> bool {
        self.low <= value && value <= self.high && (value - self.low) % self.step == 0
    }
}

/// When these hold, those must.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The conditions.
    pub when: &'static [Condition],
    /// What must hold then.
    pub then: &'static [Condition],
    /// What the module must then be written for.
    pub need: Need,
    /// Whether the conditions are forbidden outright.
    pub never: bool,
    /// The rule as it stands in the table.
    pub text: &'static str,
}

/// A condition, perhaps turned round.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// Whether it is turned round.
    pub not: bool,
    /// What is asked.
    pub ask: Ask,
}

/// What a condition asks.
#[derive(Clone, Copy, Debug)]
pub enum Ask {
    /// Is this slot filled?
    Filled(u8),
    /// Does this slot hold one of these words?
    Holds(u8, &'static [Word]),
    /// Does any slot hold this word?
    Word(Word),
    /// Is the operand of this name given?
    Given(&'static str),
    /// Is the operand of this name of that form?
    Is(&'static str, OperandForm),
    /// If the operand of this name is a constant, does it lie in one of these ranges?
    Within(&'static str, &'static [Range]),
    /// If both operands are constants, is the first, as an unsigned 32-bit number, at most the second?
    AtMost(&'static str, &'static str),
    /// Is the module's target among these?
    Target(&'static [Target]),
    /// Is the module's version at least this?
    Ptx(Version),
    /// Does the module keep its samplers apart from its textures?
    IndependentTextures,
}

/// A form of operand that a condition may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandForm {
    /// A constant.
    Constant,
    /// A register.
    Register,
    /// A vector.
    Vector,
}
