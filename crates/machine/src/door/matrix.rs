//! Matrices in shared memory that a descriptor describes.

use crate::context::Context;
use crate::door::peer::Peer;
use crate::matrix::descriptor::{Descriptor, Major};
use crate::matrix::units::Units;

/// A matrix that does not lie in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Beyond {
    /// The first byte after its farthest unit.
    pub end: u64,
    /// The CTA, of those that were asked, whose memory is the smallest, and how many bytes that has.
    pub rank: u32,
    pub size: u64,
}

impl Context<'_> {
    /// The units of a matrix, so many along its major direction and so many across, which have to lie in the shared memory
    /// of each of these CTAs.
    pub(crate) fn matrix(
        &self,
        descriptor: Descriptor,
        major: Major,
        (along, across): (u32, u32),
        ranks: impl IntoIterator<Item = u32>,
    ) -> Result<Units, Beyond> {
        let bytes = |rank: u32| self.peer(rank).map_or(0, |peer| peer.bytes);
        let smallest = ranks.into_iter().map(|rank| (bytes(rank), rank)).min();
        let (size, rank) = smallest.unwrap_or_default();
        descriptor.within(major, along, across, size).map_err(|end| Beyond { end, rank, size })
    }

    /// The shared memory of a CTA of the cluster.
    pub(crate) fn peer(&self, rank: u32) -> Option<Peer> {
        self.worker.cluster.shared.get(rank as usize).copied()
    }
}
