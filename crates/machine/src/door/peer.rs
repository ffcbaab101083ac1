//! The shared memory of each CTA of a cluster, and places in it that have been checked.
#![allow(unsafe_code)]

use ptxvm_memory::SharedMemory;

use crate::door::pointer::{Checked, Pointers};
use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::registers::LANES;
use crate::schedule::cluster::shared::OFFSET_BITS;

/// The shared memory of one CTA as its cluster sees it.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// Where it lies on the host. It stays there until the cluster has ended.
    host: *mut u8,
    rank: u32,
    /// How many bytes it has.
    pub bytes: u64,
    /// Whether all threads of the CTA have ended, after which nobody may touch it.
    pub ended: bool,
}

// SAFETY: it stands for bytes of guest memory, which any thread of a launch may touch atomically.
unsafe impl Send for Peer {}

impl Peer {
    /// The memory of the CTA of this rank, at its beginning.
    #[must_use]
    pub fn new(rank: u32, memory: &SharedMemory) -> Self {
        Self { host: memory.pointer(), rank, bytes: memory.bytes() as u64, ended: false }
    }

    /// Where bytes lie on the host; nothing if they are not all there.
    #[inline]
    pub(super) fn pointer(&self, offset: u64, bytes: u64) -> Option<*mut u8> {
        let inside = offset < self.bytes && bytes <= self.bytes - offset;
        inside.then(|| self.host.wrapping_add(offset as usize))
    }

    /// All of it, for what finds its bytes by a descriptor: [`crate::matrix::units::Units`] alone.
    pub(crate) const fn first(&self) -> *const u8 {
        self.host
    }

    /// What an operation does to bytes of it.
    #[must_use]
    pub fn touch(&self, offset: u64, bytes: u64, wants: Wants, when: When, proxy: Proxy) -> Touch {
        let address = u64::from(self.rank) << OFFSET_BITS | offset;
        Touch { space: Space::Shared, address, bytes, wants, when, proxy }
    }

    /// A range of it; nothing if it is not all there.
    #[must_use]
    pub fn range(&self, offset: u64, bytes: u64, wants: Wants) -> Option<Shared> {
        let host = self.pointer(offset, bytes)?;
        let address = self.rank << OFFSET_BITS | offset as u32;
        // SAFETY: the bytes lie in the CTA's shared memory, which stays until the cluster has ended.
        Some(Shared(unsafe { Checked::new(host, (Space::Shared, address.into()), bytes, wants) }))
    }
}

/// A place in shared memory that has been checked.
#[derive(Clone, Copy, Debug)]
pub struct Shared(Checked);

impl Shared {
    /// The address in `.shared::cluster`.
    #[must_use]
    pub const fn address(&self) -> u32 {
        self.0.address() as u32
    }

    /// The CTA that it belongs to, as a bit by rank.
    #[must_use]
    pub const fn cta(&self) -> u32 {
        1 << self.rank()
    }

    /// The rank of the CTA that it belongs to.
    #[must_use]
    pub const fn rank(&self) -> u32 {
        self.address() >> OFFSET_BITS
    }

    /// The bytes themselves.
    #[must_use]
    pub const fn range(&self) -> Checked {
        self.0
    }
}

/// A place in shared memory for each of some lanes.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    mask: u32,
    addresses: [u32; LANES],
    pointers: Pointers,
    bytes: u64,
    wants: Wants,
}

impl Places {
    /// For the door, which has resolved the lanes of a mask.
    pub(super) const fn new(
        mask: u32,
        addresses: [u32; LANES],
        pointers: Pointers,
        bytes: u64,
        wants: Wants,
    ) -> Self {
        Self { mask, addresses, pointers, bytes, wants }
    }

    /// That of a lane, which must be one of them.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Shared {
        assert!(self.mask >> lane & 1 != 0, "lane {lane} has not been looked at");
        let place = (Space::Shared, u64::from(self.addresses[lane]));
        // SAFETY: the lane's bytes have been resolved, and lie in shared memory of the cluster.
        Shared(unsafe { Checked::new(self.pointers.lane(lane, 0), place, self.bytes, self.wants) })
    }

    /// The `.shared::cluster` address of each lane.
    #[must_use]
    pub const fn addresses(&self) -> &[u32; LANES] {
        &self.addresses
    }

    /// The pointers of all of them.
    #[must_use]
    pub const fn pointers(&self) -> &Pointers {
        &self.pointers
    }
}
