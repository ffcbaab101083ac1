//! The one switch of LLVM's that is set: how long its register allocator may think about a value that lives across many
//! blocks.
//!
//! A kernel with a hundred branches and thirty registers has thousands of such values, none of which finds a place: the
//! allocator's usual patience for each is half of the time of code generation there, and gains nothing.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};

use super::functions::Functions;

/// What LLVM is told, as on a command line.
const SWITCH: &CStr = c"-grow-region-complexity-budget=100";

/// The newest version that is known to have it. A version that did not would end the process.
const NEWEST: u32 = 22;

/// By this name a library remembers that it has been told: who tells it twice ends the process too, and a second copy of
/// this crate in a process (in another shared object) has the same library.
const TOLD: &CStr = c"ptxvm_has_set_its_switch";

/// Sets the switch of a library of this version, once in a process. Who does is inside of it (`process.rs`): LLVM goes
/// through all its switches, and the end of the process must not destroy them meanwhile.
pub fn set(functions: &Functions, major: u32) {
    let (Some(parse), Some(add), Some(search)) = (
        functions.LLVMParseCommandLineOptions,
        functions.LLVMAddSymbol,
        functions.LLVMSearchForAddressOfSymbol,
    ) else {
        return;
    };
    // SAFETY: strings that end with a zero; the symbol's address is never used, and the arguments are only read.
    unsafe {
        if major > NEWEST || !search(TOLD.as_ptr()).is_null() {
            return;
        }
        add(TOLD.as_ptr(), TOLD.as_ptr().cast::<c_void>().cast_mut());
        let arguments: [*const c_char; 2] = [c"ptxvm".as_ptr(), SWITCH.as_ptr()];
        parse(2, arguments.as_ptr(), std::ptr::null());
    }
}
