//! `mbarrier.arrive` and `mbarrier.arrive_drop`, with counts, with bytes to expect, and without completion.

use super::place::{ObjectAt, counts_bytes, misused, party};
use crate::asynchronous::mbarrier::MbarrierArrival;
use crate::context::Context;
use crate::door::follower::Ordering;
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::mbarrier::Arrive;

pub fn executor(arrive: Arrive) -> Op {
    // Who wants a state must be in the CTA of the object.
    let own = match (arrive.state || arrive.no_complete, arrive.drop) {
        (false, _) => None,
        (true, false) => Some("mbarrier.arrive"),
        (true, true) => Some("mbarrier.arrive_drop"),
    };
    Box::new(Arriving { at: ObjectAt { address: arrive.object, own }, arrive })
}

struct Arriving {
    at: ObjectAt,
    arrive: Arrive,
}

impl Execute for Arriving {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let places = match self.at.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let mut states = [0; LANES];
        for lane in lanes_in(mask) {
            context.act(lane);
            let operand = |slot: usize| context.bank.lane(slots[slot], lane) as u32;
            let how = MbarrierArrival {
                count: self.arrive.count.map_or(1, operand),
                expect: self.arrive.bytes.map(operand),
                drop: self.arrive.drop,
                no_complete: self.arrive.no_complete,
            };
            let by = party(context, lane);
            let mbarrier = places.addresses()[lane];
            context.orders(1 << lane, Ordering::MbarrierArrives { mbarrier });
            match context.worker.cluster.arrive_at_mbarrier(places.addresses()[lane], how, by) {
                Ok(state) => {
                    states[lane] = state;
                    if how.expect.is_some() {
                        counts_bytes(context, places.addresses()[lane], false);
                    }
                }
                Err(wrong) => return misused(context, lane, wrong),
            }
        }
        if self.arrive.state {
            u64::write(&mut context.bank, slots[0], mask, &states);
        }
        context.noted()
    }
}
