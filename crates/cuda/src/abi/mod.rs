//! The types of the driver API, as C programs lay them out.

mod graph;
mod pointer;
mod result;

pub use graph::*;
pub use pointer::{AttributeValue, Host, In, Out, OutAny, Text};
pub use result::{Answer, CUresult};

/// A device's number.
pub type CUdevice = i32;
/// An address in device memory, which is an address of this process.
pub type CUdeviceptr = u64;
