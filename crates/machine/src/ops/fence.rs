//! `fence`, `membar` (manual 9.7.13.4).
//!
//! A host thread sees its own accesses in order, so that only the order between host threads is left to do, and the
//! host's strongest fence does it for every scope and proxy.

use std::sync::atomic::{Ordering, fence};

use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::Slot;

/// The operation of a fence.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.opcode() {
        "fence" | "membar" => Some(Box::new(Fence)),
        _ => None,
    }
}

struct Fence;

impl Execute for Fence {
    fn run(&self, _: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        fence(Ordering::SeqCst);
        Flow::Next
    }
}
