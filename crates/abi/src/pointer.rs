//! Pointers from C programs: null is checked, anything else is trusted.
//!
//! Entry points take these types, and are `unsafe`: with every call a C program promises that a pointer which is not null
//! points to what the driver API says, to as many elements as the call's other arguments say, and for as long as the API
//! says. That promise is the one safety condition of this library, and this file is where it is relied on. Our part is that
//! an entry point uses no more elements, and no other type, than the API says. If a pointer does not come from an argument,
//! making one of these types is `unsafe` (`Out::new`, `In::new`).
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};
use std::fmt;

use crate::address::CUdeviceptr;
use crate::result::CUresult;

/// A place for a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

/// A value that the caller has, or an array of them.
#[repr(transparent)]
pub struct In<T>(*const T);

/// A place for a value whose type depends on what is asked for.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct OutAny(*mut c_void);

/// A value of one of the types that depend on what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeValue {
    Word(u32),
    Long(u64),
    Pair([u64; 2]),
}

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
    ///
    /// # Safety
    /// The pointer is null, or there is a place for a `T`, or for as many as are asked for, as long as this is used.
    pub unsafe fn new(pointer: *mut T) -> Self {
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
    pub fn pointer(self) -> Host {
        Host(self.0.cast())
    }

    /// The pointer, as a C function takes it.
    pub fn raw(self) -> *mut T {
        self.0
    }

    /// The place of a member of the structure that there is a place for.
    pub fn member<U>(self, offset: usize) -> Out<U> {
        assert!(offset + size_of::<U>() <= size_of::<T>(), "a member lies in its structure");
        Out(if self.0.is_null() { self.0.cast() } else { self.0.wrapping_byte_add(offset).cast() })
    }
}

impl OutAny {
    /// A place that was found in memory of the caller's, or is one of ours.
    ///
    /// # Safety
    /// The pointer is null, or there is a place for whatever is asked for, as long as this is used.
    pub const unsafe fn new(pointer: *mut c_void) -> Self {
        Self(pointer)
    }

    /// Room for a string: as many bytes as there are.
    pub fn bytes(room: &mut [u8]) -> Self {
        Self(room.as_mut_ptr().cast())
    }

    /// Whether the caller gave no place.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the result, which has the type that the API gives to what was asked for.
    ///
    /// # Errors
    /// There is no place for it.
    pub fn set(self, value: AttributeValue) -> Result<(), CUresult> {
        match value {
            AttributeValue::Word(word) => Out(self.0.cast()).set(word),
            AttributeValue::Long(long) => Out(self.0.cast()).set(long),
            AttributeValue::Pair(pair) => Out(self.0.cast()).set(pair),
        }
    }

    /// The place as that of numbers, for questions whose answers are.
    pub fn numbers(self) -> Out<i32> {
        Out(self.0.cast())
    }
}

impl<T> In<T> {
    /// The pointer, as a C function takes it.
    pub fn raw(self) -> *const T {
        self.0
    }
}

impl<T: Copy> In<T> {
    /// Nothing.
    pub const NULL: Self = Self(std::ptr::null());

    /// A pointer that was found in memory of the caller's, or that is shown to it.
    ///
    /// # Safety
    /// The pointer is null, or there is a `T`, or as many as are asked for, as long as this is used.
    pub unsafe fn new(pointer: *const T) -> Self {
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

    /// The `int` that is there in the place of a wider value: what a value is for decides which it is.
    ///
    /// # Errors
    /// The pointer is null.
    pub fn number(self) -> Result<i32, CUresult> {
        const { assert!(size_of::<T>() >= size_of::<i32>()) };
        In(self.0.cast()).get()
    }
}

impl Text {
    /// No string.
    pub const NULL: Self = Self(std::ptr::null());

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
    /// No bytes.
    pub const NULL: Self = Self(std::ptr::null_mut());

    /// Whether there are none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address that the device knows these bytes by. Addresses are unified, as on every GPU of ours: a byte of the
    /// host's has the same address on both sides, and a kernel that is given it has nothing but this number.
    pub fn unified(self) -> CUdeviceptr {
        self.0.expose_provenance() as u64
    }

    /// Where the bytes of a device address are in this process: the way back from [`Self::unified`]. Device memory lies at
    /// its own addresses too, since `ptxvm_memory` maps it there. A number that is nobody's gives a pointer that may be
    /// shown, compared and asked about, but not used.
    pub fn at(address: CUdeviceptr) -> Self {
        Self(std::ptr::with_exposed_provenance_mut(address as usize))
    }

    /// The bytes some way on.
    pub fn offset(self, bytes: u64) -> Self {
        Self(self.0.wrapping_byte_add(bytes as usize))
    }

    /// The first byte.
    pub fn byte(self) -> *mut u8 {
        self.0.cast()
    }

    /// The number that a program has put in the place of a pointer.
    pub fn number(self) -> usize {
        self.0.addr()
    }
}

// SAFETY: the pointer is a number until an operation uses it, and CUDA lets a call on one thread name memory that
// another thread's work touches.
unsafe impl Send for Host {}
// SAFETY: as above.
unsafe impl Sync for Host {}

// SAFETY: what programs register stays where it is until they take it back, whichever thread looks at it.
unsafe impl Send for Text {}
// SAFETY: as above; a string is only read.
unsafe impl Sync for Text {}

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

impl fmt::Debug for OutAny {
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
