//! `libnvJitLink.so.13`: ptxvm's version of NVIDIA's linker for code that is made at run time.
//!
//! NVIDIA's own library makes machine code, which only a GPU runs. Numba and cuda-core use nvJitLink, and first look whether
//! one is already loaded; `ptxvm exec` loads this one. It makes an image for our driver, as the driver's linker does
//! (`ptxvm_image::Linker`).
//!
//! Only NVIDIA's compiler can read code for link-time optimisation (LTO-IR). If NVIDIA's library is installed too, we ask it
//! for PTX ([`lto`]); otherwise the error log says what to install.

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
