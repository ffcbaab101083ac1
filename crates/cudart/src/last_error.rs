//! The error that each thread was given last, and what errors are called.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::ffi::c_char;

use crate::error::CudaError;
use crate::symbol::export;

thread_local! {
    static LAST: Cell<CudaError> = const { Cell::new(CudaError::SUCCESS) };
}

/// Keeps an error as the thread's last.
pub fn remember(error: CudaError) {
    LAST.set(error);
}

/// The last error, which is told once.
#[allow(non_snake_case, reason = "the name is for C programs")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaGetLastError() -> CudaError {
    LAST.replace(CudaError::SUCCESS)
}
export!(cudaGetLastError);

#[allow(non_snake_case, reason = "the name is for C programs")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaPeekAtLastError() -> CudaError {
    LAST.get()
}
export!(cudaPeekAtLastError);

#[allow(non_snake_case, reason = "the name is for C programs")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaGetErrorName(error: CudaError) -> *const c_char {
    error.name().as_ptr()
}
export!(cudaGetErrorName);

#[allow(non_snake_case, reason = "the name is for C programs")]
#[cfg_attr(not(versioned), unsafe(no_mangle))]
pub extern "C" fn cudaGetErrorString(error: CudaError) -> *const c_char {
    error.words().as_ptr()
}
export!(cudaGetErrorString);
