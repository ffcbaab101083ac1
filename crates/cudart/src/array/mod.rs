//! Arrays and mipmapped arrays.

mod api;
mod format;

pub use format::kind::{FLOAT, SIGNED, UNSIGNED};
pub use format::{channel_format, descriptor, driver_format, element_bytes, row_bytes};
