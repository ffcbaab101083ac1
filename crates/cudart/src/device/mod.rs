//! The device: which there is, what it is like, and what may be asked of it.

mod api;
mod field;
mod limit;
mod peer;
mod properties;
