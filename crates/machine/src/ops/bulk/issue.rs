//! Issuing a bulk operation: what the manual asks of sizes, addresses, masks and mbarriers is checked here.

use std::fmt::Display;

use ptxvm_ir::operation::copy::{self, Direction};
use ptxvm_num::float::atomic::AtomicUnit;
use smallvec::SmallVec;

use super::transfer::{AtDestination, ByteSource, Move};
use crate::asynchronous::queue::{BulkSort, GroupKind, Named, Pending, Signal, Where};
use crate::context::Context;
use crate::door::peer::Shared;
use crate::door::pointer::Checked;
use crate::door::touch::{Proxy, Wants};
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, issue_each};

/// What sizes and addresses of bulk operations are multiples of.
const UNIT: u64 = 16;
/// What an mbarrier object takes, and what its address is a multiple of.
const MBARRIER: u64 = 8;

/// What a copy to shared memory brings.
#[derive(Clone, Copy)]
struct Brought {
    /// The bytes, if there are any.
    range: Option<Checked>,
    /// How far from the beginning of the destination they go.
    at: u64,
}

/// A bulk copy or reduction.
pub struct Bulk {
    pub bulk: copy::Bulk,
    pub how: AtDestination,
}

impl Bulk {
    fn sort(&self) -> BulkSort {
        match &self.how {
            AtDestination::Reduce(reduction) => BulkSort::Reduction(reduction.combination, reduction.ty),
            _ if self.bulk.ctas.is_some() => BulkSort::Multicast,
            _ => BulkSort::Copy,
        }
    }

    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let bytes = size(context, slots[self.bulk.size], lane, &self.sort())?;
        let (to, from) =
            (context.addresses(self.bulk.to, slots)[lane], context.addresses(self.bulk.from, slots)[lane]);
        if bytes == 0 {
            return Ok(());
        }
        match self.bulk.direction {
            Direction::Store => self.store(context, slots, lane, (to, from, bytes)),
            Direction::Load => {
                let from = self.source(context, slots, lane, from, bytes)?;
                self.bring(context, slots, lane, (to, from, bytes), 0)
            }
            Direction::Exchange => {
                let from =
                    context.resolve_shared(self.bulk.from, lane, from, bytes, UNIT, Wants::ReadLater)?;
                let (range, reads) = (Brought { range: Some(from.range()), at: 0 }, from.cta());
                self.bring(context, slots, lane, (to, range, bytes), reads)
            }
        }
    }

    /// The bytes of global memory that are brought. Those that `.ignore_oob` names at the ends are not: they need not be
    /// allocated, and the manual leaves open what becomes of them in shared memory, which here is nothing.
    fn source(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        lane: usize,
        from: u64,
        bytes: u64,
    ) -> Result<Brought, Flow> {
        let space = self.bulk.from.space;
        let Some((left, right)) = self.bulk.ignored else {
            let range = context.resolve_lane(space, lane, from, bytes, UNIT, Wants::ReadLater)?;
            return Ok(Brought { range: Some(range), at: 0 });
        };
        let number = |slot: usize| context.bank.lane(slots[slot], lane) & u64::from(u32::MAX);
        let (left, right) = (number(left), number(right));
        if left.max(right) >= UNIT {
            let message =
                format!("a bulk copy that ignores {left} bytes at its beginning and {right} at its end");
            let rule = "it may ignore 0 to 15 bytes at each";
            return Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]));
        }
        if !from.is_multiple_of(UNIT) {
            let message = format!("a bulk copy from {from:#x}");
            let rule = "the address must be a multiple of 16, whatever is ignored";
            return Err(context.fault(Kind::Misaligned, lane, message, vec![rule.into()]));
        }
        let range = match bytes.saturating_sub(left + right) {
            0 => None,
            rest => Some(context.resolve_lane(space, lane, from + left, rest, 1, Wants::ReadLater)?),
        };
        Ok(Brought { range, at: left.min(bytes) })
    }

    /// From shared memory to global memory, as one of a group.
    fn store(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        lane: usize,
        (to, from, bytes): (u64, u64, u64),
    ) -> Result<(), Flow> {
        let from = context.resolve_shared(self.bulk.from, lane, from, bytes, UNIT, Wants::ReadLater)?;
        let to = context.resolve_lane(self.bulk.to.space, lane, to, bytes, UNIT, Wants::WriteLater)?;
        let how = match (self.bulk.bytes, &self.how) {
            (Some(mask), _) => AtDestination::Masked(context.bank.lane(slots[mask], lane) as u16),
            (None, how) => how.clone(),
        };
        let closed = context.warp.closed[GroupKind::Bulk as usize][lane];
        let (from_where, sort) = (Where::Shared(context.cta.rank), self.sort());
        let transfer = Move {
            to,
            unit: AtomicUnit::Copy,
            from: ByteSource::Memory(from.range()),
            proxy: Proxy::Async,
            how,
        };
        context.worker.cluster.queue.push(Pending {
            group: Some((GroupKind::Bulk, closed)),
            reads: from.cta(),
            ..Pending::new(
                context,
                1 << lane,
                Named::Bulk { sort, bytes, from: from_where, to: Where::Global },
                transfer,
            )
        });
        Ok(())
    }

    /// To shared memory, of one CTA or of several, with a signal to the mbarrier in each.
    fn bring(
        &self,
        context: &mut Context<'_>,
        slots: &[Slot],
        lane: usize,
        (to, from, bytes): (u64, Brought, u64),
        reads: u32,
    ) -> Result<(), Flow> {
        let Some(mbarrier) = &self.bulk.mbarrier else { return Ok(()) };
        let to = context.resolve_shared(self.bulk.to, lane, to, bytes, UNIT, Wants::WriteLater)?;
        let at = context.addresses(*mbarrier, slots)[lane];
        let mbarrier = context.resolve_shared(*mbarrier, lane, at, MBARRIER, MBARRIER, Wants::WriteLater)?;
        let ranks = match self.bulk.ctas {
            Some(mask) => {
                let mask = context.bank.lane(slots[mask], lane) as u16;
                self.destinations(context, lane, mask)?
            }
            None => {
                same_cta(context, lane, &format_args!("a {}", self.sort()), to, mbarrier)?;
                to.cta()
            }
        };
        let source = match self.bulk.direction {
            Direction::Load => Where::Global,
            _ => Where::Shared(context.cta.rank),
        };
        let sort = self.sort();
        for target in (0..u32::BITS).filter(|target| ranks >> target & 1 != 0) {
            let place = |place| context.same_place(place, target, Wants::WriteLater);
            let (Some(to), Some(mbarrier)) = (place(to), place(mbarrier)) else { continue };
            let length = from.range.map_or(0, |range| range.bytes());
            let transfer = Move {
                to: to.range().part(from.at, length),
                unit: AtomicUnit::Shared,
                from: from.range.map_or_else(|| ByteSource::Bytes(SmallVec::new()), ByteSource::Memory),
                proxy: Proxy::Async,
                how: self.how.clone(),
            };
            context.worker.cluster.queue.push(Pending {
                signals: SmallVec::from_elem(
                    Signal::CompleteTx { address: mbarrier.address(), bytes: bytes as u32 },
                    1,
                ),
                reads,
                writes: to.cta() | mbarrier.cta(),
                ..Pending::new(
                    context,
                    1 << lane,
                    Named::Bulk { sort, bytes, from: source, to: Where::Shared(target) },
                    transfer,
                )
            });
        }
        Ok(())
    }

    /// The CTAs that a mask names, if all of them are there.
    fn destinations(&self, context: &mut Context<'_>, lane: usize, mask: u16) -> Result<u32, Flow> {
        let peers = &context.worker.cluster.shared;
        let ctas = peers.len() as u32;
        let mask = u32::from(mask);
        if mask >> ctas != 0 {
            let message = format!("a {} with the CTA mask {mask:#06x} in a cluster of {ctas}", self.sort());
            let rule = "each bit of the mask must be the rank of a CTA of the cluster";
            return Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]));
        }
        let gone = (0..ctas).find(|rank| mask >> rank & 1 != 0 && peers[*rank as usize].ended);
        if let Some(rank) = gone {
            let message = format!("a {} to CTA {rank} of the cluster, which has ended", self.sort());
            let note =
                "a `barrier.cluster` before the end keeps each CTA alive until the others no longer need it";
            return Err(context.fault(Kind::UseAfterFree, lane, message, vec![note.into()]));
        }
        Ok(mask)
    }
}

