//! The entry points that copy bytes in a line.

use crate::abi::{Answer, CUdeviceptr, CUresult, Host};
use crate::context::Context;
use crate::entry::entry;
use crate::memory::range;
use crate::stream::{CUstream, resolve};
use crate::work::{Copy, Operation, Place, Side};

entry! {
    fn cuMemcpyHtoD_v2 [cuMemcpyHtoD_v2_ptds] (to: CUdeviceptr, from: Host, bytes: usize) {
        now(Side::line(Place::Device, to), Side::line(Place::Host, from.address()), bytes)
    }

    fn cuMemcpyDtoH_v2 [cuMemcpyDtoH_v2_ptds] (to: Host, from: CUdeviceptr, bytes: usize) {
        now(Side::line(Place::Host, to.address()), Side::line(Place::Device, from), bytes)
    }

    fn cuMemcpyDtoD_v2 [cuMemcpyDtoD_v2_ptds] (to: CUdeviceptr, from: CUdeviceptr, bytes: usize) {
        now(Side::line(Place::Device, to), Side::line(Place::Device, from), bytes)
    }

    fn cuMemcpyHtoDAsync_v2 [cuMemcpyHtoDAsync_v2_ptsz] (
        to: CUdeviceptr, from: Host, bytes: usize, stream: CUstream,
    ) {
        later(Side::line(Place::Device, to), Side::line(Place::Host, from.address()), bytes, stream)
    }

    fn cuMemcpyDtoHAsync_v2 [cuMemcpyDtoHAsync_v2_ptsz] (
        to: Host, from: CUdeviceptr, bytes: usize, stream: CUstream,
    ) {
        later(Side::line(Place::Host, to.address()), Side::line(Place::Device, from), bytes, stream)
    }

    fn cuMemcpyDtoDAsync_v2 [cuMemcpyDtoDAsync_v2_ptsz] (
        to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream,
    ) {
        later(Side::line(Place::Device, to), Side::line(Place::Device, from), bytes, stream)
    }
}

/// Copies before the call returns.
fn now(to: Side, from: Side, bytes: usize) -> Answer {
    let stream = resolve(CUstream::NULL)?;
    let copy = Copy::line(to, from, bytes as u64);
    if check(&*stream.context()?, &copy)? { stream.perform(Operation::Copy(copy)) } else { Ok(()) }
}

/// Copies when the stream gets there. What the program may reuse as soon as the call returns is copied before that.
fn later(to: Side, from: Side, bytes: usize, stream: CUstream) -> Answer {
    let stream = resolve(stream)?;
    let copy = Copy::line(to, from, bytes as u64);
    if !check(&*stream.context()?, &copy)? {
        return Ok(());
    }
    if to.place == Place::Device && from.place == Place::Device {
        stream.submit(Operation::Copy(copy), &[]).map(|_| ())
    } else {
        stream.perform(Operation::Copy(copy))
    }
}

/// Whether there is something to copy.
fn check(context: &Context, copy: &Copy) -> Answer<bool> {
    for side in [&copy.to, &copy.from] {
        match side.place {
            _ if copy.width == 0 => {}
            Place::Device => range::device(context, side.address, copy.width)?,
            _ if side.address == 0 => return Err(CUresult::INVALID_VALUE),
            _ => {}
        }
    }
    Ok(copy.width > 0)
}
