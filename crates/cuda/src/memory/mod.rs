//! Memory: what programs allocate, copy, fill, map and ask about.

mod holdings;
mod unsupported;

pub use holdings::Holdings;
pub use unsupported::*;
