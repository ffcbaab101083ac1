//! The entry points that list devices and their properties.

use ptxvm_profile::Profile;

use super::attribute::attribute;
use super::identity;
use crate::abi::{Answer, CUdevice, CUresult, Out, Text};
use crate::driver;
use crate::entry::entry;

/// `CUdevprop`: what `cuDeviceGetProperties` tells, as attributes 1 to 7, 8, 9, 10, 11, 12, 13 and 14 do.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Properties {
    threads_per_block: i32,
    block: [i32; 3],
    grid: [i32; 3],
    shared_per_block: i32,
    constant: i32,
    warp: i32,
    pitch: i32,
    registers_per_block: i32,
    clock: i32,
    texture_alignment: i32,
}

entry! {
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        driver::init()
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        version.set(driver::VERSION)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        driver::get()?;
        count.set(1)
    }

    fn cuDeviceGet(device: Out<CUdevice>, ordinal: i32) {
        driver::get()?;
        if device.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        driver::device(ordinal)?;
        device.set(ordinal)
    }

    fn cuDeviceGetName(name: Out<u8>, length: i32, device: CUdevice) {
        let profile = of(name, device)?;
        write_text(name, length, profile.marketing).map(|_| ())
    }

    fn cuDeviceGetUuid(uuid: Out<[u8; 16]>, device: CUdevice) {
        uuid.set(identity::uuid(of(uuid, device)?))
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: CUdevice) {
        uuid.set(identity::uuid(of(uuid, device)?))
    }

    fn cuDeviceGetLuid(_luid: Out<[u8; 8]>, _mask: Out<u32>, device: CUdevice) {
        // Those numbers are Windows' own.
        driver::device(device)?;
        Err(CUresult::NOT_SUPPORTED)
    }

    fn cuDeviceTotalMem(bytes: Out<u32>, device: CUdevice) {
        of(bytes, device)?;
        bytes.set(u32::try_from(driver::device(device)?.memory().limit()).unwrap_or(u32::MAX))
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: CUdevice) {
        of(bytes, device)?;
        bytes.set(driver::device(device)?.memory().limit() as usize)
    }

    fn cuDeviceGetAttribute(value: Out<i32>, number: i32, device: CUdevice) {
        value.set(attribute(of(value, device)?, number).ok_or(CUresult::INVALID_VALUE)?)
    }

    fn cuDeviceGetProperties(properties: Out<Properties>, device: CUdevice) {
        let profile = of(properties, device)?;
        let get = |number| attribute(profile, number).unwrap_or(0);
        properties.set(Properties {
            threads_per_block: get(1),
            block: [get(2), get(3), get(4)],
            grid: [get(5), get(6), get(7)],
            shared_per_block: get(8),
            constant: get(9),
            warp: get(10),
            pitch: get(11),
            registers_per_block: get(12),
            clock: get(13),
            texture_alignment: get(14),
        })
    }

    fn cuDeviceComputeCapability(major: Out<i32>, minor: Out<i32>, device: CUdevice) {
        let capability = of(major, device)?.capability;
        if minor.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        major.set(capability.0 as i32)?;
        minor.set(capability.1 as i32)
    }

    fn cuDeviceGetPCIBusId(text: Out<u8>, length: i32, device: CUdevice) {
        of(text, device)?;
        let whole = write_text(text, length, &identity::pci_bus_id())?;
        if whole { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }

    fn cuDeviceGetByPCIBusId(device: Out<CUdevice>, text: Text) {
        driver::get()?;
        match identity::is_pci_bus_id(&text.get()?) {
            None => Err(CUresult::INVALID_VALUE),
            Some(false) => Err(CUresult::INVALID_DEVICE),
            Some(true) => device.set(0),
        }
    }

    fn cuDeviceCanAccessPeer(can: Out<i32>, device: CUdevice, peer: CUdevice) {
        of(can, device)?;
        driver::device(peer)?;
        can.set(0)
    }

    fn cuDeviceGetP2PAttribute(_value: Out<i32>, _attribute: u32, device: CUdevice, _peer: CUdevice) {
        // There is no second device, and a device is no peer of its own.
        driver::device(device)?;
        Err(CUresult::INVALID_DEVICE)
    }

    fn cuDeviceGetExecAffinitySupport(supported: Out<i32>, _kind: u32, device: CUdevice) {
        // Contexts can be given a part of the multiprocessors by a server (MPS) only.
        of(supported, device)?;
        supported.set(0)
    }

    fn cuDeviceGetTexture1DLinearMaxWidth(width: Out<usize>, format: u32, channels: u32, device: CUdevice) {
        of(width, device)?;
        let bytes = match format {
            0x01 | 0x08 => 1,
            0x02 | 0x09 | 0x10 => 2,
            0x03 | 0x0a | 0x20 => 4,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        match channels {
            1 | 2 | 4 => width.set((1 << 30).min((1 << 32) / (bytes * channels as usize))),
            _ => Err(CUresult::INVALID_VALUE),
        }
    }
}

/// The profile of a device that something is asked of, with a place for the answer.
fn of<T>(answer: Out<T>, device: CUdevice) -> Answer<&'static Profile> {
    driver::get()?;
    if answer.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(driver::device(device)?.profile())
}

/// Writes what fits of a text and a zero; says whether all of it did.
fn write_text(to: Out<u8>, length: i32, text: &str) -> Answer<bool> {
    let room = usize::try_from(length).ok().filter(|&length| length > 0).ok_or(CUresult::INVALID_VALUE)? - 1;
    let written = text.bytes().take(room).chain([0]);
    written.enumerate().try_for_each(|(index, byte)| to.at(index).set(byte))?;
    Ok(text.len() <= room)
}
