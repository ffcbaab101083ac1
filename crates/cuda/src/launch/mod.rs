//! Launches and occupancy.

mod api;
mod unsupported;

pub use api::*;
pub use unsupported::*;
