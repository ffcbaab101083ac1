//! The graphics interfaces: the entry points are there and refuse.

mod unsupported;

pub use unsupported::*;
