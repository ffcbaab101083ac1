//! From a checked module to a program that an engine can run.
//!
//! [`lower`] turns names, labels and expressions into numbers; it decides nothing about how to execute.

mod address;
mod address_words;
mod block;
mod body;
mod call;
mod constant;
mod form;
mod function;
mod initial;
mod inline_assembly;
mod limits;
mod location;
mod lowering;
mod merge;
mod opaque;
mod operand;
pub mod operation;
mod print;
mod problem;
mod program;
mod register;
mod symbol;
mod synthesis;
mod value;
mod variable;

use ptxvm_isa::Isa;
use ptxvm_module::module::Module;
use ptxvm_syntax::ast::File;

pub use address_words::address_words;
pub use merge::{LinkProblem, Part, merge};
pub use problem::{Problem, ProblemKind};
pub use program::*;

/// Lowers a module that has been checked without an error, with the tree and the text it was made from.
///
/// # Errors
/// What cannot be lowered, in source order. A module with errors gives a problem for each place that the check left
/// unresolved; nothing panics.
pub fn lower(file: &File, source: &str, module: &Module, isa: &'static Isa) -> Result<Program, Vec<Problem>> {
    let mut lowering = lowering::Lowering::new(file, source, module, isa);
    lowering.variables();
    lowering.functions();
    lowering.files();
    lowering.finish()
}
