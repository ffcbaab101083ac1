//! A warp's words side by side: the way in for the access that kernels make most, lane i at word i.
//!
//! Atomics are never vectorised by the compiler, so a loop of thirty-two small ones takes a load and a store each.
//! Where the address allows, words below 64 bits are therefore moved two, four or eight at a time. An aligned word
//! lies in one aligned 64-bit unit, so it is never torn, exactly as when it is moved alone; what [`crate::access`]
//! says of racing accesses of different sizes holds here too.
#![allow(unsafe_code)]

use crate::access::{Word, load, store};

/// The lanes of a warp.
const LANES: usize = 32;

/// Whether a row at this address can be moved in 64-bit units.
#[inline(always)]
fn by_units<T>(address: usize) -> bool {
    size_of::<T>() < 8 && address.is_multiple_of(8)
}

/// Reads thirty-two words that follow each other in guest memory.
///
/// # Safety
/// As for [`load`], for all words from `p` on.
#[inline]
pub unsafe fn load_row<T: Word>(p: *const u8, to: &mut [T; LANES]) {
    if by_units::<T>(p.addr()) {
        let to = to.as_mut_ptr().cast::<u64>();
        for unit in 0..LANES * size_of::<T>() / 8 {
            // SAFETY: the units are the bytes of the row, whose size is a multiple of 8 for every word; any bits
            // are a valid word.
            unsafe { to.add(unit).write_unaligned(load::<u64>(p.add(8 * unit))) };
        }
    } else {
        for (lane, word) in to.iter_mut().enumerate() {
            // SAFETY: the caller gives all words of the row.
            *word = unsafe { load(p.add(lane * size_of::<T>())) };
        }
    }
}

/// Writes thirty-two words that follow each other in guest memory.
///
/// # Safety
/// As for [`store`], for all words from `p` on.
#[inline]
pub unsafe fn store_row<T: Word>(p: *mut u8, from: &[T; LANES]) {
    if by_units::<T>(p.addr()) {
        let from = from.as_ptr().cast::<u64>();
        for unit in 0..LANES * size_of::<T>() / 8 {
            // SAFETY: as for reading.
            unsafe { store::<u64>(p.add(8 * unit), from.add(unit).read_unaligned()) };
        }
    } else {
        for (lane, &word) in from.iter().enumerate() {
            // SAFETY: the caller gives all words of the row.
            unsafe { store(p.add(lane * size_of::<T>()), word) };
        }
    }
}
