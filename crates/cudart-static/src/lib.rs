//! `libcudart_static.a`: what nvcc links into a program unless it is told otherwise, with `libcudart.so`'s content.
//!
//! An archive has everything of the crates that its own depends on, so that there is nothing to do here.
#![forbid(unsafe_code)]

extern crate cudart as _;
