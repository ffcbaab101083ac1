//! Why a thread's last call failed, kept until its next failure.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

use crate::status::Told;

/// What was said, for people and for programs.
#[derive(Default)]
struct Kept {
    text: CString,
    object: CString,
}

thread_local! {
    static LAST: RefCell<Kept> = RefCell::default();
}

/// Keeps why a call failed.
pub fn keep(told: Told) {
    let kept = Kept { text: text(told.text), object: text(told.object.to_string()) };
    LAST.with(|last| *last.borrow_mut() = kept);
}

/// A text as C has it, without the zeros that may be in what a guest has named.
fn text(text: String) -> CString {
    CString::new(text.replace('\0', "\u{fffd}")).unwrap_or_default()
}

/// The version of this library.
#[allow(unsafe_code, reason = "the name is for C programs")]
#[unsafe(no_mangle)]
pub extern "C" fn ptxvm_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}

/// Why the calling thread's last failed call failed, for people.
#[allow(unsafe_code, reason = "the name is for C programs")]
#[unsafe(no_mangle)]
pub extern "C" fn ptxvm_message() -> *const c_char {
    LAST.with(|last| last.borrow().text.as_ptr())
}

/// The same as a JSON object.
#[allow(unsafe_code, reason = "the name is for C programs")]
#[unsafe(no_mangle)]
pub extern "C" fn ptxvm_message_json() -> *const c_char {
    LAST.with(|last| last.borrow().object.as_ptr())
}
