//! Weak memory in runs: a read may see any write that the memory model allows there, as the seed chooses.
//!
//! The rules are those of `ptxvm_model`'s axioms, executed: each thread has a clock of what happens before it (`ptxvm_order`), each
//! written word a [`history`], and a read chooses among the writes that nothing hides from it ([`memory`]). docs/weak-memory.md says why
//! every choice is one that the axioms allow, and which allowed ones are never chosen.
#![forbid(unsafe_code)]

mod diagnosis;
mod history;
mod issued;
mod launch;
mod memory;
mod read;
mod shadow;
mod sight;
mod stale;
mod transfer;
mod write;

pub use launch::{Launched, Silent, Weak};
pub use stale::{StaleRead, StaleReads};
