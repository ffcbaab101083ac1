//! Pointers from C programs: null is checked, anything else is trusted.
//!
//! Entry points take these types, and are `unsafe`: with every call a C program promises that a pointer which is not null
//! points to what nvJitLink.h says. Only this file relies on that promise, and nothing else can make one of these types.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};

use crate::result::{Answer, JitResult};

/// A place for a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

// The derived ones would ask for `T: Copy`.
impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

/// Room for as many bytes as the program was told before.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Room(*mut c_void);

/// Bytes of an input, whose number another argument tells.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Data(*const c_void);

/// A string that ends with a zero.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

/// Strings, whose number another argument tells.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Texts(*const Text);

impl<T: Copy> Out<T> {
    /// Refuses a null pointer.
    pub fn given(self) -> Answer {
        if self.0.is_null() { Err(JitResult::NULL_INPUT) } else { Ok(()) }
    }

    /// Writes the result.
    pub fn set(self, value: T) -> Answer {
        self.given()?;
        // SAFETY: the caller promises a place for a `T`.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// What is there now.
    pub fn get(self) -> Answer<T> {
        self.given()?;
        // SAFETY: the caller promises a `T` there, since it is what the call is to change.
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl Room {
    /// Refuses a null pointer.
    pub fn given(self) -> Answer {
        if self.0.is_null() { Err(JitResult::NULL_INPUT) } else { Ok(()) }
    }

    /// Writes bytes; a program that asks for them has been told how many they are.
    pub fn fill(self, bytes: &[u8]) -> Answer {
        self.given()?;
        // SAFETY: the caller promises that much room, in memory of its own.
        unsafe { self.0.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }
}

impl Data {
    /// Does something with the bytes, which are there for the time of the call.
    pub fn with<R>(self, size: usize, work: impl FnOnce(&[u8]) -> Answer<R>) -> Answer<R> {
        if size == 0 {
            return work(&[]);
        }
        if self.0.is_null() || size > isize::MAX as usize {
            return Err(JitResult::NULL_INPUT);
        }
        // SAFETY: the caller promises so many bytes that stay as they are during the call, which `work` is a part of.
        work(unsafe { std::slice::from_raw_parts(self.0.cast(), size) })
    }
}

impl Text {
    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The characters.
    pub fn get(self) -> Answer<String> {
        if self.0.is_null() {
            return Err(JitResult::NULL_INPUT);
        }
        // SAFETY: the caller promises a string that ends with a zero.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }
}

impl Texts {
    /// The first `count` of them.
    pub fn get(self, count: usize) -> Answer<Vec<String>> {
        if self.0.is_null() && count > 0 {
            return Err(JitResult::NULL_INPUT);
        }
        // SAFETY: the caller promises as many pointers as it says.
        (0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }.get()).collect()
    }
}
