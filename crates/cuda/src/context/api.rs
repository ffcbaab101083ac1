//! The entry points for the current context: which one it is, its properties, and waiting for its work.

use super::flags::Flags;
use super::life::Affinity;
use super::{CUcontext, Context, current, current_even_if_broken, pop, push, set, top};
use crate::abi::{Answer, CUdevice, CUresult, Out};
use crate::driver;
use crate::entry::entry;
use crate::stream::capture::refuse_context;
use std::sync::Arc;

/// The priorities of streams: the least and the greatest.
const PRIORITIES: (i32, i32) = (0, -5);
/// `CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE`: shared memory has no other banks since long.
const FOUR_BYTE_BANKS: u32 = 1;

entry! {
    fn cuCtxGetCurrent(context: Out<CUcontext>) {
        driver::get()?;
        context.set(top())
    }

    fn cuCtxSetCurrent(context: CUcontext) {
        driver::get()?;
        if !context.is_null() {
            context.get()?;
        }
        set(context);
        Ok(())
    }

    fn cuCtxPushCurrent(context: CUcontext) {
        push_current(context)
    }

    fn cuCtxPushCurrent_v2(context: CUcontext) {
        push_current(context)
    }

    fn cuCtxPopCurrent(context: Out<CUcontext>) {
        pop_current(context)
    }

    fn cuCtxPopCurrent_v2(context: Out<CUcontext>) {
        pop_current(context)
    }

    fn cuCtxGetDevice(device: Out<CUdevice>) {
        get_device(device, CUcontext::NULL)
    }

    fn cuCtxGetDevice_v2(device: Out<CUdevice>, context: CUcontext) {
        get_device(device, context)
    }

    fn cuCtxGetId(context: CUcontext, id: Out<u64>) {
        id.set(named(context)?.id)
    }

    fn cuCtxGetApiVersion(context: CUcontext, version: Out<u32>) {
        let context = named(context)?;
        let api_version = context.settings.lock().api_version;
        version.set(api_version)
    }

    fn cuCtxGetFlags(flags: Out<u32>) {
        let context = current_even_if_broken()?;
        let own = context.settings.lock().flags;
        flags.set(if context.primary { own.mapping() } else { own.bits() })
    }

    fn cuCtxSetFlags(flags: u32) {
        let context = current()?;
        context.settings.lock().flags = Flags::change(flags)?;
        Ok(())
    }

    fn cuCtxGetLimit(value: Out<usize>, limit: u32) {
        let context = current()?;
        let wanted = context.settings.lock().limits.get(limit, context.device.profile())?;
        value.set(wanted as usize)
    }

    fn cuCtxSetLimit(limit: u32, value: usize) {
        let context = current()?;
        let mut settings = context.settings.lock();
        settings.limits.set(limit, value as u64, context.device.profile())?;
        // The guest's heap is the device's, whichever context sets it.
        context.device.memory().set_heap_limit(settings.limits.heap());
        Ok(())
    }

    fn cuCtxGetCacheConfig(config: Out<u32>) {
        let context = current()?;
        let cache = context.settings.lock().cache;
        config.set(cache)
    }

    fn cuCtxSetCacheConfig(config: u32) {
        let context = current()?;
        if config > 3 {
            return Err(CUresult::INVALID_VALUE);
        }
        context.settings.lock().cache = config;
        Ok(())
    }

    fn cuCtxGetSharedMemConfig(config: Out<u32>) {
        current()?;
        config.set(FOUR_BYTE_BANKS)
    }

    fn cuCtxSetSharedMemConfig(config: u32) {
        current()?;
        if config > 2 { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
    }

    fn cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        current()?;
        least.offer(PRIORITIES.0);
        greatest.offer(PRIORITIES.1);
        Ok(())
    }

    fn cuCtxGetExecAffinity(affinity: Out<Affinity>, kind: u32) {
        let context = current()?;
        if kind != 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
        }
        affinity.set(Affinity { kind, multiprocessors: context.device.profile().sms })
    }

    fn cuCtxSynchronize() {
        let context = current()?;
        refuse_context(&context)?;
        context.synchronize()
    }

    fn cuCtxSynchronize_v2(context: CUcontext) {
        let context = named(context)?;
        context.check()?;
        refuse_context(&context)?;
        context.synchronize()
    }

    fn cuCtxResetPersistingL2Cache() {
        current().map(|_| ())
    }

    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: u32) {
        current()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        // A context of the same device is no peer, and there is no other device.
        peer.get()?;
        Err(CUresult::PEER_ACCESS_UNSUPPORTED)
    }

    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        current()?;
        peer.get()?;
        Err(CUresult::PEER_ACCESS_NOT_ENABLED)
    }
}

/// The context of a handle; null names the current one. A fault does not matter.
fn named(handle: CUcontext) -> Answer<Arc<Context>> {
    if handle.is_null() {
        return current_even_if_broken();
    }
    driver::get()?;
    handle.get()
}

fn push_current(handle: CUcontext) -> Answer {
    driver::get()?;
    if handle.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    handle.get()?;
    push(handle);
    Ok(())
}

fn pop_current(to: Out<CUcontext>) -> Answer {
    driver::get()?;
    to.offer(pop().ok_or(CUresult::INVALID_CONTEXT)?);
    Ok(())
}

/// There is one device; even a context that has been destroyed was on it.
fn get_device(to: Out<CUdevice>, handle: CUcontext) -> Answer {
    driver::get()?;
    if handle.is_null() && top().is_null() {
        return Err(CUresult::INVALID_CONTEXT);
    }
    if !handle.is_null() {
        handle.get()?;
    }
    to.set(0)
}
