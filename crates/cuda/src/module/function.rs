//! Functions: the kernels of modules, with what programs set on them.

use std::ffi::CString;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock, Weak};

use super::settings::{self, CUfunctionAttribute, FunctionSettings, MAX_DYNAMIC_SHARED_SIZE_BYTES};
use super::{CUkernel, CUmodule};
use crate::abi::Answer;
use crate::context::{Context, current};
use crate::handles::{Handle, Object};

/// A handle of a function.
pub type CUfunction = Handle<Function>;

/// A kernel of a module.
pub struct Function {
    /// Its own handle.
    pub handle: CUfunction,
    /// The module that it belongs to.
    pub module: CUmodule,
    /// The context that the module was loaded in.
    pub context: Weak<Context>,
    /// What the machine has of it.
    pub kernel: ptxvm_vm::Kernel,
    /// Its name, as programs that ask for it get it.
    pub name: CString,
    /// The shape of CTAs and their dynamic shared memory, for launches of the oldest kind.
    pub block_shape: [AtomicU32; 3],
    pub shared_size: AtomicU32,
    /// What has been set on it.
    pub settings: FunctionSettings,
    /// What has been set on the kernel of a library that it is the function of.
    pub inherited: OnceLock<Arc<FunctionSettings>>,
}

impl Object for Function {}

impl Function {
    /// A function with nothing set.
    pub fn new(
        handle: CUfunction,
        module: CUmodule,
        context: Weak<Context>,
        kernel: ptxvm_vm::Kernel,
    ) -> Self {
        Self {
            handle,
            module,
            context,
            // A name of PTX has no zero in it.
            name: CString::new(kernel.name()).unwrap_or_default(),
            kernel,
            block_shape: [1, 1, 1].map(AtomicU32::new),
            shared_size: AtomicU32::new(0),
            settings: FunctionSettings::default(),
            inherited: OnceLock::new(),
        }
    }

    /// An attribute: what has been set on it, or on the kernel that it comes from, or what it is by itself.
    ///
    /// # Errors
    /// There is no such attribute.
    pub fn attribute(&self, attribute: CUfunctionAttribute) -> Answer<i32> {
        let inherited = || self.inherited.get().and_then(|settings| settings.get(attribute));
        match self.settings.get(attribute).or_else(inherited) {
            Some(value) => Ok(value),
            None => settings::unset(&self.kernel, attribute),
        }
    }

    /// The most dynamic shared memory that a launch may ask for.
    pub fn dynamic_shared_limit(&self) -> u32 {
        let limit = self.attribute(MAX_DYNAMIC_SHARED_SIZE_BYTES);
        limit.ok().and_then(|limit| u32::try_from(limit).ok()).unwrap_or(0)
    }
}

/// The function that a handle means in the current context: of a function, or of a kernel, which has one in every
/// context.
///
/// # Errors
/// It is a handle of neither, or the kernel cannot be loaded.
pub fn launchable(number: u64) -> Answer<Arc<Function>> {
    launchable_in(number, current)
}

/// The same for a launch in a context that is asked for only if it matters.
///
/// # Errors
/// As above.
pub fn launchable_in(number: u64, context: impl FnOnce() -> Answer<Arc<Context>>) -> Answer<Arc<Function>> {
    match CUfunction::new(number).find() {
        Some(function) => Ok(function),
        None => CUkernel::new(number).get()?.function(&context()?),
    }
}
