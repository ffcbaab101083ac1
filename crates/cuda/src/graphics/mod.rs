//! The graphics interfaces (cudaGL.h, cudaEGL.h, cudaVDPAU.h), with the answers of a server without a display.
//!
//! Clients look these names up when they start, and stop if one is missing. No resource can be registered here, so none
//! can be mapped. `tests/golden/driver/graphics.json` has an H200's answers.

mod egl;
mod gl;
mod resource;
mod vdpau;

pub use egl::*;
pub use gl::*;
pub use resource::*;
pub use vdpau::*;

use crate::abi::{Answer, CUresult, Out};

/// A `CUgraphicsResource`: no program has been given one.
pub type CUgraphicsResource = u64;

/// All of `CUgraphicsRegisterFlags`: read only, write discard, surface load and store, texture gather.
const REGISTER_FLAGS: u32 = 0xf;

/// What every registration asks of its arguments.
fn register<T>(resource: Out<T>, flags: u32) -> Answer {
    if resource.is_null() || flags & !REGISTER_FLAGS != 0 { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}
