//! The memory that a context holds, which is freed with it.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::host::let_accesses_end;
use super::registry::{self, MemoryKind, Record};
use crate::abi::{Answer, CUresult};
use crate::context::Context;

/// The memory of a context: the addresses at which it starts.
#[derive(Default)]
pub struct MemoryHoldings {
    starts: Mutex<HashSet<u64>>,
}

impl MemoryHoldings {
    /// Remembers memory that the context has got.
    ///
    /// # Errors
    /// The context has ended meanwhile; the memory has been given back.
    pub fn add(&self, context: &Context, start: u64, size: u64, kind: MemoryKind) -> Answer {
        registry::insert(start, size, kind, context.handle);
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).insert(start);
        // A context that ends takes along what it has been given before that; what comes later has to go by itself.
        if !context.is_active() {
            self.release(context);
            return Err(CUresult::CONTEXT_IS_DESTROYED);
        }
        Ok(())
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
        let mut registered = false;
        for start in starts {
            if let Some(record) = registry::take(start, |record| record.context == context.handle) {
                registered |= matches!(record.kind, MemoryKind::Registered(_));
                record.release(context.device.memory());
            }
        }
        if registered {
            let_accesses_end(context);
        }
    }
}
