//! The vocabulary for touches of memory: which space, what is done, when, and through which proxy.

pub use ptxvm_ir::operation::Proxy;

/// A memory that the guest has. Together with an address it names a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// The device's memory: global, constant and parameter variables. The address is the generic one.
    Global,
    /// The shared memory of a cluster. The address is that of `.shared::cluster`: the rank of the CTA in its cluster above
    /// the offset in its memory.
    Shared,
    /// The local memory of a thread. The address is the offset in it; which thread's it is says the lane.
    Local,
    /// The parameter block of the entry, read by `ld.param`. The address is the offset in it.
    Parameter,
    /// The tensor memory of a cluster. The address is that of `tcgen05` (the lane above 16 bits of column) with the rank
    /// of the CTA above its 32 bits; a column has four bytes, and the next column of a lane comes after it.
    Tensor,
}

/// What an instruction does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes in one step: atomics and reductions.
    Update,
    /// It changes the mbarrier object that lies there. Its bytes stay as they are, until `mbarrier.inval` shows them.
    Mbarrier,
    /// It has the asynchronous units read, at a time that the footprint of their operation says.
    ReadLater,
    /// It writes later: the asynchronous units do for it, or it does itself when it is no longer put off.
    WriteLater,
    /// It touches nothing: the bytes only have to be there.
    Nothing,
}

impl Wants {
    /// Whether memory that cannot be written is good enough.
    #[inline(always)]
    #[must_use]
    pub const fn only_reads(self) -> bool {
        matches!(self, Self::Read | Self::ReadLater | Self::Nothing)
    }

    /// Whether the instruction itself touches the bytes, now.
    #[must_use]
    pub const fn is_now(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Update | Self::Mbarrier)
    }

    /// What a report calls it.
    pub(crate) const fn verb(self) -> &'static str {
        if self.only_reads() { "a read" } else { "a write" }
    }
}

/// When an asynchronous operation touches bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When it reads its source, which may be long before it completes.
    Fetch,
    /// When it completes.
    Deliver,
}

/// Bytes that an asynchronous operation touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The memory that they lie in.
    pub space: Space,
    /// Where they begin.
    pub address: u64,
    /// How many there are.
    pub bytes: u64,
    /// What is done to them.
    pub wants: Wants,
    /// When.
    pub when: When,
    /// Through which proxy.
    pub proxy: Proxy,
}
