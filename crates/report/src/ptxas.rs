//! Writes diagnostics in ptxas's format: one line for each error, and a last line that says that it gave up.
//!
//! Tools parse these lines, in a terminal and in the log of `cuModuleLoadDataEx`. The text after the colon is ours.

use ptxvm_syntax::Severity;

use crate::Report;

/// What the driver calls a module that was handed to it in memory.
pub const IN_MEMORY: &str = "application ptx input";

/// The line that ends a log with errors.
pub const ABORTED: &str = "ptxas fatal   : Ptx assembly aborted due to errors";

/// A line for each diagnostic; the report's name is the file's.
#[must_use]
pub fn lines(report: &Report<'_>) -> Vec<String> {
    let line = |d: &ptxvm_syntax::Diagnostic| {
        let severity = match d.severity {
            Severity::Error => "error  ",
            Severity::Warning => "warning",
        };
        let place = report.place(d.primary.span).0;
        let help = d.help.as_ref().map_or_else(String::new, |help| format!(" ({help})"));
        let text = format!("{}{help} [{}]", d.message, d.code).replace(['\r', '\n'], " ");
        format!("ptxas {}, line {}; {severity} : {text}", report.name, place.line)
    };
    report.diagnostics.iter().map(line).collect()
}

/// The log of a module that was handed over in memory: its diagnostics, and the closing line if there are errors.
#[must_use]
pub fn log(report: &Report<'_>) -> String {
    let mut lines = lines(report);
    if !report.ok() {
        lines.push(ABORTED.to_owned());
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
