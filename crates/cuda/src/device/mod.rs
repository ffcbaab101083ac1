//! Devices: how many there are, what they are called, and every attribute of the chosen profile.

mod boot;
mod unsupported;

pub use boot::*;
pub use unsupported::*;
