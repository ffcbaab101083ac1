//! A mipmapped array: an image with levels of detail, each of which is an array.

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_texture::Image;

use super::check;
use super::descriptor::{ArrayDescriptor, flag};
use super::format;
use super::object::{self, Array, CUarray};
use crate::abi::{Answer, CUresult};
use crate::context::{CUcontext, Context};
use crate::handles::{Handle, Object};
use crate::stream::capture::refuse_unsafe;
use crate::texture;

/// A handle of a mipmapped array.
pub type CUmipmappedArray = Handle<Mipmapped>;

/// Levels of texels that a program has a handle of.
pub struct Mipmapped {
    /// Its own handle.
    pub handle: CUmipmappedArray,
    /// The context that it was made in.
    context: CUcontext,
    /// What its program said of the finest level.
    pub described: ArrayDescriptor,
    /// Its texels.
    pub image: Image,
    /// The levels that have been asked for; null where none has been.
    levels: Mutex<Vec<CUarray>>,
}

impl Object for Mipmapped {}

impl Mipmapped {
    /// Makes a mipmapped array.
    ///
    /// # Errors
    /// What the driver refuses, or that there is not as much memory.
    pub fn create(
        context: &Arc<Context>,
        described: ArrayDescriptor,
        levels: u32,
    ) -> Answer<CUmipmappedArray> {
        let (format, levels) = check::mipmapped(&described, levels)?;
        let image = object::allocate(context, &described, format, levels)?;
        let handle = Handle::insert_with(|handle| {
            let context = context.handle;
            let levels = Mutex::new(vec![CUarray::NULL; image.levels.len()]);
            Arc::new(Self { handle, context, described, image, levels })
        });
        context.arrays.add_mipmapped(handle);
        Ok(handle)
    }

    /// Destroys a mipmapped array with its levels, after all work that may use it.
    ///
    /// # Errors
    /// It is not there.
    pub fn destroy(handle: CUmipmappedArray) -> Answer {
        let mipmapped = handle.get()?;
        let context = mipmapped.context.get()?;
        context.check()?;
        refuse_unsafe()?;
        handle.remove()?;
        context.arrays.forget_mipmapped(handle);
        mipmapped.forget_levels(&context);
        texture::unbind(CUarray::NULL, handle);
        if mipmapped.described.has(flag::DEFERRED_MAPPING) {
            return Ok(());
        }
        object::release(&context, mipmapped.image.address)
    }

    /// Whether it has a format of video, which no texture reads.
    pub fn is_video(&self) -> bool {
        format::is_video(self.described.format)
    }

    /// Makes the handles of its levels stale.
    fn forget_levels(&self, context: &Context) {
        for level in std::mem::take(&mut *self.levels.lock().unwrap_or_else(PoisonError::into_inner)) {
            // The program may have destroyed it, or never asked for it.
            let _ = object::forget(context, level);
        }
    }

    /// The array that is one of its levels.
    ///
    /// # Errors
    /// There is no such level.
    pub fn level(&self, number: u32) -> Answer<CUarray> {
        let context = self.context.get()?;
        let mut levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let known = levels.get_mut(number as usize).ok_or(CUresult::INVALID_VALUE)?;
        // The program may have destroyed the level's handle.
        if known.find().is_none() {
            let image = self.image.one_level(number as usize).ok_or(CUresult::INVALID_VALUE)?;
            let [width, height, depth] = image.levels[0].size.map(|size| size as usize);
            let said = self.described;
            let planes = said.has(flag::LAYERED | flag::CUBEMAP);
            let described = ArrayDescriptor {
                width,
                height: if said.height == 0 { 0 } else { height },
                depth: if planes || said.depth == 0 { said.depth } else { depth },
                ..said
            };
            *known = Array::part(&context, described, image);
        }
        // Another thread may have destroyed the whole meanwhile.
        if self.handle.find().is_none() {
            let _ = object::forget(&context, *known);
            return Err(CUresult::INVALID_HANDLE);
        }
        Ok(*known)
    }
}
