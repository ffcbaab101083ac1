//! `griddepcontrol` (manual 9.7.13.13). Without grids before or after this one it does nothing.

use crate::context::Context;
use crate::door::follower::Ordering;
use crate::registers::Slot;
use crate::schedule::warp::Awaited;
use crate::vector::lanes::{Execute, Flow, Op};

/// `griddepcontrol.launch_dependents`
pub fn launch_dependents() -> Op {
    Box::new(LaunchDependents)
}

/// `griddepcontrol.wait`
pub fn wait() -> Op {
    Box::new(Wait)
}

struct LaunchDependents;

impl Execute for LaunchDependents {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        context.orders(mask, Ordering::GridReleases);
        let status = context.run.launch.status.as_deref();
        context.cta.release_dependents(status);
        if let Some(status) = status {
            status.lag();
        }
        Flow::Next
    }
}

struct Wait;

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        context.orders(mask, Ordering::GridWaits);
        if context.run.launch.prerequisites.iter().all(|grid| grid.has_ended()) {
            return Flow::Next;
        }
        context.run.launch.prerequisites.iter().for_each(|grid| grid.dependent_waits());
        context.worker.cluster.awaits_grids = true;
        context.warp.awaited = Some(Awaited::Grids);
        Flow::Wait
    }
}
