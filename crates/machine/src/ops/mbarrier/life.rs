//! `mbarrier.init`, `mbarrier.inval` and `mbarrier.check_layout`.

use super::place::{ObjectAt, misused, party};
use crate::context::Context;
use crate::registers::Slot;
use crate::registers::{LANES, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::Address;
use ptxvm_ir::operation::mbarrier::Layout;

pub fn init(object: Address, count: usize, layout: Layout) -> Op {
    Box::new(Init { at: ObjectAt { address: object, own: Some("mbarrier.init") }, count, layout })
}

pub fn check_layout(object: Address, layout: Layout) -> Op {
    Box::new(CheckLayout { at: ObjectAt { address: object, own: Some("mbarrier.check_layout") }, layout })
}

pub fn inval(object: Address) -> Op {
    Box::new(Inval { at: ObjectAt { address: object, own: Some("mbarrier.inval") } })
}

struct Init {
    at: ObjectAt,
    count: usize,
    layout: Layout,
}

impl Execute for Init {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let mut twice = false;
        let flow = self.at.each(context, slots, mask, |context, lane, place| {
            let count = context.bank.lane(slots[self.count], lane) as u32;
            let by = party(context, lane);
            twice = context.worker.cluster.mbarriers.get(place.address()).is_some();
            let forgiven = twice && context.forgives();
            context.worker.cluster.init_mbarrier(place, (count, self.layout), by, forgiven)
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

struct CheckLayout {
    at: ObjectAt,
    layout: Layout,
}

impl Execute for CheckLayout {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let places = match self.at.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let mut answers = [false; LANES];
        for lane in lanes_in(mask) {
            match context.worker.cluster.look_at_mbarrier(places.addresses()[lane]) {
                Ok(record) => answers[lane] = record.layout == self.layout,
                Err(wrong) => return misused(context, lane, wrong),
            }
        }
        bool::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
