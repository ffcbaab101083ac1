//! `--show`: how many values of each buffer to show after the run; or `ir`, to show the program instead of running it.

use std::io::{self, Write};

use serde_json::json;

use super::options::Form;

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Show {
    /// So many values of each buffer.
    Values(usize),
    /// The program: blocks and what they mean, dominators, loops, what is uniform.
    Ir,
}

impl Show {
    /// `ir`, or a number.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(count) => Ok(Self::Values(count)),
            Err(_) if text == "ir" => Ok(Self::Ir),
            Err(_) => Err("write a number of values, or `ir` for the program".into()),
        }
    }

    /// How many values of a buffer are shown.
    pub const fn values(self) -> usize {
        match self {
            Self::Values(count) => count,
            Self::Ir => 0,
        }
    }
}

/// Writes the program to standard output.
pub fn program(program: &ptxvm_ir::Program, form: Form) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let listing = ptxvm_ir::Listing(program);
    match form {
        Form::Human => write!(out, "{listing}")?,
        Form::Json => writeln!(out, "{}", json!({ "kind": "ir", "text": listing.to_string() }))?,
    }
    out.flush()
}
