//! Who has issued an asynchronous operation, and the groups of a thread that it can belong to.

use crate::asynchronous::mbarrier::record::Party;

/// The groups that a thread closes with `commit_group` and waits for with `wait_group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum GroupKind {
    /// Of `cp.async`.
    CpAsync = 0,
    /// Of bulk copies.
    Bulk = 1,
}

impl GroupKind {
    /// The name in events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::CpAsync => "cp.async",
            Self::Bulk => "cp.async.bulk",
        }
    }
}

/// Who issued an operation, and where.
#[derive(Clone, Copy, Debug, Default)]
pub struct Issuer {
    /// The CTA's rank in its cluster.
    pub rank: u32,
    /// The warp in its CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
    /// The instruction of the code; the interpreter fills it in.
    pub at: u32,
    /// The activation that executed it; the interpreter fills it in.
    pub activation: u32,
    /// The number of the operation in its cluster, which it gets when it is issued.
    pub operation: u64,
}

impl Issuer {
    /// The threads alone.
    #[must_use]
    pub fn party(&self) -> Party {
        Party { rank: self.rank, warp: self.warp, lanes: self.lanes }
    }

    /// Whether some lane of this one belongs to the other.
    #[must_use]
    pub fn is_of(&self, other: &Issuer) -> bool {
        (self.rank, self.warp) == (other.rank, other.warp) && self.lanes & other.lanes != 0
    }
}
