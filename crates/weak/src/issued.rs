//! Asynchronous operations that have been issued: what happens before them, which is all that they must see.

use std::sync::Arc;

use ptxvm_order::{Actor, Clock, Stamp};

/// An operation that reads.
#[derive(Clone, Debug)]
pub struct Issued {
    pub actor: Actor,
    pub lanes: u32,
    /// What its threads knew, and when.
    pub clock: Arc<Clock>,
    pub stamp: Stamp,
    /// Whether it reads what was there before where it may.
    pub old: bool,
}
