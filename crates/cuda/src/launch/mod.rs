//! Launches and occupancy.

mod unsupported;

pub use unsupported::*;
