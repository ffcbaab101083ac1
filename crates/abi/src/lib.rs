//! What the libraries that C programs load share: the driver's results, and the types of pointers that programs hand over.
//!
//! The driver API (libcuda) and the runtime API (libcudart) have the same results by number, and promise the same of their
//! pointers, so both are read and written here. What libcuda knows of its device it tells libnvidia-ml ([`DeviceFacts`]).

mod address;
mod facts;
pub mod pci;
mod pointer;
mod result;

pub use address::CUdeviceptr;
pub use facts::DeviceFacts;
pub use pointer::{AttributeValue, Host, In, Out, OutAny, Text};
pub use result::{Answer, CUresult};
