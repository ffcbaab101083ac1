//! The switches of LLVM's that are set, for the time that code generation takes.
//!
//! A kernel with a hundred branches and thirty registers has thousands of values that live across many blocks, none of which
//! finds a register: the allocator's usual patience for each is half of the time of code generation there, and gains nothing.
//! A kernel with hundreds of accesses has as many ways out, which LLVM would compare with each other to write equal ends
//! once: that is a third of the time there, for code that hardly ever runs. And in a block of thousands of instructions the
//! pass that brings chains of additions into another order takes a third of the time. Where registers go back to memory, a
//! block has hundreds of stores, and LLVM would compare each with all before it to order them: half of the time of the largest
//! kernels.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};

use super::functions::Functions;

/// What LLVM is told, as on a command line.
const SWITCHES: &[&CStr] = &[
    c"-grow-region-complexity-budget=100",
    c"-enable-tail-merge=false",
    c"-dag-maps-huge-region=50",
    #[cfg(target_arch = "x86_64")]
    c"-x86-machine-combiner=false",
];

/// The newest version that is known to have them. A version that did not would end the process.
const NEWEST: u32 = 22;

/// By this name a library remembers that it has been told: who tells it twice ends the process too, and a second copy of
/// this crate in a process (in another shared object) has the same library.
static TOLD: &CStr = c"ptxvm_has_set_its_switches";

/// Sets the switches of a library of this version, once in a process, and says which hold; none if another copy of this
/// crate has set its own. Who does is inside of it (`process.rs`): LLVM goes through all its switches, and the end of the
/// process must not destroy them meanwhile.
pub fn set(functions: &Functions, major: u32) -> Option<&'static [&'static CStr]> {
    let (Some(parse), Some(add), Some(search)) = (
        functions.LLVMParseCommandLineOptions,
        functions.LLVMAddSymbol,
        functions.LLVMSearchForAddressOfSymbol,
    ) else {
        return Some(&[]);
    };
    if major > NEWEST {
        return Some(&[]);
    }
    // SAFETY: strings that end with a zero; nothing is read at the symbol's address, and the arguments are only read.
    unsafe {
        let told = search(TOLD.as_ptr());
        if !told.is_null() {
            return (told.addr() == TOLD.as_ptr().addr()).then_some(SWITCHES);
        }
        add(TOLD.as_ptr(), TOLD.as_ptr().cast::<c_void>().cast_mut());
        let words = [c"ptxvm"].into_iter().chain(SWITCHES.iter().copied());
        let words: Vec<*const c_char> = words.map(CStr::as_ptr).collect();
        parse(words.len() as i32, words.as_ptr(), std::ptr::null());
    }
    Some(SWITCHES)
}
