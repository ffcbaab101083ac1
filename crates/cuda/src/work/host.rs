//! A function of the program's own that a stream calls in its turn.

use std::ffi::c_void;

use crate::abi::Host;

/// `CUhostFn`
pub type CUhostFn = extern "C" fn(*mut c_void);

/// A call of a host function. It may not call the driver, but nothing here would break if it did.
#[derive(Clone, Copy, Debug)]
pub struct HostCall {
    pub function: CUhostFn,
    pub data: Host,
}

impl HostCall {
    /// Calls it.
    pub fn run(&self) {
        (self.function)(self.data.0);
    }
}
