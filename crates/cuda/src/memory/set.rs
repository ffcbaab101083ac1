//! The entry points that fill device memory with one value.

use crate::abi::{Answer, CUdeviceptr, CUresult};
use crate::entry::entry;
use crate::memory::range;
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
}

/// A fill of one row.
fn line(address: CUdeviceptr, value: u32, element: u32, count: usize) -> Fill {
    Fill { address, pitch: 0, value, element, width: count as u64, height: 1 }
}

/// Checks a fill and does it, before the call returns or when a stream gets there.
fn fill(fill: Fill, stream: Option<CUstream>) -> Answer {
    let target = resolve(stream.unwrap_or(CUstream::NULL))?;
    let row = fill.width.checked_mul(fill.element.into()).ok_or(CUresult::INVALID_VALUE)?;
    if !fill.address.is_multiple_of(fill.element.into()) {
        return Err(CUresult::INVALID_VALUE);
    }
    if row == 0 || fill.height == 0 {
        return Ok(());
    }
    range::device(&*target.context()?, fill.address, row)?;
    match stream {
        Some(_) => target.submit(Operation::Fill(fill), &[]).map(|_| ()),
        None => target.perform(Operation::Fill(fill)),
    }
}
