//! The types of the driver API, as C programs lay them out. Those that the runtime API has too are `ptxvm_abi`'s.

mod graph;

pub use graph::*;
pub use ptxvm_abi::{Answer, AttributeValue, CUdeviceptr, CUresult, Host, In, Out, OutAny, Text};

/// A device's number.
pub type CUdevice = i32;
