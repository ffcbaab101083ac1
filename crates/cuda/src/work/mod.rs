//! Work: what a stream executes and a node of a graph contains. It is data, so that a capture can store it, a program can
//! query and change it, and a graph can run it again.

mod beside;
mod busy;
mod copy;
mod dependent;
mod fill;
mod free;
mod host;
mod kernel;
mod mark;
mod order;
mod print;
mod saved;
mod shared;
mod values;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

pub use beside::memory_is_new;
pub use busy::busy_percent;
pub use copy::{Copy, InArray, Place, Side, Staged};
pub use dependent::{Primary, Ties, Trail, early, run_both, trail};
pub use fill::Fill;
pub use free::Free;
pub use host::{CUhostFn, CUstreamCallback, Callback, HostCall};
pub use kernel::KernelLaunch;
pub use mark::{Mark, in_host_function, watch};
pub use order::is_followed as order_is_followed;
pub use shared::{SharedCount, SharedPoint};
pub use values::{Cell, Condition, ValueOperation};

use order::Order;

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
            Operation::Copy(copy) => {
                copy.run(context).map(|()| in_order(|order| beside::copied(order, copy, true)))
            }
            Operation::Staged(staged) => {
                staged.run(context).map(|()| in_order(|order| beside::copied(order, staged.copy(), false)))
            }
            Operation::Fill(fill) => {
                fill.run(context).map(|()| in_order(|order| beside::filled(order, fill)))
            }
            Operation::Free(free) => {
                free.run(context);
                Ok(())
            }
            Operation::Host(call) => {
                in_order(|order| order.is_known());
                call.run();
                Ok(())
            }
            Operation::Callback(callback) => {
                in_order(|order| order.is_known());
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

/// Says of work which other work it comes after: what its mark waits for, and what the operation itself waits for.
pub fn place_in_order(stream: u64, mark: &Arc<Mark>, operation: &Operation) {
    if !order::is_followed() {
        return;
    }
    if matches!(operation, Operation::Values(_) | Operation::Reach(_) | Operation::Await(_)) {
        beside::cannot_be_followed();
    }
    let waits = match operation {
        Operation::Graph(graph) => graph.waits(),
        _ => Vec::new(),
    };
    let before = mark.before().into_iter().chain(waits);
    mark.set_order(&Order::new(stream, before.filter_map(|mark| mark.order().cloned())));
}

/// Does something with the place in the order of the work that this thread is doing, if anybody asks for it.
fn in_order(act: impl FnOnce(&Arc<Order>)) {
    if let Some(order) = Mark::order_of_doing() {
        act(&order);
    }
}
