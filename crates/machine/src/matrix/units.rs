//! The units of a matrix that a descriptor describes, found to lie in shared memory: nothing else can be read by one.
#![allow(unsafe_code)]

use std::ops::Range;

use ptxvm_memory::access;
use ptxvm_memory::chunk::{self, CHUNK};

use super::descriptor::{Descriptor, Major};
use crate::door::peer::Peer;
use crate::door::touch::{Proxy, Touch, Wants, When};

/// The units of a matrix, all of them in the first `bytes` bytes of shared memory. [`Descriptor::within`] alone makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

    /// Copies units as the registers of fragments hold them: those of one index `along` after the other, of each eight
    /// rows or columns in this order. Shared memory has to have as many bytes as were looked at.
    ///
    /// # Safety
    /// As for [`Self::gather`].
    pub unsafe fn gather_quads(
        &self,
        shared: Peer,
        along: Range<u32>,
        across: Range<u32>,
        order: [u32; 8],
        to: &mut [[u32; 4]],
    ) {
        assert!(self.bytes <= shared.bytes, "{self:?} in {shared:?}");
        let mut to = to.iter_mut();
        self.each_place(along, across, order, |at| {
            let Some(to) = to.next() else { return };
            // SAFETY: it is a unit that was found in the memory's bytes, which the caller promises are there. Shared memory
            // begins at a multiple of 128 and units at multiples of 16.
            *to = words_of(unsafe { chunk::load(shared.first().wrapping_add(at as usize)) });
        });
    }

    /// Where all units lie, in the order of [`Self::gather_quads`].
    #[must_use]
    pub fn places(&self, order: [u32; 8]) -> UnitPlaces {
        let mut offsets = Vec::new();
        self.each_place(0..self.along, 0..self.across, order, |at| offsets.push(at as u32));
        let mut sorted = offsets.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let order = offsets.iter().map(|at| sorted.partition_point(|other| other < at) as u32).collect();
        let runs =
            sorted.chunk_by(|one, next| next - one == CHUNK as u32).map(|run| (run[0], run.len())).collect();
        UnitPlaces { runs, order, bytes: self.bytes }
    }

    /// Calls `f` with the place of each unit, those of one index `along` after the other, of each eight rows or columns in
    /// this order.
    #[inline(always)]
    fn each_place(&self, along: Range<u32>, across: Range<u32>, order: [u32; 8], mut f: impl FnMut(u64)) {
        assert!(along.end <= self.along && across.end <= self.across, "{along:?} of {across:?} in {self:?}");
        // Whole eights, so that what the order makes of an index is an index of the range.
        let eights = across.len() as u32 / 8;
        for along in along {
            let line = self.descriptor.line(self.major, along);
            for first in (0..eights).map(|eight| across.start + 8 * eight) {
                for next in order {
                    let across = first + next % 8;
                    f(match &line {
                        Some(line) => line.unit(across),
                        None => self.descriptor.unit(self.major, along, across),
                    });
                }
            }
        }
    }
}

/// The places of units that were found in the first `bytes` bytes of shared memory: what is looked at again and again need
/// not be found each time. [`Units::places`] alone makes one.
#[derive(Debug)]
pub struct UnitPlaces {
    /// Units that lie one after the other: the first's place, and how many.
    runs: Vec<(u32, usize)>,
    /// Which of them, as they lie, each unit is.
    order: Vec<u32>,
    bytes: u64,
}

impl UnitPlaces {
    /// Copies the units out of a CTA's shared memory as they lie; it has to have as many bytes as were looked at.
    ///
    /// # Safety
    /// As for [`Units::gather`].
    pub unsafe fn copy(&self, shared: Peer, to: &mut Vec<[u8; CHUNK]>) {
        assert!(self.bytes <= shared.bytes, "{self:?} in {shared:?}");
        to.resize(self.runs.iter().map(|(_, count)| count).sum(), [0; _]);
        let mut rest = &mut to[..];
        for &(at, count) in &self.runs {
            let Some((run, others)) = rest.split_at_mut_checked(count) else { return };
            // SAFETY: they are units that were found in the memory's bytes, which the caller promises are there.
            unsafe { access::copy_out(shared.first().wrapping_add(at as usize), run.as_flattened_mut()) };
            rest = others;
        }
    }

    /// Whether the units are those that were copied.
    ///
    /// # Safety
    /// As for [`Units::gather`].
    #[must_use]
    pub unsafe fn hold(&self, shared: Peer, copied: &[[u8; CHUNK]]) -> bool {
        assert!(self.bytes <= shared.bytes, "{self:?} in {shared:?}");
        let mut rest = copied;
        self.runs.iter().all(|&(at, count)| {
            let Some((run, others)) = rest.split_at_checked(count) else { return false };
            rest = others;
            // SAFETY: as in `copy`; units begin at multiples of 16.
            unsafe { chunk::are(shared.first().wrapping_add(at as usize), run) }
        })
    }

    /// The units in their order, of those that were copied.
    pub fn put_in_order(&self, copied: &[[u8; CHUNK]], to: &mut Vec<[u32; 4]>) {
        to.clear();
        to.extend(self.order.iter().map(|&unit| words_of(copied[unit as usize])));
    }
}

fn words_of(unit: [u8; CHUNK]) -> [u32; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(unit.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    words
}
