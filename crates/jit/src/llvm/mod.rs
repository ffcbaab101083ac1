//! LLVM IR as text becomes machine code in this process, by a libLLVM that is found at run time.
//!
//! Nothing is linked and nothing must be installed where Rust is: its toolchain brings a libLLVM, which exports LLVM's
//! C interface. [`find()`] looks for one and says why none would do, [`Compiler`] compiles with it.
//!
//! What of LLVM's can end or stop a process is kept away from it: see [`Compiler`].

pub mod compiler;
mod context;
pub mod error;
mod fatal;
pub mod find;
mod functions;
pub mod library;
mod linker;
mod masks;
mod object;
mod options;
mod process;
mod room;
mod session;
mod statics;
pub mod target;
mod text;
mod worker;

pub use compiler::{Compiled, Compiler};
pub use error::CompileError;
pub use find::{Absent, find};
pub use library::{Library, Version};
pub use process::wait_at_end;
pub use session::Times;
pub use target::{Effort, Level, Target};
