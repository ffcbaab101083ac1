//! Resolves the handle of a texture, sampler or surface, and the bytes of its image.
//!
//! Programs execute many texture instructions on few objects, so a worker remembers the last ones, as long as neither the
//! table of handles nor the table of allocations has changed.
#![allow(unsafe_code)]

use ptxvm_memory::view::{Reads, View};
use ptxvm_texture::{Image, Kind as ObjectKind, Missing, Object};

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::{Proxy, Space, Wants};
use crate::explain::finding::Kind;
use crate::registers::{LANES, lanes_in};
use crate::state::opaque::Known;
use crate::vector::lanes::Flow;

/// How many objects a worker remembers: a kernel's usual handful of textures and surfaces.
const REMEMBERED: usize = 8;

impl Context<'_> {
    /// What a lane's handle stands for, which must be of this kind. The bytes of its image are checked whole; those of
    /// a surface may be written.
    pub fn opaque(&mut self, lane: usize, handle: u64, kind: ObjectKind) -> Result<Known, Flow> {
        let index = self.look_up(lane, handle, kind)?;
        Ok(self.worker.opaque.known(index).clone())
    }

    /// The same; gives its place among those that the worker remembers, which stays while no more than a few others
    /// are looked up.
    #[inline]
    pub fn look_up(&mut self, lane: usize, handle: u64, kind: ObjectKind) -> Result<usize, Flow> {
        let environment = self.run.environment;
        let generations = (environment.objects.generation(), environment.memory.generation());
        let opaque = &mut self.worker.opaque;
        if opaque.generations != generations {
            opaque.known.clear();
            opaque.generations = generations;
        }
        let mut known = opaque.known.iter();
        match known.position(|known| known.handle == handle && known.object.kind() == kind) {
            Some(index) => Ok(index),
            None => self.find(lane, handle, kind),
        }
    }

    #[cold]
    fn find(&mut self, lane: usize, handle: u64, kind: ObjectKind) -> Result<usize, Flow> {
        let object = match self.run.environment.objects.get(handle) {
            Ok(object) if object.kind() == kind => object,
            Ok(object) => {
                let message = format!("{handle:#x} is a {}, not a {}", object.kind().noun(), kind.noun());
                return Err(self.fault(Kind::Misuse, lane, message, Vec::new()));
            }
            Err(missing) => return Err(self.no_object(lane, handle, kind, &missing)),
        };
        let view = match &*object {
            Object::Texture(texture) => Some(self.view(lane, &texture.image, Wants::ReadLater)?),
            Object::Surface(surface) => Some(self.view(lane, &surface.image, Wants::WriteLater)?),
            Object::Sampler(_) => None,
        };
        let opaque = &mut self.worker.opaque;
        let known = Known { handle, object, view };
        if opaque.known.len() < REMEMBERED {
            opaque.known.push(known);
            return Ok(opaque.known.len() - 1);
        }
        let index = opaque.oldest;
        opaque.oldest = (index + 1) % REMEMBERED;
        opaque.known[index] = known;
        Ok(index)
    }

    fn view(&mut self, lane: usize, image: &Image, wants: Wants) -> Result<View<'static>, Flow> {
        let range = self.resolve_lane(AddressSpace::Global, lane, image.address, image.bytes, 1, wants)?;
        // SAFETY: all bytes of the image have just been checked, and the launch holds a lease on them.
        Ok(unsafe { View::new(range.pointer(), image.bytes) })
    }

    /// Has lanes look at an image by `look`. If somebody observes, they do it one by one, and what they have read is told.
    pub(crate) fn look_at(
        &self,
        image: &Image,
        view: &View<'_>,
        lanes: u32,
        mut look: impl FnMut(&View<'_>, u32),
    ) {
        if self.run.code.observed.is_none() {
            return look(view, lanes);
        }
        for lane in lanes_in(lanes) {
            let reads = Reads::default();
            look(&view.noting(&reads), 1 << lane);
            for (offset, bytes) in reads.into_inner() {
                let mut offsets = [0; LANES];
                offsets[lane] = offset;
                self.tell_image(image, Proxy::Texture, (1 << lane, &offsets), bytes as u64, Wants::Read);
            }
        }
    }

    /// Tells an observer, if there is one, what lanes do to the bytes at offsets of an image, as a texture or a surface.
    pub(crate) fn tell_image(
        &self,
        image: &Image,
        proxy: Proxy,
        (lanes, offsets): (u32, &[u64; LANES]),
        bytes: u64,
        wants: Wants,
    ) {
        if self.run.code.observed.is_some() {
            let addresses = offsets.map(|offset| image.address.wrapping_add(offset));
            self.tell_through(proxy, (Space::Global, lanes, &addresses), bytes, wants);
        }
    }

    #[cold]
    fn no_object(&mut self, lane: usize, handle: u64, kind: ObjectKind, missing: &Missing) -> Flow {
        let noun = kind.noun();
        match missing {
            Missing::Never => {
                let message = format!("{handle:#x} is not the handle of a {noun}");
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
