//! Modules, libraries and the linker, which make kernels and variables from images.

mod api;
mod extent;
mod function;
mod function_api;
mod holdings;
mod jit;
pub mod library;
mod library_api;
mod linker;
mod linker_api;
mod loading;
mod references;
mod settings;
mod unsupported;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

pub use api::*;
pub use function::{CUfunction, Function, launchable, launchable_in};
pub use function_api::*;
pub use holdings::ModuleHoldings;
pub use library::{CUkernel, CUlibrary};
pub use library_api::*;
pub use linker_api::*;
pub use unsupported::*;

use self::references::References;
use crate::abi::{Answer, CUdeviceptr, CUresult, Out};
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
    /// The library that it is a copy of.
    pub library: Option<CUlibrary>,
    /// The most registers that the compiler was allowed to use.
    max_registers: Option<u32>,
    /// The textures and surfaces that have been asked for.
    references: References,
    /// The functions that have been asked for, by name.
    functions: Mutex<HashMap<String, Arc<Function>>>,
}

impl Object for Module {}

impl Module {
    /// Puts a loaded module into a context and gives it a handle.
    ///
    /// # Errors
    /// The context has ended meanwhile.
    pub fn insert(
        context: &Arc<Context>,
        loaded: ptxvm_vm::Module,
        library: Option<CUlibrary>,
        max_registers: Option<u32>,
    ) -> Answer<CUmodule> {
        let handle = Handle::insert_with(|handle| {
            let (context, functions) = (Arc::downgrade(context), Mutex::default());
            let references = References::default();
            Arc::new(Self { handle, context, loaded, library, max_registers, references, functions })
        });
        context.modules.add(handle);
        // A context that ends takes along what it has been given before that; what comes later has to go by itself.
        if !context.is_active() {
            Self::remove(handle)?;
            return Err(CUresult::CONTEXT_IS_DESTROYED);
        }
        Ok(handle)
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
        module.forget_references();
        module.forget_functions();
        Ok(())
    }

    /// Its kernel of this name. Of a large module it is read now, with all that it can reach.
    ///
    /// # Errors
    /// There is none, or it is wrong.
    pub fn function(&self, name: &str) -> Answer<Arc<Function>> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(Arc::clone(function));
        }
        let kernel = loading::kernel(&self.loaded, name)?;
        let kernel = kernel.with_max_registers(self.max_registers);
        let handle = Handle::insert_with(|handle| {
            Arc::new(Function::new(handle, self.handle, self.context.clone(), kernel))
        });
        let function = handle.get()?;
        if self.handle.find().is_none() {
            // Another thread has unloaded the module, and has forgotten its functions perhaps before this one.
            handle.remove()?;
            return Err(CUresult::INVALID_HANDLE);
        }
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

/// Tells the address and the size of a variable, or one of them.
///
/// # Errors
/// There is none of this name, or nothing is wanted.
fn variable(module: &ptxvm_vm::Module, name: &str, address: Out<CUdeviceptr>, bytes: Out<usize>) -> Answer {
    if address.is_null() && bytes.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let (at, size) = module.variable(name).ok_or(CUresult::NOT_FOUND)?;
    address.offer(at);
    bytes.offer(size as usize);
    Ok(())
}
