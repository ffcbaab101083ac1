//! Launches and occupancy.

mod api;
mod attributes;
pub mod check;
pub mod parameters;
mod unsupported;

pub use api::*;
pub use unsupported::*;
