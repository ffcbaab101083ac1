//! Where an instruction finds its mbarrier object, and who uses it.

use crate::asynchronous::mbarrier::{Party, Wrong};
use crate::context::Context;
use crate::door::peer::{Places, Shared};
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot, lanes_in};
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::settings::Check;
use crate::vector::lanes::Flow;

/// What an mbarrier object takes and what its address is a multiple of.
pub const BYTES: u64 = 8;

/// Where an instruction finds its object.
#[derive(Clone, Copy, Debug)]
pub struct ObjectAt {
    pub address: Address,
    /// What to call the instruction, if it is not for objects of other CTAs.
    pub own: Option<&'static str>,
}

impl ObjectAt {
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
                    "this is CTA {}; on another CTA's objects it can only count bytes, and arrive without a state",
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

/// The running instruction expects bytes at an object, or brings some: for checks.
pub fn counts_bytes(context: &mut Context<'_>, address: u32, brings: bool) {
    if context.run.looks_for(Check::Async) {
        let source = context.worker.source;
        context.worker.cluster.mbarriers.counts_bytes(address, source, brings);
    }
}

/// Stops the warp: a lane used an object against its rules.
#[cold]
pub fn misused(context: &mut Context<'_>, lane: usize, wrong: Wrong) -> Flow {
    context.fault(Kind::Misuse, lane, wrong.message, wrong.notes)
}
