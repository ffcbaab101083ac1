//! Showing diagnostics: to people, as JSON lines, as SARIF, as GitHub annotations.

pub mod finding;
pub mod github;
mod json;
pub mod sarif;

use std::io::{self, Write};

use ptxvm_report::Report;
use ptxvm_syntax::{Diagnostic, Severity};

use crate::check::{Color, Format};

/// Writes reports in one format.
pub struct Printer {
    format: Format,
    color: Color,
    limit: usize,
    sarif: sarif::Log,
}

impl Printer {
    pub fn new(format: Format, color: Color, limit: usize) -> Printer {
        Printer { format, color, limit, sarif: sarif::Log::default() }
    }

    /// Shows what was found in a file.
    pub fn file(&mut self, report: &Report<'_>) -> io::Result<()> {
        match self.format {
            Format::Human => {
                let mut out = ptxvm_report::stderr(self.color.into());
                report.write(self.limit, &mut out)?;
                out.flush()
            }
            Format::Json => buffered(|out| json::write(report, self.limit, out)),
            Format::Github => buffered(|out| github::write(report, self.limit, out)),
            Format::Sarif => {
                self.sarif.add(report, self.limit);
                Ok(())
            }
        }
    }

    /// Notes a file that could not be read, where the format has a place for it.
    pub fn unreadable(&mut self, path: &str, message: &str) -> io::Result<()> {
        match self.format {
            Format::Json => buffered(|out| json::unreadable(path, message, out)),
            _ => Ok(()),
        }
    }

    /// Writes what can only be written at the end.
    pub fn finish(self) -> io::Result<()> {
        match self.format {
            Format::Sarif => buffered(|out| self.sarif.write(out)),
            _ => Ok(()),
        }
    }
}

fn buffered(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}

/// The word for a severity in every format.
pub fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
