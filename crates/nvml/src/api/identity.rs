//! How many devices there are, and what names the one: index, UUID, place on the bus.

use ptxvm_abi::{DeviceFacts, In, Out, Text, pci};

use crate::entry::entry;
use crate::facts::facts;
use crate::layout::{PciInfo, PciInfoExt, PciInfoV1, PciInfoV2, Uuid, version};
use crate::result::{Answer, NvmlReturn};
use crate::state::Device;
use crate::text::{array, until_zero, write};

entry! {
    fn nvmlDeviceGetCount(count: Out<u32>) {
        Ok(count.set(1)?)
    }

    fn nvmlDeviceGetCount_v2(count: Out<u32>) {
        Ok(count.set(1)?)
    }

    fn nvmlDeviceGetHandleByIndex(index: u32, device: Out<Device>) {
        by_index(index, device)
    }

    fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: Out<Device>) {
        by_index(index, device)
    }

    fn nvmlDeviceGetHandleByUUID(uuid: Text, device: Out<Device>) {
        found(uuid.get()? == uuid_text(&facts()?), device)
    }

    fn nvmlDeviceGetHandleByUUIDV(uuid: In<Uuid>, device: Out<Device>) {
        let (uuid, facts) = (uuid.get()?, facts()?);
        if uuid.version != version::<Uuid>(1) {
            return Err(NvmlReturn::ARGUMENT_VERSION_MISMATCH);
        }
        match uuid.kind {
            1 => found(until_zero(&uuid.value) == uuid_text(&facts), device),
            2 => found(uuid.value[..16] == facts.uuid, device),
            _ => Err(NvmlReturn::INVALID_ARGUMENT),
        }
    }

    fn nvmlDeviceGetHandleByPciBusId(place: Text, device: Out<Device>) {
        by_place(place, device)
    }

    fn nvmlDeviceGetHandleByPciBusId_v2(place: Text, device: Out<Device>) {
        by_place(place, device)
    }

    fn nvmlDeviceGetIndex(device: Device, index: Out<u32>) {
        device.check()?;
        Ok(index.set(0)?)
    }

    fn nvmlDeviceGetMinorNumber(device: Device, number: Out<u32>) {
        device.check()?;
        Ok(number.set(0)?)
    }

    fn nvmlDeviceGetUUID(device: Device, uuid: Out<u8>, length: u32) {
        device.check()?;
        write(uuid, length, &uuid_text(&facts()?))
    }

    fn nvmlDeviceGetPciInfo(device: Device, info: Out<PciInfoV1>) {
        device.check()?;
        Ok(info.set(first(&facts()?))?)
    }

    fn nvmlDeviceGetPciInfo_v2(device: Device, info: Out<PciInfoV2>) {
        device.check()?;
        let facts = facts()?;
        Ok(info.set(PciInfoV2 { first: first(&facts), subsystem_id: facts.pci_subsystem, reserved: [0; 4] })?)
    }

    fn nvmlDeviceGetPciInfo_v3(device: Device, info: Out<PciInfo>) {
        device.check()?;
        let facts = facts()?;
        let bus_id = array(&place_text(&facts, 8));
        Ok(info.set(PciInfo { first: first(&facts), subsystem_id: facts.pci_subsystem, bus_id })?)
    }

    fn nvmlDeviceGetPciInfoExt(device: Device, info: Out<PciInfoExt>) {
        device.check()?;
        let (facts, version) = (facts()?, version::<PciInfoExt>(1));
        if info.get()?.version != version {
            return Err(NvmlReturn::ARGUMENT_VERSION_MISMATCH);
        }
        Ok(info.set(PciInfoExt {
            version,
            place: facts.pci,
            device_id: facts.pci_device,
            subsystem_id: facts.pci_subsystem,
            // A display controller, of the kind that draws nothing.
            base_class: 3,
            sub_class: 2,
            bus_id: array(&place_text(&facts, 8)),
        })?)
    }

    fn nvmlDeviceOnSameBoard(device: Device, other: Device, same: Out<i32>) {
        device.check()?;
        other.check()?;
        Ok(same.set(1)?)
    }

    fn nvmlDeviceGetTopologyCommonAncestor(device: Device, other: Device, level: Out<u32>) {
        device.check()?;
        other.check()?;
        // A device and itself.
        Ok(level.set(0)?)
    }

    fn nvmlDeviceIsMigDeviceHandle(device: Device, is: Out<u32>) {
        device.check()?;
        Ok(is.set(0)?)
    }
}

fn by_index(index: u32, device: Out<Device>) -> Answer {
    if index == 0 { Ok(device.set(Device::the_one())?) } else { Err(NvmlReturn::INVALID_ARGUMENT) }
}

fn by_place(text: Text, device: Out<Device>) -> Answer {
    let place = pci::place(&text.get()?).ok_or(NvmlReturn::INVALID_ARGUMENT)?;
    found(place == (facts()?.pci, 0), device)
}

/// The device, if it is what was looked for.
fn found(is_it: bool, device: Out<Device>) -> Answer {
    if device.is_null() {
        return Err(NvmlReturn::INVALID_ARGUMENT);
    }
    if is_it { Ok(device.set(Device::the_one())?) } else { Err(NvmlReturn::NOT_FOUND) }
}

/// The UUID as text: `GPU-` and five groups of hexadecimal digits.
fn uuid_text(facts: &DeviceFacts) -> String {
    let digits: String = facts.uuid.iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "GPU-{}-{}-{}-{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[12..16],
        &digits[16..20],
        &digits[20..]
    )
}

/// The place on the bus as text, the domain with so many digits.
fn place_text(facts: &DeviceFacts, digits: usize) -> String {
    let [domain, bus, device] = facts.pci;
    format!("{domain:0digits$X}:{bus:02X}:{device:02X}.0")
}

fn first(facts: &DeviceFacts) -> PciInfoV1 {
    let bus_id_legacy = array(&place_text(facts, 4));
    PciInfoV1 { bus_id_legacy, place: facts.pci, device_id: facts.pci_device }
}
