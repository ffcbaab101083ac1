//! The host memory that a run takes for buffers, besides the device's own: their contents before and after the run.
//!
//! All of it is charged to the budget before it is allocated, so that a file or a launch line that asks for too much is
//! refused with a sentence.

use std::sync::{Arc, Mutex, PoisonError};

use ptxvm_vm::{Budget, Charge};

use crate::input;
use crate::memory::too_much;

/// A buffer lies in device memory, and twice in ours to tell what has changed.
pub const COPIES: u64 = 2;

/// What has been taken; all of it is given back at the end of the run.
pub struct HostMemory {
    budget: Arc<Budget>,
    charges: Mutex<Vec<Charge>>,
}

impl HostMemory {
    pub fn new(budget: Arc<Budget>) -> HostMemory {
        HostMemory { budget, charges: Mutex::default() }
    }

    /// Takes memory for something; the error is a sentence.
    pub fn take(&self, bytes: u64, what: &str) -> Result<(), String> {
        let charge = self.budget.charge(bytes).map_err(|over| too_much(what, over))?;
        self.keep(charge);
        Ok(())
    }

    fn keep(&self, charge: Charge) {
        self.charges.lock().unwrap_or_else(PoisonError::into_inner).push(charge);
    }

    /// Refuses buffers that will not fit, before the first of them is made.
    pub fn afford(&self, bytes: u64) -> Result<(), String> {
        let needed = bytes.saturating_mul(COPIES + 1);
        self.budget.charge(needed).map(drop).map_err(|over| too_much("running with these buffers", over))
    }

    /// Reads a file of data.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let (bytes, charge) = input::read_file(path, &self.budget, 1)?;
        self.keep(charge);
        Ok(bytes)
    }
}

#[cfg(test)]
impl Default for HostMemory {
    fn default() -> HostMemory {
        HostMemory::new(Arc::default())
    }
}
