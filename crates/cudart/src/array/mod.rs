//! Arrays and mipmapped arrays.

mod api;
mod format;

pub use format::{channel_format, driver_format, element_bytes, row_bytes};
