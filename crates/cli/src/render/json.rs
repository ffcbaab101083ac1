//! JSON lines: one object for each diagnostic, and a last one for each file that says whether the file is valid.

use std::io::{self, Write};

use ptxvm_report::Report;
use ptxvm_report::diagnostic::object;
use serde_json::json;

/// Writes the diagnostics and the closing object of a file.
pub fn write(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in report.diagnostics.iter().take(limit) {
        writeln!(out, "{}", object(report, diagnostic))?;
    }
    let (errors, warnings) = report.counts();
    let last = json!({ "file": report.name, "ok": report.ok(), "errors": errors, "warnings": warnings });
    writeln!(out, "{last}")
}

/// Writes the closing object of a file that could not be read.
pub fn unreadable(path: &str, message: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json!({ "file": path, "ok": false, "unreadable": message }))
}
