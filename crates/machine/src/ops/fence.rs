//! `fence`, `membar` (manual 9.7.13.4).
//!
//! A host thread sees its own accesses in order, so that only the order between host threads is left to do, and the
//! host's strongest fence does it for every scope and proxy. What the program asked for is told as an event, for those
//! who judge whether it asked for enough.

use std::sync::atomic::{Ordering, fence};

use crate::address::AddressSpace;
use crate::context::Context;
use crate::event::{self, What};
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::{Address, Resolve};
use crate::registers::Slot;
use ptxvm_ir::operation::Form;

/// The operation of a fence.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.opcode() {
        "fence" | "membar" => {
            let address = Address::of(form, "a", AddressSpace::Generic);
            Some(Box::new(Fence { told: describe(form), address }))
        }
        _ => None,
    }
}

/// What a fence says, in the words of the manual.
fn describe(form: &Form<'_>) -> event::Fence {
    let words: Vec<&'static str> = form.words().skip(1).chain(form.modifiers()).collect();
    let one_of = |names: &[&str]| words.iter().copied().find(|word| names.contains(word));
    let membar = form.opcode() == "membar";
    let proxied = words.contains(&"proxy");
    let name = match (membar, proxied) {
        (false, true) => "fence.proxy",
        (true, true) => "membar.proxy",
        (true, false) => "membar",
        (false, false) if words.contains(&"mbarrier_init") => "fence.mbarrier_init",
        (false, false) => "fence",
    };
    let sem = one_of(&["acquire", "release", "acq_rel", "sc"]);
    let scope = match one_of(&["cta", "cluster", "gpu", "gl", "sys"]) {
        Some("gl") => Some("gpu"),
        scope => scope,
    };
    event::Fence {
        name,
        sem: match (sem, proxied) {
            (Some(sem), _) => Some(sem),
            (None, true) => None,
            (None, false) => Some(if membar { "sc" } else { "acq_rel" }),
        },
        scope,
        proxy: one_of(&["alias", "async", "tensormap::generic", "async::generic"]).filter(|_| proxied),
        space: one_of(&["global", "shared", "shared::cta", "shared::cluster"]),
        restrict: words.iter().find_map(|word| word.strip_prefix("sync_restrict::")),
        address: None,
    }
}

struct Fence {
    told: event::Fence,
    /// The tensor map that a fence of its proxy is for.
    address: Option<Address>,
}

impl Execute for Fence {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        fence(Ordering::SeqCst);
        if !context.worker.cluster.log.is_on() {
            return Flow::Next;
        }
        let at = self.address.map(|address| address.read(context, slots));
        context
            .note_each(mask, |lane| What::Fence(event::Fence { address: at.map(|at| at[lane]), ..self.told }))
    }
}
