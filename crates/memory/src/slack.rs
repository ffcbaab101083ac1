//! Bytes around a guest's memory that belong to nobody: if a check of ours is wrong by a little, what it lets through
//! reads zeros, never what the host or another guest has there.
//!
//! They are no excuse for a check. A build for AddressSanitizer (`cargo xtask sanitize address`, which sets the cfg
//! `sanitized`) is told that nothing may touch them, so that it reports who does.
#![allow(unsafe_code)]

/// How many on each side: eight lines of 128 bytes, the largest step that a swizzle or an atom makes.
pub(crate) const SLACK: usize = 1024;

/// Says that nothing may touch these bytes until [`open`] says otherwise.
pub(crate) fn close(from: *const u8, bytes: usize) {
    #[cfg(sanitized = "address")]
    // SAFETY: the sanitizer only takes notes.
    unsafe {
        __asan_poison_memory_region(from, bytes);
    }
    let _ = (from, bytes);
}

/// Says that these bytes may be touched.
pub(crate) fn open(from: *const u8, bytes: usize) {
    #[cfg(sanitized = "address")]
    // SAFETY: the sanitizer only takes notes.
    unsafe {
        __asan_unpoison_memory_region(from, bytes);
    }
    let _ = (from, bytes);
}

#[cfg(sanitized = "address")]
unsafe extern "C" {
    fn __asan_poison_memory_region(from: *const u8, bytes: usize);
    fn __asan_unpoison_memory_region(from: *const u8, bytes: usize);
}
