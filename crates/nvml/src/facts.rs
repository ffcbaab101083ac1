//! Asks the process's libcuda for what it knows of the device. The library is opened, the driver is not initialised:
//! programs ask here before they fork, and a driver does not survive that.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use ptxvm_abi::{CUresult, DeviceFacts};

use crate::result::{Answer, NvmlReturn};

type Ask = unsafe extern "C" fn(*mut DeviceFacts) -> CUresult;

/// libcuda's function; `None` where there is no libcuda, or another one.
fn ask() -> Option<Ask> {
    static ASK: OnceLock<Option<Ask>> = OnceLock::new();
    *ASK.get_or_init(|| {
        // SAFETY: opening a library runs its constructors; the program is about to use this one.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return None;
        }
        // SAFETY: the library was opened just now, and is never closed.
        let symbol = unsafe { libc::dlsym(library, c"ptxvm_device_facts".as_ptr()) };
        // SAFETY: the function of this name has this type in our libcuda, no other library has it, and null is `None`.
        unsafe { std::mem::transmute::<*mut c_void, Option<Ask>>(symbol) }
    })
}

/// The device as it is now.
///
/// # Errors
/// There is no libcuda of ours.
pub fn facts() -> Answer<DeviceFacts> {
    let ask = ask().ok_or(NvmlReturn::LIBRARY_NOT_FOUND)?;
    let mut facts = MaybeUninit::uninit();
    // SAFETY: there is a place for the answer.
    if unsafe { ask(facts.as_mut_ptr()) } != CUresult::SUCCESS {
        return Err(NvmlReturn::UNKNOWN);
    }
    // SAFETY: a call that succeeds has written all of it.
    Ok(unsafe { facts.assume_init() })
}
