//! `tcgen05.wait` (manual 9.7.16.8.5) and `tcgen05.fence` (9.7.16.11.1).
//!
//! Waiting never blocks: what a warp waits for completes then, if it has not before. Fences order what comes in the
//! order of issue anyway; that a program has them is told as an event.

use super::place::whole;
use crate::context::Context;
use crate::engine::{Issuer, Pending};
use crate::event::{Fence, What};
use crate::lanes::{Execute, Flow, Op};
use crate::registers::Slot;
use ptxvm_ir::operation::Form;

pub fn wait(name: &'static str) -> Op {
    Box::new(Wait { name })
}

pub fn fence(form: &Form<'_>) -> Option<Op> {
    Some(Box::new(Order { name: form.name() }))
}

struct Wait {
    name: &'static str,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole(context, mask, self.name) {
            return flow;
        }
        // Loads are complete when they have been executed.
        if self.name == "tcgen05.wait::ld" {
            return Flow::Next;
        }
        let (rank, warp) = (context.cta.rank, context.warp.index);
        let threads = Issuer { rank, warp, lanes: mask, ..Issuer::default() };
        let stores = |pending: &Pending| {
            pending.issuer.is_of(&threads) && pending.transfer.tensor_use().is_some_and(|used| !used.in_order)
        };
        let outcome = context.worker.cluster.complete_all(stores, context.run.halt);
        match context.completed(outcome) {
            Flow::Next => context.noted(),
            stop => stop,
        }
    }
}

struct Order {
    name: &'static str,
}

impl Execute for Order {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        context.note_each(mask, |_| What::Fence(Fence { name: self.name, ..Fence::default() }))
    }
}
