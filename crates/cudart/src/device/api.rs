//! Which devices there are, and which is used: one, with number 0.

use ptxvm_abi::{In, Out, OutAny, Text};

use super::properties::Properties;
use crate::context::{self, DEVICE};
use crate::driver::{
    VERSION, cuCtxGetCurrent, cuCtxGetFlags, cuCtxSynchronize, cuDeviceGetAttribute, cuDeviceGetByPCIBusId,
    cuDeviceGetCount, cuDeviceGetPCIBusId, cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxSetFlags,
    cuDriverGetVersion, cuProfilerStart, cuProfilerStop,
};
use crate::entry::{early, entry, of_13};
use crate::error::{Answer, CudaError};

/// The flags of contexts that programs may set.
const FLAGS: u32 = 0xff;
/// `cudaInitDeviceFlagsAreValid`
const FLAGS_ARE_VALID: u32 = 1;
/// Contexts can map memory of the host, whether or not they are told to.
const MAP_HOST: u32 = 8;

/// There is one device.
///
/// # Errors
/// It has another number.
fn check(device: i32) -> Answer {
    if device == DEVICE { Ok(()) } else { Err(CudaError::INVALID_DEVICE) }
}

early! {
    fn cudaRuntimeGetVersion(version: Out<i32>) {
        Ok(version.set(VERSION)?)
    }

    fn cudaDriverGetVersion(version: Out<i32>) {
        if version.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // Without a driver the version is 0.
        if cuDriverGetVersion(version).is_err() {
            version.set(0)?;
        }
        Ok(())
    }

    fn cudaGetDeviceCount(count: Out<i32>) {
        context::driver()?;
        cuDeviceGetCount(count)
    }

    fn cudaGetDevice(device: Out<i32>) {
        context::driver()?;
        Ok(device.set(DEVICE)?)
    }

    fn cudaSetDevice(device: i32) {
        check(device)?;
        context::use_primary()
    }

    fn cudaInitDevice(device: i32, flags: u32, which: u32) {
        context::driver()?;
        check(device)?;
        if which & FLAGS_ARE_VALID != 0 {
            cuDevicePrimaryCtxSetFlags(device, flags & !MAP_HOST)?;
        }
        context::primary().map(|_| ())
    }

    fn cudaSetValidDevices(devices: In<i32>, count: i32) {
        context::driver()?;
        let count = usize::try_from(count).map_err(|_| CudaError::INVALID_VALUE)?;
        let devices = devices.list(count)?;
        devices.iter().try_for_each(|device| check(*device))?;
        // None may be named twice, and there is one.
        if devices.len() > 1 { Err(CudaError::INVALID_VALUE) } else { Ok(()) }
    }

    fn cudaChooseDevice(device: Out<i32>, wanted: In<Properties>) {
        context::driver()?;
        if wanted.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        Ok(device.set(DEVICE)?)
    }

    fn cudaDeviceGetAttribute(value: Out<i32>, attribute: u32, device: i32) {
        context::driver()?;
        cuDeviceGetAttribute(value, attribute, device)
    }

    fn cudaDeviceGetByPCIBusId(device: Out<i32>, id: Text) {
        context::driver()?;
        cuDeviceGetByPCIBusId(device, id)
    }

    fn cudaDeviceGetPCIBusId(id: OutAny, length: i32, device: i32) {
        context::driver()?;
        cuDeviceGetPCIBusId(id, length, device)
    }

    fn cudaSetDeviceFlags(flags: u32) {
        if flags & !FLAGS != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        context::driver()?;
        cuDevicePrimaryCtxSetFlags(DEVICE, flags & !MAP_HOST)
    }

    fn cudaGetDeviceFlags(flags: Out<u32>) {
        context::driver()?;
        let mut current = 0;
        cuCtxGetCurrent(&mut current)?;
        let (mut set, mut active) = (0, 0);
        if current == 0 {
            cuDevicePrimaryCtxGetState(DEVICE, &mut set, &mut active)?;
        } else {
            cuCtxGetFlags(&mut set)?;
        }
        Ok(flags.set(set | MAP_HOST)?)
    }

    fn cudaDeviceReset() {
        context::reset()
    }
}

entry! {
    fn cudaDeviceSynchronize() {
        let mut current = 0;
        cuCtxGetCurrent(&mut current)?;
        cuCtxSynchronize(current)
    }

    fn cudaProfilerStart() {
        cuProfilerStart()
    }

    fn cudaProfilerStop() {
        cuProfilerStop()
    }
}

of_13! {
    fn cudaGetDeviceProperties(place: Out<Properties>, device: i32) {
        context::driver()?;
        if place.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        check(device)?;
        Ok(place.set(Properties::of(device)?)?)
    }
}
