//! Why there is no compiled code for a kernel.

use crate::llvm::CompileError;

/// The most threads that a CTA has on any device. The code holds a mask for each warp of it.
pub const MOST_THREADS: u64 = 1024;

/// Why there is no compiled code for a kernel.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing of the kernel can be compiled; the interpreter serves.
    Nothing,
    /// No device launches CTAs of such a shape.
    Cta([u32; 3]),
    /// LLVM refused.
    Llvm(CompileError),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing of the kernel can be compiled"),
            Self::Cta([x, y, z]) => {
                write!(f, "a CTA of {x} x {y} x {z} has no thread, or more than {MOST_THREADS}")
            }
            Self::Llvm(error) => error.fmt(f),
        }
    }
}
