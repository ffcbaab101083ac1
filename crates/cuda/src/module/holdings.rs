//! The modules that a context has loaded, to be unloaded with it.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use super::{CUmodule, Module};

/// The modules of a context.
#[derive(Default)]
pub struct ModuleHoldings {
    modules: Mutex<HashSet<u64>>,
}

impl ModuleHoldings {
    /// Remembers a module.
    pub fn add(&self, handle: CUmodule) {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).insert(handle.number());
    }

    /// Forgets a module that has been unloaded.
    pub fn forget(&self, handle: CUmodule) {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).remove(&handle.number());
    }

    /// Unloads all.
    pub fn release(&self) {
        let modules = std::mem::take(&mut *self.modules.lock().unwrap_or_else(PoisonError::into_inner));
        for number in modules {
            // One that has been unloaded meanwhile is gone already.
            let _ = Module::remove(CUmodule::new(number));
        }
    }
}
