//! Libraries: modules that belong to no context. Each context that uses one gets its own copy.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ptxvm_image::Part;

use super::jit::Jit;
use super::settings::{self, CUfunctionAttribute, FunctionSettings};
use super::{CUmodule, Function, Module, loading};
use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::driver;
use crate::handles::{Handle, Object};

/// A handle of a library.
pub type CUlibrary = Handle<Library>;
/// A handle of a kernel.
pub type CUkernel = Handle<Kernel>;

/// A library.
pub struct Library {
    /// Its own handle.
    pub handle: CUlibrary,
    /// What it was made from, to make more copies.
    parts: Vec<Part>,
    /// The first copy: what can be asked without a context is asked of it, and the first context gets it. What is wrong
    /// with the code is answered to whoever asks for something in it, as if it were loaded only then.
    first: Answer<ptxvm_vm::Module>,
    /// The most registers that the compiler was allowed to use.
    max_registers: Option<u32>,
    /// The kernels that have been asked for, by name.
    kernels: Mutex<HashMap<String, Arc<Kernel>>>,
    copies: Mutex<Copies>,
}

/// The modules that contexts have of a library.
#[derive(Default)]
struct Copies {
    /// By the context's number.
    modules: HashMap<u64, CUmodule>,
    /// Whether the first copy has been given away.
    first_given: bool,
}

/// A kernel of a library.
pub struct Kernel {
    /// Its own handle.
    pub handle: CUkernel,
    /// The library that it belongs to.
    pub library: CUlibrary,
    /// Its name, as programs that ask for it get it.
    pub name: CString,
    /// The kernel in the library's first copy.
    pub first: ptxvm_vm::Kernel,
    /// What has been set on it, which its functions inherit.
    pub settings: Arc<FunctionSettings>,
}

impl Object for Library {}
impl Object for Kernel {}

impl Library {
    /// Loads texts as a library. Code that is wrong makes one too, which has nothing in it.
    ///
    /// # Errors
    /// There is no driver.
    pub fn load(texts: Answer<Vec<Part>>, jit: &mut Jit) -> Answer<CUlibrary> {
        let device = &driver::get()?.device;
        let (parts, first) = match texts {
            Ok(parts) => {
                let first = loading::load(device, &parts, jit);
                (parts, first)
            }
            Err(refused) => (Vec::new(), Err(refused)),
        };
        let max_registers = jit.max_registers;
        Ok(Handle::insert_with(|handle| {
            let (kernels, copies) = (Mutex::default(), Mutex::default());
            Arc::new(Self { handle, parts, first, max_registers, kernels, copies })
        }))
    }

    /// Unloads it: its handle and those of its kernels and modules are stale from now on.
    ///
    /// # Errors
    /// The handle names no library.
    pub fn unload(handle: CUlibrary) -> Answer {
        let library = handle.remove()?;
        for kernel in std::mem::take(&mut *library.lock_kernels()).into_values() {
            // Nobody else removes kernels.
            let _ = kernel.handle.remove();
        }
        for module in std::mem::take(&mut *library.lock_copies()).modules.into_values() {
            // One whose context has been destroyed is gone already.
            let _ = Module::remove(module);
        }
        Ok(())
    }

    /// Its first copy.
    ///
    /// # Errors
    /// What is wrong with its code.
    pub fn first(&self) -> Answer<&ptxvm_vm::Module> {
        self.first.as_ref().map_err(|refused| *refused)
    }

    fn lock_kernels(&self) -> MutexGuard<'_, HashMap<String, Arc<Kernel>>> {
        self.kernels.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_copies(&self) -> MutexGuard<'_, Copies> {
        self.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its kernel of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn kernel(&self, name: &str) -> Answer<Arc<Kernel>> {
        let mut kernels = self.lock_kernels();
        if let Some(kernel) = kernels.get(name) {
            return Ok(Arc::clone(kernel));
        }
        let first = loading::kernel(self.first()?, name)?;
        let first = first.with_max_registers(self.max_registers);
        let handle = Handle::insert_with(|handle| {
            Arc::new(Kernel {
                handle,
                library: self.handle,
                name: CString::new(name).unwrap_or_default(),
                first,
                settings: Arc::default(),
            })
        });
        let kernel = handle.get()?;
        if self.handle.find().is_none() {
            // Another thread has unloaded the library, and has forgotten its kernels perhaps before this one.
            handle.remove()?;
            return Err(CUresult::INVALID_HANDLE);
        }
        kernels.insert(name.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }

    /// Its copy in a context, which is made now if there is none.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub fn module(&self, context: &Arc<Context>) -> Answer<Arc<Module>> {
        let mut copies = self.lock_copies();
        let known = copies.modules.get(&context.handle.number());
        if let Some(module) = known.and_then(|module| module.find()) {
            return Ok(module);
        }
        let loaded = if copies.first_given {
            loading::load(&context.device, &self.parts, &mut Jit::default())?
        } else {
            self.first()?.clone()
        };
        copies.first_given = true;
        let module = Module::insert(context, loaded, Some(self.handle), self.max_registers)?;
        if self.handle.find().is_none() {
            // Another thread has unloaded the library meanwhile.
            Module::remove(module)?;
            return Err(CUresult::INVALID_HANDLE);
        }
        copies.modules.insert(context.handle.number(), module);
        module.get()
    }
}

impl Kernel {
    /// Its function in a context.
    ///
    /// # Errors
    /// The library has been unloaded, or cannot be loaded into the context.
    pub fn function(&self, context: &Arc<Context>) -> Answer<Arc<Function>> {
        let module = self.library.get()?.module(context)?;
        let function = module.function(self.first.name())?;
        function.inherited.get_or_init(|| Arc::clone(&self.settings));
        Ok(function)
    }

    /// An attribute: what has been set on it, or what it is by itself.
    ///
    /// # Errors
    /// There is no such attribute.
    pub fn attribute(&self, attribute: CUfunctionAttribute) -> Answer<i32> {
        match self.settings.get(attribute) {
            Some(value) => Ok(value),
            None => settings::unset(&self.first, attribute),
        }
    }
}
