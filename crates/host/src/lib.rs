//! What the host can give, and how much of it a virtual GPU may take. Only the doors (the command, libcuda and
//! libgpuocelot) ask: nothing below them reads the environment or the system's files.
#![forbid(unsafe_code)]

mod available;
mod cgroup;
mod share;
mod size;
mod standard_error;
mod threads;

pub use available::available;
pub use share::{Share, Wanted};
pub use size::{EXPECTED, parse, show};
pub use standard_error::{say, standard_error};
pub use threads::threads;
