//! The handles of a module's texture and surface references: each name has one handle as long as the module is loaded.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ptxvm_texture::Kind;

use super::Module;
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::texture::{CUsurfref, CUtexref, SurfaceReference, TextureReference};

/// The references that have been asked for, by name.
#[derive(Default)]
pub struct References {
    textures: Mutex<HashMap<String, CUtexref>>,
    surfaces: Mutex<HashMap<String, CUsurfref>>,
}

impl Module {
    /// Its texture of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn texture(&self, name: &str) -> Answer<CUtexref> {
        let context = self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?;
        let variable = self.opaque(name, Kind::Texture)?;
        Ok(known(&self.references.textures, name, || TextureReference::create(&context, Some(variable))))
    }

    /// Its surface of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn surface(&self, name: &str) -> Answer<CUsurfref> {
        let context = self.context.upgrade().ok_or(CUresult::CONTEXT_IS_DESTROYED)?;
        let variable = self.opaque(name, Kind::Surface)?;
        Ok(known(&self.references.surfaces, name, || SurfaceReference::create(&context, variable)))
    }

    /// Makes the handles of its textures and surfaces stale.
    pub(super) fn forget_references(&self) {
        forget(&self.references.textures);
        forget(&self.references.surfaces);
    }

    /// The handle of a variable among the device's objects.
    fn opaque(&self, name: &str, kind: Kind) -> Answer<u64> {
        let reference = self.loaded.reference(name).filter(|reference| reference.kind == kind);
        Ok(reference.ok_or(CUresult::NOT_FOUND)?.handle)
    }
}

/// The handle of a name. The program may have destroyed the one that it was given.
fn known<T: Object>(
    all: &Mutex<HashMap<String, Handle<T>>>,
    name: &str,
    make: impl FnOnce() -> Handle<T>,
) -> Handle<T> {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    match all.get(name) {
        Some(handle) if handle.find().is_some() => *handle,
        _ => {
            let handle = make();
            all.insert(name.to_owned(), handle);
            handle
        }
    }
}

fn forget<T: Object>(all: &Mutex<HashMap<String, Handle<T>>>) {
    for handle in std::mem::take(&mut *all.lock().unwrap_or_else(PoisonError::into_inner)).into_values() {
        // The program may have destroyed it.
        let _ = handle.remove();
    }
}
