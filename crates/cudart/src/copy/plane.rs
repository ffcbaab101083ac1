//! Copies of rectangles.

use ptxvm_abi::Host;

use super::kind::{Kind, in_array};
use crate::driver::{cuMemcpy3D, cuMemcpy3DAsync};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Array, Cuboid, Side, Stream};

/// A rectangle of as many bytes and rows. One that is wider than a pitch is none.
fn rectangle(from: Side, to: Side, width: usize, height: usize) -> Answer<Cuboid> {
    if (from.array == 0 && width > from.pitch) || (to.array == 0 && width > to.pitch) {
        return Err(CudaError::INVALID_PITCH_VALUE);
    }
    Ok(Cuboid { from, to, width_in_bytes: width, height, depth: 1 })
}

/// Copies a rectangle; one without bytes is nothing.
fn copy(rectangle: Cuboid) -> Answer {
    if rectangle.width_in_bytes == 0 || rectangle.height == 0 { Ok(()) } else { cuMemcpy3D(&rectangle) }
}

/// Copies it as work of a stream.
fn copy_async(rectangle: Cuboid, stream: Stream) -> Answer {
    if rectangle.width_in_bytes == 0 || rectangle.height == 0 {
        return Ok(());
    }
    cuMemcpy3DAsync(&rectangle, stream)
}

entry! {
    fn cudaMemcpy2D[cudaMemcpy2D_ptds](
        to: Host, to_pitch: usize, from: Host, from_pitch: usize, width: usize, height: usize, kind: u32,
    ) {
        let kind = Kind::of(kind)?;
        copy(rectangle(kind.from(from, from_pitch, 0), kind.to(to, to_pitch, 0), width, height)?)
    }

    fn cudaMemcpy2DAsync[cudaMemcpy2DAsync_ptsz](
        to: Host, to_pitch: usize, from: Host, from_pitch: usize, width: usize, height: usize, kind: u32,
        stream: Stream,
    ) {
        let kind = Kind::of(kind)?;
        copy_async(rectangle(kind.from(from, from_pitch, 0), kind.to(to, to_pitch, 0), width, height)?, stream)
    }

    fn cudaMemcpy2DToArray[cudaMemcpy2DToArray_ptds](
        to: Array, x: usize, y: usize, from: Host, pitch: usize, width: usize, height: usize, kind: u32,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        let from = Kind::into_device(kind)?.from(from, pitch, 0);
        copy(rectangle(from, in_array(to, x, y, 0), width, height)?)
    }

    fn cudaMemcpy2DToArrayAsync[cudaMemcpy2DToArrayAsync_ptsz](
        to: Array, x: usize, y: usize, from: Host, pitch: usize, width: usize, height: usize, kind: u32,
        stream: Stream,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        let from = Kind::into_device(kind)?.from(from, pitch, 0);
        copy_async(rectangle(from, in_array(to, x, y, 0), width, height)?, stream)
    }

    fn cudaMemcpy2DFromArray[cudaMemcpy2DFromArray_ptds](
        to: Host, pitch: usize, from: Array, x: usize, y: usize, width: usize, height: usize, kind: u32,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        let to = Kind::out_of_device(kind)?.to(to, pitch, 0);
        copy(rectangle(in_array(from, x, y, 0), to, width, height)?)
    }

    fn cudaMemcpy2DFromArrayAsync[cudaMemcpy2DFromArrayAsync_ptsz](
        to: Host, pitch: usize, from: Array, x: usize, y: usize, width: usize, height: usize, kind: u32,
        stream: Stream,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        let to = Kind::out_of_device(kind)?.to(to, pitch, 0);
        copy_async(rectangle(in_array(from, x, y, 0), to, width, height)?, stream)
    }

    fn cudaMemcpy2DArrayToArray[cudaMemcpy2DArrayToArray_ptds](
        to: Array, to_x: usize, to_y: usize, from: Array, from_x: usize, from_y: usize, width: usize, height: usize,
        kind: u32,
    ) {
        if width == 0 || height == 0 {
            return Ok(());
        }
        Kind::within_device(kind)?;
        copy(rectangle(in_array(from, from_x, from_y, 0), in_array(to, to_x, to_y, 0), width, height)?)
    }
}
