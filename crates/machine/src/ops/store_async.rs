//! `st.async` (manual 9.7.9.12) and `red.async` (9.7.13.7): stores and reductions of a few bytes that complete later.
//!
//! Those to shared memory tell an mbarrier; the others, and what ptxas takes without one, are done when the CTA ends.

use ptxvm_memory::{Window, window_of};
use ptxvm_num::float::atomic::AtomicUnit;
use smallvec::SmallVec;

use crate::asynchronous::queue::{Named, Pending, Signal, StoreSort, Where};
use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::{Proxy, Wants};
use crate::ops::bulk::{AtDestination, ByteSource, Move, same_cta};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op, issue_each};
use ptxvm_ir::operation::copy::{Reaches, StoreAsync};

/// What an mbarrier object takes, and what its address is a multiple of.
const MBARRIER: u64 = 8;

/// The operation of an asynchronous store or reduction.
pub fn executor(store: StoreAsync) -> Option<Op> {
    Some(Box::new(Storing { store, how: AtDestination::of(store.reduction)? }))
}

struct Storing {
    store: StoreAsync,
    how: AtDestination,
}

impl Storing {
    fn sort(&self) -> StoreSort {
        match &self.how {
            AtDestination::Reduce(reduction) => StoreSort::Reduction(reduction.combination, reduction.ty),
            _ => StoreSort::Store,
        }
    }

    fn issue(&self, context: &mut Context<'_>, slots: &[Slot], lane: usize) -> Result<(), Flow> {
        let mut values = SmallVec::new();
        for element in 0..self.store.count {
            let value = context.bank.whole_lane(slots[self.store.first + element], lane).to_le_bytes();
            values.extend_from_slice(&value[..self.store.width]);
        }
        let bytes = values.len() as u64;
        let to = context.addresses(self.store.to, slots)[lane];
        let shared = match self.store.to.space {
            AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => true,
            AddressSpace::Generic => window_of(to) == Window::Shared,
            _ => false,
        };
        let mut signals = SmallVec::new();
        let (range, writes, place) = if shared && self.store.reaches != Reaches::Global {
            let place = context.resolve_shared(self.store.to, lane, to, bytes, bytes, Wants::WriteLater)?;
            let mut writes = place.cta();
            if let Some(mbarrier) = self.store.mbarrier {
                let at = context.addresses(mbarrier, slots)[lane];
                let mbarrier =
                    context.resolve_shared(mbarrier, lane, at, MBARRIER, MBARRIER, Wants::WriteLater)?;
                same_cta(context, lane, &self.sort(), place, mbarrier)?;
                signals.push(Signal::CompleteTx { address: mbarrier.address(), bytes: bytes as u32 });
                writes |= mbarrier.cta();
            }
            (place.range(), writes, Where::Shared(place.rank()))
        } else if self.store.reaches == Reaches::Cluster {
            // Not shared memory: the finding says so.
            let place = context.resolve_shared(self.store.to, lane, to, bytes, bytes, Wants::WriteLater)?;
            (place.range(), place.cta(), Where::Shared(place.rank()))
        } else {
            let space = match self.store.to.space {
                AddressSpace::Generic => AddressSpace::Global,
                space => space,
            };
            let to = context.resolve_lane(space, lane, to, bytes, bytes, Wants::WriteLater)?;
            (to, 0, Where::Global)
        };
        let unit = if writes == 0 { AtomicUnit::Global } else { AtomicUnit::Shared };
        let from = ByteSource::Bytes(values);
        let transfer = Move { to: range, unit, from, proxy: Proxy::Generic, how: self.how.clone() };
        context.worker.cluster.queue.push(Pending {
            fetched: true,
            signals,
            writes,
            ..Pending::new(context, 1 << lane, Named::Store { sort: self.sort(), bytes, to: place }, transfer)
        });
        Ok(())
    }
}

impl Execute for Storing {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        issue_each(mask, |lane| self.issue(context, slots, lane))
    }
}
