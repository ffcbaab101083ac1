//! The entry points that copy one-dimensional ranges of bytes, and the checks that every copy passes before it goes to a
//! stream.
#![allow(unsafe_code)]

use std::sync::Arc;

use super::own_memory;
use super::pages;
use super::range;
use super::registry;
use super::reservation;
use crate::abi::{Answer, CUdeviceptr, CUresult, Host};
use crate::context::{CUcontext, Context};
use crate::entry::entry;
use crate::stream::{CUstream, Stream, resolve};
use crate::work::{Copy, Operation, Place, Side, Staged};

entry! {
    fn cuMemcpyHtoD_v2 [cuMemcpyHtoD_v2_ptds] (to: CUdeviceptr, from: Host, bytes: usize) {
        line(Place::Device(to), Place::Host(from), bytes, None)
    }

    fn cuMemcpyDtoH_v2 [cuMemcpyDtoH_v2_ptds] (to: Host, from: CUdeviceptr, bytes: usize) {
        line(Place::Host(to), Place::Device(from), bytes, None)
    }

    fn cuMemcpyDtoD_v2 [cuMemcpyDtoD_v2_ptds] (to: CUdeviceptr, from: CUdeviceptr, bytes: usize) {
        line(Place::Device(to), Place::Device(from), bytes, None)
    }

    fn cuMemcpy [cuMemcpy_ptds] (to: CUdeviceptr, from: CUdeviceptr, bytes: usize) {
        line(Place::Unified(to), Place::Unified(from), bytes, None)
    }

    fn cuMemcpyPeer [cuMemcpyPeer_ptds] (
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize,
    ) {
        to_context.get()?;
        from_context.get()?;
        line(Place::Device(to), Place::Device(from), bytes, None)
    }

    fn cuMemcpyHtoDAsync_v2 [cuMemcpyHtoDAsync_v2_ptsz] (
        to: CUdeviceptr, from: Host, bytes: usize, stream: CUstream,
    ) {
        line(Place::Device(to), Place::Host(from), bytes, Some(stream))
    }

    fn cuMemcpyDtoHAsync_v2 [cuMemcpyDtoHAsync_v2_ptsz] (
        to: Host, from: CUdeviceptr, bytes: usize, stream: CUstream,
    ) {
        line(Place::Host(to), Place::Device(from), bytes, Some(stream))
    }

    fn cuMemcpyDtoDAsync_v2 [cuMemcpyDtoDAsync_v2_ptsz] (
        to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream,
    ) {
        line(Place::Device(to), Place::Device(from), bytes, Some(stream))
    }

    fn cuMemcpyAsync [cuMemcpyAsync_ptsz] (to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream) {
        line(Place::Unified(to), Place::Unified(from), bytes, Some(stream))
    }

    fn cuMemcpyPeerAsync [cuMemcpyPeerAsync_ptsz] (
        to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext, bytes: usize,
        stream: CUstream,
    ) {
        to_context.get()?;
        from_context.get()?;
        line(Place::Device(to), Place::Device(from), bytes, Some(stream))
    }
}

fn line(to: Place, from: Place, bytes: usize, stream: Option<CUstream>) -> Answer {
    let (to, from) = (Side::line(to), Side::line(from));
    copy(|| Ok(Copy::line(to, from, bytes as u64)), stream)
}

/// Checks a copy and does it: before the call returns, or when a stream gets there.
///
/// # Errors
/// Memory that is not there, or what keeps the stream from being used.
pub fn copy(describe: impl FnOnce() -> Answer<Copy>, stream: Option<CUstream>) -> Answer {
    let target = resolve(stream.unwrap_or(CUstream::NULL))?;
    let context = target.context()?;
    // A context that is broken says so, whatever the copy.
    context.check()?;
    let mut copy = describe()?;
    if copy.width == 0 || copy.height == 0 || copy.depth == 0 {
        return Ok(());
    }
    copy.to = checked(&context, &copy, copy.to)?;
    copy.from = checked(&context, &copy, copy.from)?;
    match stream {
        None => {
            target.refuse_captured()?;
            target.perform(Operation::Copy(copy))
        }
        Some(_) => hand_over(&target, copy),
    }
}

/// Gives a copy to a stream. The program may use plain memory of its own again as soon as the call returns: what is
/// copied from there is taken before, and what is copied to there is waited for.
fn hand_over(stream: &Arc<Stream>, copy: Copy) -> Answer {
    // What a capture takes down is copied whenever the graph runs.
    if stream.is_capturing() {
        return stream.submit(Operation::Copy(copy), &[]).map(|_| ());
    }
    let from = pageable(&copy.from);
    if pageable(&copy.to).is_some() || (from.is_some() && stream.is_idle()) {
        return stream.perform(Operation::Copy(copy));
    }
    let Some(from) = from else {
        return stream.submit(Operation::Copy(copy), &[]).map(|_| ());
    };
    // SAFETY: the program promises that the bytes it copies from are there now.
    let staged = unsafe { Staged::take(&copy, from) };
    stream.submit(Operation::Staged(staged), &[]).map(|_| ())
}

/// Where a side is that is plain memory of the host's, which the driver knows nothing of.
fn pageable(side: &Side) -> Option<Host> {
    match side.place {
        Place::Host(host) if registry::at(host.unified()).is_none() => Some(host),
        _ => None,
    }
}

/// Whether there may be something to copy at an address: what is said to be the device's is no plain memory of the host's.
pub fn may_be_there(place: Place) -> bool {
    match place {
        Place::Device(address) => {
            ptxvm_memory::is_of_some_device(address)
                || registry::at(address).is_some()
                || reservation::holds(address)
        }
        place => place.unified() != 0,
    }
}

/// Checks one side of a copy, and says whose memory it is.
fn checked(context: &Context, copy: &Copy, mut side: Side) -> Answer<Side> {
    // The place of an array has been compared with its sizes.
    if side.array.is_some() {
        return Ok(side);
    }
    let bytes = copy.extent(&side).ok_or(CUresult::INVALID_VALUE)?;
    let address = side.place.unified();
    address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
    if address == 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    // A device pointer in the place of a host pointer is taken for what it is.
    side.place = if matches!(side.place, Place::Device(_)) || context.device.memory().owns(address) {
        range::device(context, address, bytes)?;
        Place::Device(address)
    } else {
        place_on_host(Host::at(address), bytes).ok_or(CUresult::INVALID_VALUE)?
    };
    Ok(side)
}

/// Whose bytes are that are not this context's: the program's own, or another context's. An address that is nobody's, such
/// as that of freed memory, or one that is reserved and that nobody has been given access to, must not end the process.
pub fn place_on_host(host: Host, bytes: u64) -> Option<Place> {
    let address = host.unified();
    let last = address.checked_add(bytes.checked_sub(1)?)?;
    if reservation::holds(address) || reservation::holds(last) || !pages::are_mapped(address, bytes) {
        return None;
    }
    if !ptxvm_memory::is_of_some_device(address) {
        return Some(Place::Host(host));
    }
    // Another device's memory is mapped as far as its range reaches, and can be read where something has been.
    own_memory::is_readable(address, bytes).then_some(Place::Foreign(host))
}
