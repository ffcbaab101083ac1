//! GitHub workflow commands, which become annotations on a pull request.

use std::io::{self, Write};

use ptxvm_report::Report;

use super::severity;

/// Writes one `::error …::` line for each diagnostic.
pub fn write(report: &Report<'_>, limit: usize, out: &mut dyn Write) -> io::Result<()> {
    for d in report.diagnostics.iter().take(limit) {
        let (start, end) = report.place(d.primary.span);
        let mut message = format!("{} [{}]", d.message, d.code);
        if let Some(help) = &d.help {
            message += &format!("\nhelp: {help}");
        }
        let mut place = format!("line={},col={}", start.line, start.column);
        if end.line == start.line {
            place += &format!(",endColumn={}", end.column);
        } else {
            place += &format!(",endLine={}", end.line);
        }
        writeln!(out, "::{} file={},{place}::{}", severity(d), property(report.name), data(&message))?;
    }
    Ok(())
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
