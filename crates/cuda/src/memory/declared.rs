//! Ranges of the program's own memory that it has declared, so that a kernel may access exactly those bytes.
//!
//! A pointer says where an array begins, not where it ends. A library that passes arrays to kernels knows both, and can
//! declare them with two functions that only this driver has.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::pages;
use crate::abi::{CUresult, Host};
use crate::entry::entry;

/// How many ranges may be declared at a time: more than any program has arrays it passes.
const MOST: usize = 1 << 20;

/// Where a range begins and its size, and how often it has been declared.
static DECLARED: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());

fn declared() -> MutexGuard<'static, BTreeMap<(u64, u64), u64>> {
    DECLARED.lock().unwrap_or_else(PoisonError::into_inner)
}

entry! {
    /// Says that an array of so many bytes begins here. Kernels that are passed an address in it may touch it, and
    /// nothing around it. It may be declared several times, and is then forgotten as often.
    fn ptxvm_declare_host_range(start: Host, bytes: usize) {
        let (address, bytes) = (start.unified(), bytes as u64);
        let end = address.checked_add(bytes).ok_or(CUresult::INVALID_VALUE)?;
        if bytes == 0 || end > 1 << 47 || !pages::are_mapped(address, bytes) {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut all = declared();
        if all.len() >= MOST {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        *all.entry((address, bytes)).or_default() += 1;
        Ok(())
    }

    /// Takes back what was said by [`ptxvm_declare_host_range`], before the memory is freed.
    fn ptxvm_forget_host_range(start: Host, bytes: usize) {
        let mut all = declared();
        let key = (start.unified(), bytes as u64);
        let times = all.get_mut(&key).ok_or(CUresult::INVALID_VALUE)?;
        *times -= 1;
        if *times == 0 {
            all.remove(&key);
        }
        Ok(())
    }
}

/// The declared range that an address means: the largest of those that begin there, or else of those that hold it. Two
/// arrays may begin at one address, and a kernel may be passed both.
pub fn find(address: u64) -> Option<(u64, u64)> {
    let all = declared();
    let here = all.range((address, 0)..=(address, u64::MAX)).next_back();
    let around = || all.keys().filter(|(start, size)| *start <= address && address - start < *size);
    let (start, size) =
        here.map(|(key, _)| *key).or_else(|| around().max_by_key(|(_, size)| *size).copied())?;
    Some((start, start + size))
}
