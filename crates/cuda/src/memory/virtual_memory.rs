//! The entry points that reserve addresses, create physical memory, and map one to the other.

use super::location::{CUmemAccessDesc, CUmemAllocationProp, CUmemLocation, PINNED, READ, READ_WRITE, Where};
use super::physical::{CUmemGenericAllocationHandle, GRANULARITY, Physical};
use super::reservation;
use crate::abi::{Answer, CUdeviceptr, CUresult, Host, In, Out};
use crate::driver;
use crate::entry::entry;

/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`
const DESCRIPTOR: u32 = 1;

entry! {
    fn cuMemAddressReserve(start: Out<CUdeviceptr>, size: usize, alignment: usize, hint: CUdeviceptr, flags: u64) {
        driver::get()?;
        if start.is_null() || flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        start.set(reservation::reserve(size as u64, alignment as u64, hint)?)
    }

    fn cuMemAddressFree(start: CUdeviceptr, size: usize) {
        driver::get()?;
        reservation::give_back(start, size as u64)
    }

    fn cuMemCreate(
        handle: Out<CUmemGenericAllocationHandle>, size: usize, properties: In<CUmemAllocationProp>, flags: u64,
    ) {
        driver::get()?;
        let properties = properties.get()?;
        check(&properties)?;
        let whole = size > 0 && (size as u64).is_multiple_of(GRANULARITY);
        if handle.is_null() || flags != 0 || !whole {
            return Err(CUresult::INVALID_VALUE);
        }
        handle.set(Physical::new(size as u64, properties)?.hold())
    }

    fn cuMemRelease(handle: CUmemGenericAllocationHandle) {
        driver::get()?;
        Physical::let_go(handle)
    }

    fn cuMemRetainAllocationHandle(handle: Out<CUmemGenericAllocationHandle>, address: Host) {
        driver::get()?;
        if handle.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        handle.set(reservation::physical(address.unified())?.hold())
    }

    fn cuMemMap(
        start: CUdeviceptr, size: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64,
    ) {
        driver::get()?;
        let physical = handle.get()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if offset != 0 {
            return Err(CUresult::NOT_SUPPORTED);
        }
        reservation::map(start, size as u64, physical)
    }

    fn cuMemUnmap(start: CUdeviceptr, size: usize) {
        driver::get()?;
        reservation::unmap_range(start, size as u64)
    }

    fn cuMemSetAccess(start: CUdeviceptr, size: usize, access: In<CUmemAccessDesc>, count: usize) {
        driver::get()?;
        if count == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        for index in 0..count {
            let access = access.at(index)?;
            if !matches!(access.flags, 0 | READ | READ_WRITE) {
                return Err(CUresult::INVALID_VALUE);
            }
            // The host may in any case: it is its own memory.
            if access.location.place()? == Where::Device {
                reservation::set_access(start, size as u64, access.flags)?;
            }
        }
        Ok(())
    }

    fn cuMemGetAccess(flags: Out<u64>, location: In<CUmemLocation>, address: CUdeviceptr) {
        driver::get()?;
        let access = match location.get()?.place()? {
            Where::Device => reservation::access(address)?,
            Where::Host if reservation::physical(address)?.properties.location.place() == Ok(Where::Host) => {
                READ_WRITE
            }
            Where::Host => 0,
        };
        flags.set(access.into())
    }

    fn cuMemGetAllocationGranularity(size: Out<usize>, properties: In<CUmemAllocationProp>, option: u32) {
        driver::get()?;
        check(&properties.get()?)?;
        // `CU_MEM_ALLOC_GRANULARITY_MINIMUM` and `_RECOMMENDED`
        if option > 1 {
            return Err(CUresult::INVALID_VALUE);
        }
        size.set(GRANULARITY as usize)
    }

    fn cuMemGetAllocationPropertiesFromHandle(
        properties: Out<CUmemAllocationProp>, handle: CUmemGenericAllocationHandle,
    ) {
        driver::get()?;
        properties.set(handle.get()?.properties)
    }

    fn cuMemExportToShareableHandle(
        shared: Out<i32>, handle: CUmemGenericAllocationHandle, kind: u32, flags: u64,
    ) {
        driver::get()?;
        let physical = handle.get()?;
        if shared.is_null() || flags != 0 || kind & physical.properties.handle_types == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        if kind != DESCRIPTOR {
            return Err(CUresult::NOT_SUPPORTED);
        }
        shared.set(physical.export()?)
    }

    /// The descriptor itself is passed in the place of a pointer.
    fn cuMemImportFromShareableHandle(
        handle: Out<CUmemGenericAllocationHandle>, shared: Host, kind: u32,
    ) {
        driver::get()?;
        if handle.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        if kind != DESCRIPTOR {
            return Err(CUresult::NOT_SUPPORTED);
        }
        let descriptor = i32::try_from(shared.number()).map_err(|_| CUresult::INVALID_VALUE)?;
        let properties = CUmemAllocationProp {
            kind: PINNED,
            handle_types: DESCRIPTOR,
            location: CUmemLocation::DEVICE,
            win32: 0,
            compression: 0,
            rdma: 0,
            usage: 0,
            reserved: [0; 4],
        };
        handle.set(Physical::import(descriptor, properties)?.hold())
    }
}

/// Whether there can be such memory.
fn check(properties: &CUmemAllocationProp) -> Answer {
    properties.location.place()?;
    if properties.kind != PINNED {
        return Err(CUresult::INVALID_VALUE);
    }
    if properties.handle_types & !DESCRIPTOR != 0 { Err(CUresult::NOT_SUPPORTED) } else { Ok(()) }
}
