//! What programs register before `main`: their fatbins, and which functions and variables of the host stand for which kernels
//! and variables of the device.
//!
//! A large library registers tens of thousands of functions and uses few of them, so nothing is looked at before it is used:
//! registering keeps two numbers, and a fatbin is loaded for the first kernel or variable that is asked of it.

mod api;
mod fatbin;
mod registry;

pub use registry::{function_of, kernel, known_kernel, variable};
