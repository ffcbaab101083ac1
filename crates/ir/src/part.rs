//! Programs that are to be linked, and why they cannot be.

use crate::program::Program;

/// A program to be linked with others.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is called in messages.
    pub name: String,
    /// The program.
    pub program: Program,
    /// Where its text begins in the text of all parts.
    pub base: u32,
}

/// Why programs cannot be linked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkProblem {
    /// Two parts define the same name.
    Duplicate {
        /// The name.
        name: String,
        /// The two parts.
        parts: [String; 2],
    },
    /// Two parts take the same name for different things.
    Mismatch {
        /// The name.
        name: String,
        /// The part that defines it, or speaks of it first, and the one that disagrees.
        parts: [String; 2],
        /// How they differ.
        what: String,
    },
    /// Addresses have 32 bits in one part and 64 in another.
    AddressSize {
        /// The two parts.
        parts: [String; 2],
    },
    /// A local variable of the module, which PTX before 3.0 has, cannot be reached from other modules' kernels.
    Local {
        /// The variable.
        name: String,
        /// Its part.
        part: String,
    },
}

impl std::fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Duplicate { name, parts: [a, b] } => write!(f, "`{name}` is defined in {a} and in {b}"),
            Self::Mismatch { name, parts: [a, b], what } => {
                write!(f, "{a} and {b} disagree about `{name}`: {what}")
            }
            Self::AddressSize { parts: [a, b] } => {
                write!(f, "addresses have another size in {b} than in {a}")
            }
            Self::Local { name, part } => {
                write!(f, "`{name}` in {part} is local memory of the module, which cannot be linked")
            }
        }
    }
}

impl std::error::Error for LinkProblem {}
