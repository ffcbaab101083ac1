//! A diagnostic of the check as an object for programs.

use ptxvm_syntax::{Diagnostic, Severity};
use serde_json::{Value, json};

use crate::Report;

/// The word for its severity in every format.
#[must_use]
pub fn severity(diagnostic: &Diagnostic) -> &'static str {
    match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// It as an object.
#[must_use]
pub fn object(report: &Report<'_>, d: &Diagnostic) -> Value {
    let (start, end) = report.place(d.primary.span);
    let labels: Vec<Value> = d
        .secondary
        .iter()
        .map(|label| {
            let (start, end) = report.place(label.span);
            json!({
                "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column,
                "message": label.text,
            })
        })
        .collect();
    json!({
        "file": report.name,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "kind": "invalid",
        "severity": severity(d),
        "code": d.code.0,
        "message": d.message,
        "label": d.primary.text,
        "help": d.help,
        "section": d.section,
        "related": labels,
    })
}
