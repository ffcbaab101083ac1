//! Machine code for kernels.
//!
//! [`Engine`] makes it of a linked kernel, for CTAs of one shape: `analysis` finds out what is uniform, `region` which
//! blocks a warp can run at a stretch, `seam` where long ones are cut, `alone` through which of them lanes go one after the
//! other, `together` which accesses are checked at once, `callee` which functions the code calls itself, `emit` writes LLVM
//! IR, `module` puts it together, `outside` knows what code uses of this process, of which `doubles` is for NaNs of double
//! precision. How all this is done can be chosen ([`Tuning`]).
//! [`llvm`] knows LLVM and nothing of PTX: it makes machine code in this process of LLVM IR as text, by a libLLVM that is
//! found at run time. [`cache`] keeps what it made on disk.

mod alone;
mod analysis;
pub mod cache;
mod callee;
mod doubles;
mod emit;
mod engine;
pub mod llvm;
mod module;
mod outside;
mod refusal;
mod region;
mod seam;
mod together;
mod tuning;

pub use cache::CodeCache;
pub use engine::{Engine, KernelCode};
pub use refusal::Refusal;
pub use tuning::{GoAlone, OneWay, Tuning};
