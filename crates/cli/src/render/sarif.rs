//! SARIF 2.1.0, the format code-scanning services read.

use std::collections::BTreeMap;
use std::io::{self, Write};

use ptxvm_report::diagnostic::severity;
use ptxvm_report::{Report, pages};
use serde_json::{Value, json};

use super::finding::{self, Place};

/// Results gathered from every file, written as one log.
#[derive(Debug, Default)]
pub struct Log {
    results: Vec<Value>,
    rules: BTreeMap<String, Value>,
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
                "locations": [{ "physicalLocation": physical(&Place {
                    file: report.name.to_owned(),
                    line: start.line.into(),
                    column: start.column.into(),
                    end_line: end.line.into(),
                    end_column: end.column.into(),
                }) }],
            }));
            self.name(d.code.0);
        }
    }

    /// Takes a finding's object. One that is suppressed is in the log with the reason, as the format has it.
    pub fn finding(&mut self, object: &Value, compiled: bool) {
        let code = finding::code(object);
        let mut text = finding::message(object).to_owned();
        for note in finding::notes(object) {
            text += &format!("\n{note}");
        }
        let related = finding::related(object, compiled);
        let related = related
            .iter()
            .map(|(place, text)| json!({ "physicalLocation": physical(place), "message": { "text": text } }));
        let mut result = json!({
            "ruleId": code,
            "level": object["severity"].as_str().unwrap_or("error"),
            "message": { "text": text },
            "relatedLocations": related.collect::<Vec<_>>(),
        });
        if let Some(place) = finding::place(object, compiled) {
            result["locations"] = json!([{ "physicalLocation": physical(&place) }]);
        }
        if let Some(count) = object["count"].as_u64() {
            result["occurrenceCount"] = json!(count);
        }
        if let Some(reason) = finding::reason(object) {
            result["suppressions"] = json!([{ "kind": "external", "justification": reason }]);
        }
        self.results.push(result);
        self.name(code);
    }

    /// Says what a code means, once.
    fn name(&mut self, code: &str) {
        if !self.rules.contains_key(code) {
            let title = pages::title(code).unwrap_or("diagnostic");
            self.rules.insert(code.to_owned(), json!({ "id": code, "shortDescription": { "text": title } }));
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

fn physical(place: &Place) -> Value {
    let mut region = json!({ "startLine": place.line });
    if place.column != 0 {
        region["startColumn"] = json!(place.column);
        region["endLine"] = json!(place.end_line);
        region["endColumn"] = json!(place.end_column);
    }
    json!({ "artifactLocation": { "uri": place.file }, "region": region })
}
