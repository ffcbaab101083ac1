//! `tcgen05.alloc`, `.dealloc` and `.relinquish_alloc_permit` (manual 9.7.16.7.1).

use super::place::{TensorPlace, ctas_of, operand, uniform, whole};
use crate::asynchronous::mbarrier::Party;
use crate::context::Context;
use crate::door::touch::{Proxy, Wants};
use crate::explain::finding::Kind;
use crate::ops::mbarrier::misused;
use crate::ops::operand::Address;
use crate::registers::Slot;
use crate::schedule::cluster::Gain;
use crate::settings::Asynchrony;
use crate::vector::lanes::{Execute, Flow, Op};

pub fn allocate(group: u32, to: Address, columns: usize) -> Op {
    Box::new(Allocate { group, to, columns })
}

pub fn deallocate(group: u32, from: usize, columns: usize) -> Op {
    Box::new(Deallocate { group, from, columns })
}

pub fn relinquish(group: u32) -> Op {
    Box::new(Relinquish { group })
}

/// The warp, for those who remember it.
fn party(context: &Context<'_>, lanes: u32) -> Party {
    Party { rank: context.cta.rank, warp: context.warp.index, lanes }
}

struct Allocate {
    group: u32,
    to: Address,
    columns: usize,
}

impl Allocate {
    fn allocate(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<Flow, Flow> {
        let name = "tcgen05.alloc";
        let lane = whole(context, mask, name)?;
        ctas_of(context, lane, self.group, name)?;
        let columns = uniform(context, operand(slots[self.columns]), mask, name, "nCols")?;
        let at = context.addresses(self.to, slots)[lane];
        let to = context.resolve_shared(self.to, lane, at, 4, 4, Wants::WriteLater)?;
        let rank = to.rank();
        if rank != context.cta.rank {
            let message = format!("{name} that writes the address to the shared memory of CTA {rank}");
            let rule = "dst must be in the shared memory of the executing CTA";
            return Err(context.fault(Kind::WrongSpace, lane, message, vec![rule.into()]));
        }
        let by = party(context, mask);
        match context.worker.cluster.allocate_columns(by, self.group, columns) {
            Ok(Gain::Columns(first)) => {
                context.touches(lane, &to.range(), Wants::Write, Proxy::Generic);
                to.range().write(&first.to_le_bytes());
                Ok(Flow::Issued)
            }
            Ok(Gain::Wait(awaited)) => {
                context.warp.awaited = Some(awaited);
                Ok(Flow::Wait)
            }
            Err(wrong) => Err(misused(context, lane, wrong)),
        }
    }
}

impl Execute for Allocate {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        self.allocate(context, slots, mask).unwrap_or_else(|flow| flow)
    }
}

struct Deallocate {
    group: u32,
    from: usize,
    columns: usize,
}

impl Deallocate {
    fn deallocate(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Result<Flow, Flow> {
        let name = "tcgen05.dealloc";
        let lane = whole(context, mask, name)?;
        let columns = uniform(context, operand(slots[self.columns]), mask, name, "nCols")?;
        let from = uniform(context, operand(slots[self.from]), mask, name, "taddr")?;
        let TensorPlace { lane: row, column } = TensorPlace::of(from);
        if row != 0 {
            let message = format!("{name} at lane {row} of tensor memory");
            let rule = "taddr must be what a tcgen05.alloc returned; its lane is 0";
            return Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]));
        }
        // The peer may have ended: it need not wait for us.
        if let Err(wrong) = context.worker.cluster.tensor_memory.agree(self.group) {
            return Err(misused(context, lane, wrong));
        }
        let patient = self.group == 2
            && match context.run.launch.settings.asynchrony {
                Asynchrony::Eager => false,
                Asynchrony::Lazy => true,
                Asynchrony::Seeded => context.worker.cluster.queue.toss(),
            };
        let by = party(context, mask);
        let freed = context.worker.cluster.deallocate_columns(by, self.group, (column, columns), patient);
        match freed {
            Ok(None) => Ok(Flow::Next),
            Ok(awaited) => {
                context.warp.awaited = awaited;
                Ok(Flow::Wait)
            }
            Err(wrong) => Err(misused(context, lane, wrong)),
        }
    }
}

impl Execute for Deallocate {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        self.deallocate(context, slots, mask).unwrap_or_else(|flow| flow)
    }
}

struct Relinquish {
    group: u32,
}

impl Execute for Relinquish {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        let lane = match whole(context, mask, "tcgen05.relinquish_alloc_permit") {
            Ok(lane) => lane,
            Err(flow) => return flow,
        };
        if let Err(wrong) = context.worker.cluster.tensor_memory.agree(self.group) {
            return misused(context, lane, wrong);
        }
        let rank = context.cta.rank as usize;
        if let Some(memory) = context.worker.cluster.tensor_memory.of_ctas.get_mut(rank) {
            memory.relinquish();
        }
        Flow::Next
    }
}
