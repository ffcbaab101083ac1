//! The memories of a launch, by name.

/// A thread's local memory: the CTA's cluster and rank, the warp, the lane.
pub type Thread = (u64, u32, u32, u32);

/// One of the memories of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    Global,
    /// That of a cluster.
    Shared(u64),
    /// That of a cluster.
    Tensor(u64),
    Local(Thread),
}
