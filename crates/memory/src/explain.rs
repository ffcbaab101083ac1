//! What is at an address that an access should not have touched, in plain words.

use std::fmt;

use crate::allocation::{Allocation, AllocationKind, Bytes};
use crate::table::Table;
use crate::window::{LOCAL_BASE, SHARED_BASE, Window, window_of};

/// Addresses below this come from null pointers: no system maps them.
const NULL_END: u64 = 4096;

/// How far from an allocation an address may be to be explained by it, however small the allocation is.
const NEAR: u64 = 64 << 20;

/// Where an access fell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The address of its first byte.
    pub address: u64,
    /// How many bytes it touches.
    pub bytes: u64,
    /// What is there.
    pub place: Place,
}

/// What is at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The page of the null pointer.
    Null,
    /// A live allocation that holds the whole access.
    Inside {
        /// The allocation.
        allocation: Allocation,
        /// How far in the access starts.
        offset: u64,
    },
    /// A live allocation that holds the access's first bytes but not all of them.
    Straddles {
        /// The allocation.
        allocation: Allocation,
        /// How many bytes are past its end.
        past: u64,
    },
    /// An allocation that has been freed.
    Freed {
        /// What was there.
        allocation: Allocation,
        /// How far in the access starts.
        offset: u64,
    },
    /// Past the end of the nearest allocation.
    After {
        /// The allocation.
        allocation: Allocation,
        /// How many bytes lie between its last byte and the access.
        distance: u64,
    },
    /// Before the start of the nearest allocation.
    Before {
        /// The allocation.
        allocation: Allocation,
        /// How many bytes the access starts before it.
        distance: u64,
    },
    /// The generic window of shared memory.
    Shared {
        /// The address in the shared space.
        offset: u64,
    },
    /// The generic window of local memory.
    Local {
        /// The address in the local space.
        offset: u64,
    },
    /// Far from everything.
    Wild,
}

/// Explains an access against a table, in which `found` is what holds its first byte.
pub(crate) fn explain(table: &Table, found: Option<&Allocation>, address: u64, bytes: u64) -> Explanation {
    let place = if address < NULL_END {
        Place::Null
    } else {
        match window_of(address) {
            Window::Shared => Place::Shared { offset: address - SHARED_BASE },
            Window::Local => Place::Local { offset: address - LOCAL_BASE },
            Window::Global => global_place(table, found, address, bytes),
        }
    };
    Explanation { address, bytes, place }
}

fn global_place(table: &Table, found: Option<&Allocation>, address: u64, bytes: u64) -> Place {
    if let Some(allocation) = found {
        let (allocation, offset) = (allocation.clone(), address - allocation.start);
        let past = bytes.saturating_sub(allocation.size - offset);
        return if past == 0 {
            Place::Inside { allocation, offset }
        } else {
            Place::Straddles { allocation, past }
        };
    }
    if let Some(allocation) = table.freed_at(address) {
        return Place::Freed { allocation: allocation.clone(), offset: address - allocation.start };
    }
    // The neighbours are not enough: beyond a small neighbour that is not near, there may be a big buffer that is.
    let near = table.live().filter_map(|allocation| {
        let distance =
            address.checked_sub(allocation.end()).unwrap_or(allocation.start.wrapping_sub(address));
        // Nobody means a kernel's parameters who is not right beside them.
        let near = match allocation.kind {
            AllocationKind::Param | AllocationKind::Workspace => allocation.size,
            _ => NEAR.max(allocation.size.saturating_mul(4)),
        };
        (distance <= near).then_some((distance, allocation))
    });
    match near.min_by_key(|&(distance, _)| distance) {
        Some((distance, allocation)) if allocation.end() <= address => {
            Place::After { allocation: allocation.clone(), distance }
        }
        Some((distance, allocation)) => Place::Before { allocation: allocation.clone(), distance },
        None => Place::Wild,
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:#x}: {}", Bytes(self.bytes), self.address, self.place)?;
        if let (Place::Null, 1..) = (&self.place, self.address) {
            write!(f, ", {} past it", Bytes(self.address))?;
        }
        Ok(())
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Null => f.write_str("a null pointer"),
            Place::Inside { allocation, offset } => write!(f, "{} inside {allocation}", Bytes(*offset)),
            Place::Straddles { allocation, past } => {
                write!(f, "the last {} past the end of {allocation}", Bytes(*past))
            }
            Place::Freed { allocation, offset } => {
                write!(f, "{} inside {allocation}, which has been freed", Bytes(*offset))
            }
            Place::After { allocation, distance: 0 } => write!(f, "right past the end of {allocation}"),
            Place::After { allocation, distance } => {
                write!(f, "{} past the end of {allocation}", Bytes(*distance))
            }
            Place::Before { allocation, distance } => {
                write!(f, "{} before {allocation}", Bytes(*distance))
            }
            Place::Shared { offset } => write!(f, "offset {offset:#x} of the shared window"),
            Place::Local { offset } => write!(f, "offset {offset:#x} of the local window"),
            Place::Wild => f.write_str("far from every allocation"),
        }
    }
}
