//! Textures and surfaces: images with a handle that kernels can use.
//!
//! A program describes a resource ([`resource`]), how it is sampled ([`sampler`]) and which part of it is seen
//! ([`view`]); all three are checked here, and what they mean is entered among the device's
//! [`Objects`](ptxvm_texture::Objects). What the program said is kept beside it ([`registry`]), to be told again.

mod api;
mod descriptor;
mod reference;
mod reference_api;
mod registry;
mod resource;
mod sampler;
mod unsupported;
mod view;

pub use api::*;
pub use reference::{CUsurfref, CUtexref, SurfaceReference, TextureReference, unbind};
pub use reference_api::*;
pub use registry::release;
pub use unsupported::*;
