//! `mbarrier.*` (manual 9.7.13.15): making and ending objects, arriving, counting bytes, waiting.
//!
//! `.sem` and `.scope` change nothing here: every lane's accesses happen in the order in which lanes run.

mod arrive;
mod life;
mod transactions;
mod wait;

use crate::asynchronous::mbarrier::{Party, Wrong, token};
use crate::context::Context;
use crate::door::{Places, Shared, Wants};
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::OFFSET_BITS;
use crate::vector::lanes::{Flow, Op, map1};
use ptxvm_ir::operation::Mbarrier;

/// What an mbarrier object takes and what its address is a multiple of.
pub const BYTES: u64 = 8;

/// The operation of an mbarrier instruction.
pub fn executor(mbarrier: Mbarrier) -> Op {
    match mbarrier {
        Mbarrier::Init { object, count } => life::init(object, count),
        Mbarrier::Inval { object } => life::inval(object),
        Mbarrier::Transactions { object, bytes, complete } => transactions::executor(object, bytes, complete),
        Mbarrier::Arrive(arrive) => arrive::executor(arrive),
        Mbarrier::Wait(wait) => wait::executor(wait),
        Mbarrier::PendingCount => map1(token::pending_count),
    }
}

/// Where an instruction finds its object.
#[derive(Clone, Copy, Debug)]
pub struct At {
    pub address: Address,
    /// What to call the instruction, if it is not for objects of other CTAs.
    pub own: Option<&'static str>,
}

impl At {
    /// Where the object of each lane lies.
    pub fn places(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<Places, Flow> {
        let places = context.resolve_all_shared(self.address, slots, mask, BYTES, Wants::Mbarrier)?;
        if let Some(name) = self.own {
            let rank_of = |lane: usize| places.addresses()[lane] >> OFFSET_BITS;
            let foreign = |lane: &usize| mask >> lane & 1 != 0 && rank_of(*lane) != context.cta.rank;
            if let Some(lane) = (0..LANES).find(foreign) {
                let rank = rank_of(lane);
                let message = format!("`{name}` on an mbarrier object of CTA {rank} of the cluster");
                let note = format!(
                    "this is CTA {}; of another CTA's objects it can only count bytes, and arrive without a state",
                    context.cta.rank
                );
                return Err(context.fault(Kind::WrongSpace, lane, message, vec![note]));
            }
        }
        Ok(places)
    }

    /// Does something to each lane's object in turn.
    pub fn each(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
        mut change: impl FnMut(&mut Context<'_>, usize, Shared) -> Result<(), Wrong>,
    ) -> Flow {
        let places = match self.places(context, slots, mask) {
            Ok(places) => places,
            Err(flow) => return flow,
        };
        for lane in lanes_in(mask) {
            context.act(lane);
            if let Err(wrong) = change(context, lane, places.lane(lane)) {
                return misused(context, lane, wrong);
            }
        }
        context.noted()
    }
}

/// A lane of the running warp.
pub fn party(context: &Context<'_>, lane: usize) -> Party {
    Party { rank: context.cta.rank, warp: context.warp.index, lanes: 1 << lane }
}

/// Stops the warp: a lane used an object against its rules.
#[cold]
pub fn misused(context: &mut Context<'_>, lane: usize, wrong: Wrong) -> Flow {
    context.fault(Kind::Misuse, lane, wrong.message, wrong.notes)
}
