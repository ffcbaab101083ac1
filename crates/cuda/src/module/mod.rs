//! Modules, libraries and the linker: images to kernels and variables.

mod unsupported;

pub use unsupported::*;
