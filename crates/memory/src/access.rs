//! Raw loads and stores on guest memory that do not race in Rust even if the guest races.
//!
//! Every touch is a relaxed atomic of the access's own size: on the usual hosts the same instruction as a plain
//! access, and a defined one when two guest threads meet on it. The caller checks bounds and alignment first.
//!
//! What this does and does not promise: two threads of the guest that race with accesses of one size get one of
//! the values written, whole. When racing accesses differ in size (a byte store against a word load), hardware and
//! LLVM both decide byte by byte, so the load sees a mixture, which is also what a GPU gives. Rust's own rules
//! leave racing atomics of different sizes undefined for now, and Miri reports them; there is no way to write
//! such an access in Rust that they bless, so we rely on what LLVM defines. A guest without mixed-size races is
//! free of this. A 128-bit access is two 64-bit halves and may be seen half done, as PTX allows for vectors.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

mod sealed {
    pub trait Sealed {}
}

/// An unsigned integer that guest memory is read and written in.
pub trait Word: Copy + Eq + sealed::Sealed {
    /// Reads one word.
    ///
    /// # Safety
    /// See [`load`].
    unsafe fn load_relaxed(p: *const u8) -> Self;

    /// Writes one word.
    ///
    /// # Safety
    /// See [`store`].
    unsafe fn store_relaxed(p: *mut u8, value: Self);
}

macro_rules! word {
    ($($type:ty, $atomic:ty;)*) => {$(
        impl sealed::Sealed for $type {}

        impl Word for $type {
            #[inline(always)]
            unsafe fn load_relaxed(p: *const u8) -> Self {
                debug_assert!(p.cast::<$type>().is_aligned());
                // SAFETY: the caller gives memory that is valid and aligned for this type, and all of the guest's
                // memory is only ever touched atomically while threads share it.
                unsafe { <$atomic>::from_ptr(p.cast_mut().cast()) }.load(Relaxed)
            }

            #[inline(always)]
            unsafe fn store_relaxed(p: *mut u8, value: Self) {
                debug_assert!(p.cast::<$type>().is_aligned());
                // SAFETY: as for the load; the caller also gives memory that may be written.
                unsafe { <$atomic>::from_ptr(p.cast()) }.store(value, Relaxed);
            }
        }
    )*};
}

word! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}

impl sealed::Sealed for u128 {}

impl Word for u128 {
    #[inline(always)]
    unsafe fn load_relaxed(p: *const u8) -> Self {
        // SAFETY: the caller's sixteen aligned bytes are two times eight aligned bytes.
        let (low, high) = unsafe { (u64::load_relaxed(p), u64::load_relaxed(p.add(8))) };
        u128::from(low) | u128::from(high) << 64
    }

    #[inline(always)]
    unsafe fn store_relaxed(p: *mut u8, value: Self) {
        // SAFETY: as for the load.
        unsafe {
            u64::store_relaxed(p, value as u64);
            u64::store_relaxed(p.add(8), (value >> 64) as u64);
        }
    }
}

/// Reads a word of guest memory, least significant byte first as on the GPU.
///
/// # Safety
/// `p` is a multiple of the word's size, and the word's bytes lie in memory of this crate (a region of the table
/// under a lease, or a window's memory) that nothing frees or accesses non-atomically meanwhile.
#[inline(always)]
pub unsafe fn load<T: Word>(p: *const u8) -> T {
    // SAFETY: the caller's promise is the trait's.
    unsafe { T::load_relaxed(p) }
}

/// Writes a word of guest memory.
///
/// # Safety
/// As for [`load`].
#[inline(always)]
pub unsafe fn store<T: Word>(p: *mut u8, value: T) {
    // SAFETY: the caller's promise is the trait's.
    unsafe { T::store_relaxed(p, value) }
}

/// The largest word that may be touched at `address` when `remaining` bytes are left. Whole words wherever they
/// fit mean that a racing guest's aligned values are never torn by a copy.
fn unit(address: usize, remaining: usize) -> usize {
    let mut unit = 8;
    while unit > remaining || !address.is_multiple_of(unit) {
        unit /= 2;
    }
    unit
}

