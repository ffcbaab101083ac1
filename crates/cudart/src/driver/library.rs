//! Finds the driver's library and its functions.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use ptxvm_abi::CUresult;

use crate::error::{Answer, CudaError};

/// The version of CUDA whose driver API is called.
pub const VERSION: i32 = 13040;

/// `cuGetProcAddress_v2`
type GetProcAddress = unsafe extern "C" fn(*const c_char, *mut usize, i32, u64, *mut u32) -> CUresult;

/// The flags by which a look-up says whose default stream is meant.
const LEGACY: u64 = 1;
const PER_THREAD: u64 = 2;

thread_local! {
    /// Whether the call that is under way came from a program whose default stream is the thread's own.
    static OWN_DEFAULT: Cell<bool> = const { Cell::new(false) };
}

/// Does something with the default stream that is the thread's own.
pub fn own_default<R>(work: impl FnOnce() -> R) -> R {
    let before = OWN_DEFAULT.replace(true);
    let done = work();
    OWN_DEFAULT.set(before);
    done
}

/// The driver's look-up; `None` where there is no driver.
fn look_up() -> Option<GetProcAddress> {
    static LOOK_UP: OnceLock<Option<GetProcAddress>> = OnceLock::new();
    *LOOK_UP.get_or_init(|| {
        // SAFETY: opening a library runs its constructors, which is what the program wants of its driver.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return None;
        }
        // SAFETY: the library was opened just now, and is never closed.
        let symbol = unsafe { libc::dlsym(library, c"cuGetProcAddress_v2".as_ptr()) };
        // SAFETY: the function of this name has this type in cuda.h, and null is `None`.
        unsafe { std::mem::transmute::<*mut c_void, Option<GetProcAddress>>(symbol) }
    })
}

/// The driver's function of a name, in a version.
///
/// # Errors
/// There is no driver, or it has no such function.
pub fn proc_address(name: &CStr, version: i32, per_thread: bool) -> Answer<usize> {
    let look_up = look_up().ok_or(CudaError::INSUFFICIENT_DRIVER)?;
    let (mut address, mut status) = (0, 0);
    let flags = if per_thread { PER_THREAD } else { LEGACY };
    // SAFETY: the name ends with a zero, and the places outlive the call.
    let result = unsafe { look_up(name.as_ptr(), &raw mut address, version, flags, &raw mut status) };
    if result != CUresult::SUCCESS || address == 0 {
        return Err(CudaError::CALL_REQUIRES_NEWER_DRIVER);
    }
    Ok(address)
}

/// The addresses of one of the driver's functions, looked up when they are needed first.
pub struct Address {
    name: &'static CStr,
    legacy: AtomicUsize,
    own: AtomicUsize,
}

impl Address {
    pub const fn new(name: &'static CStr) -> Self {
        Self { name, legacy: AtomicUsize::new(0), own: AtomicUsize::new(0) }
    }

    /// The function for the default stream of the call under way.
    ///
    /// # Errors
    /// There is no such function.
    pub fn get(&self) -> Answer<usize> {
        let own = OWN_DEFAULT.get();
        let kept = if own { &self.own } else { &self.legacy };
        let known = kept.load(Ordering::Relaxed);
        if known != 0 {
            return Ok(known);
        }
        let address = proc_address(self.name, VERSION, own)?;
        kept.store(address, Ordering::Relaxed);
        Ok(address)
    }
}
