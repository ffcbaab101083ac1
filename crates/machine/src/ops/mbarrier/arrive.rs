//! `mbarrier.arrive` and `mbarrier.arrive_drop`, with counts, with bytes to expect, and without completion.

use super::{At, misused, party};
use crate::context::Context;
use crate::lanes::{Execute, Flow, Op};
use crate::mbarrier::Arrival;
use crate::registers::{LANES, Slot, Value, lanes_in};
use ptxvm_ir::OperandKind;
use ptxvm_ir::operation::Form;

pub fn select(form: &Form<'_>, drop: bool) -> Option<Op> {
    // Who wants a state must be in the CTA of the object.
    let state = form.operand("state").filter(|operand| operand.kind != OperandKind::Sink).is_some();
    let (expects, no_complete) = (form.says("expect_tx"), form.says("noComplete"));
    let own = match (state || no_complete, drop) {
        (false, _) => None,
        (true, false) => Some("mbarrier.arrive"),
        (true, true) => Some("mbarrier.arrive_drop"),
    };
    Some(Box::new(Arrive {
        at: At::of(form, own)?,
        state,
        count: form.position("count"),
        bytes: if expects { Some(form.position("txCount")?) } else { None },
        drop,
        no_complete,
    }))
}

struct Arrive {
    at: At,
    state: bool,
    count: Option<usize>,
    bytes: Option<usize>,
    drop: bool,
    no_complete: bool,
}

impl Execute for Arrive {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let places = match self.at.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        let mut states = [0; LANES];
        for lane in lanes_in(mask) {
            context.act(lane);
            let operand = |slot: usize| context.bank.lane(slots[slot], lane) as u32;
            let how = Arrival {
                count: self.count.map_or(1, operand),
                expect: self.bytes.map(operand),
                drop: self.drop,
                no_complete: self.no_complete,
            };
            let by = party(context, lane);
            match context.worker.cluster.arrive_at_mbarrier(places[lane].address, how, by) {
                Ok(state) => states[lane] = state,
                Err(wrong) => return misused(context, lane, wrong),
            }
        }
        if self.state {
            u64::write(&mut context.bank, slots[0], mask, &states);
        }
        context.noted()
    }
}
