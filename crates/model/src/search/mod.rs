//! The search: every execution of a litmus test that a model allows, and the states that these end in.
//!
//! It goes from what is decided first to what is decided last: a path for each thread (`path`, `combine`), who meets whom
//! at barriers (`barrier`), which write each read sees, and the orders that the model asks for (`candidates`). An axiom is
//! checked as soon as everything that it speaks of is decided, and while an order grows, so that most candidates end early.

mod assemble;
mod barrier;
mod candidates;
mod combine;
mod domain;
mod limits;
mod live;
mod operation;
mod path;
mod terminate;

pub use candidates::Execution;
pub use combine::{Found, Rejected, find, races};
pub use limits::{Limits, TooLarge};
pub use terminate::{Hang, hang};
