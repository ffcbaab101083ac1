//! A compiler for tests, where there is a libLLVM at all.
#![allow(unsafe_code)]
#![allow(dead_code, reason = "not every test needs all of it")]

use ptxvm_jit::llvm::{Compiled, Compiler, Library, Target, find};

/// The libLLVM of this machine, or that which `PTXVM_LLVM` names. Without any a test says so and has nothing to look at.
#[allow(clippy::print_stdout, reason = "who runs the tests is to know what was not looked at")]
pub fn library() -> Option<Library> {
    let asked = std::env::var_os("PTXVM_LLVM");
    match find(asked.as_deref().map(AsRef::as_ref), &[]) {
        Ok(library) => Some(library),
        Err(absent) => {
            // A machine that could have one is not one without.
            assert_eq!(asked, None, "{absent}");
            println!("skipped: {absent}");
            None
        }
    }
}

pub fn compiler(target: Target) -> Option<Compiler> {
    Some(Compiler::new(library()?, target))
}

/// A function of compiled code.
///
/// # Safety
///
/// The type is that of a function pointer, and the function's own.
pub unsafe fn function<F: Copy>(compiled: &Compiled, name: &str) -> F {
    let address = compiled.address(name).unwrap_or_else(|| panic!("no function {name}"));
    assert_eq!(size_of::<F>(), size_of_val(&address));
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&address) }
}
