//! The arrays, textures and surfaces of a context, to be destroyed with it.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use super::{CUarray, CUmipmappedArray};

/// What a context holds, by handle. The memory of the arrays is among the context's memory.
#[derive(Default)]
pub struct ArrayHoldings {
    arrays: Mutex<HashSet<u64>>,
    mipmapped: Mutex<HashSet<u64>>,
}

impl ArrayHoldings {
    /// Remembers an array.
    pub fn add(&self, array: CUarray) {
        change(&self.arrays, |arrays| arrays.insert(array.number()));
    }

    /// Forgets an array that has been destroyed.
    pub fn forget(&self, array: CUarray) {
        change(&self.arrays, |arrays| arrays.remove(&array.number()));
    }

    /// Remembers a mipmapped array.
    pub fn add_mipmapped(&self, mipmapped: CUmipmappedArray) {
        change(&self.mipmapped, |arrays| arrays.insert(mipmapped.number()));
    }

    /// Forgets a mipmapped array that has been destroyed.
    pub fn forget_mipmapped(&self, mipmapped: CUmipmappedArray) {
        change(&self.mipmapped, |arrays| arrays.remove(&mipmapped.number()));
    }

    /// Makes all handles stale.
    pub fn release(&self) {
        for number in change(&self.arrays, std::mem::take) {
            // One that has been destroyed meanwhile is gone already.
            let _ = CUarray::new(number).remove();
        }
        for number in change(&self.mipmapped, std::mem::take) {
            let _ = CUmipmappedArray::new(number).remove();
        }
    }
}

fn change<T: Eq + Hash, R>(set: &Mutex<HashSet<T>>, change: impl FnOnce(&mut HashSet<T>) -> R) -> R {
    change(&mut set.lock().unwrap_or_else(PoisonError::into_inner))
}
