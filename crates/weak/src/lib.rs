//! Weak memory in runs: a read may see any write that the memory model allows there, as the seed chooses.
//!
//! The rules are those of `ptxvm_model`'s axioms, executed: each thread has a [`clock`] of what happens before it, each
//! written word a [`history`], and a read chooses among the writes that nothing hides from it ([`memory`]). Fences,
//! barriers and release and acquire operations move clocks between threads ([`ordering`]). docs/weak-memory.md says why
//! every choice is one that the axioms allow, and which allowed ones are never chosen.
#![forbid(unsafe_code)]

mod actor;
mod barrier;
mod clock;
mod cluster;
mod diagnosis;
mod explain;
mod history;
mod issued;
mod launch;
mod memory;
mod ordering;
mod published;
mod question;
mod read;
mod reader;
mod shadow;
mod shape;
mod site;
mod stale;
mod transfer;
mod view;
mod write;

pub use launch::{Launched, Silent, Weak};
pub use question::{Asked, How, OrderAnswer, OrderQuestion, Step};
pub use stale::{Accessed, Missing, StaleRead, StaleReads};
