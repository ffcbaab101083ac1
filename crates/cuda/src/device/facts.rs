//! What libnvidia-ml (`crates/nvml`) asks of this library, so that both tell the same of the device. Nothing is started
//! for it: frameworks ask that library before they fork.

use std::sync::atomic::Ordering;

use ptxvm_abi::DeviceFacts;

use super::attribute::attribute;
use super::identity::{self, PCI_BUS, PCI_DEVICE, PCI_DOMAIN};
use crate::abi::Out;
use crate::entry::entry;
use crate::memory::{MemoryState, memory_state};
use crate::work::busy_percent;
use crate::{driver, options};

entry! {
    /// A function that only this driver has.
    fn ptxvm_device_facts(facts: Out<DeviceFacts>) {
        facts.set(now())
    }
}

/// The device, whether or not the driver has been initialised.
fn now() -> DeviceFacts {
    let options = options::get();
    let profile = options.choices.profile;
    let attribute = |number| attribute(profile, number).unwrap_or_default() as u32;
    let mut name = [0; 96];
    name.iter_mut().zip(profile.marketing.bytes().take(95)).for_each(|(to, from)| *to = from);
    let driver = driver::get().ok();
    let memory = driver
        .map_or(MemoryState { total: options.share.memory, free: options.share.memory, used: 0 }, |driver| {
            memory_state(&driver.device)
        });
    DeviceFacts {
        name,
        uuid: identity::uuid(profile),
        pci: [PCI_DOMAIN, PCI_BUS, PCI_DEVICE],
        pci_device: attribute(139),
        pci_subsystem: attribute(140),
        capability: [profile.capability.0, profile.capability.1],
        multiprocessors: profile.sms,
        clock_khz: profile.clock_khz,
        memory_clock_khz: profile.memory_clock_khz,
        bus_bits: profile.bus_bits,
        cuda_version: driver::VERSION,
        has_context: driver.is_some_and(|driver| driver.primary.active.load(Ordering::Acquire)).into(),
        busy_percent: busy_percent(),
        memory_total: memory.total,
        memory_free: memory.free,
        memory_of_process: memory.used,
    }
}
