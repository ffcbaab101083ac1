//! Copies of bytes that lie one after the other.

use ptxvm_abi::{Host, In};

use super::kind::Kind;
use crate::driver::{
    cuMemcpy, cuMemcpy3DBatchAsync, cuMemcpy3DWithAttributesAsync, cuMemcpyAsync, cuMemcpyBatchAsync,
    cuMemcpyDtoD, cuMemcpyDtoDAsync, cuMemcpyDtoH, cuMemcpyDtoHAsync, cuMemcpyHtoD, cuMemcpyHtoDAsync,
    cuMemcpyWithAttributesAsync,
};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{BatchAttributes, BatchOperation, Stream};

/// Copies bytes.
///
/// # Errors
/// What the driver says against it.
pub fn linear(to: Host, from: Host, count: usize, kind: Kind) -> Answer {
    if count == 0 {
        return Ok(());
    }
    match kind {
        Kind::HostToDevice => cuMemcpyHtoD(to, from, count),
        Kind::DeviceToHost => cuMemcpyDtoH(to, from, count),
        Kind::DeviceToDevice => cuMemcpyDtoD(to, from, count),
        Kind::HostToHost | Kind::Default => cuMemcpy(to, from, count),
    }
}

/// Copies bytes as work of a stream.
///
/// # Errors
/// What the driver says against it.
pub fn linear_async(to: Host, from: Host, count: usize, kind: Kind, stream: Stream) -> Answer {
    if count == 0 {
        return Ok(());
    }
    match kind {
        Kind::HostToDevice => cuMemcpyHtoDAsync(to, from, count, stream),
        Kind::DeviceToHost => cuMemcpyDtoHAsync(to, from, count, stream),
        Kind::DeviceToDevice => cuMemcpyDtoDAsync(to, from, count, stream),
        Kind::HostToHost | Kind::Default => cuMemcpyAsync(to, from, count, stream),
    }
}

/// There is one device.
fn check_devices(to: i32, from: i32) -> Answer {
    if to == 0 && from == 0 { Ok(()) } else { Err(CudaError::INVALID_DEVICE) }
}

entry! {
    fn cudaMemcpy[cudaMemcpy_ptds](to: Host, from: Host, count: usize, kind: u32) {
        if count == 0 { Ok(()) } else { linear(to, from, count, Kind::of(kind)?) }
    }

    fn cudaMemcpyAsync[cudaMemcpyAsync_ptsz](to: Host, from: Host, count: usize, kind: u32, stream: Stream) {
        if count == 0 { Ok(()) } else { linear_async(to, from, count, Kind::of(kind)?, stream) }
    }

    fn cudaMemcpyPeer(to: Host, to_device: i32, from: Host, from_device: i32, count: usize) {
        check_devices(to_device, from_device)?;
        linear(to, from, count, Kind::DeviceToDevice)
    }

    fn cudaMemcpyPeerAsync(
        to: Host, to_device: i32, from: Host, from_device: i32, count: usize, stream: Stream,
    ) {
        check_devices(to_device, from_device)?;
        linear_async(to, from, count, Kind::DeviceToDevice, stream)
    }

    fn cudaMemcpyBatchAsync[cudaMemcpyBatchAsync_ptsz](
        to: In<u64>, from: In<u64>, sizes: In<usize>, count: usize, attributes: In<BatchAttributes>,
        indices: In<usize>, attribute_count: usize, stream: Stream,
    ) {
        cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, attribute_count, stream)
    }

    fn cudaMemcpy3DBatchAsync[cudaMemcpy3DBatchAsync_ptsz](
        count: usize, operations: In<BatchOperation>, flags: u64, stream: Stream,
    ) {
        cuMemcpy3DBatchAsync(count, operations, flags, stream)
    }

    fn cudaMemcpyWithAttributesAsync[cudaMemcpyWithAttributesAsync_ptsz](
        to: Host, from: Host, count: usize, attributes: In<BatchAttributes>, stream: Stream,
    ) {
        cuMemcpyWithAttributesAsync(to, from, count, attributes, stream)
    }

    fn cudaMemcpy3DWithAttributesAsync[cudaMemcpy3DWithAttributesAsync_ptsz](
        operation: In<BatchOperation>, flags: u64, stream: Stream,
    ) {
        cuMemcpy3DWithAttributesAsync(operation, flags, stream)
    }
}
