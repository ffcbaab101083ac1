//! The operations that are not lane by lane, through whole kernels: memory that threads share, exchange within a
//! warp, the stack, hints, and the functions that the device provides.

mod atomic;
#[path = "../common/mod.rs"]
mod common;
mod heap;
mod misc;
mod print;
mod warp;
