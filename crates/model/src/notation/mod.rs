//! The notation that the models are written in: sets of events, relations, orders that the search chooses, axioms.
//!
//! It is a small part of what herd calls cat, with one addition: an `order` says which pairs an execution must order, one
//! way or the other, and what the order contains in any case. [`parse`] reads a file, [`Graph`] evaluates it.

mod ast;
mod base;
mod evaluate;
mod lexer;
mod parse;
mod value;
mod why;

pub use ast::{Axiom, Check, Model, Order};
pub use base::{BASE_RELATIONS, BASE_SETS, Base};
pub use evaluate::Graph;
pub use parse::parse;
pub use value::Value;
pub use why::{Edge, Step, why};
