//! The entry points that fill device memory with one value.

use super::range;
use crate::abi::{Answer, CUdeviceptr, CUresult};
use crate::entry::entry;
use crate::stream::{CUstream, resolve};
use crate::work::{Fill, Operation};

entry! {
    fn cuMemsetD8_v2 [cuMemsetD8_v2_ptds] (to: CUdeviceptr, value: u8, count: usize) {
        fill(line(to, value.into(), 1, count), None)
    }

    fn cuMemsetD16_v2 [cuMemsetD16_v2_ptds] (to: CUdeviceptr, value: u16, count: usize) {
        fill(line(to, value.into(), 2, count), None)
    }

    fn cuMemsetD32_v2 [cuMemsetD32_v2_ptds] (to: CUdeviceptr, value: u32, count: usize) {
        fill(line(to, value, 4, count), None)
    }

    fn cuMemsetD8Async [cuMemsetD8Async_ptsz] (to: CUdeviceptr, value: u8, count: usize, stream: CUstream) {
        fill(line(to, value.into(), 1, count), Some(stream))
    }

    fn cuMemsetD16Async [cuMemsetD16Async_ptsz] (to: CUdeviceptr, value: u16, count: usize, stream: CUstream) {
        fill(line(to, value.into(), 2, count), Some(stream))
    }

    fn cuMemsetD32Async [cuMemsetD32Async_ptsz] (to: CUdeviceptr, value: u32, count: usize, stream: CUstream) {
        fill(line(to, value, 4, count), Some(stream))
    }

    fn cuMemsetD2D8_v2 [cuMemsetD2D8_v2_ptds] (
        to: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize,
    ) {
        fill(rows(to, pitch, (value.into(), 1), width, height), None)
    }

    fn cuMemsetD2D16_v2 [cuMemsetD2D16_v2_ptds] (
        to: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize,
    ) {
        fill(rows(to, pitch, (value.into(), 2), width, height), None)
    }

    fn cuMemsetD2D32_v2 [cuMemsetD2D32_v2_ptds] (
        to: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize,
    ) {
        fill(rows(to, pitch, (value, 4), width, height), None)
    }

    fn cuMemsetD2D8Async [cuMemsetD2D8Async_ptsz] (
        to: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize, stream: CUstream,
    ) {
        fill(rows(to, pitch, (value.into(), 1), width, height), Some(stream))
    }

    fn cuMemsetD2D16Async [cuMemsetD2D16Async_ptsz] (
        to: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize, stream: CUstream,
    ) {
        fill(rows(to, pitch, (value.into(), 2), width, height), Some(stream))
    }

    fn cuMemsetD2D32Async [cuMemsetD2D32Async_ptsz] (
        to: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize, stream: CUstream,
    ) {
        fill(rows(to, pitch, (value, 4), width, height), Some(stream))
    }
}

/// A fill of one row.
fn line(address: CUdeviceptr, value: u32, element: u32, count: usize) -> Fill {
    Fill { address, pitch: 0, value, element, width: count as u64, height: 1 }
}

/// A fill of rows.
fn rows(
    address: CUdeviceptr,
    pitch: usize,
    (value, element): (u32, u32),
    width: usize,
    height: usize,
) -> Fill {
    Fill { address, pitch: pitch as u64, value, element, width: width as u64, height: height as u64 }
}

/// Checks a fill and does it: before the call returns, or when a stream gets there.
fn fill(fill: Fill, stream: Option<CUstream>) -> Answer {
    let target = resolve(stream.unwrap_or(CUstream::NULL))?;
    let element = u64::from(fill.element);
    let row = fill.width.checked_mul(element).ok_or(CUresult::INVALID_VALUE)?;
    if !fill.address.is_multiple_of(element) || !fill.pitch.is_multiple_of(element) {
        return Err(CUresult::INVALID_VALUE);
    }
    if row == 0 || fill.height == 0 {
        return Ok(());
    }
    if fill.height > 1 && fill.pitch < row {
        return Err(CUresult::INVALID_VALUE);
    }
    let bytes = fill.extent().ok_or(CUresult::INVALID_VALUE)?;
    range::device(&*target.context()?, fill.address, bytes)?;
    match stream {
        Some(_) => target.submit(Operation::Fill(fill), &[]).map(|_| ()),
        None => target.perform(Operation::Fill(fill)),
    }
}
