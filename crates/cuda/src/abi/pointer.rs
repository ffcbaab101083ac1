//! Pointers as C programs hand them over: what may be null is asked, what is not null is trusted.
//!
//! These types stand in the signatures of entry points. A C program promises with every call that a pointer which
//! is not null points to what the driver API says; that promise is the one safety condition of this library, and
//! this file is where it is relied on.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use super::CUresult;

/// A place for a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// A value that the caller has, or an array of them.
#[repr(transparent)]
pub struct In<T>(*const T);

/// A string that ends with a zero.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

/// Bytes of the host, whose number other arguments tell.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Host(pub *mut c_void);

// The derived ones would ask for `T: Copy`.
impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}
impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for In<T> {}

impl<T> Out<T> {
    /// No place.
    pub const NULL: Self = Self(std::ptr::null_mut());

    /// A place that was found in memory of the caller's.
    pub fn new(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// Whether the caller gave no place.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the result.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn set(self, value: T) -> Result<(), CUresult> {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the caller promises a place for a `T`; it may hold garbage, which is not dropped.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes the result if there is a place for it.
    pub fn offer(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: as in `set`.
            unsafe { self.0.write_unaligned(value) };
        }
    }

    /// The place of element `index` of an array.
    pub fn at(self, index: usize) -> Out<T> {
        Out(if self.0.is_null() { self.0 } else { self.0.wrapping_add(index) })
    }

    /// What is there now, for structures that are filled in by both sides.
    ///
    /// # Errors
    /// The pointer is null.
    pub fn get(self) -> Result<T, CUresult>
    where
        T: Copy,
    {
        In(self.0.cast_const()).get()
    }

    /// The pointer itself.
    pub fn pointer(self) -> *mut T {
        self.0
    }

    /// The same place, for a result of another type: what is asked for decides which.
    pub fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }
}

impl<T: Copy> In<T> {
    /// A pointer that was found in memory of the caller's.
    pub fn new(pointer: *const T) -> Self {
        Self(pointer)
    }

    /// Whether the caller gave nothing.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The value.
    ///
    /// # Errors
    /// The pointer is null.
    pub fn get(self) -> Result<T, CUresult> {
        self.at(0)
    }

    /// Element `index` of an array.
    ///
    /// # Errors
    /// The pointer is null.
    pub fn at(self, index: usize) -> Result<T, CUresult> {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the caller promises as many elements as the call's other arguments say.
        Ok(unsafe { self.0.wrapping_add(index).read_unaligned() })
    }

    /// The first `count` elements; none are needed for a count of zero.
    ///
    /// # Errors
    /// The pointer is null and elements are wanted.
    pub fn list(self, count: usize) -> Result<Vec<T>, CUresult> {
        (0..count).map(|index| self.at(index)).collect()
    }

    /// The same value, of another type: what it is for decides which.
    pub fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }
}

impl Text {
    /// The characters.
    ///
    /// # Errors
    /// The pointer is null, or they are no UTF-8.
    pub fn get(self) -> Result<String, CUresult> {
        if self.0.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the caller promises a string that ends with a zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(str::to_owned).map_err(|_| CUresult::INVALID_VALUE)
    }

    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl Host {
    /// Whether there are none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address of the first byte.
    pub fn address(self) -> u64 {
        self.0 as u64
    }
}

// SAFETY: the pointer is a number until an operation uses it, and CUDA lets a call on one thread name memory that
// another thread's work touches.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

impl<T> fmt::Debug for Out<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0 as usize)
    }
}

impl<T> fmt::Debug for In<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0 as usize)
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0 as usize)
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Ok(text) => write!(f, "{text:?}"),
            Err(_) => write!(f, "{:#x}", self.0 as usize),
        }
    }
}
