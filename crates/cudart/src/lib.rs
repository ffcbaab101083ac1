//! `libcudart.so.13` and `.so.12`: the CUDA runtime API, written over the driver API.
//!
//! NVIDIA's own runtime checks for a genuine driver and stops where it finds another, which ptxvm does not imitate. This is a
//! runtime for `libcuda.so.1` as its header describes it: whatever a function here does, it does by calling the driver's
//! ([`driver`]). Handles are the driver's own. Programs register their kernels before `main` ([`registration`]); nothing is
//! loaded before it is used.

mod array;
mod context;
mod copy;
mod device;
mod driver;
mod entry;
mod entry_point;
mod error;
mod event;
mod function;
mod graph;
mod graphics;
mod last_error;
mod launch;
mod layout;
mod library;
mod memory;
mod registration;
mod stream;
mod symbol;
mod texture;
#[cfg(versioned)]
mod twelve;
