//! What has been told in this process, so that it is told once however often a kernel is launched.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use ptxvm_vm::Kernel;

/// What has been told of one kind: a module by the digest of its text, and what tells it from others of that.
pub struct Told<K>(LazyLock<Mutex<HashSet<(u64, K)>>>);

impl<K: Hash + Eq> Told<K> {
    /// As if nothing had been told.
    pub fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Nothing so far.
    pub const fn new() -> Self {
        Self(LazyLock::new(Mutex::default))
    }

    /// Whether something of a kernel's module is new.
    pub fn is_new(&self, kernel: &Kernel, key: K) -> bool {
        self.is_new_among(kernel, key, usize::MAX) == Some(true)
    }

    /// The same, if there have been fewer than `most`; else nobody knows.
    pub fn is_new_among(&self, kernel: &Kernel, key: K, most: usize) -> Option<bool> {
        let mut module = DefaultHasher::new();
        kernel.module().source().hash(&mut module);
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (module.finish(), key);
        match told.len() < most {
            true => Some(told.insert(key)),
            false => told.contains(&key).then_some(false),
        }
    }
}
