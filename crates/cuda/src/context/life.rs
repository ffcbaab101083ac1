//! The entry points that create, destroy and share contexts.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::flags::Flags;
use super::{CUcontext, Context, current, pop, push, top};
use crate::abi::{Answer, CUdevice, CUresult, In, Out};
use crate::driver;
use crate::entry::entry;
use crate::handles::Handle;

/// `CUexecAffinityParam`: a kind of affinity and its value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Affinity {
    pub kind: u32,
    pub multiprocessors: u32,
}

/// `CUctxCreateParams`
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Parameters {
    affinities: In<Affinity>,
    affinity_count: i32,
    graphics: In<u8>,
}

entry! {
    fn cuCtxCreate(context: Out<CUcontext>, flags: u32, device: CUdevice) {
        // The first version of the API tells that it was it.
        create(context, flags, device)?.settings.lock().api_version = 3010;
        Ok(())
    }

    fn cuCtxCreate_v2(context: Out<CUcontext>, flags: u32, device: CUdevice) {
        create(context, flags, device).map(|_| ())
    }

    fn cuCtxCreate_v3(
        context: Out<CUcontext>,
        affinities: In<Affinity>,
        affinity_count: i32,
        flags: u32,
        device: CUdevice,
    ) {
        driver::get()?;
        refuse_affinity(affinities, affinity_count)?;
        create(context, flags, device).map(|_| ())
    }

    fn cuCtxCreate_v4(context: Out<CUcontext>, parameters: In<Parameters>, flags: u32, device: CUdevice) {
        driver::get()?;
        if let Ok(parameters) = parameters.get() {
            refuse_affinity(parameters.affinities, parameters.affinity_count)?;
            if !parameters.graphics.is_null() {
                return Err(CUresult::NOT_SUPPORTED);
            }
        }
        create(context, flags, device).map(|_| ())
    }

    fn cuCtxDestroy(context: CUcontext) {
        destroy(context)
    }

    fn cuCtxDestroy_v2(context: CUcontext) {
        destroy(context)
    }

    fn cuCtxAttach(context: Out<CUcontext>, flags: u32) {
        let current = current()?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        context.set(current.handle)?;
        *current.users.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Ok(())
    }

    fn cuCtxDetach(context: CUcontext) {
        driver::get()?;
        if context.is_null() || context != top() {
            return Err(CUresult::INVALID_CONTEXT);
        }
        let object = context.get()?;
        if object.primary {
            // Who retains it releases it.
            return Ok(());
        }
        let mut users = object.users.lock().unwrap_or_else(PoisonError::into_inner);
        *users = users.saturating_sub(1);
        let last = *users == 0;
        drop(users);
        if last { destroy(context) } else { Ok(()) }
    }
}

/// Makes a context and puts it on top of the thread's stack.
fn create(context: Out<CUcontext>, flags: u32, device: CUdevice) -> Answer<Arc<Context>> {
    driver::get()?;
    if context.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let device = driver::device(device)?;
    let flags = Flags::new(flags)?;
    let handle = Handle::insert_with(|handle| Context::new(handle, device.clone(), false));
    let made = handle.get()?;
    made.settings.lock().flags = flags;
    context.set(handle)?;
    push(handle);
    Ok(made)
}

/// Multiprocessors can be given to a context by a server (MPS) only.
fn refuse_affinity(affinities: In<Affinity>, count: i32) -> Answer {
    match count {
        0 => Ok(()),
        _ if count < 0 || affinities.is_null() => Err(CUresult::INVALID_VALUE),
        _ => Err(CUresult::UNSUPPORTED_EXEC_AFFINITY),
    }
}

/// Ends a context with all that it holds, after its work has been done.
fn destroy(handle: CUcontext) -> Answer {
    if handle.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver::get()?;
    let context = handle.find().ok_or(CUresult::CONTEXT_IS_DESTROYED)?;
    if context.primary {
        return Err(CUresult::INVALID_CONTEXT);
    }
    // Of two threads that end it, one does.
    handle.remove().map_err(|_| CUresult::CONTEXT_IS_DESTROYED)?;
    if top() == handle {
        pop();
    }
    context.end();
    Ok(())
}

impl Context {
    /// Makes it unusable and gives up all it holds.
    pub fn end(&self) {
        self.active.store(false, Ordering::Release);
        self.release();
    }
}
