//! Memory whose allocation is work of a stream, and the pools that it comes from.

use ptxvm_abi::{Host, In, Out};

use crate::driver::{
    cuDeviceGetDefaultMemPool, cuDeviceGetMemPool, cuDeviceSetMemPool, cuMemAllocAsync,
    cuMemAllocFromPoolAsync, cuMemFreeAsync, cuMemGetDefaultMemPool, cuMemGetMemPool, cuMemPoolCreate,
    cuMemPoolDestroy, cuMemPoolExportPointer, cuMemPoolExportToShareableHandle, cuMemPoolGetAccess,
    cuMemPoolGetAttribute, cuMemPoolImportFromShareableHandle, cuMemPoolImportPointer, cuMemPoolSetAccess,
    cuMemPoolSetAttribute, cuMemPoolTrimTo, cuMemSetMemPool,
};
use crate::entry::entry;
use crate::layout::{AccessDesc, MemLocation, MemPool, PoolPointer, PoolProps, Stream};

entry! {
    fn cudaMallocAsync[cudaMallocAsync_ptsz](place: Out<u64>, bytes: usize, stream: Stream) {
        if bytes == 0 { Ok(place.set(0)?) } else { cuMemAllocAsync(place, bytes, stream) }
    }

    fn cudaMallocFromPoolAsync[cudaMallocFromPoolAsync_ptsz](
        place: Out<u64>, bytes: usize, pool: MemPool, stream: Stream,
    ) {
        cuMemAllocFromPoolAsync(place, bytes, pool, stream)
    }

    fn cudaFreeAsync[cudaFreeAsync_ptsz](address: Host, stream: Stream) {
        if address.is_null() { Ok(()) } else { cuMemFreeAsync(address, stream) }
    }

    fn cudaMemPoolCreate(pool: Out<MemPool>, properties: In<PoolProps>) {
        cuMemPoolCreate(pool, properties)
    }

    fn cudaMemPoolDestroy(pool: MemPool) {
        cuMemPoolDestroy(pool)
    }

    fn cudaMemPoolTrimTo(pool: MemPool, keep: usize) {
        cuMemPoolTrimTo(pool, keep)
    }

    fn cudaMemPoolSetAttribute(pool: MemPool, attribute: u32, value: Host) {
        cuMemPoolSetAttribute(pool, attribute, value)
    }

    fn cudaMemPoolGetAttribute(pool: MemPool, attribute: u32, value: Host) {
        cuMemPoolGetAttribute(pool, attribute, value)
    }

    fn cudaMemPoolSetAccess(pool: MemPool, descriptors: In<AccessDesc>, count: usize) {
        cuMemPoolSetAccess(pool, descriptors, count)
    }

    fn cudaMemPoolGetAccess(flags: Out<u32>, pool: MemPool, location: In<MemLocation>) {
        cuMemPoolGetAccess(flags, pool, location)
    }

    fn cudaMemPoolExportToShareableHandle(handle: Host, pool: MemPool, kind: u32, flags: u32) {
        cuMemPoolExportToShareableHandle(handle, pool, kind, u64::from(flags))
    }

    fn cudaMemPoolImportFromShareableHandle(pool: Out<MemPool>, handle: Host, kind: u32, flags: u32) {
        cuMemPoolImportFromShareableHandle(pool, handle, kind, u64::from(flags))
    }

    fn cudaMemPoolExportPointer(data: Out<PoolPointer>, address: Host) {
        cuMemPoolExportPointer(data, address)
    }

    fn cudaMemPoolImportPointer(address: Out<u64>, pool: MemPool, data: In<PoolPointer>) {
        cuMemPoolImportPointer(address, pool, data)
    }

    fn cudaMemGetDefaultMemPool(pool: Out<MemPool>, location: In<MemLocation>, kind: u32) {
        cuMemGetDefaultMemPool(pool, location, kind)
    }

    fn cudaMemGetMemPool(pool: Out<MemPool>, location: In<MemLocation>, kind: u32) {
        cuMemGetMemPool(pool, location, kind)
    }

    fn cudaMemSetMemPool(location: In<MemLocation>, kind: u32, pool: MemPool) {
        cuMemSetMemPool(location, kind, pool)
    }

    fn cudaDeviceGetDefaultMemPool(pool: Out<MemPool>, device: i32) {
        cuDeviceGetDefaultMemPool(pool, device)
    }

    fn cudaDeviceGetMemPool(pool: Out<MemPool>, device: i32) {
        cuDeviceGetMemPool(pool, device)
    }

    fn cudaDeviceSetMemPool(device: i32, pool: MemPool) {
        cuDeviceSetMemPool(device, pool)
    }
}
