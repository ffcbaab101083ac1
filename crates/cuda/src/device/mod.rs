//! Devices: their number, their names, and every attribute of the chosen profile.

mod api;
mod attribute;
mod errors;
mod facts;
mod identity;
mod look_up;
mod profiler;
mod remote_writes;
mod unsupported;

pub use api::*;
pub use attribute::SHARED_PER_BLOCK;
pub use errors::*;
pub use look_up::*;
pub use profiler::*;
pub use remote_writes::*;
pub use unsupported::*;
