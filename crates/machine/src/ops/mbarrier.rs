//! `mbarrier.*` (manual 9.7.13.15).

use crate::address::{AddressSpace, Wants};
use crate::context::Context;
use crate::finding::Kind;
use crate::form::Form;
use crate::lanes::{Execute, Flow, Op};
use crate::ops::operand::{Address, slot_of};
use crate::registers::{LANES, Slot, Value};
use crate::warp::Awaited;

/// What an mbarrier object takes and what its address is a multiple of.
const BYTES: u64 = 8;

/// The operation of an mbarrier instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.opcode() != "mbarrier" {
        return None;
    }
    let space = AddressSpace::from_name(form.slot("space"));
    let says = |word: &str| form.words().chain(form.modifiers()).any(|w| w == word);
    if says("init") {
        let at = Address::of(form, "addr", space)?;
        return Some(Box::new(Init { at, count: slot_of(form, "count")? }));
    }
    if (says("test_wait") || says("try_wait")) && says("parity") {
        let at = Address::of(form, "addr", space)?;
        return Some(Box::new(Wait { at, parity: slot_of(form, "phaseParity")? }));
    }
    if says("arrive") && says("expect_tx") && form.slot("space") != Some("shared::cluster") {
        let at = Address::of(form, "addr", space)?;
        return Some(Box::new(ArriveExpect { at, bytes: slot_of(form, "txCount")? }));
    }
    None
}

struct Init {
    at: Address,
    count: usize,
}

impl Execute for Init {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let at = self.at.read(context, slots);
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let place = match self.at.resolve_shared(context, lane, at[lane], BYTES, BYTES, Wants::Write) {
                Ok(place) => place,
                Err(flow) => return flow,
            };
            let count = context.bank.lane(slots[self.count], lane) as u32;
            context.worker.cluster.mbarriers.init(place.address, count);
        }
        Flow::Next
    }
}

struct ArriveExpect {
    at: Address,
    bytes: usize,
}

impl Execute for ArriveExpect {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let at = self.at.read(context, slots);
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let place = match self.at.resolve_shared(context, lane, at[lane], BYTES, BYTES, Wants::Write) {
                Ok(place) => place,
                Err(flow) => return flow,
            };
            let bytes = context.bank.lane(slots[self.bytes], lane) as u32;
            let done = context.worker.cluster.update(place.address, |object| {
                object.add_tx(i64::from(bytes))?;
                object.arrive(1)
            });
            if let Err(message) = done {
                return context.fault(Kind::Misuse, lane, message, Vec::new());
            }
        }
        Flow::Next
    }
}

struct Wait {
    at: Address,
    parity: usize,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let at = self.at.read(context, slots);
        let mut complete = [false; LANES];
        let mut awaited = None;
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let place = match self.at.resolve_shared(context, lane, at[lane], BYTES, BYTES, Wants::Read) {
                Ok(place) => place,
                Err(flow) => return flow,
            };
            let parity = context.bank.lane(slots[self.parity], lane) & 1 != 0;
            let Some(object) = context.worker.cluster.mbarriers.get(place.address) else {
                let message = format!("no mbarrier object lies at {:#x}", place.address);
                return context.fault(Kind::Misuse, lane, message, Vec::new());
            };
            complete[lane] = object.phase != parity;
            awaited = awaited.or(Some(Awaited::Mbarrier { address: place.address, parity }));
        }
        let some = complete.contains(&true);
        if !some && context.warp.expired & mask == 0 {
            context.warp.awaited = awaited;
            return Flow::Wait;
        }
        context.warp.expired &= !mask;
        bool::write(&mut context.bank, slots[0], mask, &complete);
        Flow::Next
    }
}
