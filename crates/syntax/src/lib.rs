//! Text to tokens to syntax tree with spans and diagnostics, and back: the PTX language without its meaning.
//!
//! [`parse`] never fails: it gives a tree and what is wrong with the text.

#![forbid(unsafe_code)]

pub mod ast;
pub mod codes;
pub mod diagnostic;
pub mod eval;
mod fmt;
pub mod intern;
pub mod lexer;
pub mod line_index;
pub mod number;
pub mod outline;
mod parser;
mod printer;
mod same_tree;
mod source;
pub mod token;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use eval::{EvalError, EvalErrorKind, Evaluator, Value, eval};
pub use fmt::fmt;
pub use intern::{Interner, Symbol};
pub use line_index::{LineColumn, LineIndex};
pub use parser::{ERROR_LIMIT, Parsed, parse};
pub use printer::print;
pub use same_tree::same_tree;
pub use source::decode;
