//! What an allocation is: its place, its kind and its name, as the machine and the reports see it.

use std::fmt;
use std::sync::Arc;

/// Where an allocation comes from, which decides how it is called in reports and whether the guest may write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocationKind {
    /// A buffer that the host asked for.
    Device,
    /// The texels of an array, which textures and surfaces show.
    Array,
    /// A `.global` variable of a module.
    Variable,
    /// A `.const` variable of a module.
    Constant,
    /// The parameters of a launch.
    Param,
    /// What the threads of a cooperative launch wait for each other with.
    Workspace,
    /// A block from the guest's own `malloc`.
    Heap,
    /// A buffer that host and device share.
    Managed,
    /// Host memory that the driver gave, for host and device alike.
    Pinned,
    /// Physical memory mapped at an address that the program reserved.
    Mapped,
    /// The same, for reading only.
    MappedReadOnly,
    /// A host array used in place.
    Host,
    /// A host array used in place that the guest may not write: the host itself cannot either.
    HostReadOnly,
}

impl AllocationKind {
    /// Whether the guest may write there.
    #[must_use]
    pub const fn writable(self) -> bool {
        !matches!(self, Self::Constant | Self::Param | Self::MappedReadOnly | Self::HostReadOnly)
    }

    /// Whether it is constant memory to the guest, which is no global memory.
    #[must_use]
    pub const fn constant(self) -> bool {
        matches!(self, Self::Constant | Self::Param)
    }

    /// Whether the bytes belong to somebody else, who has lent them.
    #[must_use]
    pub const fn adopted(self) -> bool {
        matches!(self, Self::Mapped | Self::MappedReadOnly | Self::Host | Self::HostReadOnly)
    }

    /// Whether the bytes are the device's own. Those of the host's and those that move between the two are not.
    #[must_use]
    pub const fn on_device(self) -> bool {
        !self.adopted() && !matches!(self, Self::Pinned | Self::Managed)
    }

    /// Whether the host writes there by itself, so that nobody sees when it does.
    #[must_use]
    pub const fn host_writes(self) -> bool {
        matches!(self, Self::Pinned | Self::Managed | Self::Host)
    }

    /// The noun that reports use.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            AllocationKind::Device => "allocation",
            AllocationKind::Array => "array",
            AllocationKind::Variable => "global variable",
            AllocationKind::Constant => "constant variable",
            AllocationKind::Param => "kernel parameters",
            AllocationKind::Workspace => "workspace of a cooperative launch",
            AllocationKind::Heap => "malloc'ed block",
            AllocationKind::Managed => "managed allocation",
            AllocationKind::Pinned => "pinned host allocation",
            AllocationKind::Mapped => "mapped range",
            AllocationKind::MappedReadOnly => "read-only mapped range",
            AllocationKind::Host => "host array",
            AllocationKind::HostReadOnly => "read-only host array",
        }
    }
}

/// An allocation as it is described in reports and leak lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The address of its first byte.
    pub start: u64,
    /// Its size in bytes, as it was asked for.
    pub size: u64,
    /// Where it comes from.
    pub kind: AllocationKind,
    /// What the guest or the host calls it.
    pub name: Option<Arc<str>>,
    /// How many allocations came before it: an identity that, unlike the address, is never used twice.
    pub serial: u64,
}

impl Allocation {
    /// The address after its last byte.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.start.saturating_add(self.size)
    }
}

impl fmt::Display for Allocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.noun())?;
        if let Some(name) = &self.name {
            write!(f, " `{name}`")?;
        }
        write!(f, " of {} at {:#x}", Bytes(self.size), self.start)
    }
}

/// A number of bytes in words.
pub(crate) struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} byte{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// The addresses of a live allocation: what the machine keeps to check accesses against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The first address.
    pub start: u64,
    /// The address after the last.
    pub end: u64,
    /// Whether the guest may write there.
    pub writable: bool,
    /// Whether it is constant memory, which is no global memory.
    pub constant: bool,
}

impl Region {
    /// A region that holds no address: what a cache starts with.
    pub const EMPTY: Region = Region { start: 0, end: 0, writable: false, constant: false };

    /// Whether all of `bytes` bytes at `address` lie in the region. No arithmetic of it can wrap.
    #[inline(always)]
    #[must_use]
    pub fn holds(&self, address: u64, bytes: u64) -> bool {
        address >= self.start && address < self.end && bytes <= self.end - address
    }
}
