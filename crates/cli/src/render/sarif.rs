//! SARIF 2.1.0, the format code-scanning services read.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ptxvm_report::Report;
use serde_json::{Value, json};

use super::severity;
use crate::pages;

/// Results gathered from every file, written as one log.
#[derive(Default)]
pub struct Log {
    results: Vec<Value>,
    rules: BTreeMap<&'static str, Value>,
}

impl Log {
    /// Takes a file's diagnostics.
    pub fn add(&mut self, report: &Report<'_>, limit: usize) {
        for d in report.diagnostics.iter().take(limit) {
            let (start, end) = report.place(d.primary.span);
            let mut text = d.message.clone();
            if let Some(help) = &d.help {
                text += &format!(" (help: {help})");
            }
            self.results.push(json!({
                "ruleId": d.code.0,
                "level": severity(d),
                "message": { "text": text },
                "locations": [{ "physicalLocation": {
                    "artifactLocation": { "uri": report.name },
                    "region": {
                        "startLine": start.line, "startColumn": start.column,
                        "endLine": end.line, "endColumn": end.column,
                    },
                }}],
            }));
            self.rules.entry(d.code.0).or_insert_with(|| {
                let title = pages::title(d.code.0).unwrap_or("diagnostic");
                json!({ "id": d.code.0, "shortDescription": { "text": title } })
            });
        }
    }

    /// Writes the log.
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let log = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "ptxvm",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.into_values().collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        serde_json::to_writer_pretty(&mut *out, &log)?;
        writeln!(out)
    }
}
