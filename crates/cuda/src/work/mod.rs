//! Work: what a stream executes and what a node of a graph holds. It is data, so that a capture can keep it, a
//! program can ask for it and change it, and a graph can run it again.

mod mark;

use std::sync::Arc;

pub use mark::Mark;

use crate::abi::Answer;
use crate::context::Context;

/// One piece of work.
#[derive(Clone)]
pub enum Operation {
    /// Nothing: a node that others depend on.
    Empty,
}

impl Operation {
    /// Does it, on the calling thread.
    ///
    /// # Errors
    /// What makes the context unusable from now on.
    pub fn run(&self, _context: &Arc<Context>) -> Answer {
        match self {
            Operation::Empty => Ok(()),
        }
    }
}
