//! Arrays: images that the driver lays out; programs never see their addresses.
//!
//! An [`Array`] is one level of detail. It has its own memory, or is a level of a [`Mipmapped`] array or a plane of a video
//! array. A copy uses it as device memory with a pitch ([`side`]), a texture as an [`Image`](ptxvm_texture::Image).

mod api;
mod check;
mod descriptor;
mod format;
mod holdings;
mod lines;
mod mipmapped;
mod mipmapped_api;
mod object;
mod query;
mod side;
mod unsupported;

pub use api::*;
pub use descriptor::PlaneDescriptor;
pub use descriptor::flag::SURFACE_LDST;
pub use format::in_memory;
pub use holdings::ArrayHoldings;
pub use lines::*;
pub use mipmapped::{CUmipmappedArray, Mipmapped};
pub use mipmapped_api::*;
pub use object::{Array, CUarray};
pub use query::*;
pub use side::side;
pub use unsupported::*;
