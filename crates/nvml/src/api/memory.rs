//! The device's memory: what libcuda's `cuMemGetInfo` says.

use ptxvm_abi::Out;

use crate::entry::entry;
use crate::facts::facts;
use crate::layout::{Memory, MemoryV2, version};
use crate::result::{Answer, NvmlReturn};
use crate::state::Device;

entry! {
    fn nvmlDeviceGetMemoryInfo(device: Device, memory: Out<Memory>) {
        device.check()?;
        Ok(memory.set(now()?)?)
    }

    fn nvmlDeviceGetMemoryInfo_v2(device: Device, memory: Out<MemoryV2>) {
        device.check()?;
        let version = version::<MemoryV2>(2);
        if memory.get()?.version != version {
            return Err(NvmlReturn::ARGUMENT_VERSION_MISMATCH);
        }
        let Memory { total, free, used } = now()?;
        Ok(memory.set(MemoryV2 { version, total, reserved: 0, free, used })?)
    }
}

fn now() -> Answer<Memory> {
    let facts = facts()?;
    let (total, free) = (facts.memory_total, facts.memory_free);
    Ok(Memory { total, free, used: total - free })
}
