//! Text that crosses the C interface: LLVM's messages become ours and are given back, ours get their zero.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char};

use super::functions::{Error, Functions};

/// A copy of a C string; empty if there is none.
///
/// # Safety
///
/// The pointer is null, or to bytes that end with a zero and do not change meanwhile.
pub unsafe fn copy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// A message that LLVM made for us, which is given back to it.
///
/// # Safety
///
/// The message is null, or LLVM's to be disposed of by `LLVMDisposeMessage`, and nobody uses it after this.
pub unsafe fn take(functions: &Functions, message: *mut c_char) -> String {
    // SAFETY: the caller's promise; a message of LLVM's ends with a zero.
    unsafe {
        let text = copy(message);
        if !message.is_null() {
            (functions.LLVMDisposeMessage)(message);
        }
        text
    }
}

/// The text of an error, which is used up; none if it is no error.
///
/// # Safety
///
/// The error is null or LLVM's, and nobody uses it after this.
pub unsafe fn take_error(functions: &Functions, error: Error) -> Option<String> {
    if error.is_null() {
        return None;
    }
    // SAFETY: the caller's promise; the message is ours until it is disposed of.
    unsafe {
        let message = (functions.LLVMGetErrorMessage)(error);
        let text = copy(message);
        (functions.LLVMDisposeErrorMessage)(message);
        Some(text)
    }
}

/// A string with a zero at its end; what follows a zero within it is lost, as C would lose it.
pub fn terminated(text: &str) -> CString {
    let before_zero = text.split('\0').next().unwrap_or_default();
    CString::new(before_zero).unwrap_or_default()
}
