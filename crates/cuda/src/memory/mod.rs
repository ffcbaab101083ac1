//! Memory: what programs allocate, copy, fill, map and ask about.

mod allocate;
mod batch;
mod holdings;
mod host;
mod host_range;
mod location;
mod managed;
mod ordered;
mod pages;
mod physical;
mod pointer;
mod pool;
mod range;
mod rectangle;
mod registry;
mod reservation;
mod set;
mod transfer;
mod unsupported;
mod virtual_memory;

pub use allocate::*;
pub use batch::*;
pub use holdings::Holdings;
pub use host::*;
pub use host_range::borrow;
pub use location::{CUmemAccessDesc, CUmemLocation, CUmemPoolProps, MANAGED, PINNED, Where};
pub use managed::*;
pub use ordered::*;
pub use pointer::*;
pub use rectangle::*;
pub use registry::{Record, forget_graph, insert_graph};
pub use set::*;
pub use transfer::*;
pub use unsupported::*;
pub use virtual_memory::*;
