//! `tcgen05.commit` (manual 9.7.16.12.1): an mbarrier is arrived on when the tensor cores have done what the thread
//! had them do before.

use ptxvm_memory::TensorMemory;
use smallvec::SmallVec;

use super::place::ctas_of;
use crate::asynchronous::queue::{Named, Pending, Signal, Transfer};
use crate::context::Context;
use crate::door::touch::{Touch, Wants};
use crate::explain::finding::Kind;
use crate::ops::mbarrier::BYTES;
use crate::ops::operand::Address;
use crate::registers::{Slot, lanes_in};
use crate::schedule::cluster::shared::{OFFSET_BITS, rank_and_offset};
use crate::vector::lanes::{Execute, Flow, Op, issue_each};

pub fn executor(group: u32, mbarrier: Address, ctas: Option<usize>) -> Op {
    Box::new(Commit { group, mbarrier, ctas })
}

struct Commit {
    group: u32,
    mbarrier: Address,
    /// The slot of the mask of CTAs whose mbarriers are told.
    ctas: Option<usize>,
}

impl Commit {
    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        ctas_of(context, lane, self.group, "tcgen05.commit")?;
        let at = context.addresses(self.mbarrier, slots)[lane];
        let mbarrier = context.resolve_shared(self.mbarrier, lane, at, BYTES, BYTES, Wants::WriteLater)?;
        let ranks = match self.ctas {
            Some(mask) => {
                let mask = context.bank.lane(slots[mask], lane) as u16;
                told(context, lane, mask)?
            }
            None => mbarrier.cta(),
        };
        let (_, offset) = rank_and_offset(mbarrier.address().into());
        let signals: SmallVec<[Signal; 1]> = lanes_in(ranks)
            .map(|rank| Signal::Arrive { address: (rank as u32) << OFFSET_BITS | offset as u32, count: 1 })
            .collect();
        context.worker.cluster.queue.push(Pending {
            fetched: true,
            signals,
            writes: ranks,
            ..Pending::new(context, 1 << lane, Named::Tcgen05Commit, CommitArrival)
        });
        Ok(())
    }
}

/// The CTAs that a mask names, if all of them are there.
fn told(context: &mut Context<'_>, lane: usize, mask: u16) -> Result<u32, Flow> {
    let peers = &context.worker.cluster.shared;
    let (ctas, mask) = (peers.len() as u32, u32::from(mask));
    if mask >> ctas != 0 {
        let message = format!("tcgen05.commit with the ctaMask {mask:#06x} in a cluster of {ctas}");
        let rule = "each bit of ctaMask must be the rank of a CTA of the cluster";
        return Err(context.fault(Kind::Misuse, lane, message, vec![rule.into()]));
    }
    if let Some(rank) = lanes_in(mask).find(|rank| peers[*rank].ended) {
        let message = format!("tcgen05.commit to an mbarrier of CTA {rank} of the cluster, which has ended");
        let note =
            "a `barrier.cluster` before the end keeps each CTA alive until the others no longer need it";
        return Err(context.fault(Kind::UseAfterFree, lane, message, vec![note.into()]));
    }
    Ok(mask)
}

impl Execute for Commit {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}

/// What only tells mbarriers.
#[derive(Debug)]
struct CommitArrival;

impl Transfer for CommitArrival {
    fn footprint(&self, _: &mut dyn FnMut(Touch)) {}

    fn fetch(&mut self) {}

    fn effort(&self) -> u64 {
        0
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {}

    fn commits_tensor(&self) -> bool {
        true
    }
}
