//! Launches and occupancy.

mod api;
mod attributes;
pub mod check;
pub mod cluster;
mod occupancy;
pub mod parameters;
mod unsupported;

pub use api::*;
pub use occupancy::*;
pub use unsupported::*;