/// What writes to a CTA can tell an mbarrier there only. The manual says so of `st.async` and `red.async`; an H200 takes
/// the offset of the mbarrier alone, and signals what lies there in the CTA of the destination.
pub fn same_cta(
    context: &mut Context<'_>,
    lane: usize,
    what: &dyn Display,
    to: Shared,
    mbarrier: Shared,
) -> Result<(), Flow> {
    if to.cta() == mbarrier.cta() {
        return Ok(());
    }
    let rank = |shared: Shared| shared.rank();
    let message = format!(
        "{what} to the shared memory of CTA {} that signals an mbarrier of CTA {}",
        rank(to),
        rank(mbarrier)
    );
    let rule = "the mbarrier must be in the same CTA as the destination";
    Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]))
}

/// The size of a bulk operation, if it is one.
fn size(context: &mut Context<'_>, slot: Slot, lane: usize, name: &dyn Display) -> Result<u64, Flow> {
    let bytes = context.bank.lane(slot, lane) & u64::from(u32::MAX);
    if bytes.is_multiple_of(UNIT) {
        return Ok(bytes);
    }
    let message = format!("a {name} of {bytes} bytes");
    Err(context.fault(Kind::Misuse, lane, message, vec!["the size must be a multiple of 16".into()]))
}

impl Execute for Bulk {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// `cp.async.bulk.prefetch`: there is no cache, but sizes and addresses have their rules.
pub struct Prefetch {
    pub from: Address,
    /// The slot of the size.
    pub size: usize,
}

impl Execute for Prefetch {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let from = context.addresses(self.from, slots);
        for lane in lanes_in(mask) {
            if let Err(flow) = size(context, slots[self.size], lane, &"bulk prefetch") {
                return flow;
            }
            if !from[lane].is_multiple_of(UNIT) {
                let message = format!("a bulk prefetch at {:#x}", from[lane]);
                let rule = vec!["the address must be a multiple of 16".into()];
                return context.fault(Kind::Misaligned, lane, message, rule);
            }
        }
        Flow::Next
    }
}
