//! An access to memory, as its checks see it (`bounds.rs`), and where it has been found to lie (`words.rs`).

use ptxvm_ir::operation::AddressSpace;

use super::writer::Name;
use crate::together::Reach;

/// Memory that an access has been found to lie in.
#[derive(Clone)]
pub(super) enum Place {
    /// One address for all lanes.
    One(Name),
    /// What the lanes access lies side by side from here on.
    Row(Name),
    /// The same for each row of the CTA, from the first to the last; one row is that of all lanes.
    Rows(Vec<Name>),
    /// One address for each row.
    Ones(Vec<Name>),
    /// A vector of pointers.
    Each(Name),
    /// Offsets of 32 bits from one pointer, which is aligned for all: half of the registers, and of the gathers.
    From(Name, Name),
    /// Close together, in an order that is known.
    Window(Window),
    /// Side by side or close together if a condition holds, else somewhere.
    Perhaps { is: Name, near: Box<Place>, each: Box<Place> },
}

/// Memory in which all that lanes access lies, in an order that is known.
#[derive(Clone)]
pub(super) struct Window {
    /// Where it begins.
    pub host: Name,
    /// How much each lane accesses it has room for.
    pub count: usize,
    /// By lane: where in it that lies.
    pub places: Vec<usize>,
}

/// An access as its checks see it.
pub(super) struct Access {
    pub space: AddressSpace,
    pub writes: bool,
    /// The load of the pointer that its address is made of, and whether it is aligned if that is.
    pub root: Option<(u32, bool)>,
    /// Bytes of a lane.
    pub bytes: u64,
    /// What is checked of a lane's memory.
    pub reach: Reach,
    /// The lanes that execute it, as a mask.
    pub lanes: Name,
    /// Whether there may be none.
    pub guarded: bool,
}

/// What a place is compared with: the bytes from the first to the last that it accesses, and their alignment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Span {
    pub(super) bytes: u64,
    pub(super) align: u64,
    /// The load of a pointer, if all addresses are aligned when this is.
    pub(super) root: Option<u32>,
}

impl Span {
    /// What offsets must be multiples of, as far as that must be looked at.
    pub(super) fn turn(self) -> u64 {
        if self.root.is_some() { 1 } else { self.align }
    }
}

/// What accesses have in common that are compared with the same: the load of the pointer that their addresses are made of,
/// how they go to memory, and what they reach.
pub(super) type Alike = (u32, (u8, bool), Span);