/// Copies guest memory into a slice of the host's own.
///
/// # Safety
/// The `to.len()` bytes at `p` are as for [`load`], at any alignment.
pub unsafe fn copy_out(p: *const u8, to: &mut [u8]) {
    if to.len() >= BULK && p.addr() % 8 == to.as_ptr().addr() % 8 {
        // SAFETY: the caller gives memory that is there, and the slice is the host's own.
        return unsafe { bulk_copy(to.as_mut_ptr(), p, to.len()) };
    }
    let mut done = 0;
    while done < to.len() {
        let remaining = &mut to[done..];
        // SAFETY: the unit is aligned and not longer than what remains.
        unsafe {
            let from = p.add(done);
            done += match unit(from.addr(), remaining.len()) {
                8 => {
                    let words = remaining.len() / 8;
                    for (word, bytes) in remaining.chunks_exact_mut(8).enumerate() {
                        bytes.copy_from_slice(&load::<u64>(from.add(8 * word)).to_ne_bytes());
                    }
                    8 * words
                }
                4 => {
                    remaining[..4].copy_from_slice(&load::<u32>(from).to_ne_bytes());
                    4
                }
                2 => {
                    remaining[..2].copy_from_slice(&load::<u16>(from).to_ne_bytes());
                    2
                }
                _ => {
                    remaining[0] = load::<u8>(from);
                    1
                }
            };
        }
    }
}

/// Copies a slice of the host's own into guest memory.
///
/// # Safety
/// The `from.len()` bytes at `p` are as for [`store`], at any alignment.
pub unsafe fn copy_in(p: *mut u8, from: &[u8]) {
    if from.len() >= BULK && p.addr() % 8 == from.as_ptr().addr() % 8 {
        // SAFETY: the caller gives memory that is there, and the slice is the host's own.
        return unsafe { bulk_copy(p, from.as_ptr(), from.len()) };
    }
    let mut done = 0;
    while let Some(remaining) = from.get(done..).filter(|left| !left.is_empty()) {
        // SAFETY: the unit is aligned and not longer than what remains.
        unsafe {
            let to = p.add(done);
            done += match (unit(to.addr(), remaining.len()), remaining) {
                (8, _) => {
                    let (words, _) = remaining.as_chunks::<8>();
                    for (word, bytes) in words.iter().enumerate() {
                        store(to.add(8 * word), u64::from_ne_bytes(*bytes));
                    }
                    8 * words.len()
                }
                (4, &[a, b, c, d, ..]) => {
                    store(to, u32::from_ne_bytes([a, b, c, d]));
                    4
                }
                (2, &[a, b, ..]) => {
                    store(to, u16::from_ne_bytes([a, b]));
                    2
                }
                _ => {
                    store(to, remaining[0]);
                    1
                }
            };
        }
    }
}

/// Writes `byte` to `bytes` bytes of guest memory.
///
/// # Safety
/// The bytes at `p` are as for [`store`], at any alignment.
pub unsafe fn fill(p: *mut u8, bytes: usize, byte: u8) {
    if bytes >= BULK {
        // SAFETY: the caller gives memory that is there.
        return unsafe { bulk_fill(p, bytes, byte) };
    }
    // Short, because most fills are: a launch clears room for its parameters.
    let pattern = [byte; FILL_STEP];
    let mut done = 0;
    while done < bytes {
        let step = FILL_STEP.min(bytes - done);
        // SAFETY: `step` bytes at `done` lie among the caller's.
        unsafe { copy_in(p.add(done), &pattern[..step]) };
        done += step;
    }
}

/// How many bytes [`fill`] writes at a time.
const FILL_STEP: usize = 256;

/// How many bytes [`copy`] takes through the stack at a time: they stay in the first-level cache.
const COPY_STEP: usize = 4096;

