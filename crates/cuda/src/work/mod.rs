//! Work: what a stream executes and what a node of a graph holds. It is data, so that a capture can keep it, a
//! program can ask for it and change it, and a graph can run it again.

mod copy;
mod fill;
mod host;
mod kernel;
mod mark;

use std::sync::Arc;

pub use copy::{Copy, Place, Side};
pub use fill::Fill;
pub use host::{CUhostFn, HostCall};
pub use kernel::KernelLaunch;
pub use mark::Mark;

use crate::abi::Answer;
use crate::context::Context;
use crate::stream::Recording;

/// One piece of work.
#[derive(Clone)]
pub enum Operation {
    /// Nothing: a node that others depend on, or a wait for events.
    Empty,
    /// A kernel.
    Kernel(KernelLaunch),
    /// A copy between host and device.
    Copy(Copy),
    /// A fill of device memory.
    Fill(Fill),
    /// A call of the program's own function.
    Host(HostCall),
    /// An event's moment.
    Record(Arc<Recording>),
}

impl Operation {
    /// Does it, on the calling thread.
    ///
    /// # Errors
    /// What makes the context unusable from now on.
    pub fn run(&self, context: &Arc<Context>) -> Answer {
        match self {
            Operation::Empty => Ok(()),
            Operation::Kernel(launch) => launch.run(),
            Operation::Copy(copy) => copy.run(context),
            Operation::Fill(fill) => fill.run(context),
            Operation::Host(call) => {
                call.run();
                Ok(())
            }
            Operation::Record(recording) => {
                recording.take();
                Ok(())
            }
        }
    }
}
