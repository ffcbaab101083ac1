//! The entry points that give the names and descriptions of results.

use std::ffi::{CStr, c_char};

use crate::abi::{Answer, CUresult, Out};
use crate::entry::entry;

entry! {
    fn cuGetErrorName(result: CUresult, text: Out<*const c_char>) {
        tell(text, result.name())
    }

    fn cuGetErrorString(result: CUresult, text: Out<*const c_char>) {
        tell(text, result.words())
    }
}

/// Gives a text that stays; null if there is none.
fn tell(to: Out<*const c_char>, text: Option<&'static CStr>) -> Answer {
    to.set(text.map_or(std::ptr::null(), CStr::as_ptr))?;
    text.map(|_| ()).ok_or(CUresult::INVALID_VALUE)
}
