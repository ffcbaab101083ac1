//! Memory: what programs allocate, copy, fill, map and ask about.

mod allocate;
mod holdings;
mod range;
mod set;
mod transfer;
mod unsupported;

pub use allocate::*;
pub use holdings::Holdings;
pub use set::*;
pub use transfer::*;
pub use unsupported::*;
