//! Modules, libraries and the linker: images to kernels and variables.

mod api;
mod function;
mod holdings;
mod unsupported;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use api::*;
pub use function::{CUfunction, Function};
pub use holdings::Holdings;
pub use unsupported::*;

use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::handles::{Handle, Object};

/// A handle of a module.
pub type CUmodule = Handle<Module>;

/// A module that a context has loaded.
pub struct Module {
    /// Its own handle.
    pub handle: CUmodule,
    /// The context that it was loaded in.
    pub context: Weak<Context>,
    /// What the machine has of it.
    pub loaded: ptxvm_vm::Module,
    /// The functions that have been asked for, by name.
    functions: Mutex<HashMap<String, Arc<Function>>>,
}

impl Object for Module {}

impl Module {
    /// Puts a loaded module into a context and gives it a handle.
    pub fn insert(context: &Arc<Context>, loaded: ptxvm_vm::Module) -> CUmodule {
        let handle = Handle::insert_with(|handle| {
            let (context, functions) = (Arc::downgrade(context), Mutex::default());
            Arc::new(Self { handle, context, loaded, functions })
        });
        context.modules.add(handle);
        handle
    }

    /// Takes a module out of its context: its handle and those of its functions are stale from now on.
    ///
    /// # Errors
    /// The handle names no module.
    pub fn remove(handle: CUmodule) -> Answer {
        let module = handle.remove()?;
        if let Some(context) = module.context.upgrade() {
            context.modules.forget(handle);
        }
        module.forget_functions();
        Ok(())
    }

    /// Its kernel of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn function(&self, name: &str) -> Answer<Arc<Function>> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(Arc::clone(function));
        }
        let kernel = self.loaded.kernel(name).map_err(|_| CUresult::NOT_FOUND)?;
        let handle = Handle::insert_with(|handle| {
            Arc::new(Function::new(handle, self.handle, self.context.clone(), kernel))
        });
        let function = handle.get()?;
        functions.insert(name.to_owned(), Arc::clone(&function));
        Ok(function)
    }

    /// Makes the handles of its functions stale.
    fn forget_functions(&self) {
        let functions = std::mem::take(&mut *self.functions.lock().unwrap_or_else(PoisonError::into_inner));
        for function in functions.into_values() {
            // Nobody else removes functions.
            let _ = function.handle.remove();
        }
    }
}
