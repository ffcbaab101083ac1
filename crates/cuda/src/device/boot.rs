//! The first entry points that any program calls, until the whole of devices and contexts is there.

use std::sync::atomic::Ordering;

use crate::abi::{CUdevice, Out};
use crate::context::{CUcontext, current, push, set, top};
use crate::driver;
use crate::entry::entry;

entry! {
    fn cuInit(_flags: u32) {
        driver::init()
    }

    fn cuDriverGetVersion(version: Out<i32>) {
        version.set(13020)
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
}
