//! Machine code for kernels.
//!
//! [`llvm`] knows LLVM and nothing of PTX: it makes machine code in this process of LLVM IR as text, by a libLLVM that
//! is found at run time.

pub mod llvm;
