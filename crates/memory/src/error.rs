//! What can go wrong with memory, for the caller to judge whose fault it is.

use std::error::Error;
use std::fmt;

use crate::allocation::{Allocation, Bytes};
use crate::explain::Explanation;

/// There is not enough memory for an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How many bytes were asked for.
    pub requested: u64,
    /// How many bytes were in use.
    pub in_use: u64,
    /// How many there are in all.
    pub limit: u64,
    /// Whether the host or the budget of its memory said no, not the device's limit.
    pub refused_by_host: bool,
}

impl fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = if self.refused_by_host { "the host has no memory for" } else { "out of device memory:" };
        write!(f, "{who} {}, {} of {} in use", Bytes(self.requested), self.in_use, Bytes(self.limit))
    }
}

impl Error for OutOfMemory {}

/// An address cannot be freed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FreeError {
    /// Nothing is or was lately allocated there.
    NotAllocated {
        /// The address.
        address: u64,
    },
    /// It points into an allocation, not to its start.
    Interior {
        /// The allocation.
        allocation: Allocation,
        /// How far in.
        offset: u64,
    },
    /// What was there has been freed already.
    Freed {
        /// What was there.
        allocation: Allocation,
        /// How far in.
        offset: u64,
    },
    /// It is an allocation, but not one of those that this way of freeing is for.
    OtherKind {
        /// The allocation.
        allocation: Allocation,
    },
}

impl fmt::Display for FreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FreeError::NotAllocated { address } => write!(f, "nothing is allocated at {address:#x}"),
            FreeError::Interior { allocation, offset } => {
                write!(f, "{:#x} is {} inside the {allocation}", allocation.start + offset, Bytes(*offset))
            }
            FreeError::Freed { allocation, offset: 0 } => {
                write!(f, "the {allocation} has been freed already")
            }
            FreeError::Freed { allocation, offset } => write!(
                f,
                "{:#x} is {} inside the {allocation}, which has been freed already",
                allocation.start + offset,
                Bytes(*offset)
            ),
            FreeError::OtherKind { allocation } => write!(f, "the {allocation} cannot be freed this way"),
        }
    }
}

impl Error for FreeError {}

/// A host array cannot be adopted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdoptError {
    /// Part of it belongs to another allocation.
    Overlap {
        /// The other allocation.
        allocation: Allocation,
    },
    /// Its addresses are not such that a host array can have.
    Impossible {
        /// The first address.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
}

impl fmt::Display for AdoptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdoptError::Overlap { allocation } => write!(f, "the host array overlaps the {allocation}"),
            AdoptError::Impossible { address, bytes } => {
                write!(f, "no host array of {} can be at {address:#x}", Bytes(*bytes))
            }
        }
    }
}

impl Error for AdoptError {}

/// The host touched memory that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessError {
    /// What is at the address instead.
    pub explanation: Explanation,
}

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.explanation.fmt(f)
    }
}

impl Error for AccessError {}

/// An offset lies outside of a window's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The offset.
    pub offset: u64,
    /// How many bytes were to be touched.
    pub bytes: u64,
    /// How many bytes there are.
    pub size: u64,
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {:#x} of {}", Bytes(self.bytes), self.offset, Bytes(self.size))
    }
}

impl Error for OutOfRange {}

/// Local memory cannot grow as far as a thread needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackOverflow {
    /// How many bytes each thread would need.
    pub requested: u64,
    /// How many it may have.
    pub limit: u64,
    /// Whether the host's own allocator said no, not the limit.
    pub refused_by_host: bool,
}

impl fmt::Display for StackOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.refused_by_host {
            write!(f, "the host has no memory for {} of local memory per thread", Bytes(self.requested))
        } else {
            let (requested, limit) = (Bytes(self.requested), Bytes(self.limit));
            write!(f, "stack overflow: {requested} of local memory needed, {limit} per thread allowed")
        }
    }
}

impl Error for StackOverflow {}
