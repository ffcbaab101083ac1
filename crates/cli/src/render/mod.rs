//! Showing diagnostics: to people, as JSON lines, as SARIF, as JUnit's XML, as GitHub annotations.

pub mod finding;
pub mod github;
mod json;
mod junit;
mod log;
mod sarif;

use std::io::{self, Write};

use ptxvm_report::Report;

use crate::check::{Color, Format};

pub use log::Log;

/// Writes reports in one format.
pub struct Printer {
    format: Format,
    color: Color,
    limit: usize,
    log: Option<Log>,
}

impl Format {
    /// Where findings are gathered for a format that is one document; `subject` is what they are findings of.
    pub fn log(self, subject: &str) -> Option<Log> {
        match self {
            Format::Sarif => Some(Log::Sarif(sarif::Log::default())),
            Format::Junit => Some(Log::Junit(junit::Log::new(subject))),
            Format::Human | Format::Json | Format::Github => None,
        }
    }
}

impl Printer {
    pub fn new(format: Format, color: Color, limit: usize) -> Printer {
        Printer { format, color, limit, log: format.log("ptxvm check") }
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
            Format::Sarif | Format::Junit => {
                let limit = self.limit;
                self.log.iter_mut().for_each(|log| log.add(report, limit));
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
        self.log.map_or(Ok(()), |log| buffered(|out| log.write(out)))
    }
}

fn buffered(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    write(&mut out)?;
    out.flush()
}
