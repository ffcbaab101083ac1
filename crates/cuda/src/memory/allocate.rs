//! The entry points that give and take device memory.

use ptxvm_memory::AllocationKind;

use crate::abi::{CUdeviceptr, CUresult, Out};
use crate::context::current;
use crate::entry::entry;

entry! {
    fn cuMemAlloc_v2(pointer: Out<CUdeviceptr>, bytes: usize) {
        let context = current()?;
        if pointer.is_null() || bytes == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let memory = context.device.memory();
        let start = memory
            .allocate(bytes as u64, 1, AllocationKind::Device, None)
            .map_err(|_| CUresult::OUT_OF_MEMORY)?;
        context.memory.add(start);
        pointer.set(start)
    }

    fn cuMemFree_v2(pointer: CUdeviceptr) {
        let context = current()?;
        if pointer == 0 {
            return Ok(());
        }
        if !context.memory.forget(pointer) {
            return Err(CUresult::INVALID_VALUE);
        }
        let synchronized = context.synchronize();
        let memory = context.device.memory();
        let freed = memory.free(pointer).map_err(|_| CUresult::INVALID_VALUE);
        memory.reclaim();
        synchronized.and(freed)
    }

    fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) {
        let context = current()?;
        if free.is_null() || total.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let memory = context.device.memory();
        free.set(memory.limit().saturating_sub(memory.statistics().bytes_in_use) as usize)?;
        total.set(memory.limit() as usize)
    }
}
