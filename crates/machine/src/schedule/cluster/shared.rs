//! How `.shared::cluster` addresses name the shared memory of a cluster's CTAs.

/// The bits of a `.shared::cluster` address that are an offset in one CTA's memory; the rank stands above them.
pub const OFFSET_BITS: u32 = 24;

/// The rank and the offset that a `.shared::cluster` address names.
#[must_use]
pub fn rank_and_offset(address: u64) -> (u64, u64) {
    (address >> OFFSET_BITS, address & ((1 << OFFSET_BITS) - 1))
}
