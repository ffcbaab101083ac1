//! The graphics interfaces, and texture references of 32-bit addresses: the entry points are there and refuse.

mod unsupported;

pub use unsupported::*;
