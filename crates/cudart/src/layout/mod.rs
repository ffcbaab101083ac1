//! The structures of the runtime API and of the driver API, as C programs lay them out. Where both have one of the same
//! layout it stands here once.

mod copy;
mod graph;
mod image;
mod launch;
mod memory;
mod types;

pub use copy::*;
pub use graph::*;
pub use image::*;
pub use launch::*;
pub use memory::*;
pub use types::*;
