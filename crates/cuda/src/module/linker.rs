//! The driver's linker (`cuLink*`): [`Linker`], with the caller's logs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_image::{Linker, errors};
use ptxvm_vm::{Device, LoadError};

use super::jit::Jit;
use super::loading;
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::report;

/// A handle of a link in progress.
pub type CUlinkState = Handle<Link>;

/// A link in progress.
pub struct Link {
    device: Device,
    state: Mutex<LinkState>,
}

struct LinkState {
    linker: Linker,
    /// The options it was begun with; its logs are filled as long as it lasts.
    jit: Jit,
    /// What came out of it, at an address that stays.
    image: Option<Box<[u8]>>,
}

impl Object for Link {}

impl Link {
    /// Begins one.
    pub fn begin(device: &Device, jit: Jit) -> CUlinkState {
        let profile = device.profile();
        let linker = Linker::new(profile.target(), profile.name, device.budget());
        Handle::insert(Arc::new(Self {
            device: device.clone(),
            state: Mutex::new(LinkState { linker, jit, image: None }),
        }))
    }

    fn lock(&self) -> MutexGuard<'_, LinkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the texts of an image.
    ///
    /// # Errors
    /// Why there are none, or what is wrong with them.
    pub fn add(&self, name: &str, image: &[u8], options: &Jit) -> Answer {
        let LinkState { linker, jit, .. } = &mut *self.lock();
        jit.max_registers = options.max_registers.or(jit.max_registers);
        for mut part in loading::texts(name, image, &self.device, jit)? {
            part.max_registers = jit.max_registers.unwrap_or(part.max_registers);
            linker.add(part).map_err(|wrong| {
                let (error, part) = &*wrong;
                jit.error.append(&errors(error, &part.ptx));
                report::not_loaded(error, &part.ptx, jit.error.is_wanted())
            })?;
        }
        Ok(())
    }

    /// Links what has been added. The image stays where it is as long as the link is not destroyed.
    ///
    /// # Errors
    /// The texts do not go together.
    pub fn complete(&self) -> Answer<(*const u8, usize)> {
        let LinkState { linker, jit, image } = &mut *self.lock();
        if image.is_none() {
            let linked = linker.complete(false).map_err(|error| {
                jit.error.append(&linker.errors(&error));
                let result = report::not_loaded(&error, "", jit.error.is_wanted());
                // What a name stands for is no question of PTX any more.
                if matches!(error, LoadError::Unresolved(_)) { CUresult::UNKNOWN } else { result }
            })?;
            *image = Some(linked.into_boxed_slice());
        }
        let image = image.as_deref().unwrap_or_default();
        Ok((image.as_ptr(), image.len()))
    }
}
