//! `--show`: how many values of each buffer to show after the run; or what to show instead of running: the program
//! (`ir`), or what the compiled engine makes of the kernel (`llvm`, `assembly`).

use std::io::{self, Write};

use serde_json::json;

use crate::check::Format;

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// So many values of each buffer.
    Values(usize),
    /// The program: blocks and what they mean, dominators, loops, what is uniform.
    Ir,
    /// The LLVM IR of the kernel.
    Llvm,
    /// The host's assembly of the kernel.
    Assembly,
}

impl Show {
    /// A word, or a number.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "ir" => Ok(Self::Ir),
            "llvm" => Ok(Self::Llvm),
            "assembly" => Ok(Self::Assembly),
            _ => text.parse().map(Self::Values).map_err(|_| {
                "write a number of values, `ir` for the program, or `llvm` or `assembly` for its compiled code".into()
            }),
        }
    }

    /// How many values of a buffer are shown.
    pub const fn values(self) -> usize {
        match self {
            Self::Values(count) => count,
            Self::Ir | Self::Llvm | Self::Assembly => 0,
        }
    }
}

/// The program, as text.
pub fn program(program: &ptxvm_ir::Program) -> String {
    ptxvm_ir::Listing(program).to_string()
}

/// Writes a text of a kind to standard output.
pub fn write(kind: &str, text: &str, format: Format) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    match format {
        Format::Human | Format::Github | Format::Sarif | Format::Junit => write!(out, "{text}")?,
        Format::Json => writeln!(out, "{}", json!({ "kind": kind, "text": text }))?,
    }
    out.flush()
}
