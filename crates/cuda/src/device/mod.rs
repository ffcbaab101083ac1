//! Devices: how many there are, what they are called, and every attribute of the chosen profile.

mod unsupported;

pub use unsupported::*;
