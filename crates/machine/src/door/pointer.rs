//! Pointers to guest memory. Only the door makes them, of addresses that it has checked.
#![allow(unsafe_code)]

use ptxvm_memory::access::{self, Word};

use crate::door::touch::{Proxy, Space, Touch, Wants, When};
use crate::registers::LANES;

/// Where each lane's access goes on the host. [`Context::resolve`](crate::context::Context::resolve) alone makes them,
/// and they are valid until the operation ends; those of shared and global memory until the cluster has ended.
#[derive(Clone, Copy, Debug)]
pub struct Pointers {
    /// By lane, with its provenance exposed; anything where the lane is not active.
    at: [u64; LANES],
}

impl Pointers {
    /// For the door, which has looked.
    #[inline(always)]
    pub(super) const fn new(at: [u64; LANES]) -> Self {
        Self { at }
    }

    /// All lanes' addresses on the host, so many bytes further, as vector instructions take them.
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    #[inline(always)]
    pub(crate) fn further(&self, bytes: usize) -> [u64; LANES] {
        let mut at = self.at;
        for address in &mut at {
            *address = address.wrapping_add(bytes as u64);
        }
        at
    }

    /// A lane's pointer, so many bytes further.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, lane: usize, further: usize) -> *mut u8 {
        global(self.at[lane]).wrapping_add(further)
    }

    /// The first of some lanes and those that come right after it with the same pointer.
    #[inline]
    pub(crate) fn together(&self, lanes: u32) -> u32 {
        let first = lanes.trailing_zeros() as usize % LANES;
        let mut rest = lanes;
        while rest != 0 && self.at[rest.trailing_zeros() as usize] == self.at[first] {
            rest &= rest - 1;
        }
        lanes & !rest
    }

    /// The same with another's pointers for some lanes.
    #[must_use]
    pub(crate) fn with(mut self, lanes: u32, other: &Pointers) -> Self {
        for lane in crate::registers::lanes_in(lanes) {
            self.at[lane] = other.at[lane];
        }
        self
    }
}

/// A range of guest memory that has been checked. Only the door makes one; it stays good until the cluster has ended, and
/// in local memory until the thread's stack grows, which no asynchronous operation reaches.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    host: *mut u8,
    bytes: u64,
    space: Space,
    address: u64,
    writable: bool,
}

// SAFETY: it stands for bytes of guest memory, which any thread of a launch may touch atomically.
unsafe impl Send for Checked {}

impl Checked {
    /// For the door, which has looked.
    ///
    /// # Safety
    /// So many bytes at `host` are guest memory as for [`access::load`], which stays until the cluster has ended (that of
    /// a thread until its stack grows); if `wants` says more than reading, as for [`access::store`].
    pub(super) unsafe fn new(
        host: *mut u8,
        (space, address): (Space, u64),
        bytes: u64,
        wants: Wants,
    ) -> Self {
        Self { host, bytes, space, address, writable: !wants.only_reads() }
    }

    /// Where it begins, as the guest says it.
    #[must_use]
    pub const fn address(&self) -> u64 {
        self.address
    }

    /// How long it is.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// So many of its bytes, from one of them on.
    #[must_use]
    pub fn part(&self, from: u64, bytes: u64) -> Self {
        let inside = from <= self.bytes && bytes <= self.bytes - from;
        assert!(inside, "{bytes} bytes from {from} on of {self:?}");
        Self { host: self.host.wrapping_add(from as usize), bytes, address: self.address + from, ..*self }
    }

    /// What an operation does to all of it.
    #[must_use]
    pub const fn touch(&self, wants: Wants, when: When, proxy: Proxy) -> Touch {
        let Self { space, address, bytes, .. } = *self;
        Touch { space, address, bytes, wants, when, proxy }
    }

    /// The first byte on the host, for what moves bytes in its own way; it must keep to the range.
    pub(crate) const fn pointer(&self) -> *mut u8 {
        self.host
    }

    /// Copies its first bytes out.
    pub fn read(&self, to: &mut [u8]) {
        assert!(to.len() as u64 <= self.bytes, "a read of {} bytes of {self:?}", to.len());
        // SAFETY: they lie in the range, which its maker vouches for.
        unsafe { access::copy_out(self.host, to) };
    }

    /// Overwrites its first bytes.
    pub fn write(&self, from: &[u8]) {
        assert!(
            self.writable && from.len() as u64 <= self.bytes,
            "a write of {} bytes to {self:?}",
            from.len()
        );
        // SAFETY: they lie in the range, which its maker vouches for and lets us write.
        unsafe { access::copy_in(self.host, from) };
    }

    /// Overwrites those bytes for whose place `chosen` holds.
    pub fn write_some(&self, from: &[u8], chosen: impl Fn(usize) -> bool) {
        assert!(
            self.writable && from.len() as u64 <= self.bytes,
            "a write of {} bytes to {self:?}",
            from.len()
        );
        for (at, byte) in from.iter().enumerate().filter(|(at, _)| chosen(*at)) {
            // SAFETY: as for `write`, one byte of it.
            unsafe { access::store(self.host.wrapping_add(at), *byte) };
        }
    }

    /// Overwrites all of it with one byte.
    pub fn fill(&self, byte: u8) {
        assert!(self.writable, "a write to {self:?}");
        // SAFETY: as for `write`.
        unsafe { access::fill(self.host, self.bytes as usize, byte) };
    }

    /// Overwrites it with what another range of the same length holds; the two may overlap.
    pub fn copy_from(&self, from: &Checked) {
        assert!(self.writable && self.bytes == from.bytes, "a copy of {from:?} to {self:?}");
        // SAFETY: both are as long, and their makers vouch for them.
        unsafe { access::copy(self.host, from.host, self.bytes as usize) };
    }

    /// Reads a word at its beginning, in one step.
    pub fn load<T: Word>(&self) -> T {
        self.holds_word::<T>();
        // SAFETY: the word lies in the range and is aligned.
        unsafe { access::load(self.host) }
    }

    /// Writes a word at its beginning, in one step.
    pub fn store<T: Word>(&self, value: T) {
        self.holds_word::<T>();
        assert!(self.writable, "a write to {self:?}");
        // SAFETY: the word lies in the range, is aligned, and may be written.
        unsafe { access::store(self.host, value) };
    }

    fn holds_word<T>(&self) {
        let fits = size_of::<T>() as u64 <= self.bytes && self.host.addr().is_multiple_of(size_of::<T>());
        assert!(fits, "no word of {} bytes in {self:?}", size_of::<T>());
    }
}

/// The pointer to an address of the device's memory, which lies on the host where the guest says. It may be used where the
/// address has been checked.
#[inline(always)]
pub(crate) fn global(address: u64) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(address as usize)
}
