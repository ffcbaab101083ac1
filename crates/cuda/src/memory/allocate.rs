//! The entry points that allocate and free device memory.

use std::sync::Arc;

use ptxvm_memory::AllocationKind;
use ptxvm_vm::Device;

use super::registry::{self, MemoryKind, Record};
use crate::abi::{Answer, CUdeviceptr, CUresult, Out};
use crate::context::{Context, current};
use crate::driver;
use crate::entry::entry;
use crate::graph;
use crate::stream::capture::refuse_unsafe;

/// Memory, and the rows of pitched memory, start at multiples of this, which textures ask for.
const PITCH: u64 = 512;

entry! {
    fn cuMemAlloc_v2(pointer: Out<CUdeviceptr>, bytes: usize) {
        let context = current()?;
        if pointer.is_null() || bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        pointer.set(give(&context, bytes as u64, PITCH, AllocationKind::Device, MemoryKind::Device)?)
    }

    fn cuMemAllocPitch_v2(
        pointer: Out<CUdeviceptr>, pitch: Out<usize>, width: usize, height: usize, element: u32,
    ) {
        let context = current()?;
        let wrong = pointer.is_null() || pitch.is_null() || width == 0 || height == 0;
        if wrong || !matches!(element, 4 | 8 | 16) {
            return Err(CUresult::INVALID_VALUE);
        }
        let row = (width as u64).checked_next_multiple_of(PITCH).ok_or(CUresult::INVALID_VALUE)?;
        let bytes = row.checked_mul(height as u64).ok_or(CUresult::INVALID_VALUE)?;
        let start = give(&context, bytes, PITCH, AllocationKind::Device, MemoryKind::Device)?;
        pitch.set(row as usize)?;
        pointer.set(start)
    }

    fn cuMemFree_v2(pointer: CUdeviceptr) {
        driver::get()?;
        refuse_unsafe()?;
        if pointer == 0 {
            return Ok(());
        }
        let context = current()?;
        if graph::free_left(pointer, context.legacy())? {
            return context.synchronize();
        }
        let freeable = |record: &Record| {
            matches!(record.kind, MemoryKind::Device | MemoryKind::Managed(_) | MemoryKind::Pool(_))
        };
        take_back(&context, pointer, freeable, CUresult::INVALID_VALUE)
    }

    fn cuMemGetAddressRange_v2(start: Out<CUdeviceptr>, size: Out<usize>, pointer: CUdeviceptr) {
        let context = current()?;
        let range = match registry::at(pointer) {
            Some(record) => Some((record.start, record.size)),
            None => {
                let allocation = context.device.memory().allocation(pointer);
                allocation.filter(|a| is_variable(a.kind)).map(|a| (a.start, a.size))
            }
        };
        let (first, bytes) = range.ok_or(CUresult::NOT_FOUND)?;
        start.offer(first);
        size.offer(bytes as usize);
        Ok(())
    }

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let context = current()?;
        let state = memory_state(&context.device);
        free.offer(state.free as usize);
        total.offer(state.total as usize);
        Ok(())
    }
}

/// Bytes of device memory.
#[derive(Clone, Copy, Debug)]
pub struct MemoryState {
    /// All that there are.
    pub total: u64,
    /// What can be had now.
    pub free: u64,
    /// What is allocated.
    pub used: u64,
}

/// How much memory a device has.
pub fn memory_state(device: &Device) -> MemoryState {
    let memory = device.memory();
    let (total, used) = (memory.limit(), memory.statistics().bytes_in_use);
    // What is free can be had: the host's share may be nearer to its end than the device's memory.
    MemoryState { total, free: total.saturating_sub(used).min(device.budget().left()), used }
}

/// Whether memory is a variable of a module's.
pub fn is_variable(kind: AllocationKind) -> bool {
    matches!(kind, AllocationKind::Variable | AllocationKind::Constant | AllocationKind::Managed)
}

/// Gives a context memory.
///
/// # Errors
/// There is not as much.
pub fn give(
    context: &Arc<Context>,
    bytes: u64,
    align: u64,
    allocation: AllocationKind,
    kind: MemoryKind,
) -> Answer<u64> {
    refuse_unsafe()?;
    let memory = context.device.memory();
    let start = memory.allocate(bytes, align, allocation, None).map_err(|_| CUresult::OUT_OF_MEMORY)?;
    context.memory.add(context, start, bytes, kind)?;
    if allocation == AllocationKind::Device {
        memory.unwritten().add(start, bytes);
    }
    Ok(start)
}

/// Takes memory back after all work of its context and of the current one: work that was given before may use it.
///
/// # Errors
/// Nothing starts there that may be freed so: `otherwise`. What keeps the work from being waited for, or a fault of it.
pub fn take_back(
    context: &Arc<Context>,
    start: u64,
    freeable: impl Fn(&Record) -> bool,
    otherwise: CUresult,
) -> Answer {
    let known = registry::at(start).filter(|record| record.start == start && freeable(record));
    let owner = known.ok_or(otherwise)?.context.find();
    context.streams.synchronize()?;
    if let Some(owner) = &owner {
        owner.streams.synchronize()?;
    }
    // Another thread may have freed it meanwhile.
    let record = registry::take(start, freeable).ok_or(otherwise)?;
    if let Some(owner) = owner {
        owner.memory.forget(start);
    }
    record.release(context.device.memory());
    context.check()
}
