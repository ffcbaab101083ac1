//! The entry points for memory that is allocated and freed in the order of a stream, and for its pools.

use std::sync::Arc;

use super::location::{CUmemAccessDesc, CUmemLocation, CUmemPoolProps, PINNED, READ, READ_WRITE, Where};
use super::pool::{CUmemoryPool, Pool, choose_pool, current_pool, default_pool};
use super::registry::{self, MemoryKind};
use crate::abi::{Answer, AttributeValue, CUdevice, CUdeviceptr, CUresult, In, Out, OutAny};
use crate::driver;
use crate::entry::entry;
use crate::graph;
use crate::stream::{CUstream, Stream, resolve};
use crate::work::{Free, Operation};

/// The alignment of what pools give.
const ALIGNMENT: u64 = 512;

entry! {
    fn cuMemAllocAsync [cuMemAllocAsync_ptsz] (pointer: Out<CUdeviceptr>, bytes: usize, stream: CUstream) {
        let stream = resolve(stream)?;
        allocate(pointer, bytes, &current_pool(CUmemLocation::DEVICE, PINNED)?, &stream)
    }

    fn cuMemAllocFromPoolAsync [cuMemAllocFromPoolAsync_ptsz] (
        pointer: Out<CUdeviceptr>, bytes: usize, pool: CUmemoryPool, stream: CUstream,
    ) {
        let stream = resolve(stream)?;
        allocate(pointer, bytes, &pool.get()?, &stream)
    }

    fn cuMemFreeAsync [cuMemFreeAsync_ptsz] (pointer: CUdeviceptr, stream: CUstream) {
        let stream = resolve(stream)?;
        if pointer == 0 || graph::capture_free(pointer, &stream)? || graph::free_left(pointer, &stream)? {
            return Ok(());
        }
        let record = registry::take(pointer, |record| matches!(record.kind, MemoryKind::Device | MemoryKind::Pool(_)));
        let record = record.ok_or(CUresult::INVALID_VALUE)?;
        let owner = record.context.find();
        if let Some(owner) = &owner {
            owner.memory.forget(pointer);
        }
        let given = stream.submit(Operation::Free(Free { record: Arc::clone(&record) }), &[]);
        if given.is_err() {
            // What could not be asked for has not been done.
            match owner {
                Some(owner) => owner.memory.restore(record),
                None => registry::restore(record),
            }
        }
        given.map(|_| ())
    }

    fn cuMemPoolCreate(pool: Out<CUmemoryPool>, properties: In<CUmemPoolProps>) {
        driver::get()?;
        if pool.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        pool.set(Pool::new(properties.get()?)?.handle)
    }

    /// Memory that it has given stays, and keeps it.
    fn cuMemPoolDestroy(pool: CUmemoryPool) {
        driver::get()?;
        if pool.get()?.is_default {
            return Err(CUresult::INVALID_VALUE);
        }
        pool.remove().map(|_| ())
    }

    fn cuMemPoolTrimTo(pool: CUmemoryPool, keep: usize) {
        driver::get()?;
        pool.get()?.books().trim(keep as u64);
        Ok(())
    }

    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: u32, value: OutAny) {
        driver::get()?;
        let pool = pool.get()?;
        let books = *pool.books();
        let properties = &pool.properties;
        let asked = match attribute {
            1..=3 => AttributeValue::Word(books.reuse[attribute as usize - 1] as u32),
            4 => AttributeValue::Long(books.threshold),
            5 => AttributeValue::Long(books.reserved),
            6 => AttributeValue::Long(books.reserved_high),
            7 => AttributeValue::Long(books.used),
            8 => AttributeValue::Long(books.used_high),
            9 => AttributeValue::Word(properties.kind),
            10 => AttributeValue::Word(properties.handle_types),
            11 => AttributeValue::Word(properties.location.id as u32),
            12 => AttributeValue::Word(properties.location.kind),
            13 => AttributeValue::Long(properties.max_size as u64),
            14 => AttributeValue::Word(u32::from(properties.usage & 2 != 0)),
            15 => AttributeValue::Word(-1i32 as u32),
            _ => return Err(CUresult::INVALID_VALUE),
        };
        value.set(asked)
    }

    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: u32, value: In<u64>) {
        driver::get()?;
        let pool = pool.get()?;
        let mut books = pool.books();
        match attribute {
            1..=3 => books.reuse[attribute as usize - 1] = i32::from(value.number()? != 0),
            4 => books.threshold = value.get()?,
            // What was the most can only be forgotten.
            6 if value.get()? == 0 => books.reserved_high = books.reserved,
            8 if value.get()? == 0 => books.used_high = books.used,
            _ => return Err(CUresult::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuMemPoolSetAccess(pool: CUmemoryPool, access: In<CUmemAccessDesc>, count: usize) {
        driver::get()?;
        let pool = pool.get()?;
        for index in 0..count {
            let access = access.at(index)?;
            let known = matches!(access.flags, 0 | READ | READ_WRITE);
            // The device cannot be kept from its own memory, nor the host from the host's.
            let own = access.location.place_of_pool()? == pool.properties.location.place_of_pool().unwrap_or(Where::Device);
            if !known || (own && access.flags != READ_WRITE) {
                return Err(CUresult::INVALID_VALUE);
            }
            if access.location.place_of_pool()? == Where::Device {
                pool.books().access = access.flags;
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAccess(flags: Out<u32>, pool: CUmemoryPool, location: In<CUmemLocation>) {
        driver::get()?;
        let pool = pool.get()?;
        let access = match location.get()?.place_of_pool()? {
            Where::Device => pool.books().access,
            Where::Host if pool.properties.location.place_of_pool() == Ok(Where::Device) => 0,
            Where::Host => READ_WRITE,
        };
        flags.set(access)
    }

    fn cuDeviceGetDefaultMemPool(pool: Out<CUmemoryPool>, device: CUdevice) {
        driver::device(device)?;
        pool.set(default_pool(CUmemLocation::DEVICE, PINNED)?.handle)
    }

    fn cuDeviceGetMemPool(pool: Out<CUmemoryPool>, device: CUdevice) {
        pool_device(device)?;
        pool.set(current_pool(CUmemLocation::DEVICE, PINNED)?.handle)
    }

    fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        pool_device(device)?;
        choose_pool(CUmemLocation::DEVICE, PINNED, pool)
    }

    fn cuMemGetDefaultMemPool(pool: Out<CUmemoryPool>, location: In<CUmemLocation>, kind: u32) {
        driver::get()?;
        pool.set(default_pool(location.get()?, kind)?.handle)
    }

    fn cuMemGetMemPool(pool: Out<CUmemoryPool>, location: In<CUmemLocation>, kind: u32) {
        driver::get()?;
        pool.set(current_pool(location.get()?, kind)?.handle)
    }

    fn cuMemSetMemPool(location: In<CUmemLocation>, kind: u32, pool: CUmemoryPool) {
        driver::get()?;
        choose_pool(location.get()?, kind, pool)
    }
}

/// A device by whose number a pool is asked for.
fn pool_device(device: CUdevice) -> Answer {
    driver::get()?;
    driver::device(device).map(|_| ()).map_err(|_| CUresult::INVALID_VALUE)
}

/// Gives memory of a pool. It is there at once; a program that uses it before the stream gets there is wrong, and is
/// let.
fn allocate(pointer: Out<CUdeviceptr>, bytes: usize, pool: &Arc<Pool>, stream: &Arc<Stream>) -> Answer {
    if pointer.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if bytes == 0 {
        return pointer.set(0);
    }
    if let Some(start) = graph::capture_allocation(bytes, stream)? {
        return pointer.set(start);
    }
    let context = stream.context()?;
    let memory = context.device.memory();
    pool.given(bytes as u64)?;
    let allocated = memory.allocate(bytes as u64, ALIGNMENT, pool.allocation_kind(), None);
    let Ok(start) = allocated else {
        pool.returned(bytes as u64);
        return Err(CUresult::OUT_OF_MEMORY);
    };
    if pool.allocation_kind() == ptxvm_memory::AllocationKind::Device {
        memory.unwritten().add(start, bytes as u64);
    }
    // It outlives the context: it is the pool's.
    registry::insert(
        start,
        bytes as u64,
        MemoryKind::Pool(Arc::clone(pool)),
        crate::context::CUcontext::NULL,
    );
    pointer.set(start)
}
