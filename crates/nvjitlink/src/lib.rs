//! `libnvJitLink.so.13`: NVIDIA's linker for code that is made at run time, for ptxvm.
//!
//! NVIDIA's own makes machine code, which only a GPU runs. Numba and cuda-core use it where it is installed; they look
//! first whether one is loaded already, and `ptxvm exec` loads this one. It makes an image of ours, as the driver's
//! linker does (`ptxvm_image::Linker`).
//!
//! Code for link-time optimisation (LTO-IR) only NVIDIA's compiler can read. Where NVIDIA's library is installed too,
//! it is asked for PTX ([`lto`]); where it is not, the error log says what to install.

#![allow(non_snake_case, reason = "the file's name is NVIDIA's")]

mod api;
mod debug_text;
mod log;
mod lto;
mod nvidia;
mod options;
mod pointer;
mod result;
mod search;
mod session;
