//! What asynchronous operations are called in events and findings: kept as data, because millions are issued and few are
//! ever spoken of.

use std::fmt::{Display, Formatter, Result};

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;

/// What an operation is; in words: `a bulk copy of 512 bytes from ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// `cp.async` of so many bytes.
    CpAsync(u64),
    /// `cp.async.mbarrier.arrive`
    CpAsyncArrival,
    /// `cp.async.bulk`, `cp.reduce.async.bulk`
    Bulk {
        /// What it does there.
        sort: BulkSort,
        /// How many bytes it moves.
        bytes: u64,
        /// Where they are.
        from: Where,
        /// Where they go.
        to: Where,
    },
    /// `st.async`, `red.async`
    Store {
        /// What it does there.
        sort: StoreSort,
        /// How many bytes it moves.
        bytes: u64,
        /// Where they go.
        to: Where,
    },
    /// `cp.async.bulk.tensor` to shared memory, of so many bytes.
    TensorCopy(u64),
    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` to global memory, of so many bytes.
    TensorStore(u64, Option<Combination>),
    /// `clusterlaunchcontrol.try_cancel`
    CancelRequest,
    /// `tcgen05.st` of so many registers.
    Tcgen05Store(u32),
    /// `tcgen05.cp` of so many rows, and the bytes of each.
    Tcgen05Copy(u32, u64),
    /// `tcgen05.shift` of columns: the first and the last.
    Tcgen05Shift(u32, u32),
    /// `tcgen05.mma` of M, N and K.
    Tcgen05Mma([u32; 3]),
    /// `tcgen05.commit`
    Tcgen05Commit,
}

/// What a bulk copy does to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BulkSort {
    /// It overwrites it.
    Copy,
    /// It overwrites that of several CTAs.
    Multicast,
    /// It combines numbers.
    Reduction(Combination, Type),
}

/// What an asynchronous store does to its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSort {
    /// It overwrites it.
    Store,
    /// It combines numbers.
    Reduction(Combination, Type),
}

/// Which memory is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Global memory.
    Global,
    /// The shared memory of the CTA of this rank.
    Shared(u32),
}

impl Display for Named {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match *self {
            Self::CpAsync(bytes) => write!(f, "a `cp.async` of {bytes} bytes"),
            Self::CpAsyncArrival => f.write_str("the arrival of a `cp.async.mbarrier.arrive`"),
            Self::Bulk { sort, bytes, from, to } => {
                write!(f, "a {sort} of {bytes} bytes from {from} to {to}")
            }
            Self::Store { sort, bytes, to } => write!(f, "{sort} of {bytes} bytes to {to}"),
            Self::TensorCopy(bytes) => write!(f, "a tensor copy of {bytes} bytes"),
            Self::TensorStore(bytes, None) => write!(f, "a tensor store of {bytes} bytes"),
            Self::TensorStore(bytes, Some(reduction)) => {
                write!(f, "a tensor reduction ({}) of {bytes} bytes", reduction.name())
            }
            Self::CancelRequest => f.write_str("a request to cancel a cluster"),
            Self::Tcgen05Store(registers) => write!(f, "a tcgen05.st of {registers} registers a thread"),
            Self::Tcgen05Copy(rows, bytes) => write!(f, "a tcgen05.cp of {rows} rows of {bytes} bytes"),
            Self::Tcgen05Shift(first, last) => write!(f, "a tcgen05.shift of columns {first} to {last}"),
            Self::Tcgen05Mma([m, n, k]) => write!(f, "a tcgen05.mma of {m}x{n}x{k}"),
            Self::Tcgen05Commit => f.write_str("the arrival of a tcgen05.commit"),
        }
    }
}

impl Display for BulkSort {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Copy => f.write_str("bulk copy"),
            Self::Multicast => f.write_str("multicast bulk copy"),
            Self::Reduction(combination, ty) => {
                write!(f, "bulk reduction ({}.{})", combination.name(), ty.name())
            }
        }
    }
}

impl Display for StoreSort {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Store => f.write_str("an asynchronous store"),
            Self::Reduction(combination, ty) => {
                write!(f, "an asynchronous reduction ({}.{})", combination.name(), ty.name())
            }
        }
    }
}

impl Display for Where {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Global => f.write_str("global memory"),
            Self::Shared(rank) => write!(f, "the shared memory of CTA {rank}"),
        }
    }
}
