//! Memory: what programs allocate, copy, fill, map and ask about.

mod unsupported;

pub use unsupported::*;
