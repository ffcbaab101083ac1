//! GitHub workflow commands, which become annotations on a pull request.

use std::io::{self, Write};

use ptxvm_report::Report;
use ptxvm_report::diagnostic::severity;
use serde_json::Value;

use super::finding::{self, Place};

/// Writes one `::error …::` line for each diagnostic.
pub fn write(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    for d in report.diagnostics.iter().take(limit) {
        let (start, end) = report.place(d.primary.span);
        let mut message = format!("{} [{}]", d.message, d.code);
        if let Some(help) = &d.help {
            message += &format!("\nhelp: {help}");
        }
        let place = Place {
            file: report.name.to_owned(),
            line: start.line.into(),
            column: start.column.into(),
            end_line: end.line.into(),
            end_column: end.column.into(),
        };
        writeln!(out, "::{} {}::{}", severity(d), properties(&place), data(&message))?;
    }
    Ok(())
}

/// Writes the line of a finding's object; one that is suppressed has none.
pub fn finding(object: &Value, compiled: bool, out: &mut dyn Write) -> io::Result<()> {
    if finding::reason(object).is_some() {
        return Ok(());
    }
    let severity = match object["severity"].as_str() {
        Some("warning") => "warning",
        Some("note") => "notice",
        _ => "error",
    };
    let place = finding::place(object, compiled).map(|place| format!(" {}", properties(&place)));
    let mut message = format!("{} [{}]", finding::message(object), finding::code(object));
    for (other, text) in finding::related(object, compiled) {
        message += &format!("\n{}:{}: {text}", other.file, other.line);
    }
    for note in finding::notes(object) {
        message += &format!("\nnote: {note}");
    }
    writeln!(out, "::{severity}{}::{}", place.unwrap_or_default(), data(&message))
}

fn properties(place: &Place) -> String {
    let Place { file, line, column, end_line, end_column } = place;
    let mut properties = format!("file={},line={line}", property(file));
    if *column != 0 {
        properties += &format!(",col={column}");
        match end_line == line {
            true => properties += &format!(",endColumn={end_column}"),
            false => properties += &format!(",endLine={end_line}"),
        }
    }
    properties
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
