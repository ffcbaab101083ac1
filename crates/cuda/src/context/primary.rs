//! The entry points of the primary context: one for the device, in use while somebody retains it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::flags::Flags;
use super::{CUcontext, Context};
use crate::abi::{Answer, CUdevice, CUresult, Out};
use crate::driver;
use crate::entry::entry;

entry! {
    fn cuDevicePrimaryCtxRetain(context: Out<CUcontext>, device: CUdevice) {
        let primary = of(device)?;
        context.set(primary.handle)?;
        let mut users = users(primary);
        *users = users.checked_add(1).ok_or(CUresult::INVALID_VALUE)?;
        primary.active.store(true, Ordering::Release);
        Ok(())
    }

    fn cuDevicePrimaryCtxRelease(device: CUdevice) {
        release(device)
    }

    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) {
        release(device)
    }

    fn cuDevicePrimaryCtxReset(device: CUdevice) {
        reset(device)
    }

    fn cuDevicePrimaryCtxReset_v2(device: CUdevice) {
        reset(device)
    }

    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: Out<u32>, active: Out<i32>) {
        let primary = of(device)?;
        if flags.is_null() || active.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let own = primary.settings.lock().flags;
        flags.set(own.bits())?;
        active.set(primary.active.load(Ordering::Acquire).into())
    }

    fn cuDevicePrimaryCtxSetFlags(device: CUdevice, flags: u32) {
        let primary = of(device)?;
        let flags = Flags::new(flags)?;
        if primary.active.load(Ordering::Acquire) {
            return Err(CUresult::PRIMARY_CONTEXT_ACTIVE);
        }
        primary.settings.lock().flags = flags;
        Ok(())
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: u32) {
        of(device)?.settings.lock().flags = Flags::new(flags)?;
        Ok(())
    }
}

fn of(device: CUdevice) -> Answer<&'static Arc<Context>> {
    driver::device(device)?;
    Ok(&driver::get()?.primary)
}

/// How many retain it. Held while it comes into use or goes out of use, so that neither overtakes the other.
fn users(primary: &Context) -> MutexGuard<'_, u32> {
    primary.users.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One retains it no longer; the last takes it out of use.
fn release(device: CUdevice) -> Answer {
    let primary = of(device)?;
    let mut users = users(primary);
    *users = users.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
    if *users == 0 {
        empty(primary);
    }
    Ok(())
}

/// Takes it out of use until it is retained again; whoever retains it still has to release it.
fn reset(device: CUdevice) -> Answer {
    let primary = of(device)?;
    let _users = users(primary);
    empty(primary);
    Ok(())
}

/// Ends all that it holds, a fault included, and forgets what was set.
fn empty(primary: &Context) {
    primary.end();
    primary.settings.reset(primary.device.profile());
}
