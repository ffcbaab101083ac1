//! The device: which there is, what it is like, and what may be asked of it.

pub mod api;
pub mod field;
pub mod limit;
mod logs;
mod peer;
mod properties;
