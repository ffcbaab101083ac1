//! The driver as this library sees it: `libcuda.so.1`, opened at the first use.
//!
//! It is not named among the libraries that this one needs, since programs that are linked against the runtime would then
//! have to find it too. Functions are looked up by `cuGetProcAddress`, as NVIDIA's runtime does, which gives the newest
//! version of each, and another for programs whose default stream is the thread's own.
#![allow(unsafe_code)]

mod argument;
mod functions;
mod library;
mod pointer;

pub use functions::*;
pub use library::{VERSION, own_default};
pub use pointer::pointer_attribute;
