//! What PTX is: instructions, modifiers, types, special registers, directives and targets.
//!
//! Everything here comes from the table in `isa/*.isa` (read `isa/README.md`); `cargo xtask isa` writes
//! [`generated`] from it. This crate knows nothing of text, files or machines.
#![forbid(unsafe_code)]

pub mod form;
pub mod generated;
pub mod rule;
pub mod table;
pub mod target;
pub mod types;

pub use generated::ISA;
pub use table::{Isa, NO_WORD, Operand, Row, Word};
pub use target::{Language, Suffix, Target, Version};
pub use types::{Kind, Type};
