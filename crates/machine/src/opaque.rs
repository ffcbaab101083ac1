//! What a handle of a texture, sampler or surface stands for, and the bytes of its image.
//!
//! Texture instructions are many and name few objects, so that a worker remembers the last one as long as neither the
//! table of handles nor that of allocations has changed.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::View;
use ptxvm_texture::{Image, Kind as ObjectKind, Missing, Object};

use crate::address::{AddressSpace, Wants};
use crate::context::Context;
use crate::finding::Kind;
use crate::lanes::Flow;
use crate::registers::LANES;

/// An object that a worker has looked up.
#[derive(Clone, Debug)]
pub struct Known {
    handle: u64,
    generations: (u64, u64),
    /// What it is.
    pub object: Arc<Object>,
    /// The bytes of its image; none for a sampler.
    pub view: Option<View>,
}

// SAFETY: a view is bytes of guest memory, which any thread of a launch may touch atomically.
unsafe impl Send for Known {}

impl Context<'_> {
    /// What a lane's handle stands for, which must be of this kind. The bytes of its image are checked whole; those of
    /// a surface may be written.
    pub fn opaque(&mut self, lane: usize, handle: u64, kind: ObjectKind) -> Result<Known, Flow> {
        let environment = self.run.environment;
        let generations = (environment.objects.generation(), environment.memory.generation());
        if let Some(known) = &self.worker.opaque
            && known.handle == handle
            && known.generations == generations
            && known.object.kind() == kind
        {
            return Ok(known.clone());
        }
        let object = match environment.objects.get(handle) {
            Ok(object) if object.kind() == kind => object,
            Ok(object) => {
                let message = format!("{handle:#x} is a {}, not a {}", object.kind().noun(), kind.noun());
                return Err(self.fault(Kind::Misuse, lane, message, Vec::new()));
            }
            Err(missing) => return Err(self.no_object(lane, handle, kind, &missing)),
        };
        let view = match &*object {
            Object::Texture(texture) => Some(self.view(lane, &texture.image, Wants::Read)?),
            Object::Surface(surface) => Some(self.view(lane, &surface.image, Wants::Write)?),
            Object::Sampler(_) => None,
        };
        let known = Known { handle, generations, object, view };
        self.worker.opaque = Some(known.clone());
        Ok(known)
    }

    fn view(&mut self, lane: usize, image: &Image, wants: Wants) -> Result<View, Flow> {
        let mut addresses = [0; LANES];
        addresses[lane] = image.address;
        let at = self.resolve(AddressSpace::Global, &addresses, 1 << lane, image.bytes, 1, wants)?.at[lane];
        // SAFETY: all bytes of the image have just been checked, and the launch holds a lease on them.
        Ok(unsafe { View::new(std::ptr::with_exposed_provenance_mut(at as usize), image.bytes) })
    }

    #[cold]
    fn no_object(&mut self, lane: usize, handle: u64, kind: ObjectKind, missing: &Missing) -> Flow {
        let noun = kind.noun();
        match missing {
            Missing::Never => {
                let message = format!("{handle:#x} is the handle of no {noun}");
                self.fault(Kind::Misuse, lane, message, Vec::new())
            }
            Missing::Destroyed(was) => {
                let message = format!("the {} with the handle {handle:#x} has been destroyed", was.noun());
                self.fault(Kind::UseAfterFree, lane, message, Vec::new())
            }
            Missing::Unbound(was, name) => {
                let message = format!("nothing is bound to the {} reference `{name}`", was.noun());
                self.fault(Kind::Misuse, lane, message, Vec::new())
            }
        }
    }
}
