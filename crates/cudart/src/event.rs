//! Events, and the handles by which other processes see events and memory.

use ptxvm_abi::{Host, Out};

use crate::driver::{
    cuEventCreate, cuEventDestroy, cuEventElapsedTime, cuEventQuery, cuEventRecord, cuEventRecordWithFlags,
    cuEventSynchronize, cuIpcCloseMemHandle, cuIpcGetEventHandle, cuIpcGetMemHandle, cuIpcOpenEventHandle,
    cuIpcOpenMemHandle,
};
use crate::entry::entry;
use crate::error::CudaError;
use crate::layout::{Event, IpcHandle, Stream};

entry! {
    fn cudaEventCreate(event: Out<Event>) {
        cuEventCreate(event, 0)
    }

    fn cudaEventCreateWithFlags(event: Out<Event>, flags: u32) {
        cuEventCreate(event, flags)
    }

    fn cudaEventRecord[cudaEventRecord_ptsz](event: Event, stream: Stream) {
        cuEventRecord(event, stream)
    }

    fn cudaEventRecordWithFlags[cudaEventRecordWithFlags_ptsz](event: Event, stream: Stream, flags: u32) {
        cuEventRecordWithFlags(event, stream, flags)
    }

    fn cudaEventQuery(event: Event) {
        cuEventQuery(event)
    }

    fn cudaEventSynchronize(event: Event) {
        cuEventSynchronize(event)
    }

    fn cudaEventDestroy(event: Event) {
        cuEventDestroy(event)
    }

    fn cudaEventElapsedTime(time: Out<f32>, start: Event, end: Event) {
        if time.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        cuEventElapsedTime(time, start, end)
    }

    fn cudaIpcGetEventHandle(handle: Out<IpcHandle>, event: Event) {
        cuIpcGetEventHandle(handle, event)
    }

    fn cudaIpcOpenEventHandle(event: Out<Event>, handle: IpcHandle) {
        cuIpcOpenEventHandle(event, handle)
    }

    fn cudaIpcGetMemHandle(handle: Out<IpcHandle>, address: Host) {
        cuIpcGetMemHandle(handle, address)
    }

    fn cudaIpcOpenMemHandle(address: Out<u64>, handle: IpcHandle, flags: u32) {
        cuIpcOpenMemHandle(address, handle, flags)
    }

    fn cudaIpcCloseMemHandle(address: Host) {
        cuIpcCloseMemHandle(address)
    }
}
