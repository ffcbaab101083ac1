//! The end of the process, after the program's own destructors: what it has left is told, if somebody looks for leaks.
#![allow(unsafe_code)]

use std::panic::catch_unwind;

use crate::{driver, report};

extern "C" fn end() {
    // A panic must not leave the library, and there is nobody to tell.
    let _ = catch_unwind(|| {
        if driver::get().is_ok() && report::leak::are_looked_for() {
            report::leak::leaks();
        }
    });
}

/// The loader calls what stands here when the process ends, after the handlers of `atexit` and the destructors of
/// the program, which may give back what they hold.
// The section holds pointers to functions without arguments, and this is one.
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;
