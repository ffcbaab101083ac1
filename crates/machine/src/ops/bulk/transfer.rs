//! Bytes on their way: from memory or registers, copied or combined with what lies at their destination.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_ir::operation::access::Combination;
use ptxvm_isa::Type;
use ptxvm_memory::TensorMemory;
use ptxvm_num::float::atomic::AtomicUnit;
use smallvec::SmallVec;

use crate::asynchronous::queue::{Transfer, copying, reducing};
use crate::door::pointer::Checked;
use crate::door::touch::{Proxy, Touch, Wants, When};
use crate::ops::atomic::Reduction;

/// What a byte mask speaks of: the bytes of each chunk of this size.
const CHUNK: usize = 16;

/// A run of bytes and where it goes.
#[derive(Debug)]
pub struct Move {
    /// Where it goes, which is as long as what comes, and begins at a multiple of the elements of a reduction.
    pub to: Checked,
    /// What kind of memory that is.
    pub unit: AtomicUnit,
    /// Where it comes from.
    pub from: ByteSource,
    /// Through which proxy.
    pub proxy: Proxy,
    /// What happens to them.
    pub how: AtDestination,
}

/// Where bytes come from.
#[derive(Debug)]
pub enum ByteSource {
    /// Memory that is read when the time comes.
    Memory(Checked),
    /// Memory that has been read.
    Read(Checked, SmallVec<[u8; 16]>),
    /// Registers.
    Bytes(SmallVec<[u8; 16]>),
}

/// What happens to bytes at their destination.
#[derive(Clone, Debug)]
pub enum AtDestination {
    /// They replace what was there.
    Copy,
    /// Those of each chunk replace what was there whose bit is set.
    Masked(u16),
    /// They are combined with what is there.
    Reduce(Arc<Reduction>),
}

impl AtDestination {
    /// How elements are combined with those that are there; `None` if no numbers of the type are.
    pub fn of(reduction: Option<(Combination, Type)>) -> Option<Self> {
        Some(match reduction {
            Some((combination, ty)) => Self::Reduce(Reduction::of(combination, ty)?),
            None => Self::Copy,
        })
    }
}

impl Move {
    fn bytes(&self) -> u64 {
        self.to.bytes()
    }
}

impl Transfer for Move {
    fn footprint(&self, visit: &mut dyn FnMut(Touch)) {
        match &self.from {
            ByteSource::Memory(from) | ByteSource::Read(from, _) => {
                visit(from.touch(Wants::Read, When::Fetch, self.proxy));
            }
            ByteSource::Bytes(_) => {}
        }
        let written = self.to.touch(Wants::Write, When::Deliver, self.proxy);
        match self.how {
            AtDestination::Copy => visit(written),
            AtDestination::Reduce(_) => visit(Touch { wants: Wants::Update, ..written }),
            AtDestination::Masked(mask) => {
                let chosen = (0..self.bytes()).filter(|at| mask >> (at % CHUNK as u64) & 1 != 0);
                chosen.for_each(|at| visit(Touch { address: written.address + at, bytes: 1, ..written }));
            }
        }
    }

    fn fetch(&mut self) {
        if let ByteSource::Memory(from) = self.from {
            let mut bytes = SmallVec::from_elem(0, self.bytes() as usize);
            from.read(&mut bytes);
            self.from = ByteSource::Read(from, bytes);
        }
    }

    fn kept(&self) -> u64 {
        self.bytes()
    }

    fn effort(&self) -> u64 {
        match self.how {
            AtDestination::Copy => copying(self.bytes()),
            AtDestination::Masked(_) | AtDestination::Reduce(_) => reducing(self.bytes()),
        }
    }

    fn deliver(&mut self, _: &mut [TensorMemory]) {
        if let (ByteSource::Memory(from), AtDestination::Copy) = (&self.from, &self.how) {
            return self.to.copy_from(from);
        }
        self.fetch();
        let (ByteSource::Bytes(bytes) | ByteSource::Read(_, bytes)) = &self.from else { return };
        match &self.how {
            AtDestination::Copy => self.to.write(bytes),
            AtDestination::Masked(mask) => self.to.write_some(bytes, |at| mask >> (at % CHUNK) & 1 != 0),
            AtDestination::Reduce(reduction) => {
                let bytes = &bytes[..bytes.len().min(self.bytes() as usize)];
                // SAFETY: the destination was checked when the operation was issued, for as many bytes and to be aligned
                // for the elements, and is kept; shared memory belongs to the host thread that runs the cluster, which
                // completes its operations.
                unsafe { reduction.apply(self.unit, self.to.pointer(), bytes) }
            }
        }
    }
}
