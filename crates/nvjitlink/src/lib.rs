//! A `libnvJitLink.so.13` without functions.
//!
//! NVIDIA's links PTX to machine code, which only a GPU runs. Numba and cuda-core use it where it is installed; they
//! look first whether one is loaded already. `ptxvm exec` loads this one, in which they find nothing, so that they take
//! the driver's own linker and hand it PTX.

#![allow(non_snake_case, reason = "the file's name is NVIDIA's")]
