//! Work: what a stream executes and a node of a graph contains. It is data, so that a capture can store it, a program can
//! query and change it, and a graph can run it again.

mod busy;
mod copy;
mod dependent;
mod fill;
mod free;
mod host;
mod kernel;
mod mark;
mod print;
mod shared;
mod values;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

pub use busy::busy_percent;
pub use copy::{Copy, InArray, Place, Side, Staged};
pub use dependent::{Primary, Ties, Trail, early, run_both, trail};
pub use fill::Fill;
pub use free::Free;
pub use host::{CUhostFn, CUstreamCallback, Callback, HostCall};
pub use kernel::KernelLaunch;
pub use mark::{Mark, has_waited, in_host_function, watch};
pub use shared::{SharedCount, SharedPoint};
pub use values::{Cell, Condition, ValueOperation};

use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::graph::GraphLaunch;

/// One piece of work.
#[derive(Clone)]
pub enum Operation {
    /// Nothing: a node that others depend on, or a wait for events.
    Empty,
    /// A kernel.
    Kernel(KernelLaunch),
    /// A copy between host and device.
    Copy(Copy),
    /// A copy whose source has been taken already.
    Staged(Staged),
    /// A fill of device memory.
    Fill(Fill),
    /// A free of memory.
    Free(Free),
    /// A call of the program's own function.
    Host(HostCall),
    /// A call of a stream's callback.
    Callback(Callback),
    /// Waits for values in memory and writes of them.
    Values(Arc<[ValueOperation]>),
    /// A graph.
    Graph(Arc<GraphLaunch>),
    /// An event's moment, of which the time is taken.
    Record(Arc<OnceLock<Instant>>),
    /// A point of an event that other processes know: it is reached.
    Reach(SharedPoint),
    /// A wait for such a point.
    Await(SharedPoint),
}

impl Operation {
    /// Does it, on the calling thread.
    ///
    /// # Errors
    /// What makes the context unusable from now on.
    pub fn run(&self, context: &Arc<Context>) -> Answer {
        match self {
            Operation::Empty => Ok(()),
            Operation::Kernel(launch) => launch.run(context),
            Operation::Copy(copy) => copy.run(context),
            Operation::Staged(copy) => copy.run(context),
            Operation::Fill(fill) => fill.run(context),
            Operation::Free(free) => {
                free.run(context);
                Ok(())
            }
            Operation::Host(call) => {
                call.run();
                Ok(())
            }
            Operation::Callback(callback) => {
                callback.run(CUresult::SUCCESS);
                Ok(())
            }
            Operation::Values(operations) => operations.iter().try_for_each(|one| one.run(context)),
            Operation::Graph(launch) => launch.run(context),
            Operation::Record(time) => {
                time.get_or_init(Instant::now);
                Ok(())
            }
            Operation::Reach(point) => {
                point.reach();
                Ok(())
            }
            Operation::Await(point) => {
                point.wait(context);
                Ok(())
            }
        }
    }

    /// Does what is left of it in a context that a fault has made unusable: those who wait are let go on.
    pub fn abandon(&self, fault: CUresult) {
        match self {
            Operation::Callback(callback) => callback.run(fault),
            // One that never ran has ended for those that wait for it.
            Operation::Kernel(launch) => launch.ties.status.iter().for_each(|status| status.end()),
            Operation::Reach(point) => point.reach(),
            _ => {}
        }
    }
}
