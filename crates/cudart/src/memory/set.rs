//! Fills.

use ptxvm_abi::Host;

use crate::driver::{cuMemsetD2D8, cuMemsetD2D8Async, cuMemsetD8, cuMemsetD8Async};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Extent, PitchedPtr, Stream};

/// Fills each slice of a box with `slice`, which is told the address and the number of rows. Slices that have nothing
/// between them are one.
fn slices(to: PitchedPtr, extent: Extent, slice: impl Fn(u64, usize) -> Answer) -> Answer {
    let Extent { width, height, depth } = extent;
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    let start = to.ptr.unified();
    if depth == 1 || height == to.ysize {
        return slice(start, height.checked_mul(depth).ok_or(CudaError::INVALID_VALUE)?);
    }
    let step = to.pitch.checked_mul(to.ysize).ok_or(CudaError::INVALID_VALUE)? as u64;
    // Slices that lie on each other are none, and there could be any number of them.
    if step < width as u64 {
        return Err(CudaError::INVALID_VALUE);
    }
    (0..depth as u64).try_for_each(|index| slice(start.wrapping_add(step.wrapping_mul(index)), height))
}

// Of the value one byte counts.
entry! {
    fn cudaMemset[cudaMemset_ptds](to: Host, value: i32, count: usize) {
        if count == 0 { Ok(()) } else { cuMemsetD8(to, value as u8, count) }
    }

    fn cudaMemsetAsync[cudaMemsetAsync_ptsz](to: Host, value: i32, count: usize, stream: Stream) {
        if count == 0 { Ok(()) } else { cuMemsetD8Async(to, value as u8, count, stream) }
    }

    fn cudaMemset2D[cudaMemset2D_ptds](to: Host, pitch: usize, value: i32, width: usize, height: usize) {
        if width == 0 || height == 0 { Ok(()) } else { cuMemsetD2D8(to, pitch, value as u8, width, height) }
    }

    fn cudaMemset2DAsync[cudaMemset2DAsync_ptsz](
        to: Host, pitch: usize, value: i32, width: usize, height: usize, stream: Stream,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        cuMemsetD2D8Async(to, pitch, value as u8, width, height, stream)
    }

    fn cudaMemset3D[cudaMemset3D_ptds](to: PitchedPtr, value: i32, extent: Extent) {
        slices(to, extent, |address, rows| cuMemsetD2D8(address, to.pitch, value as u8, extent.width, rows))
    }

    fn cudaMemset3DAsync[cudaMemset3DAsync_ptsz](to: PitchedPtr, value: i32, extent: Extent, stream: Stream) {
        slices(to, extent, |address, rows| {
            cuMemsetD2D8Async(address, to.pitch, value as u8, extent.width, rows, stream)
        })
    }
}
