//! The shared memory of a cluster's CTAs: where each lies, and how `.shared::cluster` addresses name it.

/// The bits of a `.shared::cluster` address that are an offset in one CTA's memory; the rank stands above them.
pub const OFFSET_BITS: u32 = 24;

/// The shared memory of one CTA as its cluster sees it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Where it lies on the host, with its provenance exposed. It stays there until the cluster has ended.
    pub host: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Whether all threads of the CTA have ended, after which nobody may touch it.
    pub ended: bool,
}

/// The rank and the offset that a `.shared::cluster` address names.
#[must_use]
pub fn rank_and_offset(address: u64) -> (u64, u64) {
    (address >> OFFSET_BITS, address & ((1 << OFFSET_BITS) - 1))
}
