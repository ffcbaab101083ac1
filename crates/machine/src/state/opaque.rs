//! The textures, samplers and surfaces that a worker has used last.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::View;
use ptxvm_texture::Object;

/// The objects that a worker has looked up.
#[derive(Debug, Default)]
pub struct Opaque {
    pub(crate) known: Vec<Known>,
    /// The one to be replaced next.
    pub(crate) oldest: usize,
    /// What the tables were when they were looked up.
    pub(crate) generations: (u64, u64),
}

impl Opaque {
    /// One that [`look_up`](crate::context::Context::look_up) has found.
    #[must_use]
    pub fn known(&self, index: usize) -> &Known {
        &self.known[index]
    }
}

/// An object that a worker has looked up.
#[derive(Clone, Debug)]
pub struct Known {
    pub(crate) handle: u64,
    /// What it is.
    pub object: Arc<Object>,
    /// The bytes of its image; none for a sampler.
    pub view: Option<View<'static>>,
}

// SAFETY: a view is bytes of guest memory, which any thread of a launch may touch atomically; it notes no reads.
unsafe impl Send for Known {}
