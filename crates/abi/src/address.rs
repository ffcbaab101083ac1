//! Addresses of the device.

/// An address in device memory, which is an address of this process.
pub type CUdeviceptr = u64;
