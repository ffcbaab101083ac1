//! The first entry points that any program calls, until the whole of devices and contexts is there.

use std::sync::atomic::Ordering;

use crate::abi::{CUdevice, CUresult, Out, Text};
use crate::context::{CUcontext, current, push, set, top};
use crate::driver;
use crate::entry::entry;
use crate::proc_address::{Found, find};

entry! {
    fn cuInit(_flags: u32) {
        driver::init()
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        version.set(13040)
    }

    fn cuDeviceGetCount(count: Out<i32>) {
        driver::get()?;
        count.set(1)
    }

    fn cuDeviceGet(device: Out<CUdevice>, number: i32) {
        driver::device(number)?;
        device.set(number)
    }

    fn cuDevicePrimaryCtxRetain(context: Out<CUcontext>, device: CUdevice) {
        driver::device(device)?;
        let primary = &driver::get()?.primary;
        primary.active.store(true, Ordering::Release);
        context.set(primary.handle)
    }

    fn cuCtxCreate_v2(context: Out<CUcontext>, _flags: u32, device: CUdevice) {
        driver::device(device)?;
        let primary = &driver::get()?.primary;
        primary.active.store(true, Ordering::Release);
        push(primary.handle);
        context.set(primary.handle)
    }

    fn cuCtxSetCurrent(context: CUcontext) {
        set(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: Out<CUcontext>) {
        context.set(top())
    }

    fn cuCtxSynchronize() {
        current()?.synchronize()
    }

    fn cuGetProcAddress_v2(name: Text, function: Out<usize>, version: i32, flags: u64, status: Out<u32>) {
        match find(&name.get()?, version, flags & 2 != 0) {
            Found::Function(address) => {
                status.offer(0);
                function.set(address)
            }
            Found::TooNew => {
                status.offer(2);
                function.set(0)?;
                Err(CUresult::NOT_FOUND)
            }
            Found::Unknown => {
                status.offer(1);
                function.set(0)?;
                Err(CUresult::NOT_FOUND)
            }
        }
    }

    fn cuDeviceGetAttribute(value: Out<i32>, attribute: i32, device: CUdevice) {
        let profile = driver::device(device)?.profile();
        value.set(match attribute {
            1 => 1024, 2 | 3 => 1024, 4 => 64, 5 => 0x7fff_ffff, 6 | 7 => 65535, 8 => 49152, 9 => 65536, 10 => 32,
            11 => 0x7fff_ffff, 12 => 65536, 13 => profile.clock_khz as i32, 14 => 512, 15 => 1, 16 => profile.sms as i32,
            31 => 1, 36 => 2619000, 37 => 6144, 38 => 62914560, 39 => profile.threads_per_sm as i32, 41 => 1,
            75 => profile.capability.0 as i32, 76 => profile.capability.1 as i32, 81 => profile.shared_per_sm as i32,
            82 => 65536, 83 | 88 | 89 | 90 | 95 | 115 => 1, 97 => profile.shared_per_cta as i32, 106 => 32, _ => 0,
        })
    }

    fn cuDeviceGetName(name: Out<u8>, length: i32, device: CUdevice) {
        let profile = driver::device(device)?.profile();
        let text: Vec<u8> = profile.marketing.bytes().chain([0]).collect();
        text.iter().take(length as usize).enumerate().try_for_each(|(i, c)| name.at(i).set(*c))
    }

    fn cuDeviceTotalMem_v2(bytes: Out<usize>, device: CUdevice) {
        bytes.set(driver::device(device)?.profile().memory as usize)
    }

    fn cuDeviceGetUuid_v2(uuid: Out<[u8; 16]>, device: CUdevice) {
        driver::device(device)?;
        uuid.set(*b"ptxvm-virtualgpu")
    }

    fn cuCtxGetDevice(device: Out<CUdevice>) {
        current()?;
        device.set(0)
    }

    fn cuCtxPushCurrent_v2(context: CUcontext) {
        push(context);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: Out<CUcontext>) {
        let popped = crate::context::pop().ok_or(CUresult::INVALID_CONTEXT)?;
        context.offer(popped);
        Ok(())
    }

    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        least.offer(0);
        greatest.offer(-5);
        Ok(())
    }

    fn cuDevicePrimaryCtxRelease_v2(_device: CUdevice) {
        Ok(())
    }

    fn cuGetErrorName(result: CUresult, text: Out<*const u8>) {
        let name = result.name().ok_or(CUresult::INVALID_VALUE)?;
        let long = if name == "SUCCESS" { "CUDA_SUCCESS\0".to_owned() } else { format!("CUDA_ERROR_{name}\0") };
        text.set(Box::leak(long.into_boxed_str()).as_ptr())
    }

    fn cuGetErrorString(result: CUresult, text: Out<*const u8>) {
        let name = result.name().ok_or(CUresult::INVALID_VALUE)?;
        text.set(Box::leak(format!("{name}\0").into_boxed_str()).as_ptr())
    }

    fn cuCtxCreate_v4(context: Out<CUcontext>, _parameters: usize, _flags: u32, device: CUdevice) {
        driver::device(device)?;
        let primary = &driver::get()?.primary;
        primary.active.store(true, Ordering::Release);
        push(primary.handle);
        context.set(primary.handle)
    }
}
