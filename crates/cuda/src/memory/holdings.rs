//! What memory a context holds, to be freed with it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::registry::{self, Kind, Record};
use crate::context::Context;

/// The memory of a context: the addresses at which it starts.
#[derive(Default)]
pub struct Holdings {
    starts: Mutex<HashSet<u64>>,
}

impl Holdings {
    /// Remembers memory that the context has got.
    pub fn add(&self, context: &Context, start: u64, size: u64, kind: Kind) {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).insert(start);
        registry::insert(start, size, kind, context.handle);
    }

    /// Takes memory back that was to be freed and is not.
    pub fn restore(&self, record: Arc<Record>) {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).insert(record.start);
        registry::restore(record);
    }

    /// Forgets memory that is freed.
    pub fn forget(&self, start: u64) {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).remove(&start);
    }

    /// Frees everything.
    pub fn release(&self, context: &Context) {
        let starts = std::mem::take(&mut *self.starts.lock().unwrap_or_else(PoisonError::into_inner));
        for start in starts {
            if let Some(record) = registry::take(start, |record| record.context == context.handle) {
                record.release(context.device.memory());
            }
        }
    }
}
