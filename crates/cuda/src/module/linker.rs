//! The linker (`cuLink*`): texts from many places become one image.
//!
//! What it makes is a container with all the texts; whoever loads it links them again. That they go together is
//! found out here, where a program expects to be told.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_vm::{Device, LoadError};

use super::image::Part;
use super::jit::Jit;
use super::{loading, messages};
use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::report;

/// A handle of a link in progress.
pub type CUlinkState = Handle<Link>;

/// A link in progress.
pub struct Link {
    device: Device,
    state: Mutex<State>,
}

struct State {
    parts: Vec<Part>,
    /// The names that each of them uses and does not define.
    missing: Vec<Vec<String>>,
    /// The options it was begun with; its logs are filled as long as it lasts.
    jit: Jit,
    /// What came out of it, at an address that stays.
    image: Option<Box<[u8]>>,
}

impl Object for Link {}

impl Link {
    /// Begins one.
    pub fn begin(device: &Device, jit: Jit) -> CUlinkState {
        let state = Mutex::new(State { parts: Vec::new(), missing: Vec::new(), jit, image: None });
        Handle::insert(Arc::new(Self { device: device.clone(), state }))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the texts of an image.
    ///
    /// # Errors
    /// Why there are none, or what is wrong with them.
    pub fn add(&self, name: &str, image: &[u8], options: &Jit) -> Answer {
        let state = &mut *self.lock();
        state.jit.max_registers = options.max_registers.or(state.jit.max_registers);
        for mut part in loading::texts(name, image, &self.device, &mut state.jit)? {
            part.max_registers = state.jit.max_registers.unwrap_or(part.max_registers);
            if part.name.is_empty() {
                part.name = format!("input {}", state.parts.len() + 1);
            }
            state.missing.push(self.check(&part, &mut state.jit)?);
            state.parts.push(part);
        }
        Ok(())
    }

    /// Whether a text is right by itself. What it does not define may come with others: those names are given.
    fn check(&self, part: &Part, jit: &mut Jit) -> Answer<Vec<String>> {
        match loading::try_load(&self.device, std::slice::from_ref(part)) {
            Ok(_) => Ok(Vec::new()),
            Err(LoadError::Unresolved(names)) => Ok(names),
            Err(error) => {
                jit.error.append(&messages::errors(&error, &part.ptx));
                Err(report::not_loaded(&error, &part.ptx, jit.error.is_wanted()))
            }
        }
    }

    /// Links what has been added. The image stays where it is as long as the link is not destroyed.
    ///
    /// # Errors
    /// The texts do not go together.
    pub fn complete(&self) -> Answer<(*const u8, usize)> {
        let state = &mut *self.lock();
        if state.image.is_none() {
            if state.parts.is_empty() {
                state.parts.push(nothing(&self.device));
            }
            if let Err(error) = loading::try_load(&self.device, &state.parts) {
                state.jit.error.append(&messages::link_errors(&error, &state.parts, &state.missing));
                let result = report::not_loaded(&error, "", state.jit.error.is_wanted());
                // What a name stands for is no question of PTX any more.
                return Err(if matches!(error, LoadError::Unresolved(_)) {
                    CUresult::UNKNOWN
                } else {
                    result
                });
            }
            state.image = Some(ptxvm_vm::image::encode(&state.parts).into_boxed_slice());
        }
        let image = state.image.as_deref().unwrap_or_default();
        Ok((image.as_ptr(), image.len()))
    }
}

/// A module with nothing in it: what a link of nothing gives.
fn nothing(device: &Device) -> Part {
    let ptx = format!(".version 9.1\n.target {}\n.address_size 64\n", device.profile().target());
    Part { name: "nothing".to_owned(), ptx, ..Part::default() }
}
