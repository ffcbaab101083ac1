//! The two ends of a tensor copy: the rows of a box in global memory, and the box in shared memory.

use std::ops::{ControlFlow, Range};

use ptxvm_tensor::rules::SHARED_ALIGNMENT;
use ptxvm_tensor::{Walk, broken_by_place};

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::peer::Shared;
use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::explain::finding::Kind;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::vector::lanes::Flow;

/// The rows of an access, of each of which so many bytes at its address have been checked. [`Context::reach`] alone makes
/// them; they stay good until the cluster has ended.
#[derive(Clone, Debug)]
pub struct Reached {
    walk: Walk,
    bytes: u64,
    wants: Wants,
}

impl Reached {
    /// The rows.
    #[must_use]
    pub const fn walk(&self) -> &Walk {
        &self.walk
    }

    /// Names the bytes of each row in global memory.
    pub fn footprint(&self, wants: Wants, when: When, visit: &mut dyn FnMut(Touch)) {
        assert!(
            wants.only_reads() || !self.wants.only_reads(),
            "a write to rows that were checked for reading"
        );
        let _ = self.walk.each(|row| {
            if let Some(address) = row.address {
                let (space, bytes) = (Space::Global, self.bytes);
                visit(Touch { space, address, bytes, wants, when, proxy: Proxy::Async });
            }
            ControlFlow::<()>::Continue(())
        });
    }
}

impl Context<'_> {
    /// Checks so many bytes of each row in global memory: all of them at once where they lie in one allocation.
    pub fn reach(&mut self, lane: usize, walk: Walk, bytes: u64, wants: Wants) -> Result<Reached, Flow> {
        if let Some(bounds) = walk.bounds()
            && !self.in_one_region(&bounds, &walk, bytes, wants)
        {
            let outcome = walk.each(|row| {
                let Some(address) = row.address else { return ControlFlow::Continue(()) };
                match self.resolve_lane(AddressSpace::Global, lane, address, bytes, 1, wants) {
                    Ok(_) => ControlFlow::Continue(()),
                    Err(flow) => ControlFlow::Break(flow),
                }
            });
            if let ControlFlow::Break(flow) = outcome {
                return Err(flow);
            }
        }
        Ok(Reached { walk, bytes, wants })
    }

    /// Whether so many bytes of each row lie in one allocation, from the lowest to the highest.
    pub fn in_one_region(&self, bounds: &Range<u64>, walk: &Walk, bytes: u64, wants: Wants) -> bool {
        let length = (bounds.end - bounds.start).saturating_add(bytes.saturating_sub(u64::from(walk.inside)));
        self.run.environment.memory.region(bounds.start).is_some_and(|region| {
            region.holds(bounds.start, length) && !region.constant && (region.writable || wants.only_reads())
        })
    }

    /// Checks that so much of a box fits where it begins in shared memory, and gives all of it.
    pub fn box_at(&mut self, lane: usize, extent: u64, place: Shared, wants: Wants) -> Result<Shared, Flow> {
        let (rank, offset) = rank_and_offset(u64::from(place.address()));
        let peer = self.worker.cluster.shared.get(rank as usize);
        let rule = broken_by_place(extent, place.address(), offset, peer.map_or(0, |peer| peer.bytes));
        match (rule, peer.and_then(|peer| peer.range(offset, extent, wants))) {
            (None, Some(whole)) => Ok(whole),
            (rule, _) => {
                let aligned = place.address().is_multiple_of(SHARED_ALIGNMENT);
                let kind = if aligned { Kind::Misuse } else { Kind::Misaligned };
                let rule = rule.unwrap_or_else(|| "the box is not in shared memory".into());
                Err(self.fault(kind, lane, rule, Vec::new()))
            }
        }
    }
}
