//! Why there is no machine code.

use std::fmt;

/// Why there is no machine code. Each is a sentence for people; a kernel without code is interpreted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileError {
    /// The text is no IR of this LLVM.
    Parse {
        /// The line of the text, from 1, if LLVM names one.
        line: Option<usize>,
        /// What LLVM says, with the line itself.
        message: String,
    },
    /// The IR is not well-formed: what LLVM's verifier says.
    Refused(String),
    /// A pass is unknown, or complained.
    Passes(String),
    /// No code could be made of it: an instruction that the target lacks, inline assembly that is wrong.
    Code(String),
    /// The code calls what it was not given: these names, in order.
    Undefined(Vec<String>),
    /// The code could not be linked.
    Link(String),
    /// The compiler could not be set up: the target is missing, or a thread could not be started.
    Setup(String),
    /// There is no memory for a compilation, which is likely to take so many bytes.
    Memory(usize),
    /// LLVM gave up with this message, now or at an earlier compilation, and cannot be trusted any more.
    Broken(String),
    /// The process is a child of the one in which the compiler was started; a fork copies no threads.
    Forked,
    /// The process is ending.
    Ending,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse { message, .. } => write!(f, "LLVM cannot read the IR: {message}"),
            Self::Refused(message) => write!(f, "LLVM refuses the IR: {message}"),
            Self::Passes(message) => write!(f, "LLVM's passes failed: {message}"),
            Self::Code(message) => write!(f, "LLVM made no code: {message}"),
            Self::Undefined(names) => write!(f, "the code calls what it was not given: {}", names.join(", ")),
            Self::Link(message) => write!(f, "the code could not be linked: {message}"),
            Self::Setup(message) => write!(f, "the compiler could not be started: {message}"),
            Self::Memory(bytes) => {
                write!(f, "there is no memory for the compiler, which would take about {} MB", bytes >> 20)
            }
            Self::Broken(message) => write!(f, "LLVM gave up and is not used any more: {message}"),
            Self::Forked => {
                write!(f, "the compiler belongs to the parent of this process; a forked child has none")
            }
            Self::Ending => write!(f, "the process is ending"),
        }
    }
}

impl std::error::Error for CompileError {}
