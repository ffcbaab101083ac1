//! `tcgen05.wait` (manual 9.7.16.8.5) and `tcgen05.fence` (9.7.16.11.1).
//!
//! Waiting never blocks: what a warp waits for completes then, if it has not before. Fences order what comes in the
//! order of issue anyway; that a program has them is told as an event.

use super::place::whole;
use crate::asynchronous::queue::{Issuer, Pending};
use crate::context::Context;
use crate::door::follower::{Batch, Ordering};
use crate::event::{Fence, What};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};

/// `tcgen05.wait::ld`
pub fn for_loads() -> Op {
    Box::new(WaitLoads)
}

/// `tcgen05.wait::st`
pub fn for_stores() -> Op {
    Box::new(WaitStores)
}

/// `tcgen05.fence::…`
pub fn fence(name: &'static str) -> Op {
    Box::new(OrderFence { name, before: name.ends_with("before_thread_sync") })
}

struct WaitLoads;

impl Execute for WaitLoads {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        // Loads are complete when they have been executed.
        match whole(context, mask, "tcgen05.wait::ld") {
            Ok(_) => {
                let batch = Batch::TensorLoads;
                context.orders(mask, Ordering::Waited { batch, latest: 0, read: false });
                Flow::Next
            }
            Err(flow) => flow,
        }
    }
}

struct WaitStores;

impl Execute for WaitStores {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole(context, mask, "tcgen05.wait::st") {
            return flow;
        }
        let (rank, warp) = (context.cta.rank, context.warp.index);
        let threads = Issuer { rank, warp, lanes: mask, ..Issuer::default() };
        let stores = |pending: &Pending| {
            pending.issuer.is_of(&threads) && pending.transfer.tensor_use().is_some_and(|used| !used.in_order)
        };
        let outcome = context.worker.cluster.complete_all(stores, context.run.halt);
        match context.completed(outcome) {
            Flow::Next => {
                let batch = Batch::TensorStores;
                context.orders(mask, Ordering::Waited { batch, latest: 0, read: false });
                context.noted()
            }
            stop => stop,
        }
    }
}

struct OrderFence {
    name: &'static str,
    before: bool,
}

impl Execute for OrderFence {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        context.orders(mask, Ordering::TensorFence { before: self.before });
        context.note_each(mask, |_| What::Fence(Fence { name: self.name, ..Fence::default() }))
    }
}
