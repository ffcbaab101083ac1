//! Accesses out of bounds that an H200 performs, and where they go: its checks are coarser than ours.
//!
//! What it does at which distance is measured (`tests/golden/mistakes`). Every pointer that is given here leads to memory
//! of the guest's own, or to zeros.

use ptxvm_memory::Window;

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::pointer::global;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::registers::lanes_in;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::vector::lanes::Flow;

/// A thread's local memory ends at a multiple of so many bytes.
const LOCAL_GRANULE: u64 = 1024;

/// As many bytes before a thread's local memory, and before shared memory, are there and zero.
const BEFORE: u64 = 1024;

/// What constant memory and parameters have beyond their end.
static ZEROS: Zeros = Zeros([0; 64]);

/// Aligned for every access.
#[repr(align(64))]
struct Zeros([u8; 64]);

impl Context<'_> {
    /// Where an access goes on an H200 that the worker's fault is about; `None` if it faults there
    /// as well.
    #[cold]
    pub(crate) fn on_silicon(
        &self,
        space: AddressSpace,
        window: Window,
        lane: usize,
        (offset, bytes): (u64, u64),
        wants: Wants,
    ) -> Option<*mut u8> {
        let kind = self.worker.fault.as_ref()?.kind;
        let memory = self.run.environment.memory;
        match (kind, window) {
            (Kind::OutOfBounds, Window::Shared) => {
                let own = self.cta.shared_base;
                let (rank, at) = rank_and_offset(offset);
                let whole = self.cta.shared.whole_bytes() as u64;
                if rank == u64::from(self.cta.rank) && at < whole && bytes <= whole - at {
                    return Some(self.cta.shared.pointer().wrapping_add(at as usize));
                }
                (is_before(offset.wrapping_sub(own)) && wants.only_reads()).then(|| zeros(bytes))?
            }
            (Kind::OutOfBounds, Window::Local) => {
                let end = self.local_end(lane);
                if offset < end && bytes <= end - offset {
                    return Some(self.warp.local.pointer(lane, offset as usize));
                }
                (is_before(offset) && wants.only_reads()).then(|| zeros(bytes))?
            }
            (Kind::OutOfBounds, Window::Global) if space == AddressSpace::Const => {
                (wants.only_reads()).then(|| zeros(bytes))?
            }
            (Kind::OutOfBounds | Kind::UseAfterFree, Window::Global) => {
                memory.shares_page(offset, bytes).then(|| global(offset))
            }
            // Constant memory is protected from instructions that name it, not from generic ones.
            (Kind::ReadOnly, Window::Global) => {
                memory.region(offset).filter(|region| region.constant && region.holds(offset, bytes))?;
                (space == AddressSpace::Generic).then(|| global(offset))
            }
            _ => None,
        }
    }

    /// The end of what a lane can touch of local memory on an H200.
    fn local_end(&self, lane: usize) -> u64 {
        self.warp.stack[lane].next_multiple_of(LOCAL_GRANULE).min(self.warp.local.limit() as u64)
    }

    /// Sees to it that local memory is there for what [`Self::on_silicon`] allows.
    #[cold]
    pub(crate) fn grow_local(&mut self, mask: u32) -> Result<(), Flow> {
        let end = lanes_in(mask).map(|lane| self.local_end(lane)).max().unwrap_or(0);
        match self.warp.local.grow_to(end) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.out_of_memory(end)),
        }
    }
}

/// Whether an offset is a little below zero, as 32 or as 64 bits have it.
fn is_before(offset: u64) -> bool {
    offset.wrapping_neg() <= BEFORE
        || u64::from((offset as u32).wrapping_neg()) <= BEFORE && offset >> 32 == 0
}

fn zeros(bytes: u64) -> Option<*mut u8> {
    (bytes <= size_of::<Zeros>() as u64).then(|| (&raw const ZEROS.0).cast_mut().cast())
}
