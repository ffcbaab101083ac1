//! What libcudart.so.12 has and 13 has not: older arguments of functions of the same name, and names that 13 gave up.
//!
//! CUDA 13 gave many functions the arguments of their `_v2`, so that those names here are 13's functions.

mod device;
mod graph;
mod memory;
mod properties;
mod renamed;
mod stream;
