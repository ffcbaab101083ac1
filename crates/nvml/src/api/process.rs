//! Which processes use the device: this one, if it has a context. Others have virtual devices of their own.

use ptxvm_abi::{DeviceFacts, Out};

use crate::entry::entry;
use crate::facts::facts;
use crate::layout::{ProcessV1, ProcessV2};
use crate::result::{Answer, NvmlReturn};
use crate::state::Device;

/// The part of a device that is not divided.
const NO_INSTANCE: u32 = u32::MAX;

entry! {
    fn nvmlDeviceGetComputeRunningProcesses(device: Device, count: Out<u32>, processes: Out<ProcessV1>) {
        of_compute(device, count, processes, first)
    }

    fn nvmlDeviceGetComputeRunningProcesses_v2(device: Device, count: Out<u32>, processes: Out<ProcessV2>) {
        of_compute(device, count, processes, second)
    }

    fn nvmlDeviceGetComputeRunningProcesses_v3(device: Device, count: Out<u32>, processes: Out<ProcessV2>) {
        of_compute(device, count, processes, second)
    }

    fn nvmlDeviceGetGraphicsRunningProcesses(device: Device, count: Out<u32>, _processes: Out<ProcessV1>) {
        none(device, count)
    }

    fn nvmlDeviceGetGraphicsRunningProcesses_v2(device: Device, count: Out<u32>, _processes: Out<ProcessV2>) {
        none(device, count)
    }

    fn nvmlDeviceGetGraphicsRunningProcesses_v3(device: Device, count: Out<u32>, _processes: Out<ProcessV2>) {
        none(device, count)
    }

    fn nvmlDeviceGetMPSComputeRunningProcesses(device: Device, count: Out<u32>, _processes: Out<ProcessV1>) {
        none(device, count)
    }

    fn nvmlDeviceGetMPSComputeRunningProcesses_v2(device: Device, count: Out<u32>, _processes: Out<ProcessV2>) {
        none(device, count)
    }

    fn nvmlDeviceGetMPSComputeRunningProcesses_v3(device: Device, count: Out<u32>, _processes: Out<ProcessV2>) {
        none(device, count)
    }
}

fn first(facts: &DeviceFacts) -> ProcessV1 {
    ProcessV1 { process: std::process::id(), memory: facts.memory_of_process }
}

fn second(facts: &DeviceFacts) -> ProcessV2 {
    ProcessV2 { first: first(facts), gpu_instance: NO_INSTANCE, compute_instance: NO_INSTANCE }
}

/// The processes with contexts. `count` says how many there is room for, and is told how many there are.
fn of_compute<T>(device: Device, count: Out<u32>, processes: Out<T>, make: fn(&DeviceFacts) -> T) -> Answer {
    device.check()?;
    let (room, facts) = (count.get()?, facts()?);
    if facts.has_context == 0 {
        return Ok(count.set(0)?);
    }
    count.set(1)?;
    if room == 0 {
        return Err(NvmlReturn::INSUFFICIENT_SIZE);
    }
    Ok(processes.set(make(&facts))?)
}

/// No processes.
fn none(device: Device, count: Out<u32>) -> Answer {
    device.check()?;
    Ok(count.set(0)?)
}
