//! What lanes can wait for outside of their warp.

/// What lanes wait for outside of their warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Awaited {
    /// The end of a phase of an mbarrier object.
    Mbarrier {
        /// Where it lies: the address in `.shared::cluster`.
        address: u32,
        /// The parity of the phase.
        parity: bool,
    },
    /// The other threads of the cluster, at `barrier.cluster`.
    ClusterBarrier,
    /// The grids that this one depends on.
    Grids,
    /// The other warps of the warpgroup, at `wgmma.commit_group`.
    Warpgroup,
    /// What the other warps of the warpgroup have under way, at `wgmma.wait_group`.
    Products,
    /// So many columns of tensor memory.
    Columns(u32),
    /// A warp of the peer CTA, to allocate so many columns together.
    PeerAllocates(u32),
    /// A warp of the peer CTA, to deallocate together.
    PeerDeallocates,
}
