//! Addresses of a cluster's shared memory: which CTA's memory one names, and what is wrong with one that names none.

use ptxvm_ir::operation::AddressSpace;

use crate::context::Context;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::vector::lanes::Flow;

/// Why shared memory is not there.
pub(crate) enum MissedShared {
    /// It lies outside of what a CTA has.
    Outside { offset: u64, size: u64, foreign: bool },
    /// The cluster has no such CTA.
    NoSuchCta,
    /// It is another CTA's, and the instruction reaches its own only.
    Foreign,
    /// Its CTA has ended.
    Ended,
}

impl Context<'_> {
    /// Where bytes of the cluster's shared memory lie on the host.
    pub(crate) fn shared_at(&self, address: u64, bytes: u64) -> Result<*mut u8, MissedShared> {
        let (rank, offset) = rank_and_offset(address);
        let foreign = rank != u64::from(self.cta.rank);
        let peers = &self.worker.cluster.shared;
        match usize::try_from(rank).ok().and_then(|rank| peers.get(rank)) {
            None => Err(MissedShared::NoSuchCta),
            Some(peer) if foreign && peer.ended => Err(MissedShared::Ended),
            Some(peer) => {
                let outside = MissedShared::Outside { offset, size: peer.bytes, foreign };
                peer.pointer(offset, bytes).ok_or(outside)
            }
        }
    }

    /// An access to shared memory that is not there.
    #[cold]
    pub(crate) fn outside_shared(
        &mut self,
        missed: MissedShared,
        lane: usize,
        (address, bytes): (u64, u64),
        wants: Wants,
    ) -> Flow {
        let (rank, offset) = rank_and_offset(address);
        let what = format!("{} of {bytes} bytes at the shared address {address:#x}", wants.verb());
        let own = self.cta.rank;
        let ctas = self.worker.cluster.shared.len();
        match missed {
            MissedShared::Outside { offset, size, foreign: false } => {
                self.outside(AddressSpace::Shared, lane, (offset, bytes, size), wants)
            }
            MissedShared::Outside { offset, size, .. } => {
                let message =
                    format!("{what}, out of bounds of the shared memory of CTA {rank} of the cluster");
                let note = format!(
                    "each CTA of the cluster has {size} bytes; the access begins at offset {offset:#x}"
                );
                // As an H200 has it: what no CTA could have is an address, what this one has not is not there.
                let kind = match offset < u64::from(self.run.environment.profile.shared_per_sm) {
                    true => Kind::ForeignShared,
                    false => Kind::OutOfBounds,
                };
                self.fault(kind, lane, message, vec![note])
            }
            MissedShared::NoSuchCta if ctas == 1 => {
                let size = self.cta.shared.bytes() as u64;
                self.outside(AddressSpace::Shared, lane, (address, bytes, size), wants)
            }
            MissedShared::NoSuchCta => {
                let message = format!("{what}, which names CTA {rank} of a cluster of {ctas}");
                self.fault(Kind::ForeignShared, lane, message, Vec::new())
            }
            MissedShared::Foreign => {
                let message =
                    format!("{what}, which is that of CTA {rank} of the cluster, through `.shared::cta`");
                let note =
                    format!("this is CTA {own}; `.shared::cluster` reaches offset {offset:#x} of CTA {rank}");
                self.fault(Kind::Misuse, lane, message, vec![note])
            }
            MissedShared::Ended => {
                let message = format!("{what}: CTA {rank} of the cluster, whose memory it is, has ended");
                let note = "a `barrier.cluster` before the end keeps each CTA alive until the others no longer need it";
                self.fault(Kind::ForeignShared, lane, message, vec![note.into()])
            }
        }
    }
}
