//! `shfl`: a lane reads a register of another lane.

use super::members::Members;
use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::settings::Check;
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::warp::ShflMode;

/// The operation of `shfl`, with or without `.sync`.
pub fn executor(mode: ShflMode, predicate: bool, members: Members) -> Op {
    Box::new(Shuffle { mode, predicate, members })
}

struct Shuffle {
    mode: ShflMode,
    predicate: bool,
    members: Members,
}

impl Execute for Shuffle {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let (to, from) = slots.split_at(1 + usize::from(self.predicate));
        let members = match self.members.lanes(context, from, mask) {
            Ok(members) => members,
            Err(flow) => return flow,
        };
        let a = u32::read(&context.bank, from[0]);
        let b = u32::read(&context.bank, from[1]);
        let c = u32::read(&context.bank, from[2]);
        let sources: [(u32, bool); LANES] = std::array::from_fn(|l| self.mode.source(l as u32, b[l], c[l]));
        if context.run.looks_for(Check::Sync) {
            context.checks_sources(&sources, &members, mask);
        }
        // The manual leaves open what a lane gives that does not take part; an H200 reads zero.
        let read = |lane: usize| {
            let source = sources[lane].0 & 31;
            if members[lane] >> source & 1 != 0 { a[source as usize] } else { 0 }
        };
        u32::write(&mut context.bank, to[0], mask, &std::array::from_fn(read));
        if let Some(p) = to.get(1) {
            bool::write(&mut context.bank, *p, mask, &sources.map(|(_, inside)| inside));
        }
        Flow::Next
    }
}
