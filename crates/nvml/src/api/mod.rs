//! The functions that are served, by subject.

mod device;
mod identity;
mod memory;
mod process;
mod system;
