//! What may be handed to a function of the driver's: values, places of ours, and pointers that a program has handed over.
#![allow(unsafe_code)]

use ptxvm_abi::{Host, In, Out, OutAny, Text};

use crate::layout::{IpcHandle, MemLocation};

/// A value that is a `T` in C.
pub trait Argument<T> {
    /// As C has it. Pointers are good for the call.
    fn passed(self) -> T;
}

/// Types that C has as they are.
macro_rules! plain {
    ($($ty:ty)*) => {$(
        impl Argument<$ty> for $ty {
            fn passed(self) -> $ty {
                self
            }
        }
    )*};
}

plain! { u8 u32 i32 u64 usize Host OutAny Text MemLocation IpcHandle }

impl<T> Argument<*mut T> for Out<T> {
    fn passed(self) -> *mut T {
        self.raw()
    }
}

impl<T> Argument<*mut T> for &mut T {
    fn passed(self) -> *mut T {
        self
    }
}

impl<T> Argument<*const T> for In<T> {
    fn passed(self) -> *const T {
        self.raw()
    }
}

impl<T> Argument<*const T> for &T {
    fn passed(self) -> *const T {
        self
    }
}

/// Device addresses stand for pointers in the runtime API, and for numbers in the driver's.
impl Argument<u64> for Host {
    fn passed(self) -> u64 {
        self.unified()
    }
}
