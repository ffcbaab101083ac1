//! The driver of this process: initialised once, with one virtual GPU.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ptxvm_vm::{Check, Device, DeviceOptions};

use crate::abi::{Answer, CUdevice, CUresult};
use crate::context::Context;
use crate::handles::Handle;
use crate::options;

/// The version of CUDA whose driver this is.
pub const VERSION: i32 = 13040;

/// What `cuInit` makes.
pub struct Driver {
    /// The GPU.
    pub device: Device,
    /// Its primary context, which lives as long as the process and is active while somebody retains it.
    pub primary: Arc<Context>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();
/// This process is the child of one that had initialised the driver: streams' threads did not come along.
static FORKED: AtomicBool = AtomicBool::new(false);

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

/// Makes the driver; further calls find it made.
///
/// # Errors
/// The process has been forked from one that had made it.
pub fn init() -> Answer {
    DRIVER.get_or_init(|| {
        // SAFETY: the handler stores to an atomic and nothing else, which is allowed in a forked child.
        unsafe { libc::pthread_atfork(None, None, Some(forked)) };
        let options = options::get();
        let told = |why: &str| ptxvm_host::say(format_args!("ptxvm: {why}\n"));
        if let Ok(cache) = ptxvm_settings::code_cache(told) {
            ptxvm_vm::keep_code(cache);
        }
        let share = options.share;
        let memory = DeviceOptions::default().memory(share.memory).max_memory(share.max_memory);
        let device = Device::with_options(options.choices.profile, memory);
        if options.choices.settings.checks.has(Check::Init) {
            device.memory().unwritten().keep();
        }
        let handle = Handle::insert_with(|handle| Context::new(handle, device.clone(), true));
        let primary = handle.find().unwrap_or_else(|| Context::new(handle, device.clone(), true));
        Driver { device, primary }
    });
    get().map(|_| ())
}

/// The driver.
///
/// # Errors
/// `cuInit` has not been called in this process.
pub fn get() -> Answer<&'static Driver> {
    match DRIVER.get() {
        Some(driver) if !FORKED.load(Ordering::Relaxed) => Ok(driver),
        _ => Err(CUresult::NOT_INITIALIZED),
    }
}

/// The device of a number: there is one.
///
/// # Errors
/// There is no driver yet, or no such device.
pub fn device(number: CUdevice) -> Answer<&'static Device> {
    let driver = get()?;
    if number == 0 { Ok(&driver.device) } else { Err(CUresult::INVALID_DEVICE) }
}
