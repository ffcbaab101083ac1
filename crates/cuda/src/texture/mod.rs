//! Textures and surfaces: images with a handle that kernels can use.
//!
//! A program describes a resource ([`resource`]), how it is sampled ([`sampler`]) and which part of it is visible
//! ([`view`]). This module checks all three and adds the result to the device's [`Objects`](ptxvm_texture::Objects).
//! [`registry`] keeps the program's description, to return it.

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
