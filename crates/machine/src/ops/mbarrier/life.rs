//! `mbarrier.init` and `mbarrier.inval`.

use super::place::{ObjectAt, party};
use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::Address;

pub fn init(object: Address, count: usize) -> Op {
    Box::new(Init { at: ObjectAt { address: object, own: Some("mbarrier.init") }, count })
}

pub fn inval(object: Address) -> Op {
    Box::new(Inval { at: ObjectAt { address: object, own: Some("mbarrier.inval") } })
}

struct Init {
    at: ObjectAt,
    count: usize,
}

impl Execute for Init {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let mut twice = false;
        let flow = self.at.each(context, slots, mask, |context, lane, place| {
            let count = context.bank.lane(slots[self.count], lane) as u32;
            let by = party(context, lane);
            twice = context.worker.cluster.mbarriers.get(place.address()).is_some();
            let forgiven = twice && context.forgives();
            context.worker.cluster.init_mbarrier(place, count, by, forgiven)
        });
        // An H200 makes the object anew.
        if let Some(fault) = context.worker.fault.as_mut().filter(|_| flow == Flow::Stop && twice) {
            fault.survived = true;
        }
        flow
    }
}

struct Inval {
    at: ObjectAt,
}

impl Execute for Inval {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        self.at.each(context, slots, mask, |context, lane, place| {
            let by = party(context, lane);
            context.worker.cluster.inval_mbarrier(place.address(), by)
        })
    }
}
