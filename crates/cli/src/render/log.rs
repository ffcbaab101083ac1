//! The formats that are one document, which can only be written when all is known.

use std::io::{self, Write};

use ptxvm_report::Report;
use serde_json::Value;

use super::{junit, sarif};

/// What has been found so far, in one of these formats.
#[derive(Debug)]
pub enum Log {
    Sarif(sarif::Log),
    Junit(junit::Log),
}

impl Log {
    /// Takes a file's diagnostics.
    pub fn add(&mut self, report: &Report<'_>, limit: usize) {
        match self {
            Log::Sarif(log) => log.add(report, limit),
            Log::Junit(log) => log.add(report, limit),
        }
    }

    /// Takes a finding's object. What was `compiled` in memory is shown by its source.
    pub fn finding(&mut self, object: &Value, compiled: bool) {
        match self {
            Log::Sarif(log) => log.finding(object, compiled),
            Log::Junit(log) => log.finding(object, compiled),
        }
    }

    /// Writes the document.
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Log::Sarif(log) => log.write(out),
            Log::Junit(log) => log.write(out),
        }
    }
}
