//! Why a module cannot be lowered.

use ptxvm_syntax::ast::Span;

/// Whose fault a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The module has errors that its check reports.
    Invalid,
    /// PTX allows it, this crate cannot lower it.
    Unsupported,
}

/// Something that cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whose fault it is.
    pub kind: ProblemKind,
    /// Where it stands.
    pub span: Span,
    /// What it is, in a sentence.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}
