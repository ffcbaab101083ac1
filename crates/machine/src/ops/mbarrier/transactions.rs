//! `mbarrier.expect_tx` and `mbarrier.complete_tx`.

use super::place::{ObjectAt, counts_bytes};
use crate::context::Context;
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::Address;

pub fn executor(object: Address, bytes: usize, complete: bool) -> Op {
    Box::new(Count { at: ObjectAt { address: object, own: None }, bytes, complete })
}

struct Count {
    at: ObjectAt,
    bytes: usize,
    complete: bool,
}

impl Execute for Count {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        self.at.each(context, slots, mask, |context, lane, place| {
            let bytes = context.bank.lane(slots[self.bytes], lane) as u32;
            counts_bytes(context, place.address(), self.complete);
            let cluster = &mut context.worker.cluster;
            match self.complete {
                true => cluster.complete_tx(place.address(), bytes),
                false => cluster.expect_tx(place.address(), bytes),
            }
        })
    }
}
