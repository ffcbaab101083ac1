//! The units of a matrix that a descriptor describes, found to lie in shared memory: nothing else can be read by one.
#![allow(unsafe_code)]

use std::ops::Range;

use ptxvm_memory::access;
use ptxvm_memory::chunk::CHUNK;

use super::descriptor::{Descriptor, Major};
use crate::door::peer::Peer;
use crate::door::touch::{Proxy, Touch, Wants, When};

/// The units of a matrix, all of them in the first `bytes` bytes of shared memory. [`Descriptor::within`] alone makes one.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    descriptor: Descriptor,
    major: Major,
    along: u32,
    across: u32,
    bytes: u64,
}

impl Descriptor {
    /// The units of a matrix, if all of them lie in shared memory of so many bytes; otherwise the first offset after the
    /// farthest.
    pub fn within(self, major: Major, along: u32, across: u32, bytes: u64) -> Result<Units, u64> {
        let units = Units { descriptor: self, major, along, across, bytes };
        if !self.leading_is_address && self.last_line_ends(major, along, across) <= bytes {
            return Ok(units);
        }
        let ends = (0..across)
            .flat_map(|across| (0..along).map(move |along| self.unit(major, along, across) + CHUNK as u64));
        match ends.max() {
            Some(end) if end > bytes => Err(end),
            _ => Ok(units),
        }
    }
}

impl Units {
    /// Which index runs through neighbouring elements.
    #[must_use]
    pub const fn major(&self) -> Major {
        self.major
    }

    /// The units in the major direction.
    #[must_use]
    pub const fn along(&self) -> u32 {
        self.along
    }

    /// The rows or columns across.
    #[must_use]
    pub const fn across(&self) -> u32 {
        self.across
    }

    /// Names the bytes of units in a CTA's shared memory, which the async proxy reads.
    pub fn footprint(
        &self,
        shared: &Peer,
        along: Range<u32>,
        across: Range<u32>,
        visit: &mut dyn FnMut(Touch),
    ) {
        for across in across {
            for along in along.clone() {
                let at = self.descriptor.unit(self.major, along, across);
                visit(shared.touch(at, CHUNK as u64, Wants::Read, When::Fetch, Proxy::Async));
            }
        }
    }

    /// Copies units out of a CTA's shared memory, those of one row or column `across` after the other. It has to have as
    /// many bytes as were looked at.
    ///
    /// # Safety
    /// The CTA's cluster has not ended, so that its shared memory is still there.
    pub unsafe fn gather(&self, shared: Peer, along: Range<u32>, across: Range<u32>, to: &mut [u8]) {
        let found = along.end <= self.along && across.end <= self.across && self.bytes <= shared.bytes;
        assert!(found, "units {along:?} of {across:?} are none of {self:?} in {shared:?}");
        let shared = shared.first();
        let mut to = to.as_chunks_mut::<CHUNK>().0.iter_mut();
        for across in across {
            for along in along.clone() {
                let Some(to) = to.next() else { return };
                let at = self.descriptor.unit(self.major, along, across) as usize;
                // SAFETY: shared memory begins at a multiple of 128 and units at multiples of 16, and this one is one of
                // those that were found in the memory's bytes, which the caller promises are there.
                *to = unsafe { access::load::<u128>(shared.wrapping_add(at)) }.to_le_bytes();
            }
        }
    }
}
