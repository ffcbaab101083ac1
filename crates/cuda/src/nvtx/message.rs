//! What ranges are called: texts of both widths, and texts and domains that programs have registered.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::range::Range;

/// More texts and domains than this are not remembered.
const MOST: u64 = 1 << 20;
/// A longer text is cut.
const LONGEST: usize = 200;

/// `nvtxMessageType_t`
const ASCII: i32 = 1;
const UNICODE: i32 = 2;
const REGISTERED: i32 = 3;

/// `nvtxEventAttributes_t`, as far as it is read here.
#[repr(C)]
pub struct EventAttributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    /// A text of `char` or of `wchar_t`, or the handle of a registered one.
    message: *const c_char,
}

/// The texts that programs have registered, and the names of domains, by the handles that they got.
static NAMES: Mutex<BTreeMap<u64, Arc<str>>> = Mutex::new(BTreeMap::new());

fn names() -> MutexGuard<'static, BTreeMap<u64, Arc<str>>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Remembers a text or a domain's name; its handle, or 0 if there are too many. The same name has the same handle.
pub fn register(name: &str) -> u64 {
    let mut names = names();
    let known = names.iter().find(|(_, known)| known.as_ref() == name).map(|(handle, _)| *handle);
    known.unwrap_or_else(|| {
        let handle = names.len() as u64 + 1;
        if handle > MOST {
            return 0;
        }
        names.insert(handle, name.into());
        handle
    })
}

/// What was registered under a handle.
fn registered(handle: u64) -> Option<Arc<str>> {
    names().get(&handle).cloned()
}

/// A range of a domain.
pub fn range(domain: u64, message: &str) -> Range {
    Range { domain: registered(domain), message: message.into() }
}

/// A text of `char`.
///
/// # Safety
/// The pointer is null, or a text that ends with a zero is there.
pub unsafe fn narrow(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a text that ends with a zero.
    cut(unsafe { CStr::from_ptr(text) }.to_string_lossy().chars())
}

/// A text of `wchar_t`, which has four bytes here.
///
/// # Safety
/// The pointer is null, or a text that ends with a zero is there.
pub unsafe fn wide(text: *const u32) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises a text that ends with a zero, and nothing behind that is read.
    let all =
        (0..).map(|index| unsafe { text.add(index).read_unaligned() }).take_while(|&letter| letter != 0);
    cut(all.map(|letter| char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)))
}

fn cut(letters: impl Iterator<Item = char>) -> String {
    letters.take(LONGEST).collect()
}

/// The message of an event.
///
/// # Safety
/// The pointer is null, or the attributes of an event are there, with the message that they say they have.
pub unsafe fn message(event: *const EventAttributes) -> String {
    if event.is_null() {
        return String::new();
    }
    // SAFETY: the caller promises the attributes; a program for an older NVTX has the same members up to here.
    let event = unsafe { event.read_unaligned() };
    match event.message_type {
        // SAFETY: the attributes say that it is a text of `char`.
        ASCII => unsafe { narrow(event.message) },
        // SAFETY: the attributes say that it is a text of `wchar_t`.
        UNICODE => unsafe { wide(event.message.cast()) },
        REGISTERED => registered(event.message.addr() as u64).as_deref().unwrap_or_default().to_owned(),
        _ => String::new(),
    }
}
