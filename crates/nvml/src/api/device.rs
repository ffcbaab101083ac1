//! What kind of device it is, and what it is doing.

use ptxvm_abi::{DeviceFacts, Out};

use crate::entry::entry;
use crate::facts::facts;
use crate::layout::Utilization;
use crate::result::{Answer, NvmlReturn};
use crate::state::Device;
use crate::text::{until_zero, write};

entry! {
    fn nvmlDeviceGetName(device: Device, name: Out<u8>, length: u32) {
        device.check()?;
        write(name, length, &until_zero(&facts()?.name))
    }

    fn nvmlDeviceGetBrand(device: Device, brand: Out<u32>) {
        device.check()?;
        Ok(brand.set(brand_of(&until_zero(&facts()?.name)))?)
    }

    fn nvmlDeviceGetCudaComputeCapability(device: Device, major: Out<i32>, minor: Out<i32>) {
        device.check()?;
        let [of_major, of_minor] = facts()?.capability;
        if minor.is_null() {
            return Err(NvmlReturn::INVALID_ARGUMENT);
        }
        major.set(of_major as i32)?;
        Ok(minor.set(of_minor as i32)?)
    }

    fn nvmlDeviceGetArchitecture(device: Device, architecture: Out<u32>) {
        device.check()?;
        Ok(architecture.set(architecture_of(facts()?.capability))?)
    }

    fn nvmlDeviceGetNumGpuCores(device: Device, cores: Out<u32>) {
        device.check()?;
        let facts = facts()?;
        Ok(cores.set(facts.multiprocessors * cores_of_multiprocessor(facts.capability))?)
    }

    fn nvmlDeviceGetMemoryBusWidth(device: Device, bits: Out<u32>) {
        device.check()?;
        Ok(bits.set(facts()?.bus_bits)?)
    }

    fn nvmlDeviceGetMaxClockInfo(device: Device, kind: u32, megahertz: Out<u32>) {
        device.check()?;
        Ok(megahertz.set(clock(&facts()?, kind)? / 1000)?)
    }

    fn nvmlDeviceGetComputeMode(device: Device, mode: Out<u32>) {
        device.check()?;
        // Any number of contexts: the attribute of the driver says so too.
        Ok(mode.set(0)?)
    }

    fn nvmlDeviceGetDisplayMode(device: Device, enabled: Out<u32>) {
        device.check()?;
        Ok(enabled.set(0)?)
    }

    fn nvmlDeviceGetDisplayActive(device: Device, active: Out<u32>) {
        device.check()?;
        Ok(active.set(0)?)
    }

    fn nvmlDeviceGetMultiGpuBoard(device: Device, several: Out<u32>) {
        device.check()?;
        Ok(several.set(0)?)
    }

    fn nvmlDeviceGetUtilizationRates(device: Device, rates: Out<Utilization>) {
        device.check()?;
        // Kernels read or write memory as long as they run.
        let busy = facts()?.busy_percent;
        Ok(rates.set(Utilization { gpu: busy, memory: busy })?)
    }
}

/// `nvmlBrandType_t` by the name of the product.
fn brand_of(name: &str) -> u32 {
    const BRANDS: [(&str, u32); 4] = [("GeForce RTX", 15), ("GeForce", 5), ("Tesla", 2), ("RTX", 13)];
    // Those without a family of their own are NVIDIA's.
    BRANDS.iter().find(|(family, _)| name.contains(family)).map_or(14, |(_, brand)| *brand)
}

/// `nvmlDeviceArchitecture_t` by the compute capability.
fn architecture_of([major, minor]: [u32; 2]) -> u32 {
    match (major, minor) {
        (7, 0..5) => 5,
        (7, _) => 6,
        (8, 9) => 8,
        (8, _) => 7,
        (9, _) => 9,
        (10..=12, _) => 10,
        _ => u32::MAX,
    }
}

/// Lanes for single precision in a multiprocessor, by the compute capability.
fn cores_of_multiprocessor(capability: [u32; 2]) -> u32 {
    match capability {
        [7, _] | [8, 0] => 64,
        _ => 128,
    }
}

/// The highest clock of a kind, in kHz: that of graphics, of the multiprocessors, of memory.
fn clock(facts: &DeviceFacts, kind: u32) -> Answer<u32> {
    match kind {
        0 | 1 => Ok(facts.clock_khz),
        2 => Ok(facts.memory_clock_khz),
        3 => Err(NvmlReturn::NOT_SUPPORTED),
        _ => Err(NvmlReturn::INVALID_ARGUMENT),
    }
}
