//! `fence`, `membar` (manual 9.7.13.4).
//!
//! A host thread sees its own accesses in order, so that only the order between host threads is left to do, and the
//! host's strongest fence does it for every scope and proxy. What the program asked for is told as an event, for those
//! who judge whether it asked for enough.

use std::sync::atomic::{Ordering, fence};

use ptxvm_ir::operation::fence::{FenceSpace, ProxyKind};
use ptxvm_ir::operation::{self, Order, Scope};

use crate::context::Context;
use crate::door::follower;
use crate::event::{self, What};
use crate::ops::operand::Address;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};

/// The operation of a fence.
pub fn executor(fence: operation::Fence) -> Op {
    let told = event::Fence {
        name: fence.name,
        sem: fence.order.map(Order::name),
        scope: fence.scope.map(Scope::name),
        proxy: fence.proxy.map(ProxyKind::name),
        space: fence.space.map(FenceSpace::name),
        restrict: fence.restrict.map(FenceSpace::name),
        address: None,
    };
    Box::new(Fence { told, address: fence.address })
}

struct Fence {
    told: event::Fence,
    /// The tensor map that a fence of its proxy is for.
    address: Option<Address>,
}

impl Execute for Fence {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        fence(Ordering::SeqCst);
        context.orders(mask, follower::Ordering::Fence);
        if !context.worker.cluster.log.is_on() {
            return Flow::Next;
        }
        let at = self.address.map(|address| context.addresses(address, slots));
        context
            .note_each(mask, |lane| What::Fence(event::Fence { address: at.map(|at| at[lane]), ..self.told }))
    }
}
