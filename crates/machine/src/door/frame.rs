//! The frames of calls: parameters and results that lie in a thread's local memory.
#![allow(unsafe_code)]

use ptxvm_memory::{LocalMemory, access};

use crate::context::Context;
use crate::door::touch::{Space, Wants};
use crate::registers::LANES;

/// Reads bytes of a lane's local memory; `None` if they are not there.
pub(crate) fn read_local(local: &LocalMemory, lane: usize, offset: u64, to: &mut [u8]) -> Option<()> {
    let pointer = local_pointer(local, lane, offset, to.len())?;
    // SAFETY: the bytes have been checked to lie in the lane's memory, which the borrow keeps in place.
    unsafe { access::copy_out(pointer, to) };
    Some(())
}

fn local_pointer(local: &LocalMemory, lane: usize, offset: u64, bytes: usize) -> Option<*mut u8> {
    let size = local.bytes_per_lane();
    let offset = usize::try_from(offset).ok()?;
    (lane < LANES && offset <= size && bytes <= size - offset).then(|| local.pointer(lane, offset))
}

impl Context<'_> {
    /// Reads bytes of a frame of a lane. It was reserved for a call, so that they are there; otherwise nothing is read.
    pub(crate) fn read_frame(&self, lane: usize, offset: u64, to: &mut [u8]) {
        if read_local(&self.warp.local, lane, offset, to).is_some() && self.run.code.observed.is_some() {
            self.tell(Space::Local, 1 << lane, &[offset; LANES], to.len() as u64, Wants::Read);
        }
    }

    /// Writes bytes of a frame of a lane, if they are there.
    pub(crate) fn write_frame(&mut self, lane: usize, offset: u64, from: &[u8]) {
        let Some(pointer) = local_pointer(&self.warp.local, lane, offset, from.len()) else { return };
        if self.run.code.observed.is_some() {
            self.tell(Space::Local, 1 << lane, &[offset; LANES], from.len() as u64, Wants::Write);
            self.touch_local(1 << lane, &[offset; LANES], from.len() as u64, Wants::Write);
        }
        // SAFETY: the bytes have been checked to lie in the lane's memory, and nothing moves it meanwhile.
        unsafe { access::copy_in(pointer, from) };
    }
}