/// Copies guest memory to guest memory; the two may overlap.
///
/// # Safety
/// `bytes` bytes at `to` are as for [`store`], `bytes` bytes at `from` as for [`load`], at any alignment.
pub unsafe fn copy(to: *mut u8, from: *const u8, bytes: usize) {
    let apart = to.addr().abs_diff(from.addr());
    if bytes >= BULK && apart >= bytes && apart.is_multiple_of(8) {
        // SAFETY: the caller gives memory that is there, and the two do not overlap.
        return unsafe { bulk_copy(to, from, bytes) };
    }
    let mut step = [0; COPY_STEP];
    let backwards = to.addr() > from.addr();
    let mut done = 0;
    while done < bytes {
        // A step is read whole before it is written, and steps go away from the overlap, so no byte is
        // overwritten before it has been read. Steps meet at whole words of the source.
        let (at, length) = if backwards {
            let end = bytes - done;
            let length = (COPY_STEP - 8 + (from.addr() + end) % 8).min(end);
            (end - length, length)
        } else {
            (done, (COPY_STEP - (from.addr() + done) % 8).min(bytes - done))
        };
        // SAFETY: `length` bytes at `at` lie among the caller's.
        unsafe {
            copy_out(from.add(at), &mut step[..length]);
            copy_in(to.add(at), &step[..length]);
        }
        done += length;
    }
}

/// From how many bytes on a copy or a fill is the processor's own: below, starting it costs more than it saves.
const BULK: usize =
    if cfg!(all(target_arch = "x86_64", not(any(miri, sanitized)))) { 16 << 10 } else { usize::MAX };

/// Copies many bytes that do not overlap, at addresses that are alike in their low three bits: whole words as the words
/// above are moved, by the string instruction whose elements are words. The processor promises that an aligned word is
/// moved whole (Intel's manual 3A, 9.1.1; AMD's 2, 7.3.2); of `rep movsb` it promises that for bytes only, whatever
/// today's processors do. To the compiler it is no access that could race.
///
/// # Safety
/// `bytes` bytes at `to` are as for [`store`], `bytes` bytes at `from` as for [`load`].
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
unsafe fn bulk_copy(to: *mut u8, from: *const u8, bytes: usize) {
    let head = to.addr().wrapping_neg() % 8;
    let words = (bytes - head) / 8;
    let tail = head + 8 * words;
    // SAFETY: head, words and tail are the caller's bytes. The instruction touches the words, at addresses that are
    // multiples of eight on both sides, and changes the three registers that it is given.
    unsafe {
        copy_bytes(to, from, head);
        std::arch::asm!(
            "rep movsq",
            inout("rcx") words => _, inout("rdi") to.add(head) => _, inout("rsi") from.add(head) => _,
            options(nostack, preserves_flags),
        );
        copy_bytes(to.add(tail), from.add(tail), bytes - tail);
    }
}

/// Copies the fewer than eight bytes before the first whole word, or after the last, in pieces as large as they can be.
///
/// # Safety
/// As for [`bulk_copy`].
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
unsafe fn copy_bytes(to: *mut u8, from: *const u8, bytes: usize) {
    let mut piece = [0; 8];
    // SAFETY: the caller's promise; `piece` is longer than these few bytes.
    unsafe {
        copy_out(from, &mut piece[..bytes]);
        copy_in(to, &piece[..bytes]);
    }
}

/// Writes a byte to many, whole words at a time as [`bulk_copy`] moves them.
///
/// # Safety
/// The bytes at `to` are as for [`store`].
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
unsafe fn bulk_fill(to: *mut u8, bytes: usize, byte: u8) {
    let head = to.addr().wrapping_neg() % 8;
    let words = (bytes - head) / 8;
    let tail = head + 8 * words;
    // SAFETY: head, words and tail are the caller's bytes. The instruction touches the words, at an address that is a
    // multiple of eight, and changes the two registers that it is given.
    unsafe {
        copy_in(to, &[byte; 8][..head]);
        std::arch::asm!(
            "rep stosq",
            inout("rcx") words => _, inout("rdi") to.add(head) => _, in("rax") u64::from_ne_bytes([byte; 8]),
            options(nostack, preserves_flags),
        );
        copy_in(to.add(tail), &[byte; 8][..bytes - tail]);
    }
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
unsafe fn bulk_copy(_: *mut u8, _: *const u8, _: usize) {
    unreachable!("nothing is as long as the bulk begins here")
}

#[cfg(not(all(target_arch = "x86_64", not(any(miri, sanitized)))))]
unsafe fn bulk_fill(_: *mut u8, _: usize, _: u8) {
    unreachable!("nothing is as long as the bulk begins here")
}
