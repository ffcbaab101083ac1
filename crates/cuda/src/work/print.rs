//! Prints the guest's output through the C library's `stdout`, so that it keeps its order with the program's own output.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

unsafe extern "C" {
    /// The C library's own stream of characters.
    static stdout: *mut libc::FILE;
}

/// What one launch prints.
#[derive(Debug, Default)]
pub struct Print {
    any: AtomicBool,
}

impl Print {
    /// Passes text on.
    pub fn write(&self, text: &[u8]) {
        self.any.store(true, Ordering::Relaxed);
        // A reader that has gone away is no reason to stop the kernel.
        // SAFETY: the C library makes `stdout` before any code of a program runs, and locks it for every call.
        unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
    }

    /// Sends off what has been printed, when the launch has ended.
    pub fn flush(&self) {
        if self.any.load(Ordering::Relaxed) {
            // SAFETY: as above.
            unsafe { libc::fflush(stdout) };
        }
    }
}
