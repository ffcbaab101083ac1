//! From a checked module to a program that an engine can run.
//!
//! [`lower`] turns names, labels and expressions into numbers; it decides nothing about how to execute.
#![forbid(unsafe_code)]

mod address_words;
mod block;
pub mod flow;
mod id;
mod instruction;
mod lower;
mod merge;
pub mod operation;
mod part;
mod print;
mod problem;
mod program;
mod symbol;
mod variable;

use ptxvm_isa::Isa;
use ptxvm_module::module::Module;
use ptxvm_syntax::ast::File;

pub use address_words::address_words;
pub use block::{Block, BlockId, Terminator};
pub use id::*;
pub use instruction::*;
pub use merge::merge;
pub use part::{LinkProblem, Part};
pub use print::Listing;
pub use problem::{Problem, ProblemKind};
pub use program::*;
pub use variable::*;

/// Lowers a module that has been checked without an error, with the tree and the text it was made from.
///
/// # Errors
/// What cannot be lowered, in source order. A module with errors gives a problem for each place that the check left
/// unresolved; nothing panics.
pub fn lower(file: &File, source: &str, module: &Module, isa: &'static Isa) -> Result<Program, Vec<Problem>> {
    let mut lowering = lower::lowering::Lowering::new(file, source, module, isa);
    lowering.variables();
    lowering.functions();
    lowering.files();
    lowering.finish()
}
