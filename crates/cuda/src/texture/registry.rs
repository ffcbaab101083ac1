//! The descriptions of the textures and surfaces that programs made, so that queries can return them.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use ptxvm_texture::{Kind, Object};

use super::descriptor::{ResourceDescriptor, TextureDescriptor, ViewDescriptor};
use crate::abi::{Answer, CUresult};
use crate::context::{CUcontext, Context};

/// A texture or surface as its program described it.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    /// The context that it is destroyed with.
    pub context: CUcontext,
    pub resource: ResourceDescriptor,
    /// How it is sampled; a surface is not.
    pub texture: Option<TextureDescriptor>,
    pub view: Option<ViewDescriptor>,
}

static MADE: LazyLock<RwLock<HashMap<u64, Made>>> = LazyLock::new(RwLock::default);

/// Makes an object that kernels can use, and keeps what was said of it.
pub fn create(context: &Context, object: Object, made: Made) -> u64 {
    let handle = context.device.objects().create(object);
    MADE.write().unwrap_or_else(PoisonError::into_inner).insert(handle, made);
    handle
}

/// What was said of a texture or surface.
///
/// # Errors
/// There is none of this kind.
pub fn get(handle: u64, kind: Kind) -> Answer<Made> {
    let made = MADE.read().unwrap_or_else(PoisonError::into_inner);
    made.get(&handle).filter(|made| made.is(kind)).copied().ok_or(CUresult::INVALID_VALUE)
}

/// Destroys a texture or surface; the driver has nothing to say if there is none of this kind.
pub fn destroy(context: &Context, handle: u64, kind: Kind) {
    let mut all = MADE.write().unwrap_or_else(PoisonError::into_inner);
    if all.get(&handle).is_some_and(|made| made.is(kind)) {
        all.remove(&handle);
        context.device.objects().destroy(handle, kind);
    }
}

/// Destroys all textures and surfaces of a context that ends.
pub fn release(context: &Context) {
    let mut all = MADE.write().unwrap_or_else(PoisonError::into_inner);
    all.retain(|&handle, made| {
        let stays = made.context != context.handle;
        if !stays {
            context.device.objects().destroy(handle, made.kind());
        }
        stays
    });
}

impl Made {
    fn kind(&self) -> Kind {
        if self.texture.is_some() { Kind::Texture } else { Kind::Surface }
    }

    fn is(&self, kind: Kind) -> bool {
        self.kind() == kind
    }
}
