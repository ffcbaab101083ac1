//! What memory a context holds, to be freed with it.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::context::Context;

/// The memory of a context: the addresses at which its allocations start.
#[derive(Default)]
pub struct Holdings {
    starts: Mutex<HashSet<u64>>,
}

impl Holdings {
    /// Remembers an allocation.
    pub fn add(&self, start: u64) {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).insert(start);
    }

    /// Forgets an allocation that is freed; says whether it was known.
    pub fn forget(&self, start: u64) -> bool {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).remove(&start)
    }

    /// Frees everything.
    pub fn release(&self, context: &Context) {
        let starts = std::mem::take(&mut *self.starts.lock().unwrap_or_else(PoisonError::into_inner));
        let memory = context.device.memory();
        for start in starts {
            // Each address came from an allocation that nothing else frees.
            let _ = memory.free(start);
        }
        memory.reclaim();
    }
}
