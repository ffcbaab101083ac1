//! Pointers from C programs: null is checked, anything else is trusted.
//!
//! With every call a C program promises what `ptxvm.h` says: that handles come from this library and have not been freed, that
//! texts end with a zero, and that places and bytes are as large as the other arguments say. That is the one safety condition of
//! this library, and this file is where it is relied on.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};

use crate::status::Told;

/// A handle of something that this library has made.
#[repr(transparent)]
pub struct Handle<T>(*mut T);

/// A place for a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// A text.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

/// Bytes to read or to write, whose number another argument says.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Bytes(*mut c_void);

/// The values of a kernel's parameters: a pointer to each.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Values(*const *const c_void);

fn null(what: &str) -> Told {
    Told::usage(format!("{what} is null"))
}

impl<T> Handle<T> {
    /// What it stands for.
    pub fn get<'a>(self, what: &str) -> Result<&'a T, Told> {
        // SAFETY: the caller's promise: it comes from `give`, and is not freed while the call lasts.
        unsafe { self.0.as_ref() }.ok_or_else(|| null(what))
    }

    /// Gives something away.
    pub fn give(value: T) -> Handle<T> {
        Handle(Box::into_raw(Box::new(value)))
    }

    /// Takes it back, and frees it.
    pub fn free(self) {
        if !self.0.is_null() {
            // SAFETY: the caller's promise: it comes from `give`, and nobody uses it any more.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

impl<T> Out<T> {
    /// Whether the caller gave no place.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// Writes the result.
    pub fn set(self, value: T, what: &str) -> Result<(), Told> {
        if self.is_null() {
            return Err(null(what));
        }
        // SAFETY: the caller's promise: there is a place for it.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Writes the result, if the caller wants it.
    pub fn set_if_wanted(self, value: T) {
        let _ = self.set(value, "");
    }
}

impl Text {
    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The text.
    pub fn get<'a>(self, what: &str) -> Result<&'a str, Told> {
        if self.0.is_null() {
            return Err(null(what));
        }
        // SAFETY: the caller's promise: it ends with a zero, and stays while the call lasts.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|error| Told::usage(format!("{what} is not UTF-8: {error}")))
    }
}

impl Bytes {
    /// So many bytes to read.
    pub fn get<'a>(self, bytes: usize, what: &str) -> Result<&'a [u8], Told> {
        match bytes {
            0 => Ok(&[]),
            _ if self.0.is_null() => Err(null(what)),
            // SAFETY: the caller's promise: there are so many, and nobody changes them while the call lasts.
            _ => Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), bytes) }),
        }
    }

    /// So many bytes to write, which all have some value.
    pub fn get_mut<'a>(self, bytes: usize, what: &str) -> Result<&'a mut [u8], Told> {
        match bytes {
            0 => Ok(&mut []),
            _ if self.0.is_null() => Err(null(what)),
            _ => {
                // SAFETY: the caller's promise: there are so many, and nobody uses them while the call lasts.
                unsafe { self.0.cast::<u8>().write_bytes(0, bytes) };
                // SAFETY: as above; they have been written.
                Ok(unsafe { std::slice::from_raw_parts_mut(self.0.cast(), bytes) })
            }
        }
    }
}

impl Values {
    /// The bytes of each of so many values, whose sizes are known.
    pub fn get(self, sizes: &[u64]) -> Result<Vec<&[u8]>, Told> {
        if self.0.is_null() && !sizes.is_empty() {
            return Err(null("the list of arguments"));
        }
        let one = |(index, &size): (usize, &u64)| {
            // SAFETY: the caller's promise: there are as many pointers as it says, which has been compared with the sizes.
            let value = unsafe { self.0.add(index).read() };
            Bytes(value.cast_mut()).get(size as usize, &format!("argument {index}"))
        };
        sizes.iter().enumerate().map(one).collect()
    }
}

/// A function of the caller's that takes what kernels print, and what it wants to be told with it.
#[derive(Clone, Copy)]
pub struct Printer {
    print: unsafe extern "C" fn(user: *mut c_void, text: *const c_char, bytes: usize),
    user: *mut c_void,
}

// SAFETY: the caller's promise: the function may be called from several threads, with what it wants to be told.
unsafe impl Send for Printer {}
// SAFETY: as above.
unsafe impl Sync for Printer {}

impl Printer {
    /// The function, if there is one.
    pub fn new(
        print: Option<unsafe extern "C" fn(*mut c_void, *const c_char, usize)>,
        user: *mut c_void,
    ) -> Option<Printer> {
        print.map(|print| Printer { print, user })
    }

    /// Passes a text on.
    pub fn print(&self, text: &[u8]) {
        // SAFETY: the caller's promise: the function can be called with what it wants to be told, and a text that stays while
        // the call lasts.
        unsafe { (self.print)(self.user, text.as_ptr().cast(), text.len()) };
    }
}
