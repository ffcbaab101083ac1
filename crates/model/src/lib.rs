//! PTX's memory consistency model, executable.
//!
//! The axioms are text (`models/*.model`), beside the manual's section numbers; [`notation`] reads and evaluates them.
//! [`strength`] has the predicates that they rest on, for whoever needs no search. A front end ([`herd`], [`ptx`]) makes a [`test::Test`]
//! of a litmus test, [`search`] finds its executions, and [`decide`] says what follows.

#![forbid(unsafe_code)]

pub mod codes;
pub mod draw;
pub mod event;
pub mod herd;
pub mod kernel;
mod models;
pub mod notation;
pub mod ptx;
pub mod relation;
mod repair;
pub mod search;
pub mod strength;
pub mod test;
mod verdict;

pub use models::{NAMES, model};
pub use repair::{Fence, Repair, repair};
pub use search::{Execution, Limits, TooLarge, races};
pub use verdict::{State, Verdict, decide};
