//! Synchronisation and asynchronous operations used against their rules, as far as it can be told from what touches memory and
//! what orders it. What is about lanes and registers the machine looks after itself (`ptxvm_machine::rules`).
//!
//! The parts know nothing of each other: shared memory of CTAs that may not be there ([`peer`]), mbarrier objects and their
//! phases ([`object`]), operations that nobody waits for ([`awaited`]). [`checker`] gives each what it asks for.

mod awaited;
pub mod checker;
mod object;
mod peer;
mod thread;
mod told;
