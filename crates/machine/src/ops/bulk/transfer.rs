//! Bytes on their way: from memory or registers, copied or combined with what lies at their destination.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;
use ptxvm_memory::{TensorMemory, access};
use ptxvm_num::float::atomic::Unit;
use smallvec::SmallVec;

use crate::asynchronous::queue::{Transfer, copying, reducing};
use crate::ops::atomic::Reduction;

/// What a byte mask speaks of: the bytes of each chunk of this size.
const CHUNK: usize = 16;

/// A run of bytes and where it goes.
#[derive(Debug)]
pub struct Move {
    /// Where it goes on the host: an address that has been checked for so many bytes, and is a multiple of the
    /// elements of a reduction.
    pub to: u64,
    /// What kind of memory that is.
    pub unit: Unit,
    /// Where it comes from.
    pub from: Source,
    /// How many bytes.
    pub bytes: usize,
    /// What happens to them.
    pub how: How,
}

/// Where bytes come from.
#[derive(Debug)]
pub enum Source {
    /// A checked address on the host, which is read when the time comes.
    Memory(u64),
    /// They have been read.
    Bytes(SmallVec<[u8; 16]>),
}

/// What happens to bytes at their destination.
#[derive(Clone, Debug)]
pub enum How {
    /// They replace what was there.
    Copy,
    /// Those of each chunk replace what was there whose bit is set.
    Masked(u16),
    /// They are combined with what is there.
    Reduce(Arc<Reduction>),
}

impl How {
    /// How elements are combined with those that are there; `None` if no numbers of the type are.
    pub fn of(reduction: Option<(Combination, Type)>) -> Option<Self> {
        Some(match reduction {
            Some((combination, ty)) => Self::Reduce(Reduction::of(combination, ty)?),
            None => Self::Copy,
        })
    }
}

impl Transfer for Move {
    fn fetch(&mut self) {
        if let Source::Memory(from) = self.from {
            let mut bytes = SmallVec::from_elem(0, self.bytes);
            let from = std::ptr::with_exposed_provenance(from as usize);
            // SAFETY: the source was checked when the operation was issued, and the launch's lease and the cluster
            // keep it until the operation has read it.
            unsafe { access::copy_out(from, &mut bytes) };
            self.from = Source::Bytes(bytes);
        }
    }

    fn kept(&self) -> u64 {
        self.bytes as u64
    }

    fn effort(&self) -> u64 {
        match self.how {
            How::Copy => copying(self.bytes as u64),
            How::Masked(_) | How::Reduce(_) => reducing(self.bytes as u64),
        }
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        let to = std::ptr::with_exposed_provenance_mut::<u8>(self.to as usize);
        if let (Source::Memory(from), How::Copy) = (&self.from, &self.how) {
            let from = std::ptr::with_exposed_provenance(*from as usize);
            // SAFETY: both ends were checked when the operation was issued, and are kept.
            return unsafe { access::copy(to, from, self.bytes) };
        }
        self.fetch();
        let Source::Bytes(bytes) = &self.from else { return };
        match &self.how {
            // SAFETY: the destination was checked when the operation was issued, and is kept.
            How::Copy => unsafe { access::copy_in(to, bytes) },
            How::Masked(mask) => {
                for (at, byte) in bytes.iter().enumerate().filter(|(at, _)| mask >> (at % CHUNK) & 1 != 0) {
                    // SAFETY: as above, for one byte of it.
                    unsafe { access::store(to.wrapping_add(at), *byte) };
                }
            }
            // SAFETY: as above; it was checked to be aligned for the elements, and shared memory belongs to the host
            // thread that runs the cluster, which completes its operations.
            How::Reduce(reduction) => unsafe { reduction.apply(self.unit, to, bytes) },
        }
    }
}
