//! `mbarrier.expect_tx` and `mbarrier.complete_tx`.

use super::{At, lanes, misused};
use crate::context::Context;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::slot_of;
use crate::registers::Slot;

pub fn select(form: &Form<'_>, complete: bool) -> Option<Op> {
    Some(Box::new(Count { at: At::of(form, None)?, bytes: slot_of(form, "txCount")?, complete }))
}

struct Count {
    at: At,
    bytes: usize,
    complete: bool,
}

impl Execute for Count {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let places = match self.at.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        for lane in lanes(mask) {
            context.act(lane);
            let bytes = context.bank.lane(slots[self.bytes], lane) as u32;
            let address = places[lane].address;
            let cluster = &mut context.worker.cluster;
            let done = match self.complete {
                true => cluster.complete_tx(address, bytes),
                false => cluster.expect_tx(address, bytes),
            };
            if let Err(wrong) = done {
                return misused(context, lane, wrong);
            }
        }
        context.noted()
    }
}
