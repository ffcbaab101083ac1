//! User objects: objects of the program that graphs keep alive, with a function to call when the last graph releases one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::abi::{Answer, CUresult};
use crate::handles::{Handle, Object};
use crate::work::HostCall;

/// A handle of a user object.
pub type CUuserObject = Handle<UserObject>;

/// A user object.
pub struct UserObject {
    handle: CUuserObject,
    /// What is called when the last reference has gone.
    destroy: HostCall,
    references: AtomicU32,
}

impl Object for UserObject {
    const STALE: CUresult = CUresult::INVALID_VALUE;
}

impl UserObject {
    /// An object with some references.
    pub fn create(destroy: HostCall, references: u32) -> CUuserObject {
        let references = AtomicU32::new(references);
        Handle::insert_with(|handle| Arc::new(Self { handle, destroy, references }))
    }

    /// Adds references.
    ///
    /// # Errors
    /// There would be too many, or none are left to copy.
    pub fn retain(&self, count: u32) -> Answer {
        let add = |now: u32| if now == 0 { None } else { now.checked_add(count).filter(|_| count > 0) };
        let done = self.references.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
        done.map(|_| ()).map_err(|_| CUresult::INVALID_VALUE)
    }

    /// Gives references back, and calls the program's function with the last.
    ///
    /// # Errors
    /// There are not so many.
    pub fn release(&self, count: u32) -> Answer {
        let take = |now: u32| now.checked_sub(count).filter(|_| count > 0);
        let before = self.references.fetch_update(Ordering::AcqRel, Ordering::Acquire, take);
        if before.map_err(|_| CUresult::INVALID_VALUE)? == count {
            // Nobody else can have removed it: this was the last reference.
            let _ = self.handle.remove();
            self.destroy.run();
        }
        Ok(())
    }
}

/// References that a graph holds; they are given back when this is dropped.
pub struct Held {
    pub object: Arc<UserObject>,
    pub count: u32,
}

impl Held {
    /// Whether it is of this object.
    pub fn is_of(&self, object: &Arc<UserObject>) -> bool {
        Arc::ptr_eq(&self.object, object)
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        // The object is alive, because this holds references; with four billion of them nothing is left to count.
        let count = if self.object.retain(self.count).is_ok() { self.count } else { 0 };
        Self { object: Arc::clone(&self.object), count }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.count > 0 {
            // The references are this one's own.
            let _ = self.object.release(self.count);
        }
    }
}
