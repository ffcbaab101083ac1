//! Functions of the program that a stream calls in order.
#![allow(unsafe_code)]

use std::ffi::c_void;

use crate::abi::{CUresult, Host};
use crate::stream::CUstream;

/// `CUhostFn`
pub type CUhostFn = unsafe extern "C" fn(*mut c_void);
/// `CUstreamCallback`
pub type CUstreamCallback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);

/// A call of a host function. It may not call the driver; if it does, it is answered, and what would wait for the
/// function itself is refused.
#[derive(Clone, Copy, Debug)]
pub struct HostCall {
    pub function: CUhostFn,
    pub data: Host,
}

impl HostCall {
    /// Calls it.
    pub fn run(&self) {
        // SAFETY: the program has given the function and what it is to be called with.
        unsafe { (self.function)(self.data.0) };
    }
}

/// A call of a stream's callback, which is called after a fault too and told of it.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    pub function: CUstreamCallback,
    /// The stream, by the handle that the program knows.
    pub stream: CUstream,
    pub data: Host,
}

impl Callback {
    /// Calls it with how the work before it ended.
    pub fn run(&self, status: CUresult) {
        // SAFETY: as above.
        unsafe { (self.function)(self.stream, status, self.data.0) };
    }
}
